"""The tables of AsciiDoc.

Belongs here: cells, spans, headers. Not here: other blocks (`blocks`), the blocks of a cell (`cell_blocks`). Guarantee:
pure; a table has a header only if the document says so, by its options or by a blank line below its first row.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from headwater.parsing.asciidoc.cell_blocks import join_blocks, write_code
from headwater.parsing.markdown.writer import pipe_table

_MAX_COLUMNS = 200
_MAX_SPANNED_ROWS = 200
_MAX_REPEATED_CHARS = 20_000  # of the cells that stand in several rows of a table, with one for each cell's border
_SEPARATOR = re.compile(
    r"(?:(?<!\S)(?P<repeat>\d{1,3}\*|(?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3})\+)?[<^>.]{0,4}(?P<style>[adehlmsv])?)?(?<!\\)\|"
)


class _Cell(NamedTuple):
    lines: list[str]
    style: str = ""
    columns: int = 1
    rows: int = 1


_Write = Callable[[_Cell, str], str]


class _CellWriter:
    """Writes the cells of a table; one that is repeated is written once, and not repeated without end."""

    def __init__(self, inline: Callable[[str], str], read_blocks: Callable[[Sequence[str]], list[str]]) -> None:
        self._inline = inline
        self._read_blocks = read_blocks
        self._last: _Cell | None = None
        self._words = ""
        self._repeated_chars = 0

    def write(self, cell: _Cell, column_style: str) -> str:
        """The words of a cell, by its style or by that of its column."""
        if cell is self._last:
            self._repeated_chars += len(self._words) + 1
            return self._words if self._repeated_chars <= _MAX_REPEATED_CHARS else ""
        self._last = cell
        self._words = self._write(cell.lines, cell.style or column_style)
        return self._words

    def _write(self, lines: list[str], style: str) -> str:
        if style == "l":
            return write_code(lines)
        if style == "a":
            return join_blocks(self._read_blocks(lines))
        return self._inline("\n".join(lines).strip())


def table(
    lines: Sequence[str],
    options: str,
    *,
    inline: Callable[[str], str],
    read_blocks: Callable[[Sequence[str]], list[str]],
) -> str:
    """A table as markdown.

    Args:
        lines: those between its delimiters.
        options: the text between the brackets above it.
        inline: makes markdown of a paragraph.
        read_blocks: makes markdown of the blocks of a cell.
    """
    write = _CellWriter(inline, read_blocks).write
    separator = "," if 'format="csv"' in options or "format=csv" in options else "|"
    columns = _columns(options)
    says = "header" in options or "%header" in options
    has_header = (says or _is_set_off(lines)) and "noheader" not in options
    rows = _rows(lines, separator, columns, write, has_header=has_header)
    table_rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not any(map(any, table_rows)):
        return ""
    width = max(
        len(row) - next((index for index, cell in enumerate(reversed(row)) if cell), len(row)) for row in table_rows
    )
    table_rows = [row[: min(width, _MAX_COLUMNS)] for row in table_rows]
    return pipe_table(table_rows, has_header=has_header and len(table_rows) > 1)


def _columns(options: str) -> list[str]:
    """The style of each column that the options state; none if they do not state how many there are."""
    stated = re.search(r'cols="?([^"\]]+)"?', options)
    if not stated:
        return []
    if stated[1].strip().isdecimal() and "," not in stated[1]:
        return [""] * (min(int(stated[1]), _MAX_COLUMNS) if stated[0].count('"') == 0 else 1)
    styles: list[str] = []
    for column in filter(None, (column.strip() for column in re.split(r"[,;]", stated[1]))):
        count = re.match(r"(\d{1,3})\*", column)
        if not count and "*" in column:
            return []
        style = column[-1] if column[-1] in "adehlmsv" else ""
        styles += [style] * min(int(count[1]) if count else 1, _MAX_COLUMNS)
    return styles[:_MAX_COLUMNS]


def _is_set_off(lines: Sequence[str]) -> bool:
    """Whether the first row is one line with a blank line below it."""
    return len(lines) > 2 and bool(lines[0].strip()) and not lines[1].strip() and lines[0].count("|") > 1


def _rows(
    lines: Sequence[str], separator: str, columns: list[str], write: _Write, *, has_header: bool
) -> list[list[str]]:
    cells: list[_Cell] = []
    first_width = 0
    for line in lines:
        if separator == ",":
            cells += [_Cell([cell.strip('" ')]) for cell in line.split(",")] if line.strip() else []
            first_width = first_width or len(cells)
            continue
        cell_count = len(cells)
        _add_line(cells, line)
        if not first_width and len(cells) > cell_count:
            first_width = sum(cell.columns for cell in cells)
    columns = columns or [""] * min(first_width, _MAX_COLUMNS)
    return list(_in_rows(cells, columns, write, has_header=has_header)) if columns else []


def _add_line(cells: list[_Cell], line: str) -> None:
    """Add the cells of one more line; what stands before its first mark belongs to the last one."""
    marks = list(_SEPARATOR.finditer(line))
    lead = line[: marks[0].start()] if marks else line
    if cells and (lead.strip() or not marks):
        cells[-1].lines.append(_unescape(lead.rstrip()))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(line)
        repeat = mark["repeat"] or ""
        text = _unescape(line[mark.end() : end].strip())
        columns, _, rows = repeat[:-1].partition(".") if repeat.endswith("+") else ("", "", "")
        times = int(repeat[:-1]) if repeat.endswith("*") else 1
        width, height = min(int(columns or 1), _MAX_COLUMNS), min(int(rows or 1), _MAX_SPANNED_ROWS)
        cells += [_Cell([text], mark["style"] or "", width, height)] * min(times, _MAX_COLUMNS)


def _unescape(text: str) -> str:
    return text.replace("\\|", "|")


def _in_rows(cells: Sequence[_Cell], columns: Sequence[str], write: _Write, *, has_header: bool) -> Iterator[list[str]]:
    """The rows of some cells: the words of a cell stand in the first of its columns, and in each of its rows."""
    pending, width = deque(cells), len(columns)
    styles = [""] * width if has_header else columns  # those of the columns do not hold for the header
    hanging: dict[int, tuple[int, str]] = {}  # by column: for how many more rows, the words
    repeated_chars = 0
    while pending:
        row: list[str] = []
        while len(row) < width and (pending or len(row) in hanging):
            column = len(row)
            if column in hanging:
                count, text = hanging.pop(column)
                if count > 1:
                    hanging[column] = count - 1, text
                repeated_chars += len(text) + 1
                row.append(text)
                if repeated_chars > _MAX_REPEATED_CHARS:
                    hanging = {}
                continue
            cell = pending.popleft()
            row += [write(cell, styles[column]), *[""] * (cell.columns - 1)]
            if cell.rows > 1:
                hanging |= {place: (cell.rows - 1, row[place]) for place in range(column, len(row))}
        if len(row) >= width or any(row):
            yield row[:width]
        styles = columns
