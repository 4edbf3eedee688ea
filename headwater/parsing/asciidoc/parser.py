"""Parsing AsciiDoc files.

Belongs here: their parser. Not here: its markup (`blocks`). Guarantee: its lines are its places.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.asciidoc.blocks import AsciiDoc
from headwater.parsing.markdown.writer import line_places
from headwater.parsing.original_lines import line_starts
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode


class AsciiDocParser(Parser):
    """Reads AsciiDoc."""

    media_types: ClassVar[tuple[str, ...]] = ("text/asciidoc", "text/x-asciidoc")
    suffixes: ClassVar[tuple[str, ...]] = (".adoc", ".asciidoc", ".asc")
    version: ClassVar[str] = "asciidoc-2"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        document = AsciiDoc(source)
        text = document.text()
        return ParsedDocument(
            uri=file.uri,
            title=document.title,
            text=text,
            category=folder_category(file.uri, file.root),
            places=line_places(line_starts(text, source), text),
        )
