"""Parsing documents in XML.

Belongs here: the parser, and a file's title. Not here: its elements (`translation`). Guarantee: its lines are its
places; no other file is included; XML that is data is read as code.
"""

import re
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, TooLargeError
from headwater.parsing.code_files import CodeParser
from headwater.parsing.file_types import XML_DOCUMENT
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.text import decode
from headwater.parsing.xml import parse_xml

_INCLUDED = re.compile(r"<!ENTITY\s+([\w.:-]{1,100})\s+(?:SYSTEM|PUBLIC)\s")
_REFERENCE = re.compile(r"&([\w.:-]{1,100});")
_DECLARED_CHARS = 16_000  # from the beginning of a file


class XmlDocumentParser(Parser):
    """Reads DITA, Mallard, JATS, RFCs, laws and other documents in XML."""

    media_types: ClassVar[tuple[str, ...]] = (XML_DOCUMENT, "application/dita+xml", "application/jats+xml")
    suffixes: ClassVar[tuple[str, ...]] = (".dita", ".nxml")
    version: ClassVar[str] = "xml-document-1"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import lxml."""
        from headwater.parsing.docbook import docbook_html  # noqa: F401 - what parsing needs

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; as code if it is not well-formed, or data."""
        from headwater.parsing.docbook.docbook_entities import replace_entities
        from headwater.parsing.docbook.docbook_html import DocBookHtml, section_title
        from headwater.parsing.xml_documents.prose_share import is_prose
        from headwater.parsing.xml_documents.translation import translate

        source = decode(file.content)
        try:
            root = parse_xml(replace_entities(_without_included_files(source)).encode())
            if not is_prose(root):
                return CodeParser().parse(file)
            text, _ = fragment_markdown(DocBookHtml(translate(root)).html(), file.uri)
        except TooLargeError:
            raise
        except DocumentError:
            return CodeParser().parse(file)
        if not text:
            return CodeParser().parse(file)
        return make_line_document(file, source, title=section_title(root), text=text)


def _without_included_files(source: str) -> str:
    """A file without the entities that stand for other files, which are not read."""
    names = set(_INCLUDED.findall(source[:_DECLARED_CHARS]))
    return _REFERENCE.sub(lambda entity: "" if entity[1] in names else entity[0], source) if names else source
