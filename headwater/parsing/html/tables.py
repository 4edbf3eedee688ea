"""The tables of web pages as pipe tables.

Belongs here: rows, spans, headers; which tables only arrange a page. Not here: code in tables (`code_blocks`).
Guarantee: repeated cells add at most `_REPEATED` characters to a table; each row stands on one line.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from headwater.parsing.html.inline import Page, escape_start, inline, plain_words

_COLUMNS = 60
_REPEATED = 20_000  # characters that spans repeat
_LONG = 1_500  # characters of a cell that make its table a layout
_DEPTH_LIMIT = 40
_TITLE_CHARS = 60
_GRID_HEAD = "table-header"  # class in Javadoc's tables, which are made of `div`
_BLOCKS = frozenset({"p", "div", "li", "dt", "dd", "ul", "ol", "dl", "pre", "blockquote", "section"})


class TableLine(NamedTuple):
    """A line of a pipe table, and the numbers of the first and the last row of the source that it says."""

    text: str
    first_row: int
    last_row: int


class _Row(NamedTuple):
    """The words of a row, its number in the source, and that of the first row from which one of its cells hangs."""

    is_head: bool
    cells: list[str]
    first_row: int
    row_number: int


def is_layout(table: Any) -> bool:
    """Whether a table only arranges parts of a page side by side."""
    if table.get("role") in ("presentation", "none"):
        return True
    nested = next((child for child in table.iter("table", "h1", "h2", "h3", "h4", "pre") if child is not table), None)
    rows = list(rows_of(table))
    cells = [cell for row in rows for cell in row]
    if len(cells) <= 1:
        return True
    if any(cell.tag == "th" or _is_grid_head(cell) for cell in cells) and (nested is None or nested.tag != "table"):
        return False
    return nested is not None or any(len(cell.text_content() or "") > _LONG for cell in cells)


def note_of(table: Any) -> list[Any]:
    """The title of a note and what it says, if the table only frames one: words in two cells, beside a picture."""
    cells = list(cells_of(table))
    worded = [cell for cell in cells if plain_words(cell)]
    if len(worded) != 2:
        return []
    title, note_words = map(plain_words, worded)
    if len(title) > min(_TITLE_CHARS, len(note_words)):  # "E = mc² | (1)" is none
        return []
    return [worded[0], *(cell for cell in cells if cell is not worded[0] and not _is_icon(cell, title))]


def _is_icon(cell: Any, title: str) -> bool:
    """Whether a cell only has a picture that says what the title says."""
    pictures = [(picture.get("alt") or "").strip("[] ") for picture in cell.iter("img")]
    return not plain_words(cell) and all(words in ("", title) for words in pictures)


def is_grid(element: Any) -> bool:
    """Whether an element is a table of another name: its children are the cells, the heads of two columns first."""
    cells = [cell for cell in element if isinstance(cell.tag, str)][:2] if element.tag == "div" else []
    return len(cells) == 2 and all(map(_is_grid_head, cells))


def cells_of(table: Any) -> Iterator[Any]:
    """The cells of a table, by row."""
    for row in rows_of(table):
        yield from row


def pipe_table(table: Any, page: Page) -> str:
    """The table as markdown; empty if it has no words.

    Without a head, one row is a line of text, and one column is a list.
    """
    rows = _rows_with_words(table, page)
    if not rows:
        return ""
    if len(rows) == 1 and not rows[0].is_head:
        return escape_start(" | ".join(filter(None, rows[0].cells)))
    if len(rows[0].cells) == 1 and not rows[0].is_head:
        return "\n".join(f"- {escape_start(row.cells[0])}" for row in rows)
    return "\n".join(line.text for line in _write_lines(rows))


def pipe_lines(table: Any, page: Page) -> list[TableLine]:
    """The lines of a table as markdown, of which the first two are those of its head; none if it has no words."""
    return _write_lines(_rows_with_words(table, page))


def _write_lines(rows: list[_Row]) -> list[TableLine]:
    if not rows:
        return []
    width = len(rows[0].cells)
    head_count = 0
    while head_count < len(rows) and rows[head_count].is_head and (not head_count or head_count + 1 < len(rows)):
        head_count += 1
    heads, data_rows = rows[:head_count], rows[head_count:]
    header = [_join_cells([row.cells[column] for row in heads]) for column in range(width)]
    last_head = heads[-1].row_number if heads else 0
    return [
        TableLine(_line(header), 0, last_head),
        TableLine("|" + " --- |" * width, 0, last_head),
        *(TableLine(_line(row.cells), row.first_row, row.row_number) for row in data_rows),
    ]


def _rows_with_words(table: Any, page: Page) -> list[_Row]:
    """The rows that have words, without the columns that have none."""
    rows = [(row, [inline(_run(cell), page, in_table=True) for cell in row]) for row in rows_of(table)]
    grid = [
        _Row(_is_head(row), cells, first_row, row_number)
        for row_number, ((row, _), (cells, first_row)) in enumerate(zip(rows, _grid(rows), strict=True))
        if any(cells)
    ]
    width = max((len(row.cells) for row in grid), default=0)
    full = [row._replace(cells=[*row.cells, *[""] * (width - len(row.cells))]) for row in grid]
    used = [column for column in range(width) if any(row.cells[column] for row in full)]
    return [row._replace(cells=[row.cells[column] for column in used]) for row in full]


def rows_of(table: Any) -> Iterator[list[Any]]:
    """The cells of each row of a table, not those of tables in it."""
    if table.tag == "div":
        yield from _rows_of_grid(table)
        return
    for child in table:
        if child.tag == "tr":
            yield [cell for cell in child if cell.tag in ("td", "th")]
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from ([cell for cell in row if cell.tag in ("td", "th")] for row in child if row.tag == "tr")


def _rows_of_grid(grid: Any) -> Iterator[list[Any]]:
    """The cells of each row: a row has as many as there are heads before the first of them."""
    cells = [cell for cell in grid if isinstance(cell.tag, str)]
    width = next((place for place, cell in enumerate(cells) if not _is_grid_head(cell)), len(cells))
    yield from (cells[start : start + width] for start in range(0, len(cells), width))


def _is_grid_head(cell: Any) -> bool:
    return _GRID_HEAD in (cell.get("class") or "").split()


def _run(cell: Any, depth: int = 0) -> list[Any]:
    """The content of a cell as one run: blocks in it are divided by spaces, list items by semicolons."""
    nodes: list[Any] = [cell.text or ""]
    for child in cell:
        is_block = child.tag in _BLOCKS
        is_nested = is_block and depth < _DEPTH_LIMIT and any(descendant.tag in _BLOCKS for descendant in child)
        child_nodes = _run(child, depth + 1) if is_nested else [child]
        ends = ("; " if child.tag == "li" and child.getnext() is not None else " ") if is_block else ""
        nodes += [" " if is_block else "", *child_nodes, ends, child.tail or ""]
    return nodes


def _is_head(row: list[Any]) -> bool:
    if not row:
        return False
    if _is_grid_head(row[0]):
        return True
    section = row[0].getparent().getparent()
    if section is not None and section.tag == "thead":
        return True
    return all(cell.tag == "th" or _is_bold(cell) for cell in row)


def _is_bold(cell: Any) -> bool:
    children = list(cell)
    is_only = len(children) == 1 and children[0].tag in ("b", "strong")
    return is_only and not (cell.text or "").strip() and not (children[0].tail or "").strip()


def _grid(rows: list[tuple[list[Any], list[str]]]) -> list[tuple[list[str], int]]:
    """The words of every column of each row, and the first row that they are from.

    What spans rows stands in each, what spans columns in the first.
    """
    grid: list[tuple[list[str], int]] = []
    hanging: dict[int, tuple[int, str, int]] = {}  # by column: for how many more rows, its words, its row
    repeated = 0
    for row_number, (cells, words) in enumerate(rows):
        row: list[str] = []
        first_row = row_number
        pending = list(zip(cells, words, strict=True))
        while pending or any(column >= len(row) for column in hanging):
            column = len(row)
            if column >= _COLUMNS:
                break
            if column in hanging:
                count, text, origin = hanging.pop(column)
                repeated += len(text)
                row.append(text if repeated <= _REPEATED else "")
                first_row = min(first_row, origin)
                if count > 1:
                    hanging[column] = count - 1, text, origin
            elif pending:
                cell, text = pending.pop(0)
                width = _span(cell, "colspan")
                for place in range(width):
                    row.append(text if place == 0 else "")
                    if _span(cell, "rowspan") > 1:
                        hanging[column + place] = _span(cell, "rowspan") - 1, text if place == 0 else "", row_number
            else:
                row.append("")
        grid.append((row, first_row))
    return grid


def _span(cell: Any, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return (
        max(1, min(int(value), _COLUMNS if name == "colspan" else 1_000)) if value.isdecimal() and len(value) < 6 else 1
    )


def _join_cells(words: list[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, words)))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
