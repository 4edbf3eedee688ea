"""Blocks: paragraphs, headings, list items, code, tables and notes.

Belongs here: what a block is, and which one a line begins. Not here: which lines belong to it (`paragraphs`).
Guarantee: plain values; a part of a block knows its page.
"""

import re
from dataclasses import dataclass, field

from headwater.parsing.pdf.shapes import Line, Table
from headwater.parsing.pdf.text_lines import BULLET

TEXT, ITEM, CODE, TABLE, NOTE, HEADING, SCANNED = "text", "item", "code", "table", "note", "heading", "scanned"
LARGE = 1.1  # times the size of the body: a heading's
_BULLETED = re.compile(rf"({BULLET})\s+(?=\S)")
# An initial with a full stop, as in `J. Roe`, is a name and no number.
_NUMBERED = re.compile(
    r"((?:\d{1,3}|[a-z]|[ivx]{1,5}|[IVX]{2,5})[.)\]]|[A-Z][)\]]|[(\[](?:\d{1,3}|[A-Za-z]|[ivx]{1,5}|[IVX]{2,5})[)\]])\s+(?=\S)"
)


@dataclass(slots=True)
class Block:
    """A paragraph, list item, table or piece of code; its text in parts, each from one page."""

    kind: str
    first: Line
    last: Line
    parts: list[tuple[str, int]] = field(default_factory=list)
    is_bold: bool = False
    lines: int = 1
    unbroken: int = 1  # the lines since one that ended on purpose
    marker: str = ""
    level: int = 0
    table: Table | None = None

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(text for text, _ in self.parts)

    @property
    def page(self) -> int:
        """The page on which it begins."""
        return self.parts[0][1] if self.parts else self.first.page


def block_of(kind: str, line: Line, marker: str = "") -> Block:
    """A block of one line."""
    text = line.text[len(marker) :].lstrip() if marker else line.text
    return Block(kind, line, line, [(text, line.page)], line.is_bold, marker=marker)


def table_block(table: Table) -> Block:
    """The block of a table."""
    line = Line("", 0, 0, 0, 0, False, False, 0, table.page)
    return Block(TABLE, line, line, [("", table.page)], table=table)


def kind_of(text: str) -> tuple[str, str]:
    """The kind of block that a line begins, and its marker if it is an item's."""
    match = _BULLETED.match(text) or _NUMBERED.match(text)
    return (ITEM, match[1]) if match else (TEXT, "")
