"""Word files as markdown."""

import re
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.docx import DocxParser
from headwater.parsing.parser import File
from tests.office_files import docx_file, encrypted, paragraph, style

_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_FORMULA = (
    f"<m:oMath {_MATH}><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>bc</m:t></m:r></m:den></m:f>"
    "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
)


def read(content: bytes) -> ParsedDocument:
    return DocxParser().parse(File(content=content, uri="docs/a.docx", root="docs"))


def text_of(body: str, **given: str) -> str:
    return read(docx_file(body, **given)).text


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_a_password_opens_a_file() -> None:
    """Each of the source's passwords is tried; the message does not tell them."""
    content = encrypted(docx_file(paragraph("Secret.")), "right")
    file = File(content=content, uri="a.docx", passwords=("wrong", "right"))
    assert DocxParser().parse(file).text == "Secret."
    with pytest.raises(DocumentError, match="none of the `passwords`") as caught:
        DocxParser().parse(replace(file, passwords=("wrong",)))
    assert "wrong" not in str(caught.value)
    broken = replace(file, content=content[:4096] + bytes(len(content) - 4096))
    with pytest.raises(Exception, match=r"\w") as failed:
        DocxParser().parse(broken)
    assert "right" not in str(failed.value)


def test_strict_open_xml_is_read() -> None:
    """Its names are those of the standard, and its texts are as in any file, also those that name the standard."""
    address = "http://purl.oclc.org/ooxml/drawingml/main"
    plain = docx_file(paragraph("Pump", style="Heading1") + paragraph(f'See "{address}" for it.'))
    strict = BytesIO()
    with ZipFile(BytesIO(plain)) as archive, ZipFile(strict, "w") as strict_archive:
        for name in archive.namelist():
            content = re.sub(
                rb"http://schemas\.openxmlformats\.org/(?!package)(\w+)/2006/",
                rb"http://purl.oclc.org/ooxml/\1/",
                archive.read(name),
            )
            strict_archive.writestr(name, content)
    assert b"purl" in strict.getvalue()
    assert read(strict.getvalue()).text == f'# Pump\n\nSee "{address}" for it.'


def test_headings_come_from_styles_and_outline_levels() -> None:
    """Also from a style that inherits from a heading, and one of any name with an outline level."""
    styles = style("Kapitel", based_on="Heading2") + style("Teil", properties='<w:outlineLvl w:val="2"/>')
    styles += style("Circle", based_on="Ring") + style("Ring", based_on="Circle")
    body = paragraph("Pump", style="Heading1") + paragraph("Care", style="Kapitel") + paragraph("Oil", style="Teil")
    assert text_of(body + paragraph("Text.", style="Ring"), styles=styles) == "# Pump\n\n## Care\n\n### Oil\n\nText."


def test_the_title_stands_above_the_headings() -> None:
    """A paragraph styled as the title is the document's title, and the headings are one level lower."""
    found = read(docx_file(paragraph("Manual", style="Title") + paragraph("Pump", style="Heading1"), title="Other"))
    assert found.title == "Manual"
    assert found.text == "# Manual\n\n## Pump"


@pytest.mark.parametrize(
    ("title", "expected"), [("Pumps", "Pumps"), ("Word Document", "Care"), ("スライド 1", "Care"), ("", "Care")]
)
def test_the_title_is_no_invention_of_the_program(title: str, expected: str) -> None:
    """Else it is that of the properties, else the first heading."""
    found = read(docx_file(paragraph("Care", style="Heading1"), title=title))
    assert found.title == expected
    assert found.metadata["author"] == "python-docx"
    assert found.category == ""


def test_bold_lines_are_headings() -> None:
    """A short bold paragraph that is no sentence; below a heading that a style names, it is one level lower."""
    text = "The pump runs all night, and somebody looks after it in the morning."
    body = paragraph("Item 1", bold=True) + paragraph("This is bold.", bold=True) + paragraph(text)
    assert text_of(body) == f"## Item 1\n\nThis is bold.\n\n{text}"
    assert text_of(paragraph("Top", style="Heading1") + body).startswith("# Top\n\n## Item 1\n\n")
    assert text_of(paragraph(text) + paragraph("Ann Smith", bold=True)) == f"{text}\n\nAnn Smith"
    sections = ("18.33.010 Purpose.", "Article 5. Rent.", "§ 3 Fees.")
    law = "".join(paragraph(section, bold=True) + paragraph(text) for section in sections)
    assert text_of(law).count("## ") == len(sections)
    hidden = paragraph(run("Item 2", "<w:b/>") + run("draft", "<w:vanish/>"))
    assert text_of(hidden + paragraph(text)) == f"## Item 2\n\n{text}"


@pytest.mark.parametrize(
    "lines",
    [
        "".join(paragraph(name, bold=True) for name in ("Ann", "Ben", "Cleo")),
        "".join(paragraph(name, bold=True) + paragraph("Mine engineer") for name in ("Ann", "Ben", "Cleo"))
        + "".join(paragraph(name, bold=True) for name in ("Dan", "Eve", "Fay")),
        paragraph("Total: EUR 4,500", bold=True),
        paragraph("Date : 3 mai 2020", bold=True),
        paragraph("場所：本社会議室", bold=True),
        paragraph("Beginn der Sitzung: 18:00 Uhr", bold=True),
        paragraph("zwischen", bold=True),
        paragraph("Total 4.500,00 EUR", bold=True),
        "".join(paragraph(text, number=(1, 0), bold=text == "Oil") for text in ("Oil", "Clean it well", "Stop it now")),
        paragraph("if (x == 1) {", bold=True),
        paragraph("Pump", style="Thin"),
        paragraph(run("Pump", "<w:b/><w:vanish/>")),
        paragraph("Figure <w:r/>", bold=True).replace(
            "Figure <w:r/>", 'Figure</w:t></w:r><w:fldSimple w:instr=" SEQ Figure "/><w:r><w:t>'
        ),
    ],
)
def test_bold_lines_that_are_no_headings(lines: str) -> None:
    """Names in rows or with what people are, values, code, captions, and what is not bold or not seen."""
    styles = style("Fat").replace("<w:pPr>", "<w:rPr><w:b/></w:rPr><w:pPr>")
    styles += style("Thin", based_on="Fat").replace("<w:pPr>", '<w:rPr><w:b w:val="0"/></w:rPr><w:pPr>')
    text = paragraph("The pump runs all night, and somebody looks after it in the morning.")
    assert "#" not in text_of(text + lines + text, styles=styles)


def test_a_text_that_is_bold_has_no_bold_headings() -> None:
    """Weight says nothing in it."""
    lines = ("Pumps", "The pump runs all night.", "Filters", "They are cleaned in the morning.")
    assert "#" not in text_of("".join(paragraph(line, bold=True) for line in lines) + paragraph("End."))


def test_large_lines_are_headings_by_their_size() -> None:
    """The largest are above the others; those that look like a heading of a style are of its level."""
    large, larger = (f'<w:sz w:val="{size}"/>' for size in (28, 40))
    text = paragraph("The pump runs all night.")
    body = paragraph(run("Pumps", larger)) + text + paragraph(run("Filter", large)) + text
    assert text_of(body) == "# Pumps\n\nThe pump runs all night.\n\n## Filter\n\nThe pump runs all night."
    styled = paragraph(run("Care", large), style="Heading3")
    assert "### Care\n\n### Filter" in text_of(styled + paragraph(run("Filter", large)) + text)
    cover = paragraph(run("Annual report", larger)) + styled + paragraph(run("Filter", larger)) + text
    assert text_of(cover) == "Annual report\n\n### Care\n\n### Filter\n\nThe pump runs all night."
    caption = paragraph("<w:r><w:instrText> SEQ Figure </w:instrText></w:r>" + run("Figure 1", "<w:b/>")) + text
    assert text_of(caption).startswith("Figure 1\n")


def test_sizes_tell_levels_apart() -> None:
    """A title, chapters and sections, as many write them, are three levels."""
    text = paragraph("The pump runs all night, and somebody looks after it in the morning.")
    lines = ((36, "Pumps"), (32, "Care"), (28, "Oil"), (32, "Repair"))
    body = "".join(paragraph(run(words, f'<w:sz w:val="{size}"/>')) + text for size, words in lines)
    headings = [line for line in text_of(body).split("\n") if line.startswith("#")]
    assert headings == ["# Pumps", "## Care", "### Oil", "## Repair"]


def test_the_title_is_of_the_text() -> None:
    """Properties are often those of a copied file; the largest line of the first page is the title then."""
    body = paragraph(run("Pumps in mines", '<w:sz w:val="48"/>')) + paragraph("They run all night.")
    assert read(docx_file(body, title="Draft of the plan")).title == "Pumps in mines"
    assert read(docx_file(body, title="Pumps in all mines")).title == "Pumps in all mines"
    chapters = "".join(
        paragraph(run(title, '<w:sz w:val="48"/>'), style="Heading1") + paragraph("They run all night.")
        for title in ("Purpose", "Scope")
    )
    assert read(docx_file(chapters)).title == "Purpose"
    lines = run("Pumps</w:t><w:br/><w:t>in mines", '<w:sz w:val="48"/>')
    assert read(docx_file(paragraph(lines) + paragraph("They run all night."))).title == "Pumps in mines"


def test_pictures_alone_are_no_headings() -> None:
    """A file without text has no size that another could be larger than."""
    drawing = (
        '<w:r><w:drawing><wp:docPr xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
        ' descr="A pump"/></w:drawing></w:r>'
    )
    assert text_of(paragraph(drawing) * 2) == "Picture: A pump\n\nPicture: A pump"


def test_a_heading_in_a_frame_is_a_heading() -> None:
    """A table of one row with a heading in it is layout; one with several rows is a table."""
    heading = paragraph("Care", style="Heading1")
    framed = f"<w:tbl><w:tr>{cell('')}{cell(heading)}</w:tr></w:tbl>"
    assert text_of(framed + paragraph("Text.")) == "# Care\n\nText."
    assert text_of(framed.replace("</w:tbl>", f"<w:tr>{cell('a')}{cell('b')}</w:tr></w:tbl>")).startswith("|")


def test_contents_that_were_typed_by_hand_are_left_out() -> None:
    """Their entries are called as the headings; a price list stays."""
    titles = ("Pumps", "Filters", "Hoses", "Taps")
    entries = "".join(
        paragraph(f"<w:r><w:t>{number}. {title}</w:t><w:tab/><w:t>{number}</w:t></w:r>")
        for number, title in enumerate(titles, start=1)
    )
    chapters = "".join(paragraph(title, style="Heading1") + paragraph("Text.") for title in titles)
    prices = "".join(
        paragraph(f"<w:r><w:t>{title}</w:t><w:tab/><w:t>{price}</w:t></w:r>")
        for title, price in zip(titles, (9, 3, 7, 5), strict=True)
    )
    assert text_of(chapters + prices).endswith("Pumps 9\n\nFilters 3\n\nHoses 7\n\nTaps 5")
    assert text_of(prices + chapters).startswith("Pumps 9")
    assert text_of(entries + chapters).startswith("# Pumps\n\nText.\n\n# Filters")
    assert text_of(entries).startswith("1. Pumps 1")


def test_numbers_are_those_that_word_shows() -> None:
    """Clauses keep their numbers, letters and Roman numerals; a list that starts anew does so."""
    items = [("Terms", 0), ("Begin", 1), ("a day", 2), ("a week", 2), ("deep", 3), ("End", 1), ("Fees", 0), ("Due", 1)]
    body = "".join(paragraph(text, number=(1, level)) for text, level in items)
    assert text_of(body) == (
        "1. Terms\n   - 1.1 Begin\n     - (a) a day\n     - (b) a week\n       - IV. deep\n   - 1.2 End\n"
        "2. Fees\n   - 2.1 Due"
    )
    restarted = paragraph("One", number=(1, 0)) + paragraph("Seven", number=(4, 0)) + paragraph("x", number=(3, 0))
    assert text_of(restarted) == "1. One\n7. Seven\n\n第一条 x"


def test_numbered_headings_keep_their_number() -> None:
    """As in a contract."""
    body = paragraph("Terms", style="Heading1", number=(1, 0)) + paragraph("Begin", style="Heading2", number=(1, 1))
    assert text_of(body) == "# 1. Terms\n\n## 1.1 Begin"


def test_bullets_are_nested() -> None:
    """By the level of the list; a style that is called a list is one."""
    items = [("New", 0), ("Offer A", 1), ("ask", 2), ("call", 2), ("Offer B", 1), ("Old", 0)]
    body = "".join(paragraph(text, number=(2, level)) for text, level in items)
    assert text_of(body) == "- New\n  - Offer A\n    1) ask\n    2) call\n  - Offer B\n- Old"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text if text.startswith('<') else paragraph(text)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def test_tables_are_markdown() -> None:
    """Merged cells are repeated downwards, header rows joined, nested tables put into their cell, pipes escaped."""
    start, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    wide, header = '<w:gridSpan w:val="2"/>', "<w:tblHeader/>"
    inner = f"<w:tbl>{row(cell('x'), cell('y'))}{row(cell('1'), cell('2'))}</w:tbl>"
    body = row(cell("Kind", start), cell("Price", wide), properties=header)
    body += row(cell("", more), cell("net"), cell("gross"), properties=header)
    body += row(cell("Bolt", start), cell("1|2"), cell(inner)) + row(cell("", more), cell("3"), cell("4"))
    assert text_of(f"<w:tbl>{body}</w:tbl>") == (
        "| Kind | Price net | Price gross |\n|---|---|---|\n| Bolt | 1\\|2 | x, y; 1, 2 |\n| Bolt | 3 | 4 |"
    )


def test_a_table_of_one_column_only_frames_its_text() -> None:
    """Its paragraphs are read as such."""
    frame = f"<w:tbl>{row(cell(paragraph('Note', style='Heading2') + paragraph('Text.')))}</w:tbl>"
    assert text_of(frame) == "## Note\n\nText."


def test_notes_follow_the_paragraph_that_cites_them() -> None:
    """They are numbered in the order in which they are cited."""
    note = f'<w:footnote w:id="5">{paragraph("At sea level.")}</w:footnote>'
    body = paragraph(f'{run("100 degrees")}<w:r><w:footnoteReference w:id="5"/></w:r>') + paragraph("Next.")
    assert text_of(body, notes=note) == "100 degrees[^1]\n\n[^1]: At sea level.\n\nNext."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"{run('kept ')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>{run('new')}</w:ins>", "kept new"),
        (f"<w:moveFrom>{run('old place')}</w:moveFrom><w:moveTo>{run('new place')}</w:moveTo>", "new place"),
        (f"{run('seen')}{run('hidden', '<w:vanish/>')}", "seen"),
        (f'<w:hyperlink r:id="rId98">{run("here")}</w:hyperlink>', "[here](https://example.org/a)"),
        (f'<w:hyperlink w:anchor="x">{run("here")}</w:hyperlink>', "here"),
        (f"<w:sdt><w:sdtContent>{run('chosen')}</w:sdtContent></w:sdt>", "chosen"),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t><w:br/><w:t># 8</w:t></w:r>", "7\n\\# 8"),
        (_FORMULA, r"$\frac{a}{bc}x^2$"),
    ],
)  # fmt: skip
def test_the_text_is_what_a_reader_sees(content: str, expected: str) -> None:
    """Deleted, moved and hidden text is left out; fields give their result, and no line becomes a heading."""
    assert text_of(paragraph(content)) == expected


def test_a_text_box_is_read_once() -> None:
    """Word stores it twice, for older programs."""
    box = f"<w:txbxContent>{paragraph('In a box')}</w:txbxContent>"
    both = (
        f"<mc:AlternateContent {_MC}><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    assert text_of(paragraph(f"{run('Look')}<w:r>{both}</w:r>")) == "Look\n\nIn a box"


def test_code_is_fenced() -> None:
    """By its style or its font; neighbours are one block, and sentences in a font for code are no code."""
    styles = style("Quelltext") + style("HTML Preformatted")
    mono = '<w:rFonts w:ascii="Consolas"/>'
    body = paragraph("run()", style="Quelltext") + paragraph("  stop()", style="Quelltext") + paragraph("Text.")
    assert text_of(body, styles=styles) == "```\nrun()\n  stop()\n```\n\nText."
    assert text_of(paragraph(run("a = `b`", mono))) == "```\na = `b`\n```"
    assert text_of(paragraph("<w:r><w:t>a:</w:t><w:br/><w:t xml:space='preserve'>  b</w:t></w:r>")) == "a:\nb"
    letter = "We thank you for the letter that you wrote to us in May."
    assert text_of(paragraph(run(letter, mono)) + paragraph(run(letter, mono))) == f"{letter}\n\n{letter}"
    for code in (
        f"/* {letter}",
        "SELECT name FROM users WHERE age IS NOT NULL ORDER BY name;",
        "go to x[1] and y_2 or f(z) in a.b on c.d.",
    ):
        assert text_of(paragraph(run(code, mono))).startswith("```")
    assert text_of(paragraph(letter, style="Quelltext"), styles=styles).startswith("```")
    marked = style("Code", kind="character")
    words = [run(word, '<w:rStyle w:val="Code"/>') for word in ("go", "run\N{NO-BREAK SPACE}it")]
    assert text_of(paragraph("".join(words), style="Quelltext"), styles=styles + marked) == "```\ngorun it\n```"
    assert text_of(paragraph("Quoted", style="Quote")) == "> Quoted"


def test_a_table_of_contents_is_left_out() -> None:
    """The headings are in the text already."""
    styles = style("toc 1")
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    block = f"<w:sdt>{gallery}<w:sdtContent>{paragraph('Contents')}</w:sdtContent></w:sdt>"
    body = block + paragraph("Pump 3", style="toc1") + paragraph("Pump", style="Heading1")
    assert text_of(body, styles=styles) == "# Pump"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "old binary format.*Save it as .docx"),
        (encrypted(docx_file(), "right"), r"protected by a password\. Name the password in `passwords`"),
        (b"", "damaged or cut off"),
        (docx_file(paragraph("a"))[:-40], "damaged or cut off"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(content: bytes, message: str) -> None:
    """Old formats, protected files and damaged ones."""
    with pytest.raises(DocumentError, match=message):
        read(content)


_NAMES = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def described(words: str) -> str:
    """A picture that says this."""
    inside = f'<wp:inline><wp:docPr id="1" name="Picture 1" descr="{words}"/></wp:inline>'
    return f"<w:drawing {_NAMES}>{inside}</w:drawing>"


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        (described("A pump&#10;in a cellar"), "Picture: A pump in a cellar"),
        (f'<w:pict {_NAMES}><v:shape alt="A pump"/></w:pict>', "Picture: A pump"),
        (described(""), ""),
        (described("image1.png"), ""),
        (described("A pump. Description automatically generated with medium confidence"), "Picture: A pump."),
    ],
)
def test_a_picture_says_what_it_shows(drawing: str, expected: str) -> None:
    """By its words for people who do not see it; names of files and additions of programs are left out."""
    assert text_of(paragraph(f"<w:r>{drawing}</w:r>")) == expected
