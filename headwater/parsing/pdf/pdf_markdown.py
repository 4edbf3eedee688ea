"""Writing blocks as markdown, with the page of every part.

Belongs here: markdown's syntax. Not here: what the blocks are. Guarantee: text that only looks like markdown is
escaped; pages never go backwards.
"""

import re
from collections.abc import Sequence

from headwater.domain.places import PlaceKind, Places
from headwater.parsing.markdown.writer import names_columns
from headwater.parsing.pdf.blocks import CODE, HEADING, ITEM, TABLE, Block
from headwater.parsing.pdf.hyphens import SOFT_HYPHEN
from headwater.parsing.pdf.shapes import Table

_SYNTAX = re.compile(r"(?m)^(#{1,6}(?=\s|$)|>|```|~~~|[-+*](?=\s)|={2,}\s*$|-{2,}\s*$|\d{1,9}[.)](?=\s))")
_LEADER = re.compile(r"\s*(?:[.·…_]\s?){4,}\s*")
_ORDERED = re.compile(r"\d{1,3}[.)]$")


class Writer:
    """Collects the text of a document."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[tuple[int, int | str]] = []
        self._items: list[tuple[float, int]] = []  # the left edges of the open items, and the indents of their texts

    def write(self, blocks: Sequence[Block]) -> tuple[str, Places]:
        """The text of all blocks, and its pages."""
        previous: Block | None = None
        for block in blocks:
            self._write_block(block, previous)
            previous = block
        self._add("\n" if self._parts else "", None)
        return "".join(self._parts), Places.of(PlaceKind.PAGE, self._marks)

    def _write_block(self, block: Block, before: Block | None) -> None:
        lead = self._lead(block)
        if before is not None:
            is_list = block.kind == before.kind == ITEM
            self._add("\n" if is_list else "\n\n", None)
        if block.kind == TABLE and block.table:
            self._add(_table(block.table), block.page)
        elif block.kind == CODE:
            self._write_code(block)
        else:
            self._write_parts(block, lead)

    def _lead(self, block: Block) -> str:
        if block.kind != ITEM:
            self._items = []
            return "#" * block.level + " " if block.kind == HEADING else ""
        marker = block.marker if _ORDERED.match(block.marker) else "-"
        while self._items and block.first.left < self._items[-1][0] - 0.5 * block.first.size:
            self._items.pop()
        if self._items and block.first.left <= self._items[-1][0] + 0.5 * block.first.size:
            self._items.pop()
        indent = self._items[-1][1] if self._items else 0
        self._items.append((block.first.left, min(12, indent + len(marker) + 1)))
        is_lettered = marker == "-" and (block.marker[:1].isalnum() or block.marker[:1] in ("(", "["))
        return f"{' ' * indent}{marker} {f'{block.marker} ' if is_lettered else ''}"

    def _write_parts(self, block: Block, lead: str) -> None:
        is_plain = block.kind not in (HEADING, ITEM)
        for index, (block_text, page) in enumerate(block.parts):
            text = _LEADER.sub(" … ", block_text).replace(SOFT_HYPHEN, "")
            text = " ".join(text.split()) if block.kind == HEADING and index == 0 else text
            if is_plain and (index == 0 or block_text.startswith("\n")):
                text = _SYNTAX.sub(r"\\\1", text)
            if block.kind == HEADING:
                text = text.replace("\n", " ")
            self._add((lead if index == 0 else "") + text, page)

    def _write_code(self, block: Block) -> None:
        fence = "````" if "```" in block.text else "```"
        self._add(f"{fence}\n", block.page)
        for text, page in block.parts:
            self._add(text, page)
        self._add(f"\n{fence}", None)

    def _add(self, text: str, page: int | None) -> None:
        if not text:
            return
        if page is not None and (not self._marks or page > int(self._marks[-1][1])):
            self._marks.append((self._length, page))
        self._parts.append(text)
        self._length += len(text)


def _table(table: Table) -> str:
    if not table.is_certain:
        return "\n".join("   ".join(cell for cell in row if cell) for row in table.rows)
    width = max(len(row) for row in table.rows)
    rows = table.rows if names_columns(table.rows) else [[""] * width, *table.rows]
    lines = [_row([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join((lines[0], _row(["---"] * width), *lines[1:]))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"
