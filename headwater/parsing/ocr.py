"""Reading the text in pictures.

Belongs here: text from the bytes of an image. Not here: its file (`images`), pages of a PDF (`pdf`), the models
(`ocr_engine`). Guarantee: nothing is downloaded; an image that cannot be read raises `DocumentError`.
"""

from headwater.parsing.images_decoding import pictures
from headwater.parsing.ocr_engine import find_lines, require
from headwater.parsing.ocr_layout import arranged


def read_image(image: bytes) -> str:
    """Read the text in an image; of a file with several pages, the first.

    Args:
        image: a file of a format that Pillow reads, such as PNG, JPEG or TIFF.

    Returns:
        Markdown in reading order; empty if the image holds no text.

    Raises:
        DocumentError: it is no image, it is too large, or the extra `ocr` is not installed.
    """
    require()
    return read_picture(next(pictures(image)))


def read_picture(picture: object) -> str:
    """Read the text in a decoded picture, as `images_decoding` makes it."""
    return arranged(find_lines(picture))
