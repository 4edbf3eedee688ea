"""The tables of AsciiDoc.

Belongs here: cells, spans, headers. Not here: other blocks (`blocks`). Guarantee: pure; a table has a header only if
the document says so, by its options or by a blank line below its first row.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from headwater.parsing.asciidoc.inline import inline
from headwater.parsing.markdown.writer import pipe_table

_MAX_COLUMNS = 200
_MAX_SPANNED_ROWS = 200
_MAX_REPEATED_CHARS = 20_000  # of the cells that stand in several rows of a table, with one for each cell's border
_SEPARATOR = re.compile(
    r"(?:(?<!\S)(?P<repeat>\d{1,3}\*|(?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3})\+)?[<^>.]{0,4}[adehlmsv]?)?(?<!\\)\|"
)


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


def table(lines: Sequence[str], options: str, attributes: Mapping[str, str]) -> str:
    """A table as markdown.

    Args:
        lines: those between its delimiters.
        options: the text between the brackets above it.
        attributes: the document's.
    """
    separator = "," if 'format="csv"' in options or "format=csv" in options else "|"
    rows = _rows(lines, _width(options), separator)
    table_rows = [[" ".join(inline(cell, attributes).split()) for cell in row] for row in rows]
    if not table_rows:
        return ""
    width = min(max(map(len, table_rows)), _MAX_COLUMNS)
    says = "header" in options or "%header" in options
    forbids = "noheader" in options
    has_header = (says or _is_set_off(lines)) and not forbids and len(table_rows) > 1
    return pipe_table(table_rows if has_header else [[""] * width, *table_rows])


def _width(options: str) -> int:
    """The number of columns that the options state; 0 if they state none."""
    stated = re.search(r'cols="?([^"\]]+)"?', options)
    if not stated:
        return 0
    if stated[1].strip().isdecimal() and "," not in stated[1]:
        return min(int(stated[1]), _MAX_COLUMNS) if stated[0].count('"') == 0 else 1
    columns = [column.strip() for column in re.split(r"[,;]", stated[1]) if column.strip()]
    counts = (re.match(r"(\d{1,3})\*", column) for column in columns)
    return min(sum(int(count[1]) if count else 1 for count in counts), _MAX_COLUMNS)


def _is_set_off(lines: Sequence[str]) -> bool:
    """Whether the first row is one line with a blank line below it."""
    return len(lines) > 2 and bool(lines[0].strip()) and not lines[1].strip() and lines[0].count("|") > 1


def _rows(lines: Sequence[str], width: int, separator: str) -> list[list[str]]:
    cells: list[_Cell] = []
    first_width = 0
    for line in lines:
        if separator == ",":
            cells += [_Cell(cell.strip('" ')) for cell in line.split(",")] if line.strip() else []
            first_width = first_width or len(cells)
            continue
        cell_count = len(cells)
        cells = _with_line(cells, line)
        if not first_width and len(cells) > cell_count:
            first_width = sum(cell.columns for cell in cells)
    width = width or first_width
    return list(_in_rows(cells, width)) if width else []


def _with_line(cells: list[_Cell], line: str) -> list[_Cell]:
    """The cells so far with those of one more line; what stands before its first mark belongs to the last one."""
    marks = list(_SEPARATOR.finditer(line))
    lead = line[: marks[0].start()] if marks else line
    if cells and lead.strip():
        cells[-1] = cells[-1]._replace(text=f"{cells[-1].text} {lead.strip()}".strip())
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(line)
        repeat = mark["repeat"] or ""
        text = line[mark.end() : end].strip().replace("\\|", "|")
        columns, _, rows = repeat[:-1].partition(".") if repeat.endswith("+") else ("", "", "")
        times = int(repeat[:-1]) if repeat.endswith("*") else 1
        cell = _Cell(text, min(int(columns or 1), _MAX_COLUMNS), min(int(rows or 1), _MAX_SPANNED_ROWS))
        cells += [cell] * min(times, _MAX_COLUMNS)
    return cells


def _in_rows(cells: Sequence[_Cell], width: int) -> Iterator[list[str]]:
    """The rows of some cells: the words of a cell stand in the first of its columns, and in each of its rows."""
    pending = deque(cells)
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
            row += [cell.text, *[""] * (cell.columns - 1)]
            if cell.rows > 1:
                hanging |= {place: (cell.rows - 1, row[place]) for place in range(column, len(row))}
        if len(row) >= width or any(row):
            yield row[:width]
