"""Parsing Texinfo sources.

Belongs here: their parser. Not here: macros and conditions (`texinfo_source`), blocks (`texinfo_markdown`), what stands
in a line (`texinfo_inline`). Guarantee: its lines are its places; nothing is included from other files.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.texinfo.texinfo_markdown import TexinfoDocument
from headwater.parsing.text import decode


class TexinfoParser(Parser):
    """Reads Texinfo sources."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-texinfo", "application/x-texinfo")
    suffixes: ClassVar[tuple[str, ...]] = (".texi", ".texinfo", ".txi", ".texi.in", ".texinfo.in")
    version: ClassVar[str] = "texinfo-2"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)  # its macros write text

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        document = TexinfoDocument(source)
        text = document.text()
        title = document.title or find_opening_heading(text, file.uri)
        return make_line_document(file, source, title=title, text=text)
