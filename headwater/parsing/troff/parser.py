"""Parsing manual pages.

Belongs here: their parsers. Not here: macros (`man`, `mdoc`). Guarantee: the headings of the page are headings of the
text; its lines are its places.
"""

import re
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode
from headwater.parsing.text_structure import FORMATTED_MANUAL
from headwater.parsing.troff.formatted_page import read_formatted_page
from headwater.parsing.troff.man import Man
from headwater.parsing.troff.manual_page import Page
from headwater.parsing.troff.mdoc import Mdoc

_PAGE_NAME = re.compile(r"\s*(?P<name>\S{1,60}\(\w{1,8}\))(?=[ \t]{2,}\S)")
_NAMED = re.compile(r"^NAME[ \t]*\n[ \t]+(?P<name>[^,\n]{1,60}?)[ \t]*(?:,|[ \t][-–—][ \t]|$)", re.MULTILINE)
_MDOC = re.compile(r"^[.'][ \t]*(?:Dd|Dt)(?:\s|$)", re.MULTILINE)


class TroffParser(Parser):
    """Reads manual pages."""

    media_types: ClassVar[tuple[str, ...]] = ("text/troff", "application/x-troff", "application/x-troff-man")
    suffixes: ClassVar[tuple[str, ...]] = (".troff", ".roff", ".man", ".mdoc")
    version: ClassVar[str] = "troff-4"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        page = (Mdoc if _MDOC.search(source) else Man)(source).read()
        body = page.text()
        text = f"# {page.title}\n\n{body}" if page.title and body else body
        return make_line_document(file, source, title=page.title, text=text)


class FormattedManualParser(Parser):
    """Reads manual pages as `man` shows them, in files of plain text."""

    media_types: ClassVar[tuple[str, ...]] = (FORMATTED_MANUAL,)
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "formatted-manual-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its title is the name in its first line, or that of the first command it describes."""
        source = decode(file.content)
        name = _PAGE_NAME.match(source) or _NAMED.search(source)
        page = Page()
        page.title = name["name"] if name else ""
        read_formatted_page(source, page)
        body = page.text()
        text = f"# {page.title}\n\n{body}" if page.title and body else body
        return make_line_document(file, source, title=page.title, text=text)
