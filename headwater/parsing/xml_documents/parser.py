"""Parsing documents in XML.

Belongs here: the parser. Not here: elements (`translation`), reading (`headwater.parsing.docbook.element_documents`).
Guarantee: its lines are its places; no other file is included; XML that is data is read as code.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.file_types import XML_DOCUMENT
from headwater.parsing.parser import File, Limits, Parser


class XmlDocumentParser(Parser):
    """Reads DITA, Mallard, JATS, RFCs, laws and other documents in XML."""

    media_types: ClassVar[tuple[str, ...]] = (XML_DOCUMENT, "application/dita+xml", "application/jats+xml")
    suffixes: ClassVar[tuple[str, ...]] = (".dita", ".nxml")
    version: ClassVar[str] = "xml-document-2"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import lxml."""
        from headwater.parsing.docbook import element_documents  # noqa: F401 - what parsing needs

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; as code if it is not well-formed, or data."""
        from headwater.parsing.docbook.element_documents import read_elements
        from headwater.parsing.xml_documents.prose_share import is_prose
        from headwater.parsing.xml_documents.translation import translate

        return read_elements(file, lambda root: translate(root) if is_prose(root) else None)
