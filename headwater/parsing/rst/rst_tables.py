"""The tables of reStructuredText as rows of words.

Belongs here: cells that span others. Not here: the words of a cell (`rst_markdown`), pipe tables (`markdown.writer`).
Guarantee: repeated cells add at most `_REPEATED` characters to a table, and empty ones at most `_COLUMNS` to a row.
"""

from collections.abc import Callable

from docutils import nodes

_REPEATED = 20_000  # characters that spans repeat
_COLUMNS = 100


def read_rows(table: nodes.Element, write_cell: Callable[[nodes.Element], str]) -> list[list[str]]:
    """The words of every column of each row; none if the whole table is empty, as one of pictures is.

    What spans rows stands in each, what spans columns in the first, as in the tables of web pages.
    """
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # by column: for how many more rows, its words
    repeated_chars = 0
    for line in (line for line in table.findall(nodes.row) if line.parent.parent.parent is table):
        pending = list(reversed(line.children))
        row: list[str] = []
        while len(row) < _COLUMNS and (pending or any(column >= len(row) for column in hanging)):
            column = len(row)
            if column in hanging:
                row_count, words = hanging.pop(column)
                repeated_chars += len(words)
                row.append(words if repeated_chars <= _REPEATED else "")
                hanging |= {column: (row_count - 1, words)} if row_count > 1 else {}
                continue
            entry = pending.pop() if pending else nodes.entry()
            row += [write_cell(entry), *[""] * min(entry.get("morecols", 0), _COLUMNS)]
            if row_count := entry.get("morerows", 0):
                hanging |= {place: (row_count, row[place]) for place in range(column, len(row))}
        rows += [row] if line.children else []
    return rows if any(any(row) for row in rows) else []
