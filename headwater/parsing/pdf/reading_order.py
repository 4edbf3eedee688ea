"""The order in which a page is read: columns one after the other, tables row by row.

Belongs here: finding gutters, and deciding whether text on both sides is columns or a table. Not here: tables with
borders, which are found first (`tables`). Guarantee: every line is kept, once; the work is n log n per level.

A page is cut into stripes wherever a horizontal line crosses no text. Stripes that have a gutter in common belong
together. Most programs write columns one after the other, but tables row by row, so the order of drawing decides
between both; where it does not, the text does: lines that fill their column are prose.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from headwater.parsing.pdf.shapes import Line, Table
from headwater.parsing.pdf.tables import make_aligned_table

_GUTTER = 0.8  # of the size: the least width
_LEADING = 0.8  # of the size: how far a line reaches above its baseline
_BELOW = 0.15
_DEPTH = 6
_FAR = 2.5  # of the size: stripes further apart do not belong together
_STRETCHED = 2.2  # of the size: the widest gap between words
_BY_ROWS = 0.5  # changes of column per row, in the order of drawing; from here on, rows were drawn
_PROSE, _PROSE_FILL, _PROSE_ROWS = 22, 0.55, 4  # characters of a line, share of its column, rows
_CELL = 14  # characters: shorter ones in three columns or more are a table, however they were drawn


@dataclass(slots=True)
class Box:
    """A line or a table with the space that it takes."""

    left: float
    right: float
    top: float
    bottom: float
    order: int
    size: float
    line: Line | None = None
    table: Table | None = None


@dataclass(slots=True)
class Columns:
    """Counts the columns of a document, so that lines of the same column know each other."""

    count: int = 0
    depth: int = 0


@dataclass(slots=True)
class _Stripes:
    """Adjacent stripes of a region, and the parts of its width that they cover."""

    rows: list[list[Box]] = field(default_factory=list)
    cover: list[tuple[float, float]] = field(default_factory=list)


def box_of(line: Line) -> Box:
    """The space of a line."""
    size = line.size
    return Box(line.left, line.right, line.base - _LEADING * size, line.base + _BELOW * size, line.order, size, line)


def arrange(boxes: Sequence[Box], columns: Columns, depth: int = 0) -> Iterator[Line | Table]:
    """The lines and tables of a region in the order of reading."""
    if not boxes:
        return
    edge = min(box.left for box in boxes), max(box.right for box in boxes)
    columns.count += 1
    columns.depth = depth
    for stripes in _group_stripes(_stripes(boxes)):
        if len(stripes.cover) < 2 or depth >= _DEPTH:
            for row in stripes.rows:
                yield from _arrange_flow(row, edge, columns)
            continue
        for group in _trim(stripes):
            yield from _side_by_side(group, edge, columns, depth)


def _stripes(boxes: Sequence[Box]) -> list[list[Box]]:
    stripes: list[list[Box]] = []
    bottom = float("-inf")
    for box in sorted(boxes, key=lambda box: box.top):
        if box.top < bottom and stripes:
            stripes[-1].append(box)
            bottom = max(bottom, box.bottom)
        else:
            stripes.append([box])
            bottom = box.bottom
    return stripes


def _group_stripes(rows: Sequence[list[Box]]) -> Iterator[_Stripes]:
    """Adjacent stripes that have a gutter in common, or that have none."""
    group = _Stripes()
    for row in rows:
        size = median(box.size for box in row)
        row_cover = _merge_spans([(box.left, box.right) for box in row], _GUTTER * size)
        both = _merge_spans([*group.cover, *row_cover], _GUTTER * size)
        if group.rows and len(group.cover) > 1 and _is_far(group.rows[-1], row, size):
            yield group
            group, both = _Stripes(), row_cover
        elif group.rows and len(both) < 2 and (len(group.cover) > 1 or len(row_cover) > 1):
            started = _take_back(group, row_cover, size) if len(group.cover) < 2 else _Stripes()
            if group.rows:
                yield group
            group = started
            both = _merge_spans([*group.cover, *row_cover], _GUTTER * size)
        group.rows.append(row)
        group.cover = both
    yield group


def _is_far(above: Sequence[Box], row: Sequence[Box], size: float) -> bool:
    return min(box.top for box in row) - max(box.bottom for box in above) > _FAR * size


def _take_back(group: _Stripes, own: list[tuple[float, float]], size: float) -> _Stripes:
    """Take the last stripes from a group that begin the columns of the next: its right column begins higher."""
    cover, count, taken_count = own, 0, 0
    for row in reversed(group.rows):
        both = _merge_spans([*cover, *((box.left, box.right) for box in row)], _GUTTER * size)
        if len(both) < 2:
            break
        cover, count = both, count + 1
        if min(box.left for box in row) > cover[0][1]:
            taken_count = count
    taken_rows = group.rows[len(group.rows) - taken_count :]
    del group.rows[len(group.rows) - taken_count :]
    return _Stripes(
        taken_rows, _merge_spans([(box.left, box.right) for row in taken_rows for box in row], _GUTTER * size)
    )


def _merge_spans(spans: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Spans in order, joined where the space between them is less than `gap`."""
    merged: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if merged and left - merged[-1][1] < gap:
            merged[-1] = merged[-1][0], max(merged[-1][1], right)
        else:
            merged.append((left, right))
    return merged


def _columns_in(row: Sequence[Box], cover: Sequence[tuple[float, float]]) -> int:
    return len({_column(box, cover) for box in row})


def _column(box: Box, cover: Sequence[tuple[float, float]]) -> int:
    middle = (box.left + box.right) / 2
    return next((index for index, (_, right) in enumerate(cover) if middle <= right), len(cover) - 1)


def _trim(group: _Stripes) -> Iterator[_Stripes]:
    """A table without the rows of one column above and below it, which are text."""
    wide = [index for index, row in enumerate(group.rows) if _columns_in(row, group.cover) > 1]
    if not wide:
        yield group
        return
    if _is_prose(group):
        yield group
        return
    first, last = wide[0], wide[-1]
    for rows in (group.rows[:first], group.rows[first : last + 1], group.rows[last + 1 :]):
        if rows:
            yield _Stripes(rows, group.cover)


def _side_by_side(group: _Stripes, edge: tuple[float, float], columns: Columns, depth: int) -> Iterator[Line | Table]:
    count = sum(_rows_of_both(row, group.cover) for row in group.rows)
    if not count:
        for row in group.rows:
            yield from _arrange_flow(row, edge, columns)
    elif _is_prose(group):
        for column in _by_column(group):
            yield from arrange(column, columns, depth + 1)
        columns.count += 1
        columns.depth = depth
    elif count < 2 or _is_justified(group, edge):
        for row in group.rows:
            yield from _arrange_flow(row, edge, columns)
    else:
        tables = [box.table for row in group.rows for box in row if box.table]
        yield from tables or [
            make_aligned_table([[box.line for box in row if box.line] for row in group.rows], group.cover)
        ]
        columns.count += 1


def _is_prose(group: _Stripes) -> bool:
    """Whether the parts of a group are columns of text and not of a table."""
    columns = _by_column(group)
    both = sum(_rows_of_both(row, group.cover) for row in group.rows)
    if any(box.table for column in columns for box in column):
        return True
    order = sorted((box.order, index) for index, column in enumerate(columns) for box in column)
    changes = sum(a[1] != b[1] for a, b in pairwise(order))
    cells = [box.line for column in columns for box in column if box.line]
    length = median(len(line.text) for line in cells)
    if changes < _BY_ROWS * both:
        return not (len(columns) > 2 and length < _CELL)
    return all(_is_filled(column) for column in columns)


def _rows_of_both(row: Sequence[Box], cover: Sequence[tuple[float, float]]) -> int:
    """How many lines a stripe has in two columns; columns whose lines are not level are one stripe."""
    counts = Counter(_column(box, cover) for box in row)
    return sorted(counts.values())[-2] if len(counts) > 1 else 0


def _is_justified(group: _Stripes, edge: tuple[float, float]) -> bool:
    """Whether the gaps are those of words in lines that are stretched to the right edge."""
    size = median(box.size for row in group.rows for box in row)
    gap = max(b[0] - a[1] for a, b in pairwise(group.cover))
    is_stretched = all(edge[1] - max(box.right for box in row) < 2 for row in group.rows)
    return gap < _STRETCHED * size and is_stretched


def _is_filled(part: Sequence[Box]) -> bool:
    left, right = min(box.left for box in part), max(box.right for box in part)
    lines = [box.line for box in part if box.line]
    fill = median((line.right - line.left) / max(1.0, right - left) for line in lines)
    return len(lines) >= _PROSE_ROWS and fill > _PROSE_FILL and median(len(line.text) for line in lines) >= _PROSE


def _by_column(group: _Stripes) -> list[list[Box]]:
    boxes_by_column: list[list[Box]] = [[] for _ in group.cover]
    for row in group.rows:
        for box in row:
            boxes_by_column[_column(box, group.cover)].append(box)
    return [column for column in boxes_by_column if column]


def _by_height(box: Box) -> tuple[int, float]:
    return round((box.line.base if box.line else box.top) / (0.4 * box.size)), box.left


def _arrange_flow(row: Sequence[Box], edge: tuple[float, float], columns: Columns) -> Iterator[Line | Table]:
    """The lines of one stripe, joined where they stand on one baseline."""
    previous: Line | None = None
    for box in sorted(row, key=_by_height):
        if box.table:
            columns.count += 1
            previous = None
            yield box.table
            continue
        line = box.line or Line("", 0, 0, 0, 0, False, False, 0, 0)
        line.column, line.edge, line.is_nested = columns.count, edge, columns.depth > 0
        if previous is not None and abs(previous.base - line.base) < 0.4 * line.size:
            if len(line.text) > len(previous.text):  # a label before its text
                previous.size = line.size
            previous.text, previous.right = f"{previous.text} {line.text}", line.right
            previous.is_bold, previous.is_mono = previous.is_bold and line.is_bold, previous.is_mono and line.is_mono
            continue
        if previous is not None:
            yield previous
        previous = line
    if previous is not None:
        yield previous
