"""Parsing manual pages.

Belongs here: their parser. Not here: macros (`man`, `mdoc`). Guarantee: the headings of the page are headings of the
text; its lines are its places.
"""

import re
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode
from headwater.parsing.troff.man import Man
from headwater.parsing.troff.mdoc import Mdoc

_MDOC = re.compile(r"^[.'][ \t]*(?:Dd|Dt)(?:\s|$)", re.MULTILINE)


class TroffParser(Parser):
    """Reads manual pages."""

    media_types: ClassVar[tuple[str, ...]] = ("text/troff", "application/x-troff", "application/x-troff-man")
    suffixes: ClassVar[tuple[str, ...]] = (".troff", ".roff", ".man", ".mdoc")
    version: ClassVar[str] = "troff-3"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        page = (Mdoc if _MDOC.search(source) else Man)(source).read()
        body = page.text()
        text = f"# {page.title}\n\n{body}" if page.title and body else body
        return make_line_document(file, source, title=page.title, text=text)
