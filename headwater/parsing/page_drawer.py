"""Drawing one page or slide of a file, with a passage marked on it.

Belongs here: what all drawers do alike: where they run, and the file of the picture. Not here: drawing
(`pdf.page_picture`, `office.slide_picture`), marking (`picture_marks`). Guarantee: it runs where parsers run, in a
process without network and with limits.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs, urlencode

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.picture_marks import encode_picture
from headwater.parsing.sandbox.pool import parse_apart

if TYPE_CHECKING:
    from PIL.Image import Image

LIMITS = Limits(seconds=10, megabytes=1024)


class PageDrawer(Parser):
    """Draws one page; the query of the file's URI says which, and what to mark."""

    media_types: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    limits: ClassVar[Limits | None] = LIMITS

    @abstractmethod
    def draw(self, content: bytes, number: int, words: str) -> "Image":
        """Draw a page of a file, with its words marked.

        Raises:
            DocumentError: there is no such page, or it cannot be drawn.
        """

    def parse(self, file: File) -> ParsedDocument:
        """Draw the page."""
        query = parse_qs(file.uri.removeprefix("?"))
        image = self.draw(file.content, int(query["number"][0]), query.get("words", [""])[0])
        return ParsedDocument(uri="", title="", text="", original=encode_picture(image))


def draw_apart(drawer: PageDrawer, content: bytes, number: int, words: str) -> Original:
    """Draw a page in a process of its own.

    Args:
        drawer: what draws it.
        content: the file.
        number: the page or slide, from 1.
        words: the passage to mark; empty marks nothing.

    Returns:
        A PNG picture of a page of text, a WebP picture of one with photographs.

    Raises:
        DocumentError: there is no such page, or the file cannot be drawn.
    """
    file = File(content=content, uri=f"?{urlencode({'number': number, 'words': words})}")
    document = parse_apart(drawer, LIMITS, file)
    if document.original is None:
        raise DocumentError("The page has no picture.")
    return document.original
