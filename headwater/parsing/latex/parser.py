"""Parsing LaTeX files.

Belongs here: their parser. Not here: their markup (`latex_markdown`). Guarantee: its lines are its places; nothing is
included from other files, and no macro of the file runs.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.text import decode


class LatexParser(Parser):
    """Reads LaTeX files."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-tex", "application/x-tex", "application/x-latex")
    suffixes: ClassVar[tuple[str, ...]] = (".tex", ".latex", ".ltx")
    version: ClassVar[str] = "latex-5"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import the library."""
        from headwater.parsing.latex import latex_markdown  # noqa: F401

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        from headwater.parsing.latex.latex_markdown import LatexDocument

        source = decode(file.content)
        document = LatexDocument(source)
        text = document.text()
        title = document.title or find_opening_heading(text, file.uri)
        return make_line_document(file, source, title=title, text=text)
