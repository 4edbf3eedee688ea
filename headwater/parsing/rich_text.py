"""Parsing RTF files.

Belongs here: their parser: paragraphs, items and tables. Not here: the control words (striprtf reads them). Guarantee:
objects, pictures, notes and text boxes in the file are left out, and fields are never computed.
"""

import re
from itertools import groupby
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.markdown.writer import pipe_table, plain_markdown
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_TITLE = re.compile(r"\{\\info\b[^\x00]{0,500}?\{\\title\s(?P<title>[^{}]{1,900})\}")
_CODE_PAGE = re.compile(r"\\ansicpg\d{1,5}")
_FIELD = re.compile(r"\{\\field\b")  # a line each: the library looks for a link's end up to the end of the line
_BULLET = re.compile(r"[ \t]*(?:[•·▪◦‣-]|o(?=\t))[ \t]+(?=\S)")


class RtfParser(Parser):
    """Reads RTF files as markdown; they have no headings that a program could tell."""

    media_types: ClassVar[tuple[str, ...]] = ("application/rtf", "text/rtf")
    suffixes: ClassVar[tuple[str, ...]] = (".rtf",)
    version: ClassVar[str] = "rtf-2"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import striprtf."""
        from striprtf import striprtf  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file.

        Raises:
            DocumentError: it is damaged.
        """
        from striprtf.striprtf import rtf_to_text

        source = file.content.decode("latin-1")  # the format is ASCII; other characters are written by their numbers
        title = _TITLE.search(source)
        try:
            text = rtf_to_text(_FIELD.sub("\n{\\\\field", source), errors="replace")
            title_text = rtf_to_text(f"{_find_code_page(source)}{title['title']}}}", errors="replace") if title else ""
        except Exception as error:  # striprtf raises whatever its parts raise on odd input
            raise DocumentError(f"The file is damaged ({error}). Save it again, as .docx.") from error
        return ParsedDocument(
            uri=file.uri,
            title=" ".join(_join_surrogates(title_text).split()),
            text=_to_markdown(_join_surrogates(text)),
            category=folder_category(file.uri, file.root),
        )


def _join_surrogates(text: str) -> str:
    """A text whose characters beyond the first plane, which the format writes in two halves, are whole."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _find_code_page(source: str) -> str:
    """The beginning of a text that is in the code page of a file."""
    code_page = _CODE_PAGE.search(source, 0, 2_000)
    return rf"{{\rtf1\ansi{code_page[0] if code_page else ''} "


def _to_markdown(text: str) -> str:
    """Lines as paragraphs, items and tables: each paragraph is one line, and the cells of a row end with a bar."""
    blocks: list[str] = []
    for kind, lines in groupby(filter(str.strip, text.split("\n")), key=_kind):
        if kind == "row":
            blocks.append(pipe_table([line.rstrip().removesuffix("|").split("|") for line in lines], has_header=True))
        elif kind == "item":
            blocks.append("\n".join(f"- {plain_markdown(_BULLET.sub('', line, count=1))}" for line in lines))
        else:
            blocks += [plain_markdown(line.rstrip().removesuffix("|")) for line in lines]  # of a box, a cell alone
    return "\n\n".join(blocks)


def _kind(line: str) -> str:
    if line.rstrip().endswith("|") and line.count("|") > 1:
        return "row"
    return "item" if _BULLET.match(line) else "paragraph"
