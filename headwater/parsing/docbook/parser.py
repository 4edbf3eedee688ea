"""Parsing DocBook.

Belongs here: the parser, and a file's title. Not here: its elements (`docbook_html`). Guarantee: its lines are its
places; no other file is included.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, TooLargeError
from headwater.parsing.code_files import CodeParser
from headwater.parsing.file_types import DOCBOOK
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.text import decode
from headwater.parsing.xml import local_name, parse_xml


class DocBookParser(Parser):
    """Reads DocBook 4 and 5."""

    media_types: ClassVar[tuple[str, ...]] = (DOCBOOK, "application/x-docbook+xml")
    suffixes: ClassVar[tuple[str, ...]] = (".docbook", ".dbk")
    version: ClassVar[str] = "docbook-2"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import lxml."""
        from headwater.parsing.docbook import docbook_html  # noqa: F401 - what parsing needs

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; as code if it is not well-formed, or only mentions DocBook."""
        from headwater.parsing.docbook.docbook_entities import replace_entities
        from headwater.parsing.docbook.docbook_html import ROOTS, DocBookHtml, section_title

        source = decode(file.content)
        try:
            root = parse_xml(replace_entities(source).encode())
            text, _ = fragment_markdown(DocBookHtml(root).html(), file.uri)
        except TooLargeError:
            raise
        except DocumentError:
            return CodeParser().parse(file)
        if local_name(root) not in ROOTS or not text:
            return CodeParser().parse(file)
        return make_line_document(file, source, title=section_title(root), text=text)
