"""The text of a workbook, and the cells that each of its lines comes from.

Belongs here: joining the blocks of sheets, and the marks of their cells. Not here: the blocks (`xlsx_tables`), how
cells are written (`headwater.domain.cells`). Guarantee: the work is linear in the lines; the rows of a table that
follow each other share a mark.
"""

from collections.abc import Sequence

from headwater.domain.cells import CellRange
from headwater.domain.places import Mark, PlaceKind, Places
from headwater.parsing.office.package import one_line
from headwater.parsing.office.xlsx_tables import SheetBlock

_MAX_MARKS = 100_000  # of 25 bytes or so
_MAX_NAME_CHARS = 200  # Excel allows 31


class WorkbookText:
    """The text of a workbook, sheet by sheet."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._offset = 0
        self._line = 1
        self._sheets: list[tuple[int, str]] = []
        self._marks: list[Mark] = []

    def add_sheet(self, title: str, blocks: Sequence[SheetBlock]) -> None:
        """Add a section for a sheet; its heading counts as its first cell with a text."""
        name = one_line(title)
        self._sheets.append((self._next_block_offset(), name))
        first = blocks[0]
        self._add(name, SheetBlock(f"## {name}", first.rows[:1], first.first_column, first.first_column))
        for block in blocks:
            self._add(name, block)

    def finish(self) -> tuple[str, Places]:
        """The text and its places: sheets if there are too many separate cells."""
        if len(self._marks) > _MAX_MARKS:
            return "".join(self._parts), Places.of(PlaceKind.SHEET, self._sheets)
        return "".join(self._parts), Places(kind=PlaceKind.CELL, marks=tuple(self._marks))

    def _next_block_offset(self) -> int:
        return self._offset + (2 if self._parts else 0)

    def _add(self, sheet: str, block: SheetBlock) -> None:
        begin = self._next_block_offset()
        if self._parts:
            self._parts.append("\n\n")
            self._line += 2
        cells = CellRange(sheet[:_MAX_NAME_CHARS], block.rows[0], block.first_column, block.rows[0], block.last_column)
        if len(block.rows) == 1:
            self._marks.append(Mark(begin, cells.reference, cells.reference))
        else:
            self._mark_rows(cells.columns, block, begin)
        self._parts.append(block.text)
        self._offset = begin + len(block.text)
        self._line += block.text.count("\n")

    def _mark_rows(self, columns: str, block: SheetBlock, offset: int) -> None:
        """A mark where the sheet's rows are ahead of the text's lines by another number than above."""
        ahead = None
        for line, (text, row) in enumerate(zip(block.text.split("\n"), block.rows, strict=True), self._line):
            if row - line != ahead:
                ahead = row - line
                self._marks.append(Mark(offset, columns, ahead))
            offset += len(text) + 1
