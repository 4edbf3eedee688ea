"""Units as the markdown of an answer.

Belongs here: how each kind of block is written, and which words are in bold. Not here: inline markup (`inline`), which
units are shown (`choosing`). Guarantee: every word is the source's, in its order; code is as it was; steps are numbered
as they were.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater.answering.blocks import Block, Kind
from headwater.answering.inline import bold, clean_inline
from headwater.answering.units import Shape, Unit

_MARK = re.compile(r"(?:[-*+•◦▪‣●·]|\d{1,9}[.)])[ \t]*(?:\[[ xX]\][ \t]+)?")
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_TICKS = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_LEFTOVER = re.compile(r"^[ \t]*:::.*$|^[ \t]*!!! ?\w*", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_LEAD_LIMIT = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendered:
    """A unit as markdown, without its marker; `is_open` means that a marker fits at its end."""

    text: str
    is_open: bool


def render(unit: Unit, deciding: Sequence[tuple[int, int]] = ()) -> Rendered:
    """Write a unit.

    Args:
        unit: the unit.
        deciding: the spans of its stretch's text that are put in bold.
    """
    writer = _Writer(unit.stretch.text, deciding)
    if unit.shape == Shape.ROW:
        return Rendered(text=writer.rows(unit.lead, unit.blocks), is_open=False)
    parts = list(writer.blocks(unit.blocks))
    lead = clean_inline(unit.lead)
    if unit.shape == Shape.ITEM and lead and len(lead) <= _LEAD_LIMIT:
        parts.insert(0, lead)
    last = unit.blocks[-1]
    return Rendered(text="\n\n".join(parts), is_open=_ends_in_text(last))


def _ends_in_text(block: Block) -> bool:
    if block.kind in (Kind.CODE, Kind.TABLE):
        return False
    return _ends_in_text(block.parts[-1]) if block.parts else True


class _Writer:
    """Writes blocks of one text."""

    def __init__(self, text: str, deciding: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._deciding = sorted(deciding)

    def blocks(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Each block that has something to show."""
        for block in blocks:
            if shown := self._block(block):
                yield shown

    def rows(self, header: str, rows: Sequence[Block]) -> str:
        """Rows of a table below its header."""
        columns = _cells(header)
        shown = [_row(columns), _row(["---"] * len(columns))] if columns else []
        return "\n".join([*shown, *(self._row(row) for row in rows)])

    def _block(self, block: Block) -> str:
        if block.kind == Kind.CODE:
            return _fenced(block)
        if block.kind == Kind.LIST:
            return self._list(block)
        if block.kind == Kind.ITEM:
            return self._item(block, "-")
        if block.kind == Kind.TABLE:
            first = block.parts[0]
            return self.rows(self._text[first.start : first.end], block.parts[1:])
        if block.kind == Kind.ROW:
            return self._row(block)
        if block.kind in (Kind.HEADING, Kind.LABEL):
            return f"**{clean_inline(block.content)}**"
        if block.kind == Kind.QUOTE:
            text = _QUOTED.sub("", self._text[block.start : block.end])
            return clean_inline(_LEFTOVER.sub("", text))
        return self._paragraph(block)

    def _paragraph(self, block: Block) -> str:
        mark = _MARK.match(self._text, block.start, block.end)
        is_marked = mark is not None and mark[0][-1:].isspace() and self._is_first_of_item(block)
        at = mark.end() if mark and is_marked else block.start
        parts = []
        for start, end in self._deciding:
            if at <= start < end <= block.end:
                parts += [self._inline(at, start), bold(self._inline(start, end))]
                at = end
        return clean_inline(_joined([*parts, self._inline(at, block.end)]))

    def _is_first_of_item(self, block: Block) -> bool:
        line = self._text.rfind("\n", 0, block.start) + 1
        return not self._text[line : block.start].strip()

    def _inline(self, start: int, end: int) -> str:
        text = _LEFTOVER.sub("", self._text[start:end])
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{' ' * bool(before)}{clean_inline(text)}{' ' * bool(after)}"

    def _list(self, block: Block) -> str:
        items = []
        for number, part in enumerate(block.parts, start=block.number):
            items.append(self._item(part, f"{number}." if block.number else "-"))
        is_loose = any("\n\n" in item for item in items)
        return ("\n\n" if is_loose else "\n").join(filter(None, items))

    def _item(self, item: Block, mark: str) -> str:
        inside = "\n\n".join(self.blocks(item.parts)).replace("\n\n- ", "\n- ")
        if not inside:
            return ""
        first, *rest = inside.split("\n")
        return "\n".join([f"{mark} {first}", *(f"{' ' * (len(mark) + 1)}{line}" if line else "" for line in rest)])

    def _row(self, row: Block) -> str:
        is_deciding = (row.start, row.end) in self._deciding
        cells = _cells(self._text[row.start : row.end])
        return _row([bold(cell) if is_deciding and cell else cell for cell in cells])


def _joined(parts: Sequence[str]) -> str:
    return "".join(parts)


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return [clean_inline(cell) for cell in _CELL.split(inside)] if inside.strip() else []


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(block: Block) -> str:
    longest = max(map(len, _TICKS.findall(block.content)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{block.language}\n{block.content}\n{fence}"
