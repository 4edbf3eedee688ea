"""Pages that are images: finding them, and reading them by OCR.

Belongs here: which pages are scans, and the image of a whole page. Not here: OCR (`headwater.parsing.ocr`). Guarantee:
a page with a text layer is not read by OCR; an image that is too large is reduced.
"""

from collections.abc import Sequence
from io import BytesIO
from math import atan2, degrees, sqrt
from typing import Any

from headwater.errors import DocumentError
from headwater.parsing.pdf.shapes import Page, Picture

_LITTLE_TEXT = 25  # characters: a page number, or the stamp of a scanner
_COVERED = 0.5  # of the page
_PIXELS = 25_000_000
_MIN_IMAGE_SHARE = 0.002  # of the page: smaller images are specks and bullets
_SEVERAL = 200  # strips of a page


def is_scan(page: Page) -> bool:
    """Whether a page has next to no text, and images cover most of it."""
    count = sum(len(run.text.strip()) for run in page.runs)
    return count < _LITTLE_TEXT and _covered_area(page) >= _COVERED * page.width * page.height


def _covered_area(page: Page) -> float:
    """The area under images; of images that overlap, the sum, but of strips what it is."""
    total = 0.0
    for picture in page.pictures:
        left, top, right, bottom = _place(picture, page)
        total += max(0.0, min(right, page.width) - max(left, 0.0)) * max(0.0, min(bottom, page.height) - max(top, 0.0))
    return total


def _place(picture: Picture, page: Page) -> tuple[float, float, float, float]:
    a, b, c, d, e, f = picture.matrix
    xs, ys = (e, e + a, e + c, e + a + c), (f, f + b, f + d, f + b + d)
    return min(xs), page.height - max(ys), max(xs), page.height - min(ys)


def read_scan(page: Page) -> str:
    """Read the text of a page that is an image.

    Raises:
        DocumentError: the image cannot be read, or OCR is not installed.
    """
    from headwater.parsing.ocr.recognition import read_image

    return read_image(_image_of(page))


def _image_of(page: Page) -> bytes:
    """The image of a whole page, upright."""
    area = page.width * page.height
    pictures = [picture for picture in page.pictures if _size(picture, page) > _MIN_IMAGE_SHARE * area][:_SEVERAL]
    if len(pictures) == 1 and (encoded := _encode_jpeg(pictures[0])):
        return encoded
    try:
        return _draw_pictures(pictures, page)
    except ImportError:
        return b""  # Pillow comes with the extra: OCR says how to install it
    except DocumentError:
        raise
    except Exception as error:  # an image can be broken in any way
        reason = " ".join((str(error) or type(error).__name__).split())[:200]
        raise DocumentError(f"its image cannot be decoded ({reason.rstrip('.')})") from error


def _size(picture: Picture, page: Page) -> float:
    left, top, right, bottom = _place(picture, page)
    return (right - left) * (bottom - top)


def _encode_jpeg(picture: Picture) -> bytes:
    """A JPEG as it is in the file, if it stands upright; else nothing."""
    a, b, c, d, _, _ = picture.matrix
    filters = picture.image.get("/Filter")
    names = filters if isinstance(filters, list) else [filters]
    if [str(name) for name in names] != ["/DCTDecode"] or str(picture.image.get("/ColorSpace")) == "/DeviceCMYK":
        return b""
    is_upright = a > 0 and d > 0 and abs(b) < 0.02 * a and abs(c) < 0.02 * d
    return bytes(picture.image.get_data()) if is_upright and "/Decode" not in picture.image else b""


def _draw_pictures(pictures: Sequence[Picture], page: Page) -> bytes:
    from PIL import Image

    placed_images = [(_upright(picture), _place(picture, page)) for picture in pictures]
    if len(placed_images) == 1:
        canvas = _reduce(placed_images[0][0])
    else:
        scale = max(image.width / max(1.0, place[2] - place[0]) for image, place in placed_images)
        scale = min(scale, sqrt(_PIXELS / (page.width * page.height)))
        canvas = Image.new("L", (max(1, round(page.width * scale)), max(1, round(page.height * scale))), 255)
        for image, (left, top, right, bottom) in placed_images:
            size = max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale))
            canvas.paste(image.resize(size), (round(left * scale), round(top * scale)))
    output = BytesIO()
    canvas.save(output, "PNG", compress_level=1)
    return output.getvalue()


def _upright(picture: Picture) -> Any:
    """An image as it stands on the page: grey, turned by its matrix."""
    from PIL import Image

    a, b, c, d, _, _ = picture.matrix
    width, height = int(picture.image.get("/Width", 0)), int(picture.image.get("/Height", 0))
    if width * height > 4 * _PIXELS:
        raise DocumentError(f"its image has {width:,} × {height:,} pixels, which is too many")
    image = picture.image.decode_as_image()
    if image is None:
        raise DocumentError("its image cannot be decoded")
    if image.mode in ("RGBA", "LA"):
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    image = image.convert("L")
    if a * d - b * c < 0:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    angle = round(degrees(atan2(b, a)) / 90) * 90 % 360
    turns = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}
    return image.transpose(turns[angle]) if angle else image


def _reduce(image: Any) -> Any:
    pixels = image.width * image.height
    if pixels <= _PIXELS:
        return image
    scale = sqrt(_PIXELS / pixels)
    return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
