"""Parsing plain text files.

Belongs here: their parser. Not here: encodings (`text`). Guarantee: the text is the file's.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode


class PlainTextParser(Parser):
    """Reads plain text."""

    media_types: ClassVar[tuple[str, ...]] = ("text/plain",)
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    # The stored name from when one parser read all of a markdown tree: another name would read every such file again.
    version: ClassVar[str] = "markdown-2"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its category is its folder below `root`."""
        return ParsedDocument(
            uri=file.uri,
            title="",
            text=decode(file.content),
            media_type="text/plain",
            category=folder_category(file.uri, file.root),
            places=Places(kind=PlaceKind.LINE),
        )
