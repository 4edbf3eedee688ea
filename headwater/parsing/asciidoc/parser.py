"""Parsing AsciiDoc files.

Belongs here: their parser. Not here: its markup (`blocks`). Guarantee: its lines are its places.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.asciidoc.blocks import AsciiDoc
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode


class AsciiDocParser(Parser):
    """Reads AsciiDoc."""

    media_types: ClassVar[tuple[str, ...]] = ("text/asciidoc", "text/x-asciidoc")
    suffixes: ClassVar[tuple[str, ...]] = (".adoc", ".asciidoc", ".asc")
    version: ClassVar[str] = "asciidoc-7"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        document = AsciiDoc(source)
        text = document.text()  # the title is known once it is read
        title = document.title or find_opening_heading(text, file.uri)
        return make_line_document(file, source, title=title, text=text)
