"""Cells of spreadsheets: how they are written, and the range that covers several.

Belongs here: references such as `Prices!A14:F14`, and the cells that lines of a text come from. Not here: reading
sheets (`headwater.parsing.office`), other places (`places`). Guarantee: pure; what `is_cell_mark` accepts is read
without an error.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

_PLAIN_NAME = re.compile(r"(?![A-Za-z]{1,3}\d+$)[^\W\d]\w*")  # a name that could be a cell's is quoted, as programs do
_REFERENCE = re.compile(
    r"(?P<sheet>'(?:[^']|'')*'|[^'!]*)!(?:(?P<left>[A-Z]{1,4})(?P<top>\d{1,9})(?::(?P<right>[A-Z]{1,4})(?P<bottom>\d{1,9}))?"
    r"|(?P<first>[A-Z]{1,4}):(?P<last>[A-Z]{1,4}))",
    re.ASCII,
)
_MAX_ROW = 2**31
_MAX_CHARS = 500


class CellRange(NamedTuple):
    """Cells of a sheet; rows and columns count from 1."""

    sheet: str
    first_row: int
    first_column: int
    last_row: int
    last_column: int

    @property
    def corners(self) -> tuple[str, str]:
        """The first and the last cell, each with the sheet."""
        sheet = _quote_name(self.sheet)
        return (
            f"{sheet}!{column_letters(self.first_column)}{self.first_row}",
            f"{sheet}!{column_letters(self.last_column)}{self.last_row}",
        )

    @property
    def reference(self) -> str:
        """As spreadsheets write it: `Prices!A14:F14`, and `Prices!B14` for one cell."""
        first, last = self.corners
        return first if first == last else f"{first}:{last.rpartition('!')[2]}"

    @property
    def columns(self) -> str:
        """Its columns alone: `Prices!A:F`."""
        return f"{_quote_name(self.sheet)}!{column_letters(self.first_column)}:{column_letters(self.last_column)}"

    def contains(self, other: "CellRange") -> bool:
        """Whether it has all cells of another one of its sheet."""
        return join_cells((self, other)) == self


class CellLines(NamedTuple):
    """Lines of a text that one mark covers: what the mark says, and the first and last line."""

    first: int | str
    last: int | str
    begin: int
    end: int


def read_cells(reference: str, *, first_row: int = 0, last_row: int = 0) -> CellRange:
    """The range of a reference.

    Args:
        reference: as `CellRange.reference` or `CellRange.columns` writes it.
        first_row: its first row, if the reference has only columns.
        last_row: its last row, if so.

    Raises:
        ValueError: it is none.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError(f"{reference!r} names no cells.")
    name = match["sheet"]
    sheet = name[1:-1].replace("''", "'") if name.startswith("'") else name
    if match["first"]:
        columns = column_number(match["first"]), column_number(match["last"])
        return CellRange(sheet, max(first_row, 1), columns[0], max(last_row, 1), columns[1])
    row, column = int(match["top"]), column_number(match["left"])
    return CellRange(
        sheet, row, column, int(match["bottom"] or row), column_number(match["right"]) if match["right"] else column
    )


def is_cell_mark(first: Any, last: Any) -> bool:
    """Whether these are the values of a mark of cells.

    They are a reference twice; or columns, and by how many lines the sheet's row is ahead of the text's line: then each
    line of the text is a row.
    """
    match = _REFERENCE.fullmatch(first) if isinstance(first, str) and len(first) <= _MAX_CHARS else None
    if match is None:
        return False
    return type(last) is int and abs(last) < _MAX_ROW if match["first"] else bool(first == last)


def cover_cells(lines: Iterable[CellLines]) -> tuple[str, str]:
    """The first and the last cell of lines of a text; if they are of several sheets, of the first and the last one."""
    ranges = (
        read_cells(str(mark.first), first_row=mark.begin + ahead, last_row=mark.end + ahead)
        for mark in lines
        for ahead in [mark.last if isinstance(mark.last, int) else 0]
    )
    sheets = [join_cells(group) for _, group in groupby(ranges, key=lambda cells: cells.sheet)]
    return sheets[0].corners[0], sheets[-1].corners[1]


def join_cells(ranges: Iterable[CellRange]) -> CellRange:
    """The smallest range with the cells of all, which are of one sheet."""
    ordered = list(ranges)
    return CellRange(
        ordered[0].sheet, min(cells.first_row for cells in ordered), min(cells.first_column for cells in ordered),
        max(cells.last_row for cells in ordered), max(cells.last_column for cells in ordered),
    )  # fmt: skip


def column_letters(column: int) -> str:
    """The name of a column: 1 is A, 27 is AA."""
    letters = ""
    while column > 0:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def column_number(letters: str) -> int:
    """The number of a column, from 1."""
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


def _quote_name(sheet: str) -> str:
    return sheet if _PLAIN_NAME.fullmatch(sheet) else "'" + sheet.replace("'", "''") + "'"
