"""Pages that are images: finding them, and reading them by OCR.

Belongs here: which pages are scans, and a picture of such a page. Not here: OCR (`headwater.parsing.ocr`). Guarantee:
a page with a text layer is not read by OCR; an image that is too large is reduced.
"""

from io import BytesIO
from math import sqrt
from typing import Any

from headwater.errors import DocumentError
from headwater.parsing.pdf.shapes import Page, Picture

_LITTLE_TEXT = 25  # characters: a page number, or the stamp of a scanner
_COVERED = 0.5  # of the page
_PIXELS = 25_000_000
_MIN_IMAGE_SHARE = 0.002  # of the page: smaller images are specks and bullets


def is_scan(page: Page) -> bool:
    """Whether a page has next to no text, and images cover most of it."""
    count = sum(len(run.text.strip()) for run in page.runs)
    return count < _LITTLE_TEXT and _covered_area(page) >= _COVERED * page.width * page.height


def _covered_area(page: Page) -> float:
    """The area under images; of images that overlap, the sum, but of strips what it is."""
    return sum(
        max(0.0, min(picture.right, page.width) - max(picture.left, 0.0))
        * max(0.0, min(picture.bottom, page.height) - max(picture.top, 0.0))
        for picture in page.pictures
    )


def read_scan(document: Any, page: Page) -> str:
    """Read the text of a page that is an image.

    Args:
        document: PDFium's.
        page: one of its pages.

    Raises:
        DocumentError: the image cannot be read, or OCR is not installed.
    """
    from headwater.parsing.ocr.recognition import read_image

    return read_image(draw_scan(document, page))


def draw_scan(document: Any, page: Page) -> bytes:
    """A grey PNG picture of a page, as it stands upright, with as many pixels as its finest image has."""
    least = _MIN_IMAGE_SHARE * page.width * page.height
    pictures = [picture for picture in page.pictures if _area(picture) > least]
    for width, height in (picture.pixels for picture in pictures):
        if width * height > 4 * _PIXELS:
            raise DocumentError(f"its image has {width:,} × {height:,} pixels, which is too many")
    finest = max((sqrt(p.pixels[0] * p.pixels[1] / _area(p)) for p in pictures), default=1.0)
    scale = min(finest, sqrt(_PIXELS / (page.width * page.height))) * (1 - 1e-6)  # its sizes are rounded up
    output = BytesIO()
    bitmap = document[page.number - 1].render(scale=scale, grayscale=True, draw_annots=page.draws_annotations)
    bitmap.to_pil().save(output, "PNG", compress_level=1)
    return output.getvalue()


def _area(picture: Picture) -> float:
    return (picture.right - picture.left) * (picture.bottom - picture.top)
