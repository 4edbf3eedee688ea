"""Files of Excel up to 2003, as markdown."""

from collections.abc import Callable
from datetime import date
from io import BytesIO
from typing import Any

import pytest
import xlwt

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing.office.xls import XlsParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for


def xls_file(fill: Callable[[Any], None]) -> bytes:
    """A file that a function fills."""
    made, workbook = BytesIO(), xlwt.Workbook()
    fill(workbook)
    workbook.save(made)
    return made.getvalue()


def fill_stock(workbook: Any) -> None:
    """Two sheets that are shown, and one that is not."""
    stock = workbook.add_sheet("Stock")
    for row, cells in enumerate([("part", "price", "since", "left"), ("lid", 1234.5, date(2024, 5, 1), 3)]):
        for column, value in enumerate(cells):
            number_format = {1: "#,##0.00", 2: "yyyy-mm-dd"}.get(column, "General") if row else "General"
            stock.write(row, column, value, xlwt.easyxf(num_format_str=number_format))
    notes = workbook.add_sheet("Notes")
    notes.write_merge(0, 0, 0, 2, "The mill stands still in frost.")
    hidden = workbook.add_sheet("Hidden")
    hidden.write(0, 0, "secret")
    hidden.visibility = 1


def read(content: bytes, **values: Any) -> ParsedDocument:
    return XlsParser().parse(File(content=content, uri="a.xls", **values))


def test_sheets_are_sections_with_tables() -> None:
    """As Excel shows them: numbers and dates by their formats, without the sheets that it hides."""
    document = read(xls_file(fill_stock))
    assert document.text == (
        "## Stock\n\n| part | price | since | left |\n|---|---|---|---|\n| lid | 1,234.50 | 2024-05-01 | 3 |\n\n"
        "## Notes\n\nThe mill stands still in frost."
    )
    assert document.places is not None
    assert document.places.kind is PlaceKind.CELL


def test_a_file_is_known_by_its_bytes() -> None:
    """Whatever it is called, and whatever its cells or the files in it are called."""
    assert isinstance(parser_for(xls_file(fill_stock), "stock.xlsx"), XlsParser)

    def fill(workbook: Any) -> None:
        workbook.add_sheet("Streams").write(0, 0, "WordDocument\0Ж")

    assert isinstance(parser_for(xls_file(fill), "stock.xls"), XlsParser)
    capitals = xls_file(fill_stock).replace("Workbook".encode("utf-16-le"), "WORKBOOK".encode("utf-16-le"))
    assert isinstance(parser_for(capitals, "stock.xls"), XlsParser)


def test_a_damaged_file_says_so() -> None:
    """What the library raises for it is no error of ours."""
    content = xls_file(fill_stock)
    for damaged in (content[:700], content[:1_000] + b"\xff" * 200 + content[1_200:], content[:2_000]):
        with pytest.raises(DocumentError, match="damaged"):
            read(damaged)


def test_times_and_durations_are_no_dates() -> None:
    """As in files of Excel today."""

    def fill(workbook: Any) -> None:
        sheet = workbook.add_sheet("Times")
        for column, (value, pattern) in enumerate(
            [("when", "General"), (1.5, "[h]:mm"), (0.25, "h:mm"), (1e16, "General")]
        ):
            sheet.write(0, column, value, xlwt.easyxf(num_format_str=pattern))

    assert "| when | 36:00:00 | 06:00 | 1e+16 |" in read(xls_file(fill)).text


def test_cells_of_other_kinds_have_a_text() -> None:
    """Truth values, errors, blanks, dates that no calendar has."""

    def fill(workbook: Any) -> None:
        sheet = workbook.add_sheet("Kinds")
        for column, value in enumerate(["kind", True, xlwt.Formula("1/0"), -5, ""]):
            sheet.write(0, column, value, xlwt.easyxf(num_format_str="yyyy-mm-dd" if value == -5 else "General"))

    assert "TRUE" in read(xls_file(fill)).text
    assert "1899-12-25" in read(xls_file(fill)).text
