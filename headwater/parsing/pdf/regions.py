"""The order in which a page is read: columns one after the other, tables row by row.

Belongs here: finding gutters, and deciding whether text on both sides is columns or a table. Not here: tables with
borders, which are found first (`tables`). Guarantee: every line is kept, once; the work is n log n per level.

A page is cut into stripes wherever a horizontal line crosses no text. Stripes that have a gutter in common belong
together. Most programs write columns one after the other, but tables row by row, so the order of drawing decides
between both; where it does not, the text does: lines that fill their column are prose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from headwater.parsing.pdf.shapes import Line, Table
from headwater.parsing.pdf.tables import aligned

_GUTTER = 0.8  # of the size: the least width
_LEADING = 0.8  # of the size: how far a line reaches above its baseline
_BELOW = 0.15
_DEPTH = 6
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


@dataclass(slots=True)
class _Stripes:
    """Adjacent stripes of a region, and the parts of its width that they cover."""

    rows: list[list[Box]] = field(default_factory=list)
    cover: list[tuple[float, float]] = field(default_factory=list)


def box_of(line: Line) -> Box:
    """The space of a line."""
    size = line.size
    return Box(line.left, line.right, line.base - _LEADING * size, line.base + _BELOW * size, line.order, size, line)


def arranged(boxes: Sequence[Box], columns: Columns, depth: int = 0) -> Iterator[Line | Table]:
    """The lines and tables of a region in the order of reading."""
    if not boxes:
        return
    edge = min(box.left for box in boxes), max(box.right for box in boxes)
    columns.count += 1
    for stripes in _grouped(_stripes(boxes)):
        if len(stripes.cover) < 2 or depth >= _DEPTH:
            for row in stripes.rows:
                yield from _flowing(row, edge, columns)
            continue
        for part in _trimmed(stripes):
            yield from _side_by_side(part, edge, columns, depth)


def _stripes(boxes: Sequence[Box]) -> list[list[Box]]:
    found: list[list[Box]] = []
    bottom = float("-inf")
    for box in sorted(boxes, key=lambda box: box.top):
        if box.top < bottom and found:
            found[-1].append(box)
            bottom = max(bottom, box.bottom)
        else:
            found.append([box])
            bottom = box.bottom
    return found


def _grouped(rows: Sequence[list[Box]]) -> Iterator[_Stripes]:
    """Adjacent stripes that have a gutter in common, or that have none."""
    group = _Stripes()
    for row in rows:
        size = median(box.size for box in row)
        own = _merged([(box.left, box.right) for box in row], _GUTTER * size)
        both = _merged([*group.cover, *own], _GUTTER * size)
        if group.rows and len(both) < 2 and (len(group.cover) > 1 or len(own) > 1):
            yield group
            group, both = _Stripes(), own
        group.rows.append(row)
        group.cover = both
    yield group


def _merged(spans: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Spans in order, joined where the space between them is less than `gap`."""
    found: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if found and left - found[-1][1] < gap:
            found[-1] = found[-1][0], max(found[-1][1], right)
        else:
            found.append((left, right))
    return found


def _columns_in(row: Sequence[Box], cover: Sequence[tuple[float, float]]) -> int:
    return len({_column(box, cover) for box in row})


def _column(box: Box, cover: Sequence[tuple[float, float]]) -> int:
    middle = (box.left + box.right) / 2
    return next((number for number, (_, right) in enumerate(cover) if middle <= right), len(cover) - 1)


def _trimmed(group: _Stripes) -> Iterator[_Stripes]:
    """A group without the rows of one column that precede it, and those that follow a table."""
    wide = [number for number, row in enumerate(group.rows) if _columns_in(row, group.cover) > 1]
    if not wide:
        yield group
        return
    first, last = wide[0], len(group.rows) - 1
    if not _is_prose(_Stripes(group.rows[first:], group.cover)):
        last = wide[-1]
    for rows in (group.rows[:first], group.rows[first : last + 1], group.rows[last + 1 :]):
        if rows:
            yield _Stripes(rows, group.cover)


def _side_by_side(
    group: _Stripes, edge: tuple[float, float], columns: Columns, depth: int
) -> Iterator[Line | Table]:
    rows = [row for row in group.rows if _columns_in(row, group.cover) > 1]
    if not rows:
        for row in group.rows:
            yield from _flowing(row, edge, columns)
    elif _is_prose(group):
        for part in _by_column(group):
            yield from arranged(part, columns, depth + 1)
        columns.count += 1
    elif len(rows) < 2:
        for row in group.rows:
            yield from _flowing(row, edge, columns)
    else:
        tables = [box.table for row in group.rows for box in row if box.table]
        yield from tables or [aligned([[box.line for box in row if box.line] for row in group.rows], group.cover)]
        columns.count += 1


def _is_prose(group: _Stripes) -> bool:
    """Whether the parts of a group are columns of text and not of a table."""
    parts = _by_column(group)
    both = sum(_columns_in(row, group.cover) > 1 for row in group.rows)
    if any(box.table for part in parts for box in part):
        return True
    order = sorted((box.order, number) for number, part in enumerate(parts) for box in part)
    changes = sum(a[1] != b[1] for a, b in zip(order, order[1:], strict=False))
    cells = [box.line for part in parts for box in part if box.line]
    length = median(len(line.text) for line in cells)
    if changes < _BY_ROWS * both:
        return not (len(parts) > 2 and length < _CELL)
    return len(group.rows) >= _PROSE_ROWS and all(_is_filled(part) for part in parts)


def _is_filled(part: Sequence[Box]) -> bool:
    left, right = min(box.left for box in part), max(box.right for box in part)
    lines = [box.line for box in part if box.line]
    fill = median((line.right - line.left) / max(1.0, right - left) for line in lines)
    return len(lines) >= _PROSE_ROWS and fill > _PROSE_FILL and median(len(line.text) for line in lines) >= _PROSE


def _by_column(group: _Stripes) -> list[list[Box]]:
    parts: list[list[Box]] = [[] for _ in group.cover]
    for row in group.rows:
        for box in row:
            parts[_column(box, group.cover)].append(box)
    return [part for part in parts if part]


def _flowing(row: Sequence[Box], edge: tuple[float, float], columns: Columns) -> Iterator[Line | Table]:
    """The lines of one stripe, joined where they stand on one baseline."""
    before: Line | None = None
    for box in sorted(row, key=lambda box: (round((box.line.base if box.line else box.top) / (0.4 * box.size)), box.left)):
        if box.table:
            columns.count += 1
            before = None
            yield box.table
            continue
        line = box.line
        assert line is not None
        line.column, line.edge = columns.count, edge
        if before is not None and abs(before.base - line.base) < 0.4 * line.size:
            before.text, before.right = f"{before.text} {line.text}", line.right
            before.is_bold, before.is_mono = before.is_bold and line.is_bold, before.is_mono and line.is_mono
            continue
        if before is not None:
            yield before
        before = line
    if before is not None:
        yield before
