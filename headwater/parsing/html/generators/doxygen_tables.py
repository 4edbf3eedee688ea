"""The tables in the descriptions of pages that Doxygen made: of parameters, of values, and of code.

Belongs here: which of them are lists, or parts one below the other. Not here: declarations (`doxygen_members`), pipe
tables (`tables`). Guarantee: no cell is lost; code keeps its lines.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    has_class,
    list_classes,
    list_tables,
    make_element,
    move_content,
    replace_element,
    unwrap_paragraph,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import rows_of

_PYTHON = "python_language"
_PARAMETERS = frozenset({"params", "tparams", "retval", "exception", "fieldtable"})


def restore_tables(tree: Any) -> None:
    """Make lists of the tables of parameters and values, and parts of those in which code stands."""
    for table in [table for table in list_tables(tree) if not _PARAMETERS.isdisjoint(list_classes(table))]:
        replace_element(table, _list_parameters(table))
    pres = [pre for pre in tree.iter("pre") if next(pre.iterancestors("td", "th"), None) is not None]
    code_cells = {next(pre.iterancestors("td", "th")): pre for pre in pres}
    tables = dict.fromkeys(next(cell.iterancestors("table"), None) for cell in code_cells)
    for table in tables:
        if table is not None:
            _restore_code_table(table, code_cells)


def _list_parameters(table: Any) -> Any:
    """Each row as a point: its name, its direction in brackets, its description; a head as a line above."""
    points = table.makeelement("ul")
    heads: list[Any] = []
    for cells in rows_of(table):
        if cells and all(cell.tag == "th" for cell in cells):
            words = " ".join(filter(None, map(plain_words, cells)))
            heads.append(make_element(table, "p", make_element(table, "b", words)))
        elif cells:
            points.append(_make_point(cells))
    return make_element(table, "div", *heads, points)


def _make_point(cells: list[Any]) -> Any:
    """A parameter, or a field with its type."""
    described = cells[-1] if len(cells) > 1 else None
    name: list[Any] = []
    notes: list[str] = []
    for cell in cells[: len(cells) - (described is not None)]:
        python = next(find_class(cell, _PYTHON), None)
        if python is not None:
            notes.append(f" ({plain_words(python)})")
            drop_elements([python])
        if has_class(cell, "paramdir"):
            notes.append(f" {plain_words(cell)}")
        elif plain_words(cell):
            name += [" " if name else "", *_trim_end(move_content(cell))]
    has_description = described is not None and (plain_words(described) or len(described))
    description = [": ", *unwrap_paragraph(move_content(described))] if has_description else []
    return make_element(cells[0], "li", make_element(cells[0], "b", *name), *notes, *description)


def _trim_end(content: list[Any]) -> list[Any]:
    """Content without the spaces that it ends with."""
    return [*content[:-1], content[-1].rstrip()]


def _restore_code_table(table: Any, code_cells: dict[Any, Any]) -> None:
    """Put the code of a table into its cells as such if each is a line, else the cells one below the other."""
    rows = [row for row in rows_of(table) if row]
    cells = [cell for row in rows for cell in row if cell in code_cells]
    if not cells:  # they stand outside of a row
        return
    codes = [pre for cell in cells for pre in cell.iter("pre")]
    if len(rows) > 1 and len(cells) == len(codes) and not any(map(_has_lines, codes)):
        for pre in codes:
            replace_element(pre, make_element(table, "code", plain_words(pre)))
        return
    heads = [plain_words(cell) for cell in rows[0]] if all(cell.tag == "th" for cell in rows[0]) else []
    blocks = table.makeelement("div")
    for row in rows[1:] if heads else rows:
        _add_row(blocks, row, heads if len(row) == len(heads) else [""] * len(row), code_cells)
    replace_element(table, blocks)


def _add_row(blocks: Any, row: list[Any], heads: list[str], code_cells: dict[Any, Any]) -> None:
    """Add the cells of a row, each below the head of its column, and all below the words that name the row."""
    is_labeled = len(row) > 1 and row[0] not in code_cells and bool(plain_words(row[0]))
    if is_labeled:
        label = make_element(blocks, "b", plain_words(row[0]))
        blocks.append(make_element(blocks, "p", label))
    for cell, head in list(zip(row, heads, strict=True))[is_labeled:]:
        if head and plain_words(cell):
            line = f"{head.rstrip(':')}:"
            blocks.append(make_element(blocks, "p", line if is_labeled else make_element(blocks, "b", line)))
        blocks.append(make_element(blocks, "div", *move_content(cell)))


def _has_lines(code: Any) -> bool:
    return len(list(find_class(code, "line"))) > 1 or "\n" in code.text_content().strip()
