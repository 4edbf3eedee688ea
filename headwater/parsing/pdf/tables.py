"""Tables: those with borders, and those whose cells are only aligned.

Belongs here: which text is in which cell. Not here: whether text in columns is a table (`reading_order`). Guarantee: no
text is lost; a table whose columns are not certain says so.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from headwater.parsing.pdf.shapes import Line, Page, Rule, Table, TextRun
from headwater.parsing.pdf.text_lines import lines_of

_NEAR = 3.0  # points: lines this near are one
_TOUCH = 4.0  # points: lines this near belong to one grid
_LONG_CELL = 400  # characters on average: then it is a layout, not a table
_FILLED = 0.35  # of the cells, at least
_MAX_RULES = 1_500  # of a page; more are a drawing
_MAX_CELLS = 20_000
_WRAPPED = 1.45  # of the size: the greatest distance of the lines of one cell

Grid = tuple[float, float, float, float]
"""Left, right, top and bottom."""


def find_bordered(page: Page, runs: Sequence[TextRun]) -> tuple[list[tuple[Grid, Table]], list[TextRun]]:
    """The tables with borders on a page, and the runs that are in none of them."""
    tables: list[tuple[Grid, Table]] = []
    remaining = list(runs)
    for columns, rows in _grids(page.rules):
        grid = columns[0], columns[-1], rows[0], rows[-1]
        inside = [run for run in remaining if _is_in(run, grid)]
        table = _fill_table(inside, columns, rows, page.number)
        if table is not None:
            tables.append((grid, table))
            used = {run.order for run in inside}
            remaining = [run for run in remaining if run.order not in used]
    return tables, remaining


def _is_in(run: TextRun, grid: Grid) -> bool:
    middle, centre = (run.left + run.right) / 2, run.base - 0.3 * run.size
    return grid[0] - 1 <= middle <= grid[1] + 1 and grid[2] - 1 <= centre <= grid[3] + 1


def _grids(rules: Sequence[Rule]) -> Iterable[tuple[list[float], list[float]]]:
    """The lines between columns and those between rows, of each group of rules that touch."""
    if len(rules) > _MAX_RULES:
        return
    for group in _group_touching(rules):
        columns = _distinct(rule.at for rule in group if not rule.is_horizontal)
        rows = _distinct(rule.at for rule in group if rule.is_horizontal)
        if len(rows) > 2 and len(columns) == 0:
            columns = _distinct(value for rule in group for value in (rule.start, rule.end))
        if len(columns) > 2 and len(rows) > 2 and len(columns) * len(rows) < _MAX_CELLS:
            yield columns, rows


def _group_touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules in groups that are connected, found by their extents from top to bottom."""
    groups: list[tuple[list[float], list[Rule]]] = []
    for rule in sorted(rules, key=_top):
        left, right, top, bottom = _extent(rule)
        extent, members = [left, right, top, bottom], [rule]
        other_groups = []
        for other_extent, other_rules in groups:
            if (
                left <= other_extent[1]
                and right >= other_extent[0]
                and top <= other_extent[3]
                and bottom >= other_extent[2]
            ):
                extent = [
                    smaller(mine, its)
                    for smaller, mine, its in zip((min, max, min, max), extent, other_extent, strict=True)
                ]
                members = other_rules + members
            else:
                other_groups.append((other_extent, other_rules))
        groups = [*other_groups, (extent, members)]
    return [members for _, members in groups]


def _top(rule: Rule) -> float:
    return rule.at if rule.is_horizontal else rule.start


def _extent(rule: Rule) -> Grid:
    if rule.is_horizontal:
        return rule.start - _TOUCH, rule.end + _TOUCH, rule.at - _TOUCH, rule.at + _TOUCH
    return rule.at - _TOUCH, rule.at + _TOUCH, rule.start - _TOUCH, rule.end + _TOUCH


def _distinct(values: Iterable[float]) -> list[float]:
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _NEAR:
            distinct.append(value)
    return distinct


def _fill_table(runs: Sequence[TextRun], columns: Sequence[float], rows: Sequence[float], page: int) -> Table | None:
    cells: dict[tuple[int, int], list[TextRun]] = {}
    for run in runs:
        row = bisect_right(rows, run.base - 0.3 * run.size) - 1
        column = bisect_right(columns, (run.left + run.right) / 2) - 1
        key = min(max(row, 0), len(rows) - 2), min(max(column, 0), len(columns) - 2)
        cells.setdefault(key, []).append(run)
    texts = {key: _text(lines_of(inside, page)) for key, inside in cells.items()}
    table_cells = [[texts.get((row, column), "") for column in range(len(columns) - 1)] for row in range(len(rows) - 1)]
    filled_rows = _without_empty(table_cells)
    if len(filled_rows) < 2 or len(filled_rows[0]) < 2:
        return None
    filled = [cell for row in filled_rows for cell in row if cell]
    if sum(map(len, filled)) > _LONG_CELL * len(filled) or len(filled) < _FILLED * len(filled_rows) * len(
        filled_rows[0]
    ):
        return None
    return Table(filled_rows, page)


def _without_empty(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows without those rows and columns that have no text."""
    filled_rows = [row for row in rows if any(row)]
    used = [
        column for column in range(len(filled_rows[0]) if filled_rows else 0) if any(row[column] for row in filled_rows)
    ]
    return [[row[column] for column in used] for row in filled_rows]


def _text(lines: Sequence[Line]) -> str:
    text = ""
    for line in sorted(lines, key=lambda line: (round(line.base), line.left)):
        joint = "" if not text or (text[-1] == "-" and text[-2:-1].isalpha() and line.text[:1].islower()) else " "
        text += joint + line.text
    return text


def make_aligned_table(rows: Sequence[Sequence[Line]], cover: Sequence[tuple[float, float]]) -> Table:
    """A table of lines that are aligned, given the columns that they cover."""
    cells: list[list[list[Line]]] = []
    bases: list[float] = []
    for row in rows:
        for group in _by_base(row):
            row_cells: list[list[Line]] = [[] for _ in cover]
            for line in group:
                middle = (line.left + line.right) / 2
                column = next((n for n, (_, right) in enumerate(cover) if middle <= right), len(cover) - 1)
                row_cells[column].append(line)
            cells.append(row_cells)
            bases.append(group[0].base)
    joined = _unwrap_rows(cells, bases)
    table = [[_text(cell) for cell in row] for row in joined]
    full = sum(sum(map(bool, row)) > 1 for row in table)
    is_certain = len(table) > 1 and full >= 0.6 * len(table)
    return Table(_without_empty(table), rows[0][0].page, is_certain=is_certain)


def _by_base(row: Sequence[Line]) -> Iterable[list[Line]]:
    group: list[Line] = []
    for line in sorted(row, key=lambda line: line.base):
        if group and line.base - group[0].base > 0.45 * line.size:
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _unwrap_rows(rows: Sequence[list[list[Line]]], bases: Sequence[float]) -> list[list[list[Line]]]:
    """Rows with those joined that are the further lines of the cells above."""
    steps = [b - a for a, b in pairwise(bases)]
    joined: list[list[list[Line]]] = []
    filled = 0
    for index, row in enumerate(rows):
        count = sum(map(bool, row))
        size = max(line.size for cell in row for line in cell)
        is_near = index > 0 and steps[index - 1] < _WRAPPED * size
        is_tight = is_near and sum(step > 1.2 * steps[index - 1] for step in steps) > 0.2 * len(steps)
        if (is_tight and count < filled) or (is_near and not row[0] and count == 1):
            for cell, lines in zip(joined[-1], row, strict=True):
                cell.extend(lines)
        else:
            joined.append(row)
            filled = count
    return joined
