"""PowerPoint files as markdown."""

import io
from typing import Any

from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Inches

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.office.pptx import PptxParser
from headwater.parsing.parser import File
from tests.office_files import add_choices, pptx_file

_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_TITLE_SLIDE, _BULLETS, _TITLE_ONLY, _EMPTY = 0, 1, 5, 6
_PIXEL = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
_PIXEL += b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
_BOX = (Inches(3), Inches(1))


def read(content: bytes) -> ParsedDocument:
    return PptxParser().parse(File(content=content, uri="a.pptx"))


def slide(deck: Any, layout: int, title: str = "") -> Any:
    made = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        made.shapes.title.text = title
    return made


def bullets(frame: Any, items: list[tuple[str, int]]) -> None:
    for number, (text, level) in enumerate(items):
        line = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        line.text, line.level = text, level


def test_a_slide_is_a_section_with_its_number() -> None:
    """Hidden slides, and those with only pictures, keep their number and are left out."""

    def fill(deck: Any) -> None:
        slide(deck, _TITLE_SLIDE, "Plan 2026").placeholders[1].text = "South"
        slide(deck, _TITLE_ONLY, "Hidden").element.set("show", "0")
        slide(deck, _EMPTY)
        body = slide(deck, _BULLETS, "Aims").placeholders[1].text_frame
        bullets(body, [("More customers", 0), ("- in Bavaria", 1), ("Less travel", 0)])

    found = read(pptx_file(fill))
    assert found.text == "## Plan 2026\n\nSouth\n\n## Aims\n\n- More customers\n  - in Bavaria\n- Less travel"
    assert found.title == "Plan 2026"
    assert found.places == Places.of(PlaceKind.SLIDE, [(0, 1), (found.text.index("## Aims"), 4)])


def test_a_line_above_all_other_texts_is_the_title() -> None:
    """Slides that were converted, or drawn with text boxes, have no title as such."""

    def fill(deck: Any) -> None:
        drawn = slide(deck, _EMPTY)
        for text, top in (("Words below", 3), ("Our aims", 1)):
            drawn.shapes.add_textbox(Inches(1), Inches(top), *_BOX).text_frame.text = text
        sentence = slide(deck, _EMPTY)
        for text, top in (("We all work.", 1), ("Every day", 3)):
            sentence.shapes.add_textbox(Inches(1), Inches(top), *_BOX).text_frame.text = text

    assert read(pptx_file(fill)).text == "## Our aims\n\nWords below\n\n## Slide 2\n\nWe all work.\n\nEvery day"


def test_notes_are_marked() -> None:
    """They follow what the audience sees."""

    def fill(deck: Any) -> None:
        slide(deck, _TITLE_ONLY, "Aims").notes_slide.notes_text_frame.text = "Name the numbers.\n# Slowly"

    assert read(pptx_file(fill)).text == "## Aims\n\nNotes: Name the numbers.\n\\# Slowly"


def test_shapes_come_in_reading_order() -> None:
    """From top to bottom, then from left to right, also out of groups; slide numbers are no text."""

    def fill(deck: Any) -> None:
        shapes = slide(deck, _EMPTY).shapes
        for text, left, top in (("below", 1, 5), ("right", 5, 1), ("left", 1, 1)):
            shapes.add_textbox(Inches(left), Inches(top), *_BOX).text_frame.text = text
        group = shapes.add_group_shape()
        group.shapes.add_textbox(Inches(1), Inches(3), *_BOX).text_frame.text = "grouped"

    assert read(pptx_file(fill)).text == "## Slide 1\n\nleft\n\nright\n\ngrouped\n\nbelow"


def test_tables_and_charts_are_tables() -> None:
    """A chart has its title and its data."""

    def fill(deck: Any) -> None:
        shapes = slide(deck, _TITLE_ONLY, "Numbers").shapes
        table = shapes.add_table(2, 2, Inches(1), Inches(1), *_BOX).table
        for number, text in enumerate(("Year", "Sales", "2024", "1|2")):
            table.cell(number // 2, number % 2).text = text
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types here
        data.categories = ["North", "South"]
        data.add_series("2024", (1.5, None))
        chart = shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(4), *_BOX, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Regions"

    assert read(pptx_file(fill)).text == (
        "## Numbers\n\n| Year | Sales |\n|---|---|\n| 2024 | 1\\|2 |\n\nChart: Regions\n\n"
        "|  | 2024 |\n|---|---|\n| North | 1.5 |\n| South |  |"
    )


def test_links_keep_their_addresses() -> None:
    """Of a part of a line."""

    def fill(deck: Any) -> None:
        line = slide(deck, _EMPTY).shapes.add_textbox(Inches(1), Inches(1), *_BOX).text_frame.paragraphs[0]
        line.add_run().text = "See "
        link = line.add_run()
        link.text, link.hyperlink.address = "here", "https://example.org/a"

    assert read(pptx_file(fill)).text.endswith("See [here](https://example.org/a)")


def test_a_picture_says_what_it_shows() -> None:
    """By its words for people who do not see it, also in a group; one without them adds nothing."""

    def fill(deck: Any) -> None:
        titles = (("Seen", "A pump in a cellar"), ("Unseen", ""), ("Named", r"C:\Our pictures\pump 1.jpg"))
        for title, words in titles:
            shapes = slide(deck, _TITLE_ONLY, title).shapes
            picture = shapes.add_picture(io.BytesIO(_PIXEL), Inches(1), Inches(2))
            picture._element.nvPicPr.cNvPr.set("descr", words)
            if words:
                shapes.add_group_shape([picture])

    assert read(pptx_file(fill)).text == "## Seen\n\nPicture: A pump in a cellar\n\n## Unseen\n\n## Named"


def test_lines_without_a_mark_are_no_items() -> None:
    """They say that they have none, or go on in the sentence of the item above."""

    def fill(deck: Any) -> None:
        frame = slide(deck, _BULLETS, "Care").placeholders[1].text_frame
        bullets(frame, [("We do:", 0), ("Oil the pump every", 0), ("second day", 0), ("Clean it", 0)])
        for number in (0, 2):
            properties = frame.paragraphs[number]._p.get_or_add_pPr()
            properties.insert(0, properties.makeelement(qn("a:buNone"), {}))

    assert read(pptx_file(fill)).text == "## Care\n\nWe do:\n\n- Oil the pump every second day\n- Clean it"


def test_code_on_a_slide_is_fenced() -> None:
    """By its font, with its indentation; a single line is a name or an address."""

    def fill(deck: Any) -> None:
        made = slide(deck, _TITLE_ONLY, "Loops")
        for top, lines in ((3, ["for pump in pumps:", "    pump.stop()"]), (5, ["pumps.py"])):
            frame = made.shapes.add_textbox(Inches(1), Inches(top), *_BOX).text_frame
            bullets(frame, [(line, 0) for line in [*lines, "Stop all."]])
            for number in range(len(lines)):
                frame.paragraphs[number].runs[0].font.name = "Courier New"

    code = "```\nfor pump in pumps:\n    pump.stop()\n```"
    assert read(pptx_file(fill)).text == f"## Loops\n\n{code}\n\nStop all.\n\npumps.py\nStop all."


def test_lines_of_one_paragraph_stay_apart() -> None:
    """Breaks are no runs; code in one paragraph is code."""

    def fill(deck: Any) -> None:
        made = slide(deck, _TITLE_ONLY, "Care")
        frame = made.shapes.add_textbox(Inches(1), Inches(3), *_BOX).text_frame
        frame.text = "See\vhere"
        frame.paragraphs[0].runs[1].hyperlink.address = "https://example.org/a"
        code = made.shapes.add_textbox(Inches(1), Inches(5), *_BOX).text_frame
        code.text = "if dry:\v    stop()"
        for run in code.paragraphs[0].runs:
            run.font.name = "Consolas"

    assert read(pptx_file(fill)).text == (
        "## Care\n\nSee [here](https://example.org/a)\n\n```\nif dry:\n    stop()\n```"
    )


def test_a_picture_in_the_place_of_the_title_is_no_title() -> None:
    """The library has no text for it."""

    def fill(deck: Any) -> None:
        made = slide(deck, _TITLE_ONLY)
        made.shapes.add_textbox(Inches(1), Inches(3), *_BOX).text_frame.text = "Text."
        shape = made.shapes.title
        picture = made.shapes.add_picture(io.BytesIO(_PIXEL), Inches(1), Inches(1))._element
        picture.nvPicPr.nvPr.append(shape._element.nvSpPr.nvPr[0])
        shape._element.getparent().remove(shape._element)

    assert read(pptx_file(fill)).text == "## Slide 1\n\nText."


def test_only_a_placeholder_for_titles_is_one() -> None:
    """LibreOffice writes a body without a type and a number, which another reader takes for the title."""

    def fill(deck: Any) -> None:
        made = slide(deck, _BULLETS)
        made.shapes.title.element.getparent().remove(made.shapes.title.element)
        body = made.placeholders[1]
        body.text_frame.text = "We all work."
        body.element.find(f".//{qn('p:ph')}").attrib.pop("idx")

    assert read(pptx_file(fill)).text == "## Slide 1\n\nWe all work."


def test_items_have_their_numbers() -> None:
    """They go on across deeper items, start where the file says, and end at a line without one."""
    kinds = (
        ("Open", 0, "arabicPeriod", ""), ("The lid", 1, "alphaLcParenR", ""), ("The valve", 1, "alphaLcParenR", ""),
        ("Clean", 0, "arabicPeriod", ""), ("Then:", 0, "", ""), ("Close", 0, "arabicPeriod", ""),
        ("Sign", 0, "romanUcPeriod", "4"), ("Send", 0, "romanUcPeriod", "4"),
    )  # fmt: skip

    def fill(deck: Any) -> None:
        frame = slide(deck, _BULLETS, "Care").placeholders[1].text_frame
        bullets(frame, [(text, level) for text, level, _, _ in kinds])
        for paragraph, (_, _, kind, start) in zip(frame.paragraphs, kinds, strict=True):
            properties = paragraph._p.get_or_add_pPr()
            values = {name: value for name, value in (("type", kind), ("startAt", start)) if value}
            properties.append(properties.makeelement(qn("a:buAutoNum" if kind else "a:buNone"), values))

    assert read(pptx_file(fill)).text == (
        "## Care\n\n1. Open\n   - a) The lid\n   - b) The valve\n2. Clean\n\nThen:\n\n1. Close\n- IV. Sign\n- V. Send"
    )


def test_signs_may_stand_in_the_list_style_of_a_shape() -> None:
    """A text box whose paragraphs say nothing about it has the numbers of its list style."""

    def fill(deck: Any) -> None:
        frame = slide(deck, _TITLE_ONLY, "Care").shapes.add_textbox(Inches(1), Inches(3), *_BOX).text_frame
        bullets(frame, [("Open", 0), ("Close", 0)])
        style = f"<a:lstStyle {nsdecls('a')}><a:lvl1pPr><a:buAutoNum type='arabicParenR'/></a:lvl1pPr></a:lstStyle>"
        frame._txBody.insert(1, parse_xml(style))

    assert read(pptx_file(fill)).text == "## Care\n\n1) Open\n2) Close"


def test_cells_that_span_rows_stand_in_each() -> None:
    """A row stands for itself; those that span columns stand once."""

    def fill(deck: Any) -> None:
        table = slide(deck, _TITLE_ONLY, "Flow").shapes.add_table(3, 3, Inches(1), Inches(1), *_BOX).table
        for number, text in enumerate(("Pump", "Level", "Flow", "A1", "low", "1", "", "high", "")):
            table.cell(number // 3, number % 3).text = text
        table.cell(1, 0).merge(table.cell(2, 0))
        table.cell(2, 1).merge(table.cell(2, 2))

    assert read(pptx_file(fill)).text == (
        "## Flow\n\n| Pump | Level | Flow |\n|---|---|---|\n| A1 | low | 1 |\n| A1 | high |  |"
    )


def test_a_table_that_says_nothing_of_its_look_is_told_by_its_words() -> None:
    """Short words in each column of the first row name the columns, unless the table's look says otherwise."""

    def fill(deck: Any) -> None:
        for names, is_banded in (
            (("Size", "Flow"), False),
            (("Size", "Flow"), True),
            (("1", "2"), False),
            (("", "a"), 0),
        ):
            table = slide(deck, _TITLE_ONLY, "T").shapes.add_table(2, 2, Inches(1), Inches(1), *_BOX).table
            table.first_row, table.horz_banding = False, bool(is_banded)
            for number, text in enumerate((*names, "small", "40")):
                table.cell(number // 2, number % 2).text = text

    headers = [line for line in read(pptx_file(fill)).text.split("\n") if line in ("| Size | Flow |", "|  |  |")]
    assert headers == ["| Size | Flow |", "|  |  |", "| Size | Flow |", "|  |  |", "|  |  |"]


def test_a_header_has_two_columns_and_may_have_an_empty_corner() -> None:
    """A column of texts has no header, and years beside an empty corner are one."""

    def fill(deck: Any) -> None:
        for rows in ([["One", "Two"], ["Three", "Four"]], [["", "2023", "2024"], ["North", "1", "2"]]):
            texts = rows if len(rows[0]) > 2 else [[text] for row in rows for text in row]
            shapes = slide(deck, _TITLE_ONLY, "T").shapes
            table = shapes.add_table(len(texts), len(texts[0]), Inches(1), Inches(1), *_BOX).table
            table.first_row = table.horz_banding = False
            for place, text in enumerate(text for row in texts for text in row):
                table.cell(place // len(texts[0]), place % len(texts[0])).text = text

    text = read(pptx_file(fill)).text
    assert "|  |\n|---|\n| One |\n| Two |" in text
    assert "|  | 2023 | 2024 |\n|---|---|---|\n| North | 1 | 2 |" in text


def test_numbered_items_in_a_font_for_code_are_items() -> None:
    """Each has its number."""

    def fill(deck: Any) -> None:
        frame = slide(deck, _BULLETS, "Git").placeholders[1].text_frame
        bullets(frame, [("git pull", 0), ("Wait.", 0), ("git push", 0)])
        for paragraph in frame.paragraphs:
            properties = paragraph._p.get_or_add_pPr()
            properties.append(properties.makeelement(qn("a:buAutoNum"), {"type": "arabicPeriod"}))
        for number in (0, 2):
            frame.paragraphs[number].runs[0].font.name = "Courier New"

    assert read(pptx_file(fill)).text == "## Git\n\n1. git pull\n2. Wait.\n3. git push"


def test_formulas_and_the_text_around_them_are_read() -> None:
    """A shape with a formula stands in two forms, of which old programs read the one with a picture."""

    def fill(deck: Any) -> None:
        formula = f'<m:oMath xmlns:m="{_MATH}"><m:r><m:t>E=m</m:t></m:r></m:oMath>'
        inside = f'<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">{formula}</a14:m>'
        paragraphs = f"<a:p><a:r><a:t>So </a:t></a:r>{inside}<a:r><a:t> holds.</a:t></a:r></a:p><a:p>{inside * 2}</a:p>"
        properties = '<p:nvSpPr><p:cNvPr id="9" name=""/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        body = f"<p:txBody><a:bodyPr/>{paragraphs}</p:txBody>"
        add_choices(slide(deck, _EMPTY), f"<p:sp>{properties}{body}</p:sp><p:sp/><p:pic/>", "<p:sp/>")

    assert read(pptx_file(fill)).text.endswith("\n\nSo $E=m$ holds.\n$E=m$ $E=m$")


def test_a_chart_says_what_it_shows() -> None:
    """Its words for people who do not see it stand above its data."""

    def fill(deck: Any) -> None:
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types here
        data.categories = ["North"]
        data.add_series("2024", (1.5,))
        shapes = slide(deck, _TITLE_ONLY, "Numbers").shapes
        frame = shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(4), *_BOX, data)
        frame._element.nvGraphicFramePr.cNvPr.set("descr", "Sales fell in the north")

    assert read(pptx_file(fill)).text.startswith("## Numbers\n\nPicture: Sales fell in the north\n\n")
