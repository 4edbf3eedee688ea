"""Parsing DocBook.

Belongs here: the parser, and which roots are DocBook's. Not here: reading (`element_documents`).
Guarantee: its lines are its places; no other file is included.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.file_types import DOCBOOK
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.xml import local_name


class DocBookParser(Parser):
    """Reads DocBook 4 and 5."""

    media_types: ClassVar[tuple[str, ...]] = (DOCBOOK, "application/x-docbook+xml")
    suffixes: ClassVar[tuple[str, ...]] = (".docbook", ".dbk")
    version: ClassVar[str] = "docbook-3"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import lxml."""
        from headwater.parsing.docbook import element_documents  # noqa: F401 - what parsing needs

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; as code if it is not well-formed, or only mentions DocBook."""
        from headwater.parsing.docbook.docbook_html import ROOTS
        from headwater.parsing.docbook.element_documents import read_elements

        return read_elements(file, lambda root: root if local_name(root) in ROOTS else None)
