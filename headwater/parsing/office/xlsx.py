"""Parsing Excel files (.xlsx).

Belongs here: their parser: the visible sheets, as openpyxl reads them. Not here: finding tables in a sheet
(`xlsx_tables`), the places of their cells (`xlsx_text`), number formats (`xlsx_formats`). Guarantee: memory is bounded
by the cells that have values, whatever the file says about its size; formulas are never computed, the values that they
had when the file was saved are used.
"""

import warnings
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any, ClassVar
from zipfile import ZipFile

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.package import LIMITS, open_package, properties, refuse_depth
from headwater.parsing.office.xlsx_formats import format_cell
from headwater.parsing.office.xlsx_tables import Range, Rows, sheet_blocks
from headwater.parsing.office.xlsx_text import WorkbookText
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_CELLS = 1_000_000
_EMPTY = 10  # times as many cells may be empty
_COLUMN_LIMIT = 16_384


class XlsxParser(Parser):
    """Reads Excel files."""

    media_types: ClassVar[tuple[str, ...]] = (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.ms-excel.sheet.macroenabled.12",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    version: ClassVar[str] = "xlsx-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import openpyxl."""
        import openpyxl.worksheet._reader  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: a section for each sheet that is shown."""
        from openpyxl import load_workbook

        content, archive = open_package(file, suffix=".xlsx")
        sections, cells_left = WorkbookText(), _CELLS
        with refuse_depth(), warnings.catch_warnings(action="ignore"):  # about features that do not matter here
            workbook = load_workbook(BytesIO(content), read_only=True, data_only=True, keep_links=False)
            for sheet in workbook.worksheets:
                if sheet.sheet_state != "visible":
                    continue
                rows, merged = _rows(workbook, sheet, archive, cells_left)
                cells_left -= sum(map(len, rows.values()))
                if blocks := sheet_blocks(rows, merged):
                    sections.add_sheet(sheet.title, blocks)
        text, places = sections.finish()
        title, metadata = properties(workbook.properties)
        return ParsedDocument(
            uri=file.uri,
            title=title,
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
            places=places,
            original=Original(content=file.content, media_type=self.media_types[_has_macros(archive)]),
        )


def _has_macros(archive: ZipFile) -> bool:
    return b"macroEnabled" in archive.read("[Content_Types].xml")


def _rows(workbook: Any, sheet: Any, archive: ZipFile, left: int) -> tuple[Rows, list[Range]]:
    """The cells of a sheet that have a text, and its merged ranges."""
    from openpyxl.utils import range_boundaries

    rows: dict[int, dict[int, str]] = {}
    merged: list[Range] = []
    formats: dict[int, str] = {}
    for seen, (kind, item) in enumerate(_elements(workbook, sheet, archive)):
        if kind == "merge":
            first, top, last, bottom = (bound or 0 for bound in range_boundaries(item))
            merged.append((top, first, bottom, last))
        elif item["value"] is not None and item["column"] <= _COLUMN_LIMIT:
            style = item["style_id"]
            if style not in formats:
                formats[style] = _format(workbook, style)
            text = format_cell(item["value"], formats[style])
            if text.strip():
                rows.setdefault(item["row"], {})[item["column"]] = text
                left -= 1
        if left < 0 or seen > _CELLS * _EMPTY:
            raise DocumentError(f"The file has more than {_CELLS:,} cells. Divide it, or save its tables as CSV files.")
    return rows, merged


def _elements(workbook: Any, sheet: Any, archive: ZipFile) -> Iterator[tuple[str, Any]]:
    """Cells as openpyxl reads them, and merged ranges as text.

    Its public reader for large files leaves out merged cells, and fills the range that a file claims to have.
    """
    from lxml.etree import iterparse
    from openpyxl.worksheet._reader import CELL_TAG, ROW_TAG, WorkSheetParser

    merge_tag = CELL_TAG.removesuffix("c") + "mergeCell"
    with archive.open(sheet._worksheet_path) as source:  # noqa: SLF001 - as above
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,  # noqa: SLF001 - as above
            data_only=True,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,  # noqa: SLF001 - as above
            timedelta_formats=workbook._timedelta_formats,  # noqa: SLF001 - as above
        )
        row_above = 0
        for _, element in iterparse(source, tag=(CELL_TAG, ROW_TAG, merge_tag), resolve_entities=False):
            if element.tag == CELL_TAG:
                parser.row_counter = _row_number(element.getparent(), row_above)
                with suppress(ValueError, IndexError, KeyError):  # one cell that is damaged
                    yield "cell", parser.parse_cell(element)
            elif element.tag == merge_tag:
                yield "merge", element.get("ref", "")
            else:
                row_above, parser.col_counter = _row_number(element, row_above), 0
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]


def _row_number(row: Any, above: int) -> int:
    reference = row.get("r", "")
    return int(reference) if reference.isdecimal() else above + 1


def _format(workbook: Any, style: int) -> str:
    from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE

    try:
        format_id = workbook._cell_styles[style].numFmtId  # noqa: SLF001 - no public way from a style to its format
        if format_id < BUILTIN_FORMATS_MAX_SIZE:
            return str(BUILTIN_FORMATS.get(format_id, "General"))
        return str(workbook._number_formats[format_id - BUILTIN_FORMATS_MAX_SIZE])  # noqa: SLF001 - as above
    except IndexError:
        return "General"
