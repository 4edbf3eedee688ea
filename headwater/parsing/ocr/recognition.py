"""Reading the text in pictures.

Belongs here: text from an image's bytes, or from its pixels. Not here: files of images (`image_files`), pages of a PDF
(`pdf`), the models (`engine`). Guarantee: nothing is downloaded; an image that cannot be read raises
`DocumentError`.
"""

from typing import Any

from headwater.parsing.ocr.engine import find_lines, load
from headwater.parsing.ocr.image_files import pictures
from headwater.parsing.ocr.layout import arranged


def prepare_reading() -> None:
    """Load the models, if they are not loaded yet.

    Raises:
        DocumentError: the extra `ocr` is not installed.
    """
    load()


def read_image(image: bytes) -> str:
    """Read the text in an image; of a file with several pages, the first.

    Args:
        image: a file of a format that Pillow reads, such as PNG, JPEG or TIFF.

    Returns:
        Markdown in reading order; empty if the image holds no text.

    Raises:
        DocumentError: it is no image, it is too large, or the extra `ocr` is not installed.
    """
    prepare_reading()
    return read_picture(next(pictures(image)))


def read_picture(picture: Any) -> str:
    """Read the text in a picture: an array of rows of pixels, each blue, green and red."""
    return arranged(find_lines(picture))
