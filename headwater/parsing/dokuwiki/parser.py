"""Parsing pages of DokuWiki.

Belongs here: the parser, and a page's title. Not here: markup (`dokuwiki_html`), HTML (`headwater.parsing.html`).
Guarantee: its lines are its places; no page or plugin is included.
"""

from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import unquote

from headwater.domain.documents import ParsedDocument
from headwater.parsing.dokuwiki.dokuwiki_html import to_html
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode


class DokuWikiParser(Parser):
    """Reads the markup of DokuWiki."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-dokuwiki",)
    suffixes: ClassVar[tuple[str, ...]] = (".dokuwiki",)
    version: ClassVar[str] = "dokuwiki-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        page, links = to_html(source)
        text, _ = fragment_markdown(page, file.uri)
        title = find_opening_heading(text, file.uri) or _page_name(file.uri)
        return make_line_document(file, source, title=title, text=text, links=links)


def _page_name(uri: str) -> str:
    """The name that a wiki shows for a page; the first page of a namespace is called like the namespace."""
    path = PurePosixPath(unquote(uri))
    name = path.parent.name if path.stem == "start" and path.parent.name else path.stem
    return name.replace("_", " ")
