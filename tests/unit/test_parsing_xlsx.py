"""Excel files as markdown."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.cells import is_cell_mark
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import DocumentError, UnsafeFileError
from headwater.parsing.office import xlsx, xlsx_text
from headwater.parsing.office.xlsx import XlsxParser
from headwater.parsing.office.xlsx_formats import format_cell
from headwater.parsing.office.xlsx_tables import sheet_blocks
from headwater.parsing.office.xlsx_text import WorkbookText
from headwater.parsing.parser import File
from tests.office_files import SHEET, with_parts, xlsx_file

_MACROS = "application/vnd.ms-excel.sheet.macroEnabled.main"


def read(content: bytes) -> ParsedDocument:
    return XlsxParser().parse(File(content=content, uri="a.xlsx"))


def blocks(rows: Sequence[Sequence[Any]], *merged: str, first: tuple[int, int] = (1, 1)) -> list[str]:
    """The blocks of a sheet with these rows, without its heading."""

    def fill(workbook: Any) -> None:
        for number, row in enumerate(rows, first[0]):
            for column, value in enumerate(row, first[1]):
                workbook.active.cell(number, column, value)
        for one in merged:
            workbook.active.merge_cells(one)

    return read(xlsx_file(fill)).text.split("\n\n")[1:]


def cells_of(document: ParsedDocument, words: str) -> str:
    """The cells that the first occurrence of some words stands in."""
    begin = document.text.index(words)
    assert document.places is not None
    place = document.places.between(begin, begin + len(words), text=document.text)
    return place.label if place else ""


def test_a_sheet_is_a_section_with_its_name() -> None:
    """Hidden and empty sheets are left out."""

    def fill(workbook: Any) -> None:
        workbook.active.title = "Prices"
        workbook.active.append(["Article", "Price"])
        workbook.active.append(["Bolt", 2])
        workbook.create_sheet("Empty")
        hidden = workbook.create_sheet("Hidden")
        hidden["A1"], hidden.sheet_state = "secret", "hidden"
        workbook.create_sheet("库存")["A1"] = "茶杯"

    found = read(xlsx_file(fill))
    assert found.text == "## Prices\n\n| Article | Price |\n|---|---|\n| Bolt | 2 |\n\n## 库存\n\n茶杯"
    assert [cells_of(found, words) for words in ("## Prices", "| Article | Price |", "| Bolt | 2 |", "茶杯")] == [
        "Prices!A1", "Prices!A1:B1", "Prices!A2:B2", "库存!A1"
    ]  # fmt: skip


@given(st.data())
def test_each_line_of_a_sheet_has_the_cells_that_it_was_made_of(data: st.DataObject) -> None:
    """Whatever the sheet's tables are: gaps, captions, merged cells, several tables beside and below each other."""
    texts = st.sampled_from([None, None, "word", "Note", "7", "8.5", "Sum:", "two\nlines"])
    rows = data.draw(st.lists(st.lists(texts, min_size=5, max_size=5), min_size=1, max_size=12))
    sheet = {
        number: {column: f"{text} {column}{number}x" for column, text in enumerate(row, 3) if text}
        for number, row in enumerate(rows, 4)
        if any(row)
    }
    text = WorkbookText()
    blocks = sheet_blocks(sheet, [])
    if not blocks:
        return
    text.add_sheet("A", blocks)
    found, places = text.finish()
    offset = 0
    for line in found.split("\n"):
        place = places.between(offset, offset + len(line), text=found) if line.strip() else None
        offset += len(line) + 1
        named = {(int(row), int(column)) for column, row in re.findall(r" (\d)(\d+)x", line)}
        if named and place and place.cells:
            cells = place.cells
            assert all(cells.first_column <= column <= cells.last_column for _, column in named)
            assert cells.first_row in {row for row, _ in named}
            assert cells.last_row == cells.first_row


def test_a_name_that_is_too_long_is_cut() -> None:
    """A parser process may answer with no longer one."""
    text = WorkbookText()
    text.add_sheet("'" * 999, sheet_blocks({1: {1: "a"}}, []))
    _, places = text.finish()
    assert all(is_cell_mark(mark.first, mark.last) for mark in places.marks)


def test_a_sheet_of_too_many_texts_has_its_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text that stands alone is a mark, and a million of them are too many to keep."""
    monkeypatch.setattr(xlsx_text, "_MAX_MARKS", 3)
    lone = [["a", None], [None, None], ["b", None]]

    def fill(workbook: Any) -> None:
        workbook.active.title = "Words"
        for row in [*lone, *lone]:
            workbook.active.append(row)

    found = read(xlsx_file(fill))
    assert found.places == Places.of(PlaceKind.SHEET, [(0, "Words")])
    monkeypatch.setattr(xlsx_text, "_MAX_MARKS", 5)
    assert cells_of(read(xlsx_file(fill)), "a") == "Words!A1"


def test_the_header_is_found_below_a_caption() -> None:
    """Rows with one text above a table are its caption, those below it notes; empty rows and columns are trimmed."""
    rows: list[list[Any]] = [
        ["Price list 2025", None, None],
        ["from May"],
        [],
        ["Article", None, "Price"],
        ["Bolt", None, 2],
        ["net"],
    ]
    table = "| Article | Price |\n|---|---|\n| Bolt | 2 |"
    assert blocks(rows, "B3:D3", first=(3, 2)) == ["Price list 2025", "from May", table, "net"]


def test_header_rows_are_joined() -> None:
    """A merged cell stands above each of its columns."""
    rows: list[list[Any]] = [
        ["Article", "Price", None, "Stock"],
        [None, "net", "gross", None],
        ["Bolt", 2, 3, 7],
        ["Nut", 4, 5, 8],
    ]
    (table,) = blocks(rows, "B1:C1", "A1:A2", "D1:D2")
    assert table.split("\n")[0] == "| Article | Price net | Price gross | Stock |"
    assert table.split("\n")[2:] == ["| Bolt | 2 | 3 | 7 |", "| Nut | 4 | 5 | 8 |"]


def test_three_header_rows_are_joined() -> None:
    """Also if the one between has no values."""
    rows: list[list[Any]] = [
        ["Region", "Sales", None, None, None],
        [None, "2023", None, "2024", None],
        [None, "Net", "Gross", "Net", "Gross"],
        ["North", 1, 2, 3, 4],
    ]
    expected = "| Region | Sales 2023 Net | Sales 2023 Gross | Sales 2024 Net | Sales 2024 Gross |"
    for years in (("2023", "2024"), ("Before", "After")):
        rows[1][1], rows[1][3] = years
        for merged in ((), ("A1:A3",)):
            (table,) = blocks(rows, "B1:E1", "B2:C2", "D2:E2", *merged)
            assert table.split("\n")[0] == expected.replace("2023", years[0]).replace("2024", years[1])
            assert table.split("\n")[2:] == ["| North | 1 | 2 | 3 | 4 |"]


def test_four_header_rows_are_joined() -> None:
    """Merged cells above names of columns are no rows, however many stand above each other; values are."""
    rows: list[list[Any]] = [
        ["Region", "Sales", None, None, None],
        [None, "Shops", None, "Web", None],
        [None, "Before", None, "After", None],
        [None, "Net", "Gross", "Net", "Gross"],
        ["North", 1, 2, 3, 4],
        ["South", 1, 1, 3, 3],
    ]
    merged = ("A1:A4", "B1:E1", "B2:C2", "D2:E2", "B3:C3", "D3:E3")
    (table,) = blocks(rows, *merged, "B6:C6", "D6:E6")
    names = ("Shops Before Net", "Shops Before Gross", "Web After Net", "Web After Gross")
    assert table.split("\n")[0] == f"| Region | {' | '.join(f'Sales {name}' for name in names)} |"
    assert table.split("\n")[2] == "| North | 1 | 2 | 3 | 4 |"
    del rows[3]
    (table,) = blocks(rows[:4], "A1:A3", *merged[1:])
    names = ("Shops Before", "Shops Before", "Web After", "Web After")
    assert table.split("\n")[0] == f"| Region | {' | '.join(f'Sales {name}' for name in names)} |"


def test_rows_with_names_are_no_header() -> None:
    """Though their cells are merged, as those of a header are."""
    texts = ["Answer A", "Yes", "Often", "Rarely", "Here"]
    names = ["Question", "Tea?", "Milk?", "Water?", "Juice?"]
    rows: list[list[Any]] = [[name, text, None, text[::-1], None] for name, text in zip(names, texts, strict=True)]
    merged = [f"{columns[0]}{row}:{columns[1]}{row}" for row in range(1, 6) for columns in ("BC", "DE")]
    (table,) = blocks([*rows, ["Count", 1, 2, 3, 4]], *merged)
    assert [line.split(" | ")[0] for line in table.split("\n")] == [
        "| Question", "|---|---|---|---|---|", "| Tea?", "| Milk?", "| Water?", "| Juice?", "| Count"
    ]  # fmt: skip


def test_rows_of_equal_values_are_rows() -> None:
    """At the top and at the end of a sheet, too; a merged cell is a caption or a note."""
    rows: list[list[Any]] = [["Report", None, None], ["Yes", "Yes", "Yes"], ["a", "b", "c"], ["pass", "pass", "pass"]]
    assert blocks([*rows, ["End", None, None]], "A1:C1", "A5:C5") == [
        "Report",
        "| Yes | Yes | Yes |\n|---|---|---|\n| a | b | c |\n| pass | pass | pass |",
        "End",
    ]
    assert blocks([["0"] * 3] * 3) == ["| 0 | 0 | 0 |\n|---|---|---|\n| 0 | 0 | 0 |\n| 0 | 0 | 0 |"]


def test_merged_cells_below_the_header_stand_once_in_a_row() -> None:
    """Those that span rows stand in each; equal values that are not merged all stay."""
    rows: list[list[Any]] = [
        ["Article", "Net", "Gross", "Tax"],
        ["Bolt", 2, None, 3],
        ["Nut", 7, 7, 7],
        [8, 8, 8, 8],
        ["Washer", None, 1, 2],
        [None, None, 3, 4],
    ]
    (table,) = blocks(rows, "B2:C2", "A5:B6")
    lines = ("| Bolt | 2 |  | 3 |", "| Nut | 7 | 7 | 7 |", "| 8 | 8 | 8 | 8 |")
    assert table.split("\n")[2:] == [*lines, "| Washer |  | 1 | 2 |", "| Washer |  | 3 | 4 |"]


def test_several_tables_are_separated() -> None:
    """By empty rows, or by an empty column if both sides have a header; rows with values continue the table above."""
    below: list[list[Any]] = [["Name", "Age"], ["Al", 7], [], ["Town", "Size"], ["Ulm", 9]]
    assert blocks(below) == ["| Name | Age |\n|---|---|\n| Al | 7 |", "| Town | Size |\n|---|---|\n| Ulm | 9 |"]
    beside: list[list[Any]] = [["Name", "Age", None, "Town", "Size"], ["Al", 7, None, "Ulm", 9]]
    assert blocks(beside) == blocks(below)
    sums: list[list[Any]] = [["in euros", None, 2023, 2022], ["Sales", None, 9, 8], [], ["Result", None, 5, 4]]
    assert blocks(sums) == ["| in euros | 2023 | 2022 |\n|---|---|---|\n| Sales | 9 | 8 |\n| Result | 5 | 4 |"]


def test_merged_cells_are_repeated_downwards() -> None:
    """So each row stands for itself; a label that spans the table is there once."""
    rows: list[list[Any]] = [
        ["Hall", "Tool", "Count"],
        ["North", "Saw", 1],
        [None, "Axe", 2],
        ["Lent", None, None],
        ["South", "Saw", 3],
    ]
    assert blocks(rows, "A2:A3", "A4:C4")[0].split("\n")[2:] == [
        "| North | Saw | 1 |", "| North | Axe | 2 |", "| Lent |  |  |", "| South | Saw | 3 |"
    ]  # fmt: skip


def test_a_form_is_a_list() -> None:
    """Names with a value each have no header."""
    assert blocks([["Customer:", "Mill"], ["Day:", date(2024, 2, 29)]]) == ["- Customer: Mill\n- Day: 2024-02-29"]


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (0.256, "0.0%", "25.6%"),
        (-1234.5, "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (0, '0.0;-0.0;"none"', "none"),
        (2.5, '#,##0.00 "€"', "2.50 €"),
        (2.5, "[$¥-411]#,##0.0#", "¥2.5"),
        (7, "000", "007"),
        (7, '"No. "0', "No. 7"),
        (12_000_000, "0.0,,\\M", "12.0M"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1e+20"),
        (123456789.0, "0.00E+00", "1.23E+08"),
        (3.5, "# ?/?", "3.5"),
        (float("nan"), "0", ""),
        (True, "General", "TRUE"),
        (date(2024, 2, 29), "d.m.yyyy", "2024-02-29"),
        (datetime(2024, 2, 29, 9, 5), "d/m/yy h:mm", "2024-02-29 09:05"),  # noqa: DTZ001 - sheets have no zones
        (datetime(2024, 2, 1), "mmm yyyy", "2024-02"),  # noqa: DTZ001 - as above
        (time(9, 5), "h:mm", "09:05"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05:00"),
        ("text", "@", "text"),
        (None, "0", ""),
    ],
)
def test_values_are_shown_as_in_the_sheet(value: Any, number_format: str, expected: str) -> None:
    """Numbers in their format; dates as ISO 8601, because their format depends on the reader's country."""
    assert format_cell(value, number_format) == expected


def test_formulas_have_the_value_that_was_saved() -> None:
    """Nothing is computed."""
    cells = '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f>A1&amp;"x"</f><v>2x</v></c></row>'
    sheet = f"<worksheet {SHEET}><sheetData>{cells}</sheetData></worksheet>"
    content = with_parts(xlsx_file(lambda _: None), {"xl/worksheets/sheet1.xml": sheet})
    assert "| 2 | 2x |" in read(content).text


def test_a_sheet_that_lies_about_its_size_is_read() -> None:
    """Only cells with a value count; one that is damaged is left out."""
    cells = '<row r="1"><c r="A1"><v>7</v></c><c r="B1" t="s"><v>99</v></c></row>'
    cells += '<row r="1048576"><c r="XFD1048576"><v>8</v></c></row><row><c><v>9</v></c></row>'
    sheet = (
        f'<worksheet {SHEET}><dimension ref="A1:XFD1048576"/><sheetData>{cells}</sheetData>'
        '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>'
    )
    found = read(with_parts(xlsx_file(lambda _: None), {"xl/worksheets/sheet1.xml": sheet})).text
    assert all(text in found for text in "789")


def test_the_original_has_its_own_type() -> None:
    """A file with macros is served as such."""
    plain = xlsx_file(lambda workbook: workbook.active.append([1]))
    types = "[Content_Types].xml"
    with ZipFile(BytesIO(plain)) as archive:
        listed = archive.read(types).decode()
    macros = re.sub(r"application/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet\.main", _MACROS, listed)
    found = [read(content).original for content in (plain, with_parts(plain, {types: macros}))]
    assert [one.media_type for one in found if one] == list(XlsxParser.media_types)


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit a file is read, one more cell is too many, and empty cells count a tenth."""

    def fill(workbook: Any) -> None:
        workbook.active.append([1, 2, 3])

    monkeypatch.setattr(xlsx, "_CELLS", 3)
    assert read(xlsx_file(fill)).text
    monkeypatch.setattr(xlsx, "_CELLS", 2)
    with pytest.raises(DocumentError, match="more than 2 cells"):
        read(xlsx_file(fill))
    empty = f"<worksheet {SHEET}><sheetData><row>{'<c/>' * 22}</row></sheetData></worksheet>"
    with pytest.raises(DocumentError, match="more than 2 cells"):
        read(with_parts(xlsx_file(fill), {"xl/worksheets/sheet1.xml": empty}))


def test_what_macos_adds_to_an_archive_does_not_matter() -> None:
    """It keeps properties of files beside them under the names of their parts."""
    content = xlsx_file(lambda workbook: workbook.active.append(["Pump"]))
    assert "Pump" in read(with_parts(content, {"__MACOSX/._[Content_Types].xml": b"\x00\x05\x16\x07"})).text
    with pytest.raises(UnsafeFileError):
        read(with_parts(content, {"__MACOSX/sheet.xml": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}))
