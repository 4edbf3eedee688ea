"""The tables of AsciiDoc.

Belongs here: cells, spans, headers. Not here: other blocks (`blocks`). Guarantee: pure; a table has a header only if
the document says so, by its options or by a blank line below its first row.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from headwater.parsing.asciidoc.inline import inline
from headwater.parsing.markdown.writer import pipe_table

_MAX_COLUMNS = 200
_CELL = re.compile(r"(?P<repeat>\d{1,3}\*|(?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3})\+)?[<^>.]{0,4}[adehlmsv]?\|")
_SPLIT = re.compile(r"(?:(?<=\s)|^)(?:\d{1,3}\*|(?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3})\+)?[<^>.]{0,4}[adehlmsv]?(?<!\\)\|")


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
    cells: list[tuple[str, int]] = []  # and the number of columns that each takes
    first_width = 0
    for line in lines:
        if separator == ",":
            cells += [(cell.strip('" '), 1) for cell in line.split(",")] if line.strip() else []
            first_width = first_width or len(cells)
            continue
        cell_count = len(cells)
        cells = _with_line(cells, line)
        if not first_width and len(cells) > cell_count:
            first_width = sum(count for _, count in cells)
    width = width or first_width
    return list(_in_rows(cells, width)) if width else []


def _with_line(cells: list[tuple[str, int]], line: str) -> list[tuple[str, int]]:
    """The cells so far with those of one more line; what stands before its first mark belongs to the last one."""
    marks = list(_SPLIT.finditer(line))
    lead = line[: marks[0].start()] if marks else line
    if cells and lead.strip():
        cells[-1] = (f"{cells[-1][0]} {lead.strip()}".strip(), cells[-1][1])
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(line)
        match = _CELL.match(mark[0])
        repeat = (match["repeat"] or "") if match else ""
        text = line[mark.end() : end].strip().replace("\\|", "|")
        spans = int(repeat[:-1].partition(".")[0] or 1) if repeat.endswith("+") else 1
        times = int(repeat[:-1]) if repeat.endswith("*") else 1
        cells += [(text, min(spans, _MAX_COLUMNS))] * min(times, _MAX_COLUMNS)
    return cells


def _in_rows(cells: Sequence[tuple[str, int]], width: int) -> Iterator[list[str]]:
    row: list[str] = []
    for text, count in cells:
        row += [text, *[""] * (count - 1)]
        if len(row) >= width:
            yield row[:width]
            row = []
    if any(row):
        yield row
