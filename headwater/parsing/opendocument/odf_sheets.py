"""The sheets of an OpenDocument spreadsheet.

Belongs here: which cells have a text, repeated and merged ones. Not here: finding tables in a sheet
(`headwater.parsing.office.xlsx_tables`). Guarantee: memory is bounded by the cells that have a text, however often the
file repeats them; hidden sheets are left out, and texts are those that the program showed when it saved the file.
"""

from collections.abc import Iterator

from headwater.errors import DocumentError
from headwater.parsing.office.xlsx_tables import Range, Rows, sheet_blocks
from headwater.parsing.office.xlsx_text import WorkbookText
from headwater.parsing.opendocument.odf_file import OFFICE, TABLE, TEXT, OdfFile, count_of
from headwater.parsing.xml import Element

_MAX_CELLS = 1_000_000
_MAX_COLUMNS = 16_384
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
_ROW_GROUPS = tuple(f"{TABLE}{name}" for name in ("table-row-group", "table-header-rows", "table-rows"))


def add_sheets(file: OdfFile, text: WorkbookText) -> None:
    """Add a section for each sheet that is shown.

    Raises:
        DocumentError: it has too many cells.
    """
    cells_left = _MAX_CELLS
    for sheet in file.body.iterchildren(f"{TABLE}table"):
        if file.style_value(sheet.get(f"{TABLE}style-name"), "table", f"{TABLE}display") == "false":
            continue
        rows, merged = read_cells(sheet, cells_left)
        cells_left -= sum(map(len, rows.values()))
        if blocks := sheet_blocks(rows, merged):
            text.add_sheet(sheet.get(f"{TABLE}name") or "Sheet", blocks)


def read_cells(sheet: Element, cells_left: int) -> tuple[Rows, list[Range]]:
    """The cells of a sheet that have a text, and its merged ranges.

    Args:
        sheet: a table.
        cells_left: how many it may have.

    Raises:
        DocumentError: it has more.
    """
    rows: dict[int, dict[int, str]] = {}
    merged: list[Range] = []
    row_number = 1
    for row in rows_of(sheet):
        texts, spans = _row_cells(row)
        repeats = count_of(row, f"{TABLE}number-rows-repeated")
        merged += [(row_number, first, row_number + height - 1, last) for first, last, height in spans]
        for repeated_row in range(row_number, row_number + repeats) if texts else ():
            rows[repeated_row] = texts
            cells_left -= len(texts)
            if cells_left < 0:
                raise DocumentError(f"The file has more than {_MAX_CELLS:,} cells. Divide it.")
        row_number += repeats
    return rows, merged


def rows_of(parent: Element) -> Iterator[Element]:
    """The rows of a table, also those in groups."""
    for child in parent:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from rows_of(child)


def _row_cells(row: Element) -> tuple[dict[int, str], list[tuple[int, int, int]]]:
    """The texts of a row by column; of what spans cells, the first and the last column, and how many rows."""
    texts: dict[int, str] = {}
    spans: list[tuple[int, int, int]] = []
    column = 1
    for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
        repeats = count_of(cell, f"{TABLE}number-columns-repeated")
        text = _text(cell) if cell.tag == f"{TABLE}table-cell" else ""  # another cell covers the others
        if text and column <= _MAX_COLUMNS:
            texts.update(dict.fromkeys(range(column, min(column + repeats, _MAX_COLUMNS + 1)), text))
            width, height = (
                count_of(cell, f"{TABLE}number-columns-spanned"),
                count_of(cell, f"{TABLE}number-rows-spanned"),
            )
            if width > 1 or height > 1:
                spans.append((column, column + width - 1, height))
        column += repeats
    return texts, spans


def _text(cell: Element) -> str:
    """The text of a cell as it was shown, without comments; its value if a program wrote nothing else."""
    lines = ["".join(_words(paragraph)) for paragraph in cell.iterchildren(f"{TEXT}p")]
    values = (cell.get(f"{OFFICE}{name}") for name in _VALUES)
    return "\n".join(lines).strip() or next(filter(None, values), "")


def _words(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in (f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break"):
            yield " "
        elif child.tag != f"{OFFICE}annotation":
            yield from _words(child)
        yield child.tail or ""
