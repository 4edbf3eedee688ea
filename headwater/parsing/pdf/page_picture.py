"""A page of a PDF as a picture, with a passage marked on it.

Belongs here: rendering, and where the passage's words are on the page. Not here: the text of a PDF (`parser`), which
page a passage is on (`headwater.domain.places`), marking (`picture_marks`). Guarantee: it runs where parsers run, in a
process without network and with limits; words that are not on the page leave it unmarked.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.domain.documents import Original
from headwater.errors import DocumentError
from headwater.parsing.page_drawer import PageDrawer, draw_apart
from headwater.parsing.picture_marks import find_spans, mark_box

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = "1"
"""Increase it when the same page gives another picture."""
_WIDTH, _HEIGHT = 1000, 1500  # pixels at most


def page_picture(content: bytes, page: int, words: str) -> Original:
    """Draw a page.

    Args:
        content: the PDF.
        page: its number, from 1.
        words: the passage to mark; empty marks nothing.

    Returns:
        A PNG picture of a page of text, a WebP picture of one with photographs.

    Raises:
        DocumentError: there is no such page, or the file cannot be drawn.
    """
    return draw_apart(PagePicture(), content, page, words)


class PagePicture(PageDrawer):
    """Draws a page of a PDF."""

    version: ClassVar[str] = VERSION

    def prepare(self) -> None:
        """Load the libraries."""
        import pypdfium2  # noqa: F401
        from PIL import Image, ImageChops, PngImagePlugin, WebPImagePlugin  # noqa: F401

    def draw(self, content: bytes, number: int, words: str) -> "Image":
        """Draw the page."""
        return _draw(content, number, words)


def _draw(content: bytes, number: int, words: str) -> "Image":
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(content)
    if not 1 <= number <= len(document):
        raise DocumentError(f"The PDF has {len(document)} pages, so there is no page {number}.")
    page = document[number - 1]
    width, height = page.get_size()
    bitmap = page.render(scale=min(_WIDTH / max(width, 1), _HEIGHT / max(height, 1)))
    image: Image = bitmap.to_pil().convert("RGB")
    position = bitmap.get_posconv(page)
    for left, bottom, right, top in _boxes(page.get_textpage(), words):
        mark_box(image, position.to_bitmap(left, top), position.to_bitmap(right, bottom))
    return image


def _boxes(text_page: Any, words: str) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles of the words on the page, in its own coordinates."""
    text = text_page.get_text_range()
    for start, end in find_spans(text, words):
        for index in range(text_page.count_rects(start, end - start)):
            yield text_page.get_rect(index)
