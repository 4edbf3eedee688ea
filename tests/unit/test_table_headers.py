"""A table without a header does not make its first row one, whatever format it is of (CHK-3)."""

from typing import Any

import pytest
from pptx.util import Inches

from headwater.chunking.markdown_blocks import Blocks
from headwater.domain.search import split_breadcrumb
from headwater.parsing.markdown.writer import names_columns, pipe_table
from headwater.parsing.ocr.layout import arranged
from headwater.parsing.parser import File
from headwater.parsing.rst.parser import RstParser
from tests.office_files import pptx_file
from tests.pdf_files import paragraph, pdf, write
from tests.unit.test_ocr_layout import line
from tests.unit.test_parsing_docx import cell, row, text_of
from tests.unit.test_parsing_pdf import PROSE, parsed
from tests.unit.test_parsing_pptx import read, slide

UNNAMED = "|  |  |\n"


def test_a_table_of_restructured_text_has_the_header_that_it_marks() -> None:
    """One of rows alone has none."""
    rows = "======  =====\nred     #f00\nblue    #00f\n======  =====\n"
    plain = RstParser().parse(File(content=rows.encode(), uri="a.rst")).text
    assert plain.startswith(f"{UNNAMED}| --- | --- |\n| red | #f00 |")
    headed = rows.replace("blue", "======  =====\nblue")
    assert RstParser().parse(File(content=headed.encode(), uri="a.rst")).text.startswith("| red | #f00 |\n| --- ")


@pytest.mark.parametrize(
    ("look", "has_header"),
    [
        ("", True),
        ('<w:tblLook w:val="04A0"/>', True),
        ('<w:tblLook w:val="0480"/>', False),
        ('<w:tblLook w:firstRow="1" w:val="0480"/>', True),
        ('<w:tblLook w:firstRow="0"/>', False),
    ],
)
def test_a_table_of_word_has_the_header_that_its_style_sets_off(look: str, *, has_header: bool) -> None:
    """A row that says that it is a header is one in any style."""
    body = row(cell("red"), cell("#f00")) + row(cell("blue"), cell("#00f"))
    table = f"<w:tbl><w:tblPr>{look}</w:tblPr>{body}</w:tbl>"
    assert text_of(table).startswith("| red | #f00 |" if has_header else UNNAMED)
    assert text_of(table.replace("<w:trPr></w:trPr>", "<w:trPr><w:tblHeader/></w:trPr>", 1)).startswith("| red | #f00")


def test_a_table_of_powerpoint_has_the_header_that_its_style_sets_off() -> None:
    """Its first row is a row like the others if the table says so."""

    def fill(deck: Any) -> None:
        table = slide(deck, 5, "Colours").shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table
        table.first_row = False
        for number, text in enumerate(("red", "#f00", "blue", "#00f")):
            table.cell(number // 2, number % 2).text = text

    assert f"{UNNAMED}|---|---|\n| red | #f00 |" in read(pptx_file(fill)).text


def test_a_first_row_of_numbers_is_none_in_pdf_and_pictures() -> None:
    """As in the later part of a table that began on the page before; years are names of columns."""
    rows = [("January", "1,200", "800"), ("February", "1,350", "790"), ("March", "1,100", "810")]
    cells = [(x, 680 - 18 * n, text) for n, of in enumerate(rows) for x, text in zip((60, 200, 300), of, strict=True)]
    text = parsed(pdf(paragraph(60, 780, PROSE) + write(*cells))).text
    assert "|  |  |  |\n| --- | --- | --- |\n| January | 1,200 | 800 |" in text
    found = [
        line(text, 20 + at * 200, 50 + number * 40) for number, of in enumerate(rows) for at, text in enumerate(of)
    ]
    assert arranged(found).startswith("|  |  |  |\n| --- | --- | --- |\n| January | 1,200 | 800 |")


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        (("Month", "Sales"), True),
        (("", "2019"), True),
        (("Year", "FY2019"), True),
        (("May", "1,200"), False),
        (("Net income", "(1,200)"), False),
        (("Margin", "12.5 %"), False),
        ((), True),
    ],
)
def test_numbers_above_numbers_name_no_column(first: tuple[str, ...], *, is_header: bool) -> None:
    """A number above words may."""
    assert names_columns([first, ("June", "1,300"), ("July", "900")]) is is_header
    assert names_columns([("1", "2"), ("a", "b")])
    assert names_columns([])


def test_a_pipe_table_without_a_header_has_unnamed_columns() -> None:
    """All of its rows are rows."""
    assert pipe_table([["a", "b"], ["c"]], has_header=False) == f"{UNNAMED}| --- | --- |\n| a | b |\n| c |  |"


def test_an_empty_header_is_not_repeated() -> None:
    """It would be a heading without a word."""
    text = "|  |  |\n|---|---|\n" + "| a | b |\n" * 3
    assert Blocks(text).header_above(len(text) - 10) == ""


def test_the_header_of_a_table_is_no_heading() -> None:
    """Only what stands above a chunk that begins with rows is a header; a heading may hold a bar."""
    rows = "| Huge | 3 euros |\n"
    assert split_breadcrumb(["Prices", "Plan | Price"], rows) == (("Prices",), "Plan | Price")
    assert split_breadcrumb(["a | b"], "Words.") == (("a | b",), "")
    assert split_breadcrumb(["a | b"], "## a | b\n\nWords.") == (("a | b",), "")
    assert split_breadcrumb(["Prices"], rows) == (("Prices",), "")
    assert split_breadcrumb([], rows) == ((), "")
