"""Parsing MediaWiki's markup.

Belongs here: the parser, and a page's title. Not here: markup (`wikitext_html`), HTML (`headwater.parsing.html`).
Guarantee: its lines are its places; no template is fetched.
"""

import re
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.text import decode
from headwater.parsing.title_fields import find_title

_HEADING = re.compile(r"#[ \t]+(?P<title>[^\n]+)")
_FIELDS = re.compile(r"\s*<pre>(?P<fields>.{0,4000}?)</pre>", re.DOTALL | re.IGNORECASE)


class WikitextParser(Parser):
    """Reads MediaWiki's markup."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-wiki",)
    suffixes: ClassVar[tuple[str, ...]] = (".mediawiki", ".wiki", ".wikitext")
    version: ClassVar[str] = "wikitext-2"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import the library."""
        from headwater.parsing.wikitext import wikitext_html  # noqa: F401

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        from headwater.parsing.wikitext.wikitext_html import to_html

        source = decode(file.content)
        page, links = to_html(source)
        text, _ = fragment_markdown(page, file.uri)
        return make_line_document(file, source, title=_title(text, source), text=text, links=links)


def _title(text: str, source: str) -> str:
    """The heading of the first level that the text begins with, or `Title:` among its fields; else none."""
    if heading := _HEADING.match(text):
        return heading["title"].strip()
    fields = _FIELDS.match(source)
    return find_title(fields["fields"]) if fields else ""
