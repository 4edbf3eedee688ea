"""The text of PDF files: order, paragraphs, headings, tables, pages (SRC-3)."""

import time
from pathlib import Path

import pytest

from headwater.chunking.markdown_chunker import MarkdownChunker
from headwater.chunking.packer import Sizes
from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.pdf.headers_footers import find_repeated
from headwater.parsing.pdf.parser import PdfParser
from headwater.parsing.pdf.shapes import FontFace, Line, Page, TextRun
from headwater.parsing.pdf.text_lines import lines_of
from headwater.parsing.registry import parser_of_name, parser_of_type
from tests.pdf_files import HEIGHT, WIDTH, paragraph, pdf, write

NORTHWIND = Path(__file__).parents[3] / "shared/data/pdf/azure-northwind"
PROSE = (
    "The operator inspects the plant every six months and records\n"
    "the result of the inspection in the log book of the plant. Every\n"
    "defect that was found is repaired within two weeks by a person\n"
    "who was trained for this work and who signs the record."
)
OTHER = (
    "Pumps that run dry are damaged within a few minutes, so that\n"
    "every pump has a sensor which stops it in time. The sensor is\n"
    "tested daily, and its battery is replaced as soon as the lamp on\n"
    "its front begins to blink."
)


def parsed(content: bytes, uri: str = "manual.pdf") -> ParsedDocument:
    return PdfParser().parse(File(content=content, uri=uri))


def flat(text: str) -> str:
    return text.replace("\n", " ")


def test_the_registry_finds_the_parser() -> None:
    """SRC-3: files are read by type and by name, and the original is kept."""
    assert isinstance(parser_of_type("application/pdf; x=y"), PdfParser)
    assert isinstance(parser_of_name("Annual Report.PDF"), PdfParser)
    assert PdfParser.keeps_original
    assert PdfParser.limits is not None


def test_lines_become_paragraphs() -> None:
    """The lines of a paragraph are joined, and a greater distance begins the next one."""
    text = parsed(pdf(paragraph(60, 780, PROSE) + paragraph(60, 700, OTHER))).text
    assert text == f"{flat(PROSE)}\n\n{flat(OTHER)}\n"


def test_a_paragraph_continues_on_the_next_page() -> None:
    """A sentence that a page break interrupts stays whole, and each part has its page."""
    first, second = PROSE.split("\n")[:2], PROSE.split("\n")[2:]
    pages = [paragraph(60, 300, "\n".join(first)), paragraph(60, 780, "\n".join(second)) + paragraph(60, 700, OTHER)]
    document = parsed(pdf(*pages))
    assert document.text.startswith(f"{flat(PROSE)}\n\n")
    assert document.places is not None
    places = document.places
    at = document.text.index("defect")
    place = places.between(at - 20, at + 20, text=document.text)
    assert place is not None
    assert place.label == "p. 1–2"
    last = document.text.index("Pumps")
    place = places.between(last, last + 20, text=document.text)
    assert place is not None
    assert place.label == "p. 2"


def test_columns_are_read_one_after_the_other() -> None:
    """Text in two columns below a title is read column by column, also if it was drawn line by line."""
    left, right = f"{PROSE}\n{PROSE}".split("\n"), f"{OTHER}\n{OTHER}".split("\n")
    by_column = paragraph(50, 740, "\n".join(left), size=8) + paragraph(320, 740, "\n".join(right), size=8)
    by_line = "".join(
        write((50, 740 - n * 10, a), (320, 737 - n * 10, b), size=8)
        for n, (a, b) in enumerate(zip(left, right, strict=True))
    )
    title = write((150, 790, "A title across both columns of the page"), size=16, font="F2")
    for drawn in (by_column, by_line):
        text = parsed(pdf(title + drawn)).text
        assert text.startswith("# A title across both columns of the page\n\nThe operator")
        assert text.index("signs the record") < text.index("Pumps that run dry")
        assert "records the result of the inspection" in text


def test_large_and_bold_lines_are_headings() -> None:
    """Headings have the level of their size; bold ones of the body's size are below them; chunks get breadcrumbs."""
    content = (
        write((60, 790, "Manual"), size=24)
        + write((60, 750, "Operation"), size=16)
        + paragraph(60, 725, PROSE)
        + write((60, 655, "Daily work"), font="F2")
        + paragraph(60, 635, OTHER)
        + write((60, 560, "Storage"), size=16)
        + paragraph(60, 535, PROSE)
    )
    document = parsed(pdf(content))
    headings = [line for line in document.text.splitlines() if line.startswith("#")]
    assert headings == ["# Manual", "## Operation", "### Daily work", "## Storage"]
    assert document.title == "Manual"
    cut = MarkdownChunker(document.text, document.title, Sizes(maximum=1000, minimum=100, overlap=0))
    begin = document.text.index("Storage")
    assert cut.chunk(begin - 3, len(document.text)).breadcrumb == ("Manual", "Storage")


def test_the_outline_wins() -> None:
    """Titles and levels come from the outline; a section without a heading on its page gets one."""
    pages = [write((60, 780, "1. INTRODUCTION"), size=20) + paragraph(60, 740, PROSE), paragraph(60, 780, OTHER)]
    outline = [("Introduction", 1), ("\tDry pumps", 2), ("Appendix", 2)]
    text = parsed(pdf(*pages, outline=outline)).text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# 1. Introduction",
        "## Dry pumps",
        "# Appendix",
    ]
    assert text.index("## Dry pumps") < text.index("Pumps that run dry")


@pytest.mark.parametrize(
    ("shown", "outline", "expected"),
    [
        ([(20, "2.1 ASN.1 syntax")], "ASN.1 syntax", "2.1 ASN.1 syntax"),
        ([(20, "Appendix A Copying")], "A Copying", "A Copying"),
        ([(20, "A.1 Copying")], "Copying", "A.1 Copying"),
        ([(20, "Annex B: Copying")], "Copying", "Annex B: Copying"),
        ([(24, "Appendix A"), (20, "Copying")], "Appendix A. Copying", "Appendix A. Copying"),
        ([(24, "APPENDIX A"), (20, "Copying")], "Copying", "APPENDIX A Copying"),
        ([(20, "Copying")], "A Copying", "A Copying"),
    ],
)
def test_a_section_of_the_outline_is_one_heading_with_its_number(
    shown: list[tuple[int, str]], outline: str, expected: str
) -> None:
    """However the page and the outline number it, also if the number stands above it, or it is listed twice."""
    head = "".join(write((60, 780 - 40 * at, text), size=size) for at, (size, text) in enumerate(shown))
    pages = [paragraph(60, 780, OTHER), head + paragraph(60, 680, PROSE)]
    text = parsed(pdf(*pages, outline=[("Start", 1), (outline, 2), (f"\t{outline}", 2)])).text
    assert [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")] == ["Start", expected]


def test_headers_and_footers_are_dropped() -> None:
    """What repeats from page to page is left out: odd and even headers, and numbers of pages."""
    pages = [
        write((60, 815, "ACME operating manual" if n % 2 else "Pumps and valves"), (60, 30, f"Page {n} of 6"), size=8)
        + paragraph(60, 700 - 40 * n, PROSE.replace("six", str(n)))
        for n in range(1, 7)
    ]
    text = parsed(pdf(*pages)).text
    assert "ACME" not in text
    assert "Pumps" not in text
    assert "Page" not in text
    assert text.count("The operator") == 6


def test_a_page_number_far_above_the_edge_is_dropped() -> None:
    """As LaTeX's class article sets it: alone below the text, in the sixth part of the page from below."""
    pages = [
        paragraph(60, 700 - 20 * n, PROSE.replace("six", str(n))) + write((300, 130, str(n + 4)), size=10)
        for n in range(1, 7)
    ]
    lines = parsed(pdf(*pages)).text.split("\n")
    assert not [line for line in lines if line.isdecimal()]
    alone = parsed(pdf(pages[0], paragraph(60, 700, PROSE))).text.split("\n")
    assert [line for line in alone if line.isdecimal()] == ["5"]  # one number does not repeat
    sums = [paragraph(60, 700, PROSE) + write((300, 130, number), size=10) for number in ("1250", "980", "2310")]
    assert [line for line in parsed(pdf(*sums)).text.split("\n") if line.isdecimal()] == ["1250", "980", "2310"]


def test_a_page_of_numbers_is_read_in_linear_time() -> None:
    """Each is compared with the lowest and the highest line alone."""
    line = Line(text="1", left=0, right=10, base=130, size=5, is_bold=False, is_mono=False, order=0, page=1)
    page = Page(number=1, width=600, height=800)
    begin = time.process_time()
    assert not find_repeated([(page, [line] * 40_000)], 10)
    assert time.process_time() - begin < 5


def test_a_slide_title_that_repeats_stays_once() -> None:
    """A large line at the top of several pages is a title, which its first page keeps."""
    pages = [
        write((60, 780, "Agenda"), size=30) + paragraph(60, 600 - 50 * n, PROSE.replace("six", str(n)))
        for n in range(4)
    ]
    assert parsed(pdf(*pages)).text.count("Agenda") == 1


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["We use well-", "known methods, and well-known ones only, for this."], "well-known methods"),
        (["The instal-", "lation is new; every installation is tested here."], "The installation is new"),
        (["The cutting-", "edge design has a cutting edge made of steel, no more."], "cutting-edge design"),
        (["Both long- and short-", "term plans exist, as do other plans for the plant."], "short-term plans"),
        (["The office of Non-", "Participating Providers is open from nine to five."], "Non-Participating"),
    ],
)
def test_hyphens_at_the_end_of_a_line(lines: list[str], joined: str) -> None:
    """A word that was broken is joined; a hyphen that belongs to the word stays."""
    assert joined in parsed(pdf(paragraph(60, 700, "\n".join(lines)))).text


def test_a_document_that_breaks_words_is_recognised() -> None:
    """Where other words were broken, an unknown one was broken, too."""
    lines = [
        "The instal-",
        "lation is new; every installation is tested. The man-",
        "ager is old; a manager is not new. A strat-",
        "egy is good.",
    ]
    assert "A strategy is good" in parsed(pdf(paragraph(60, 700, "\n".join(lines)))).text


def test_lists_are_kept() -> None:
    """Items with bullets and numbers are list items, with their further lines and levels."""
    content = (
        paragraph(60, 780, PROSE)
        + write(
            (60, 700, "1. Switch the power on and wait until the green lamp on the front is lit,"),
            (74, 686, "which takes a minute."),
        )
        + write(
            (60, 672, "2. Open the valve:"),
            (80, 658, "• slowly"),
            (80, 644, "• completely"),
            (60, 630, "3. Close the door."),
        )
    )
    items = parsed(pdf(content)).text.split("\n\n")[1]
    assert items.splitlines() == [
        "1. Switch the power on and wait until the green lamp on the front is lit, which takes a minute.",
        "2. Open the valve:",
        "   - slowly",
        "   - completely",
        "3. Close the door.",
    ]


@pytest.mark.parametrize("bullet", ["•", "●", "○", "\uf0b7", "➢"])
def test_bullet_of_any_sign_stays_with_its_text(bullet: str) -> None:
    """A bullet more than a size away is no column of a table, whichever sign the program took for it."""
    face = FontFace("Helvetica")
    runs = [
        TextRun(text, left, left + 7.0 * len(text), 100.0, 11.0, face, order, 0, is_bold=False)
        for order, (text, left) in enumerate([(bullet, 126.0), ("Results of the vote", 146.0)])
    ]
    assert [line.text for line in lines_of(runs, 1)] == ["• Results of the vote"]


def test_bullets_drawn_as_shapes() -> None:
    """A small shape beside a line is its bullet, as browsers draw it."""
    dot = "60 {y} m 63 {y} l 63 {z} l 60 {z} l h 60 {y} 3 3 re f\n"
    content = paragraph(60, 780, PROSE) + "".join(
        dot.format(y=y, z=y + 3) + write((75, y, text)) for y, text in ((700, "first item"), (684, "second item"))
    )
    assert "- first item\n- second item" in parsed(pdf(content)).text


def test_tables_with_borders() -> None:
    """Cells are taken from the lines between them, also if their text has several lines."""
    xs, ys = (60, 160, 300, 400), (700, 680, 640, 620)
    grid = "".join(f"{x} {ys[0]} m {x} {ys[-1]} l S " for x in xs) + "".join(
        f"{xs[0]} {y} m {xs[-1]} {y} l S " for y in ys
    )
    cells = write(
        (64, 686, "Part"),
        (164, 686, "Use"),
        (304, 686, "Price"),
        (64, 666, "Valve"),
        (164, 666, "opens and closes"),
        (164, 652, "the pipe"),
        (304, 666, "3.75"),
        (64, 626, "Pump|A"),
        (304, 626, "12.50"),
    )
    text = parsed(pdf(paragraph(60, 780, PROSE) + grid + cells)).text
    assert (
        "| Part | Use | Price |\n| --- | --- | --- |\n| Valve | opens and closes the pipe | 3.75 |\n"
        "| Pump\\|A |  | 12.50 |" in text
    )


def test_tables_without_borders() -> None:
    """Cells that are aligned are a table, row by row."""
    rows = [
        ("Month", "Sales", "Cost"),
        ("January", "1,200", "800"),
        ("February", "1,350", "790"),
        ("March", "1,100", "810"),
    ]
    cells = [(x, 680 - 18 * n, cell) for n, row in enumerate(rows) for x, cell in zip((60, 200, 300), row, strict=True)]
    text = parsed(pdf(paragraph(60, 780, PROSE) + write(*cells) + paragraph(60, 580, OTHER))).text
    assert "| Month | Sales | Cost |\n| --- | --- | --- |\n| January | 1,200 | 800 |\n" in text
    assert "| March | 1,100 | 810 |\n\nPumps" in text


def test_code_keeps_its_indentation() -> None:
    """Lines in a font of one width are code, with their indents and blank lines; if all text is, it is not."""
    code = [(80, 680, "def f(n):"), (92, 668, "if n < 2:"), (104, 656, "return n"), (92, 632, "return f(n - 1)")]
    text = parsed(pdf(paragraph(60, 780, PROSE) + write(*code, size=10, font="F3"))).text
    assert "```\ndef f(n):\n  if n < 2:\n    return n\n\n  return f(n - 1)\n```" in text
    assert "```" not in parsed(pdf(paragraph(60, 780, PROSE, font="F3", size=9))).text


def test_footnotes_do_not_interrupt_a_paragraph() -> None:
    """A paragraph that continues on the next page is not cut by the footnotes between its parts."""
    first, second = PROSE.split("\n")[:2], PROSE.split("\n")[2:]
    pages = [
        paragraph(60, 780, OTHER)
        + paragraph(60, 200, "\n".join(first))
        + write((60, 150, "1 See the log book."), size=8),
        paragraph(60, 780, "\n".join(second)),
    ]
    text = parsed(pdf(*pages)).text
    assert flat(PROSE) in text
    assert "1 See the log book." in text


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_pages(turn: int) -> None:
    """A page that is shown turned is read as it is shown."""
    a, b, c, d, e, f = {
        0: (1, 0, 0, 1, 0, 0),
        90: (0, 1, -1, 0, WIDTH, 0),
        180: (-1, 0, 0, -1, WIDTH, HEIGHT),
        270: (0, -1, 1, 0, 0, HEIGHT),
    }[turn]
    content = f"q {a} {b} {c} {d} {e} {f} cm\n{paragraph(60, 500, PROSE)}Q"
    assert parsed(pdf(content, page=f"/Rotate {turn}")).text == f"{flat(PROSE)}\n"


def test_text_that_is_turned_on_the_page() -> None:
    """Text along the side of a page is read after the rest, not between it."""
    side = "BT /F1 9 Tf 0 1 -1 0 20 300 Tm (Draft of May) Tj ET\n"
    assert parsed(pdf(side + paragraph(60, 780, PROSE))).text == f"{flat(PROSE)}\n\nDraft of May\n"


def test_characters_are_plain() -> None:
    """Ligatures, spacing, kerning, doubled and raised text read as words."""
    kerned = "BT /F1 11 Tf 60 700 Td [(W) 80 (ater) -300 (\x66low) -250 (r) 20 (ate)] TJ ET\n"
    doubled = write((60, 680, "Warning"), (60.2, 680, "Warning"))
    raised = (
        write((60, 660, "A note")) + write((93, 665, "2"), size=6) + write((60, 640, "Caf\xe9\xa0au lait – “fine”"))
    )
    text = parsed(pdf(kerned + doubled + raised)).text
    assert "Water flow rate" in text
    assert text.count("Warning") == 1
    assert "A note²" in text
    assert "Café au lait – “fine”" in text


def test_actual_text_and_artifacts() -> None:
    """Marked content says what its glyphs mean, and which text is a header."""
    content = (
        "/Artifact <</Type /Pagination /Subtype /Header>> BDC\n" + write((60, 600, "Chapter one")) + "EMC\n"
        "/Span <</ActualText (office)>> BDC\n" + write((60, 700, "oƒce")) + "EMC\n"
    )
    assert parsed(pdf(content)).text == "office\n"


def test_text_that_looks_like_markdown_stays_text() -> None:
    """Text does not become a heading, a quotation or code by accident."""
    lines = [
        "# 12 is our number",
        "> means greater",
        "``` is a fence",
        "1984. A year that was not like the book, they said.",
    ]
    content = "".join(write((60, 780 - 60 * n, line)) for n, line in enumerate(lines))
    text = parsed(pdf(content)).text
    assert text.split("\n\n")[:3] == ["\\# 12 is our number", "\\> means greater", "\\``` is a fence"]


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("Pump manual", "Pump manual"),
        ("Microsoft Word - Pump manual", "Pump manual"),
        ("Microsoft Word - draft 3.docx", "The large line"),
        ("(anonymous)", "The large line"),  # of ReportLab
        ("manual", "The large line"),
        ("Untitled-1", "The large line"),
        ("final_version_2", "The large line"),
        ("", "The large line"),
    ],
)
def test_titles(named: str, title: str) -> None:
    """The title is the file's own, unless a program made it up; then it is the largest text of the first page."""
    content = write((60, 790, "The large line"), size=20) + paragraph(60, 740, PROSE)
    assert parsed(pdf(content, info={"Title": named}), uri="folder/manual.pdf").title == title


def test_a_cover_has_a_subtitle() -> None:
    """On a page with only large lines, the second one belongs to the title: it says what the document is about."""
    cover = write((60, 600, "Sample Industries"), size=36) + write((60, 550, "Pump Manual"), size=24)
    document = parsed(pdf(cover, paragraph(60, 780, PROSE)))
    assert document.title == "Sample Industries – Pump Manual"
    assert document.text.startswith("# Sample Industries – Pump Manual\n\nThe operator")


def test_initials_are_not_list_items() -> None:
    """A name that begins with an initial is not the first item of a list."""
    assert parsed(pdf(write((60, 780, "J. Roe wrote this page")) + paragraph(60, 700, PROSE))).text.startswith("J. Roe")


def test_stretched_lines_are_not_a_table() -> None:
    """Wide gaps between words that happen to be above each other do not make columns."""
    wide = "A line of this column is wide enough, or so"  # 205.4 points; the other parts end there, too
    lines = [
        (60, 687, "The words of such lines stand"),
        (60 + 205.4 - 41.0, 687, "far apart"),
        (60, 674, "and so do the gaps in them"),
        (60 + 205.4 - 22.0, 674, "here"),
    ]
    text = parsed(pdf(write((60, 700, wide)) + write(*lines) + write((60, 661, wide)))).text
    assert "|" not in text


def test_metadata() -> None:
    """A document has the author, the dates, the language and the number of pages of its file."""
    info = {"Author": "M. Sample", "CreationDate": "D:20240102030405+01'00'", "ModDate": "D:2024", "Subject": "Pumps"}
    document = parsed(pdf(paragraph(60, 780, PROSE), info=info, catalog="/Lang (en-AU)"), uri="a/b.pdf")
    assert document.language == "en-AU"
    assert document.category == "a"
    assert document.metadata == {
        "author": "M. Sample", "subject": "Pumps", "created": "2024-01-02T03:04:05+01:00",
        "modified": "2024-01-01T00:00:00+00:00", "pages": 1,
    }  # fmt: skip


def test_the_language_of_the_text_comes_before_that_of_the_program() -> None:
    """English slides that were made with a Dutch program are English; a text that tells nothing is what it says."""
    assert parsed(pdf(paragraph(60, 780, PROSE), catalog="/Lang (nl-NL)")).language == ""
    assert parsed(pdf(paragraph(60, 780, "Pompe 12"), catalog="/Lang (nl-NL)")).language == "nl-NL"


def test_form_fields_are_read() -> None:
    """The values of form fields stand beside their labels."""
    fields = "/Annots [<< /Subtype /Widget /FT /Tx /V (Maria) /Rect [150 697 300 715] >>]"
    text = parsed(pdf(write((60, 700, "Name:")) + paragraph(60, 600, PROSE), page=fields)).text
    assert text.startswith("Name: Maria\n")


def test_real_files_read_well() -> None:
    """A handbook of a word processor: headings, lists, no broken compounds, every page has a place."""
    path = NORTHWIND / "employee_handbook.pdf"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    document = parsed(path.read_bytes())
    assert document.title == "Contoso Electronics Employee Handbook"
    assert "\n## Workplace Safety\n" in document.text
    assert "2. Integrity: We value honesty, respect, and trustworthiness in all our interactions.\n3. " in document.text
    assert "cutting-edge systems" in document.text
    assert document.places is not None
    assert [mark.first for mark in document.places.marks] == list(range(1, 12))
    assert not document.notes
