"""A page of a PDF as a picture, with a passage marked on it.

Belongs here: rendering, and finding the passage's words on the page. Not here: the text of a PDF (`parser`), which page
a passage is on (`headwater.domain.places`). Guarantee: it runs where parsers run, in a process without network and with
limits; words that are not on the page leave it unmarked.
"""

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlencode

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.sandbox.pool import parse_apart

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = "1"
"""Increase it when the same page gives another picture."""
_WIDTH, _HEIGHT = 1000, 1500  # pixels at most
_FEW_COLOURS, _PALETTE = 4_096, 32  # a page with so few has text and drawings, which so many show well
_QUALITY = 55
_YELLOW = (255, 236, 110)
_PIECES = re.compile(r"[.!?]\s+|\n+|\||[•·]")
_WORDS = re.compile(r"[^\W_]+")
_MAX_PIECES = 60
_WINDOW = 4  # words that are looked for if a whole sentence is not there
_LIMITS = Limits(seconds=10, megabytes=1024)


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
    file = File(content=content, uri=f"?{urlencode({'page': page, 'words': words})}")
    document = parse_apart(PagePicture(), _LIMITS, file)
    if document.original is None:
        raise DocumentError("The page has no picture.")
    return document.original


class PagePicture(Parser):
    """Draws one page; the query of the file's URI says which, and what to mark."""

    media_types: ClassVar[tuple[str, ...]] = ("application/pdf",)
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = VERSION
    limits: ClassVar[Limits | None] = _LIMITS

    def prepare(self) -> None:
        """Load the libraries."""
        import pypdfium2  # noqa: F401
        from PIL import Image, ImageChops, PngImagePlugin, WebPImagePlugin  # noqa: F401

    def parse(self, file: File) -> ParsedDocument:
        """Draw the page."""
        query = parse_qs(file.uri.removeprefix("?"))
        image = _draw(file.content, int(query["page"][0]), query.get("words", [""])[0])
        return ParsedDocument(uri="", title="", text="", original=_encode(image))


def _encode(image: "Image") -> Original:
    """The file of a picture: small, and made in a tenth of a second."""
    out = io.BytesIO()
    if image.getcolors(_FEW_COLOURS) is not None:
        image.quantize(_PALETTE, method=2).save(out, "PNG")  # 2: the fast octree
        return Original(content=out.getvalue(), media_type="image/png")
    image.save(out, "WEBP", quality=_QUALITY, method=1)
    return Original(content=out.getvalue(), media_type="image/webp")


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
        _mark(image, position.to_bitmap(left, top), position.to_bitmap(right, bottom))
    return image


def _boxes(text_page: Any, words: str) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles of the words on the page, in its own coordinates."""
    text = text_page.get_text_range()
    for start, end in _spans(text, words):
        for index in range(text_page.count_rects(start, end - start)):
            yield text_page.get_rect(index)


def _spans(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a passage stand in a page's text; parts of them where one does not stand as a whole."""
    for segment in _PIECES.split(words)[:_MAX_PIECES]:
        segment_words = _WORDS.findall(segment)
        if match := _search(text, segment_words):
            yield match
        elif len(segment_words) > _WINDOW:
            windows = (
                segment_words[start : start + _WINDOW] for start in range(0, len(segment_words) - _WINDOW + 1, _WINDOW)
            )
            yield from filter(None, (_search(text, window) for window in windows))


def _search(text: str, words: list[str]) -> tuple[int, int] | None:
    if len("".join(words)) < _WINDOW:  # a number or a letter is anywhere
        return None
    match = re.search(r"[\W_]{1,6}".join(map(re.escape, words)), text, re.IGNORECASE)
    return match.span() if match else None


def _mark(image: "Image", first: tuple[int, int], last: tuple[int, int]) -> None:
    """Tint a rectangle, as a marker pen does: what is dark stays dark."""
    from PIL import Image, ImageChops

    left, right = sorted((first[0], last[0]))
    top, bottom = sorted((first[1], last[1]))
    box = (max(0, left - 1), max(0, top - 1), min(image.width, right + 1), min(image.height, bottom + 1))
    if box[0] >= box[2] or box[1] >= box[3]:
        return
    region = image.crop(box)
    image.paste(ImageChops.multiply(region, Image.new("RGB", region.size, _YELLOW)), box)
