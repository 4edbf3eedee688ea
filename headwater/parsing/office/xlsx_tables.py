"""The tables of a sheet, and the texts around them, as markdown.

Belongs here: where a table begins and ends, which rows are its header. Not here: reading cells (`xlsx`). Guarantee:
every text of the sheet is in the blocks at least once; the work is linear in the cells that have a text, and merged
ranges fill at most a fixed number of others.

A sheet has no marks for this, so the rules are those of a reader: empty rows and columns separate tables, a row with
one text above a table is its caption, and the first row with several texts is its header.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from headwater.parsing.office.package import join_header, one_line, plain, table

Rows = Mapping[int, dict[int, str]]
"""Texts by row and column."""
Range = tuple[int, int, int, int]
"""First row and column, last row and column."""
_Grid = list[list[str]]
_Covered = Mapping[int, set[int]]
"""For rows with cells that span columns, the columns in which these do not begin."""


class SheetBlock(NamedTuple):
    """A block of a sheet as markdown: the row of each of its lines, or of all of them, and its columns."""

    text: str
    rows: Sequence[int]
    first_column: int
    last_column: int


_FILLED = 200_000  # cells that merged ranges may fill
_HEADERS = 6  # rows
_NAMED_HEADERS = 3  # rows with a name of their own in the first column, or with gaps and no merged cells
_VALUE = re.compile(
    r"[-+(]?\s?(?:[€$£¥]|[A-Z]{3})?\s?-?\d[\d.,'’\s]*(?:E[+-]?\d+)?\s?(?:%|€|\$|£|¥|[A-Za-z]{1,3}\.?)?\)?|\d{4}-\d\d(?:-\d\d.*)?|#[A-Z/0!?]+"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def sheet_blocks(rows: Rows, merged: Sequence[Range]) -> list[SheetBlock]:
    """The blocks of a sheet: tables and paragraphs, from top to bottom."""
    filled = {row_number: dict(row) for row_number, row in sorted(rows.items())}
    covered = _fill(filled, merged)
    blocks: list[SheetBlock] = []
    for group in _join_continuations(filled, covered):
        for columns in _column_blocks(filled, group):
            row_numbers = [row_number for row_number in group if any(map(filled[row_number].get, columns))]
            grid = [[filled[row_number].get(column, "") for column in columns] for row_number in row_numbers]
            blocks += _blocks(grid, covered, row_numbers, columns)
    return [block for block in blocks if block.text.strip()]


def _fill(rows: dict[int, dict[int, str]], merged: Sequence[Range]) -> _Covered:
    """Repeat the text of merged cells in each of them; returns those that only continue one to their left."""
    numbers = sorted(rows)
    columns = sorted({column for row in rows.values() for column in row})
    covered: dict[int, set[int]] = {}
    cells_left = _FILLED
    for top, first, bottom, last in merged:
        text = rows.get(top, {}).get(first, "")
        spanned = columns[bisect_left(columns, first) : bisect_right(columns, last)]
        for row_number in numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)] if text else ():
            row = rows[row_number]
            cells_left -= len(spanned)
            if cells_left < 0:
                return covered
            if last > first:
                covered.setdefault(row_number, set()).update(column for column in spanned[1:] if not row.get(column))
            row.update((column, text) for column in spanned if not row.get(column))
    return covered


def _groups(rows: Rows) -> Iterator[list[int]]:
    """Rows that follow each other without an empty one."""
    group: list[int] = []
    for row in rows:
        if group and row > group[-1] + 1:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _join_continuations(rows: Rows, covered: _Covered) -> Iterator[list[int]]:
    """Groups of rows; one that begins with values continues the table above, which has the header."""
    joined: list[int] = []
    columns: set[int] = set()
    for group in _groups(rows):
        group_columns = {column for row_number in group for column in rows[row_number]}
        is_several = (_count(rows[row_number].items(), covered.get(row_number, ())) > 1 for row_number in group)
        first = next((rows[row_number] for row_number, is_row in zip(group, is_several, strict=True) if is_row), {})
        has_values = any(_is_value(text) and not _YEAR.fullmatch(text) for text in first.values())
        if joined and not (has_values and group_columns <= columns and len(columns) > 2):
            yield joined
            joined, columns = [], set()
        joined += group
        columns |= group_columns
    if joined:
        yield joined


def _column_blocks(rows: Rows, group: Sequence[int]) -> Iterator[list[int]]:
    """The columns of tables that stand side by side, with an empty column between them."""
    columns = sorted({column for row_number in group for column in rows[row_number]})
    block: list[int] = []
    for previous, column in pairwise([0, *columns]):
        right = _run(columns, column)
        if block and column > previous + 1 and _stands_alone(rows, group, block) and _stands_alone(rows, group, right):
            yield block
            block = []
        block.append(column)
    yield block


def _run(columns: Sequence[int], first: int) -> list[int]:
    """The columns from one on, up to the next gap."""
    run = [first]
    for column in columns[columns.index(first) + 1 :]:
        if column > run[-1] + 1:
            break
        run.append(column)
    return run


def _stands_alone(rows: Rows, group: Sequence[int], columns: Sequence[int]) -> bool:
    """Whether columns are a table: at least two, with a header of texts, and names in the first one."""
    filled = [[rows[row_number].get(column, "") for column in columns] for row_number in group]
    filled = [row for row in filled if any(row)]
    if len(columns) < 2 or len(filled) < 2:
        return False
    names = [row[0] for row in filled if row[0]]
    header = next((row for row in filled if sum(map(bool, row)) > 1), filled[0])
    return not any(map(_is_value, header)) and sum(map(_is_value, names)) * 2 < len(names)


def _blocks(grid: _Grid, covered: _Covered, rows: Sequence[int], columns: Sequence[int]) -> Iterator[SheetBlock]:
    """Captions, a table, and notes below it.

    Args:
        grid: the texts.
        covered: where cells that span columns go on.
        rows: the number of each row.
        columns: the number of each column.
    """
    counts = [
        _count(zip(columns, row, strict=True), covered.get(row_number, ()))
        for row_number, row in zip(rows, grid, strict=True)
    ]
    begin = next((index for index, count in enumerate(counts) if count > 1), len(grid))
    end = next((index + 1 for index in range(len(grid) - 1, -1, -1) if counts[index] > 1), begin)
    yield from (_paragraph(grid[index], rows[index], columns) for index in range(begin))
    body = grid[begin:end]
    if body:
        has_text = [any(row[index] for row in body) for index in range(len(columns))]
        used = [column for column, is_used in zip(columns, has_text, strict=True) if is_used]
        text, line_rows = (
            _form(body, rows[begin:end]) if _is_form(body) else _table(body, covered, rows[begin:end], columns)
        )
        yield SheetBlock(text, line_rows, used[0], used[-1])
    yield from (_paragraph(grid[index], rows[index], columns) for index in range(end, len(grid)))


def _form(body: _Grid, rows: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A list of names and values, and the row of each line."""
    lines = (f"- {one_line(name).rstrip(':')}: {one_line(value)}" for name, value in map(_pair, body))
    return "\n".join(lines), rows


def _table(body: _Grid, covered: _Covered, rows: Sequence[int], columns: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A table, and the row of each line; the ruler counts as the last row of the header.

    A merged cell stands above each of its columns in the header, and once in a row below it.
    """
    count = _header_count(body, [row_number in covered for row_number in rows])
    table_rows, line_rows = [join_header(body[:count])], [rows[0], rows[count - 1]]
    for row_number, row in zip(rows[count:], body[count:], strict=True):
        hidden = covered.get(row_number, ())
        texts = ["" if column in hidden else text for column, text in zip(columns, row, strict=True)]
        if any(texts):  # else all that it has is a text that spans the table to its left, too
            table_rows.append(texts)
            line_rows.append(row_number)
    return table(table_rows), line_rows


def _count(cells: Iterable[tuple[int, str]], hidden: Container[int]) -> int:
    """How many texts a row has, by column; a merged cell counts once."""
    return sum(bool(text) and column not in hidden for column, text in cells)


def _paragraph(row: Sequence[str], row_number: int, columns: Sequence[int]) -> SheetBlock:
    column, text = next((column, text) for column, text in zip(columns, row, strict=True) if text)
    return SheetBlock(plain(text), [row_number], column, column)


def _is_form(body: _Grid) -> bool:
    """Whether it is a list of names with a value each, without a header."""
    if any(sum(map(bool, row)) > 2 for row in body):
        return False
    filled = [[text for text in row if text] for row in body]
    if {tuple(bool(text) for text in row) for row in body} > {tuple(map(bool, body[0]))} and len(body[0]) > 2:
        return False
    names = [row[0] for row in filled]
    return all(name.rstrip().endswith((":", "：")) for name in names) or (
        not any(map(_is_value, names)) and _is_value(filled[0][-1]) and len(body[0]) == 2 and len(body) < 30
    )


def _pair(row: Sequence[str]) -> tuple[str, str]:
    filled = [text for text in row if text]
    return filled[0], filled[1] if len(filled) > 1 else ""


def _header_count(body: _Grid, wide: Sequence[bool]) -> int:
    """How many rows the header has: a row with merged cells, or with gaps over texts, belongs to the one below."""
    count = 1
    while count < min(_HEADERS, len(body) - 1):
        upper_row, lower_row = body[count - 1], body[count]
        if any(_is_value(text) and not _YEAR.fullmatch(text) for text in lower_row):
            break
        has_gaps = any(not upper and lower for upper, lower in zip(upper_row, lower_row, strict=True))
        has_values = any(map(_is_value, body[count + 1])) or _leads_to_values(
            body[count : count + _HEADERS + 1], wide[count:]
        )
        is_above_others = wide[count - 1] or has_gaps
        if count >= _NAMED_HEADERS:
            is_above_others = wide[count - 1] and _goes_on(upper_row, lower_row)
        if not (is_above_others and has_values):
            break
        count += 1
    return count


def _leads_to_values(body: _Grid, wide: Sequence[bool]) -> bool:
    """Whether rows of several merged cells stand above values, or above names of columns and these above values.

    Such rows with names in the first column are no header: they are those of a table of texts.
    """
    depth = 0
    while depth < len(body) and wide[depth] and len(set(body[depth])) > 2:
        if depth and not _goes_on(body[depth - 1], body[depth]):
            break
        depth += 1
    return depth > 0 and any(_is_value(text) for row in body[depth : depth + 2] for text in row)


def _goes_on(upper_row: Sequence[str], lower_row: Sequence[str]) -> bool:
    """Whether the first cell of a row is empty, or that of the row above, merged downwards."""
    return lower_row[0] in ("", upper_row[0])


def _is_value(text: str) -> bool:
    return bool(_VALUE.fullmatch(text.strip()))
