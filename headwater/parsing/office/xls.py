"""Parsing files of Excel up to 2003 (.xls).

Belongs here: their parser: the visible sheets, as xlrd reads them. Not here: finding tables in a sheet (`xlsx_tables`),
the places of their cells (`xlsx_text`), number formats (`xlsx_formats`). Guarantee: formulas are never computed, the
values that they had when the file was saved are used; macros are never read.
"""

import os
from pathlib import Path
from typing import Any, ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.package import LIMITS, decrypt
from headwater.parsing.office.xlsx_formats import format_cell
from headwater.parsing.office.xlsx_tables import Range, Rows, sheet_blocks
from headwater.parsing.office.xlsx_text import WorkbookText
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_MAX_WHOLE = 1e15  # larger numbers are shown as powers of ten


class XlsParser(Parser):
    """Reads files of Excel up to 2003."""

    media_types: ClassVar[tuple[str, ...]] = ("application/vnd.ms-excel",)
    suffixes: ClassVar[tuple[str, ...]] = (".xls",)
    version: ClassVar[str] = "xls-3"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import xlrd."""
        import xlrd  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: a section for each sheet that is shown.

        Raises:
            DocumentError: it is damaged, or no password of its source opens it.
        """
        sections = WorkbookText()
        workbook = _open(file)
        for sheet in workbook.sheets():
            if not sheet.visibility and (blocks := sheet_blocks(_read_rows(workbook, sheet), _find_merged(sheet))):
                sections.add_sheet(sheet.name, blocks)
        text, places = sections.finish()
        return ParsedDocument(
            uri=file.uri,
            title="",
            text=text,
            category=folder_category(file.uri, file.root),
            places=places,
            original=Original(content=file.content, media_type=self.media_types[0]),
        )


def _open(file: File) -> Any:
    from xlrd import XLRDError, open_workbook

    content = file.content
    with Path(os.devnull).open("w", encoding="utf-8") as silence:  # it prints what it finds odd
        for _ in range(2):
            try:
                return open_workbook(file_contents=content, formatting_info=True, ragged_rows=True, logfile=silence)
            except XLRDError as error:
                if "encrypted" not in str(error) or content is not file.content:
                    raise DocumentError(f"The file is damaged ({error}). Save it again, as .xlsx.") from error
                content = decrypt(content, file.passwords)
            except Exception as error:  # xlrd raises whatever its parts raise on damaged files
                raise DocumentError(f"The file is damaged ({error}). Save it again, as .xlsx.") from error
    raise DocumentError("The file is encrypted in a way that is not read. Save it without a password.")


def _read_rows(workbook: Any, sheet: Any) -> Rows:
    """The cells of a sheet that have a text; rows and columns count from 1."""
    rows: dict[int, dict[int, str]] = {}
    for row in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(row), start=1):
            text = _read_cell(workbook, cell)
            if text.strip():
                rows.setdefault(row + 1, {})[column] = text
    return rows


def _read_cell(workbook: Any, cell: Any) -> str:
    from openpyxl.styles.numbers import is_timedelta_format
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel
    from xlrd import XL_CELL_BOOLEAN, XL_CELL_DATE, XL_CELL_ERROR, XL_CELL_NUMBER, error_text_from_code

    if cell.ctype == XL_CELL_ERROR:
        return str(error_text_from_code.get(cell.value, "#N/A"))
    if cell.ctype == XL_CELL_BOOLEAN:
        return format_cell(bool(cell.value), "General")
    if cell.ctype not in (XL_CELL_DATE, XL_CELL_NUMBER):
        return str(cell.value)
    number_format = workbook.format_map.get(workbook.xf_list[cell.xf_index].format_key)
    pattern = str(number_format.format_str) if number_format is not None else "General"
    if cell.ctype == XL_CELL_DATE:
        epoch = MAC_EPOCH if workbook.datemode else WINDOWS_EPOCH
        try:
            return format_cell(from_excel(cell.value, epoch, timedelta=is_timedelta_format(pattern)), pattern)
        except (OverflowError, ValueError):  # no calendar has the date
            return str(cell.value)
    is_whole = abs(cell.value) < _MAX_WHOLE and cell.value.is_integer()  # the file knows no whole numbers
    return format_cell(int(cell.value) if is_whole else cell.value, pattern)


def _find_merged(sheet: Any) -> list[Range]:
    """The merged ranges of a sheet: first row and column, last row and column, from 1."""
    return [(top + 1, first + 1, bottom, last) for top, bottom, first, last in sheet.merged_cells]
