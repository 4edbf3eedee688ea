"""Charts of slides and of texts of Word as tables."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from headwater.parsing.office.chart_numbers import write_number
from headwater.parsing.office.docx import DocxParser
from headwater.parsing.office.pptx import PptxParser
from headwater.parsing.parser import File
from tests.office_files import add_choices, docx_file, paragraph, pptx_file, with_parts

_C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_CX = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINKS = "word/_rels/document.xml.rels"
_QUARTERS = (
    '<c:strRef><c:strCache><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:strCache></c:strRef>'
)


def points(*texts: str) -> str:
    return "".join(f'<c:pt idx="{place}"><c:v>{text}</c:v></c:pt>' for place, text in enumerate(texts))


def numbers(*texts: str, pattern: str = "General") -> str:
    return f"<c:numRef><c:numCache><c:formatCode>{pattern}</c:formatCode>{points(*texts)}</c:numCache></c:numRef>"


def series(name: str, *values: str, categories: str = _QUARTERS) -> str:
    title = f"<c:tx><c:strRef><c:strCache>{points(name)}</c:strCache></c:strRef></c:tx>"
    return f"<c:ser>{title}<c:cat>{categories}</c:cat><c:val>{numbers(*values)}</c:val></c:ser>"


def chart(plots: str, *, title: str = "", settings: str = "") -> str:
    heading = f"<c:title><c:tx><c:rich><a:p {_A}>{title}</a:p></c:rich></c:tx></c:title>" if title else ""
    return f"<c:chartSpace {_C}>{settings}<c:chart>{heading}<c:plotArea>{plots}</c:plotArea></c:chart></c:chartSpace>"


def read_word(root: str, *, namespace: str = _C, kind: str = "chart") -> str:
    """The text of a Word file in which the chart stands twice."""
    drawing = paragraph(f'<w:r><w:drawing><c:chart {namespace} r:id="rId97"/></w:drawing></w:r>')
    content = docx_file(paragraph("Above.") + drawing + drawing + paragraph("Below."), word__chart_xml=root)
    with ZipFile(BytesIO(content)) as archive:
        links = archive.read(_LINKS).decode()
    link = f'<Relationship Id="rId97" Type="{_RELATED}/{kind}" Target="chart.xml"/></Relationships>'
    content = with_parts(content, {_LINKS: links.replace("</Relationships>", link)})
    return DocxParser().parse(File(content=content, uri="a.docx")).text


def read_slide(root: str) -> str:
    """The text of a slide on which the chart stands."""

    def fill(deck: Any) -> None:
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types here
        data.categories = ["North"]
        data.add_series("2024", (1,))
        shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
        shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(1), Inches(3), Inches(1), data)

    content = pptx_file(fill)
    with ZipFile(BytesIO(content)) as archive:
        name = next(name for name in archive.namelist() if name.startswith("ppt/charts/chart"))
    return PptxParser().parse(File(content=with_parts(content, {name: root}), uri="a.pptx")).text


def test_a_chart_has_the_series_of_all_its_plots() -> None:
    """A line over columns, also in a kind of chart that no library knows; a value that is no number is left out."""
    plots = f"<c:bar3DChart>{series('Sales', '10', '20.10000000000001')}</c:bar3DChart>"
    root = chart(f"{plots}<c:lineChart>{series('Costs', '7', 'NaN')}</c:lineChart>")
    table = "Chart:\n\n|  | Sales | Costs |\n|---|---|---|\n| Q1 | 10 | 7 |\n| Q2 | 20.1 |  |"
    assert read_slide(root) == f"## Slide 1\n\n{table}"
    assert read_word(root) == f"Above.\n\n{table}\n\nBelow."


def test_series_with_other_categories_are_a_table_of_their_own() -> None:
    """Points of clouds have places of their own; dates are dates, and categories of two levels have both names."""
    levels = f"<c:lvl>{points('Q1', 'Q2')}</c:lvl><c:lvl>{points('2025')}</c:lvl>"
    outer = f"<c:multiLvlStrRef><c:multiLvlStrCache>{levels}</c:multiLvlStrCache></c:multiLvlStrRef>"
    plots = series("Sales", "1", "2", categories=outer)
    plots += series("Costs", "3", categories=numbers("45658", pattern="yyyy\\-mm"))
    plots += f"<c:ser><c:xVal>{numbers('0.5')}</c:xVal><c:yVal>{numbers('8')}</c:yVal></c:ser>"
    assert read_word(chart(f"<c:scatterChart>{plots}</c:scatterChart>")) == (
        "Above.\n\nChart:\n\n|  | Sales |\n|---|---|\n| 2025 Q1 | 1 |\n| 2025 Q2 | 2 |\n\n"
        "|  | Costs |\n|---|---|\n| 2025-01-01 | 3 |\n\n|  |  |\n|---|---|\n| 0.5 | 8 |\n\nBelow."
    )


def test_a_damaged_chart_leaves_the_text() -> None:
    """A chart without data adds nothing, and one that claims millions of points adds those that it may."""
    assert read_word("<c:chartSpace") == "Above.\n\nBelow."
    assert read_word(chart("<c:barChart><c:ser/></c:barChart>")) == "Above.\n\nBelow."
    many = "".join(f'<c:pt idx="{place}"><c:v>{place}</c:v></c:pt>' for place in (0, 99_999, 10**30, "x"))
    value = f"<c:val><c:numRef><c:numCache>{many}</c:numCache></c:numRef></c:val>"
    assert read_word(chart(f"<c:pieChart><c:ser>{value}</c:ser></c:pieChart>")).count("\n| ") == 2


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("0.25", "h:mm", "06:00"),
        ("0.25", "h:mm AM/PM", "06:00"),
        ("0.0005", "mm:ss", "00:00:43"),
        ("1.25", "[h]:mm", "30:00"),
        ("-1.25", "[h]:mm:ss", "-30:00"),
        ("45292.25", "m/d/yyyy h:mm", "2024-01-01 06:00"),
        ("45292", "[$-409]mmm\\-yy;@", "2024-01-01"),
        ("45292", "mmm", "2024-01-01"),
        ("45292", '0 "dm"', "45292"),
        ("0.07", "0.0%", "7%"),
        ("0.07", '0.0"%"', "0.07"),
        ("12345678901234", "#,##0", "12345678901234"),
        ("1234567890.125", "General", "1234567890.125"),
        ("0.30000000000000004", "", "0.3"),
        ("1e300", "yyyy", "1e300"),
        ("#N/A", "yyyy", "#N/A"),
    ],
)
def test_numbers_of_charts_are_what_their_format_means(text: str, pattern: str, expected: str) -> None:
    """An `m` beside hours or seconds are minutes; no digits are lost."""
    assert write_number(text, pattern, counts_from_1904=False) == expected


def test_an_axis_of_dates_has_dates() -> None:
    """Also if the numbers have no format; the days may be counted from 1904, and years are years."""
    axis = '<c:dateAx><c:numFmt formatCode="m/d/yyyy"/></c:dateAx>'
    assert "| 2024-01-01 | 1 |" in read_word(chart(series("Sales", "1", categories=numbers("45292")) + axis))
    settings = '<c:date1904 val="1"/>'
    later = chart(series("Sales", "1", categories=numbers("43830")) + "<c:dateAx/>", settings=settings)
    assert "| 2024-01-01 | 1 |" in read_word(later)
    assert "| 2024 | 1 |" in read_word(chart(series("Sales", "1", categories=numbers("2024")) + "<c:dateAx/>"))
    assert "| 45292 | 1 |" in read_word(chart(series("Sales", "1", categories=numbers("45292"))))


def test_inner_names_do_not_go_on() -> None:
    """A total beside quarters of years has no quarter."""
    inner = "".join(f'<c:pt idx="{place}"><c:v>{text}</c:v></c:pt>' for place, text in ((0, "Q1"), (1, "Q2"), (2, "")))
    outer = '<c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="2"><c:v>Total</c:v></c:pt>'
    levels = f"<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl></c:multiLvlStrCache>"
    text = read_word(chart(series("Sales", "1", "2", "3", categories=f"{levels}</c:multiLvlStrRef>")))
    assert "| 2023 Q1 | 1 |\n| 2023 Q2 | 2 |\n| Total | 3 |" in text


def test_a_title_of_two_lines_has_a_space() -> None:
    """A chart without values has its title alone."""
    title = "<a:r><a:t>Sales</a:t></a:r><a:br/><a:r><a:t>2024</a:t></a:r>"
    empty = chart(series("Sales", categories=""), title=title)
    assert read_word(empty) == "Above.\n\nChart: Sales 2024\n\nBelow."


def new_chart(*, names: str = "", values: str = "", series_data: str = '<cx:dataId val="0"/>') -> str:
    """A chart of the kinds of Office 2016, whose data stand before what it draws."""
    title = f"<cx:title><cx:tx><cx:rich><a:p {_A}><a:r><a:t>Cash</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"
    data = (
        f'<cx:data id="0"><cx:strDim type="cat">{names}</cx:strDim><cx:numDim type="val">{values}</cx:numDim></cx:data>'
    )
    name = "<cx:tx><cx:txData><cx:v>Euros</cx:v></cx:txData></cx:tx>"
    drawn = f'<cx:series layoutId="waterfall">{name}{series_data}</cx:series><cx:series layoutId="paretoLine"/>'
    plot = f"<cx:plotArea><cx:plotAreaRegion>{drawn}</cx:plotAreaRegion></cx:plotArea>"
    content = f"<cx:chartData>{data}</cx:chartData><cx:chart>{title}{plot}</cx:chart>"
    return f"<cx:chartSpace {_CX}>{content}</cx:chartSpace>"


def level(*texts: str, pattern: str = "") -> str:
    """A level of names, or values in a format."""
    points = "".join(f'<cx:pt idx="{place}">{text}</cx:pt>' for place, text in enumerate(texts) if text)
    stated = f' formatCode="{pattern}"' if pattern else ""
    return f'<cx:lvl ptCount="9"{stated}>{points}</cx:lvl>'


_VALUES = level("5", "0.25", pattern="General")


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (new_chart(names=level("In", "Out"), values=_VALUES),
         "Chart: Cash\n\n|  | Euros |\n|---|---|\n| In | 5 |\n| Out | 0.25 |"),
        (new_chart(names=level("In", "Out") + level("Total", ""), values=level("5", "0.25", pattern="0%")),
         "Chart: Cash\n\n|  | Euros |\n|---|---|\n| Total In | 500% |\n| Total Out | 25% |"),
        (new_chart(names=f'{level("In")}</cx:strDim><cx:strDim type="entityId">{level("7")}', values=level("5")),
         "Chart: Cash\n\n|  | Euros |\n|---|---|\n| In | 5 |"),
        (new_chart(values=_VALUES, series_data='<cx:dataId val="7"/>'), "Chart: Cash"),
        (new_chart(values='<cx:lvl><cx:pt idx="-1">5</cx:pt><cx:pt>6</cx:pt></cx:lvl>'), "Chart: Cash"),
    ],
)  # fmt: skip
def test_a_newer_kind_of_chart_has_its_data(root: str, expected: str) -> None:
    """Waterfalls, funnels and treemaps have markup of their own."""
    assert read_word(root, namespace=_CX.replace(":cx", ":c"), kind="chartEx") == f"Above.\n\n{expected}\n\nBelow."


def test_a_newer_kind_of_chart_on_a_slide_has_its_data() -> None:
    """It stands in a form for newer programs beside a picture for others."""

    def fill(deck: Any) -> None:
        shown = deck.slides.add_slide(deck.slide_layouts[6])
        root = new_chart(names=level("In"), values=level("5"))
        name, kind = PackURI("/ppt/charts/chartEx1.xml"), "application/vnd.ms-office.chartex+xml"
        relation = shown.part.relate_to(Part(name, kind, deck.part.package, root.encode()), f"{_RELATED}/chartEx")
        graphic = f'<a:graphic><a:graphicData uri="x"><cx:chart {_CX} r:id="{relation}"/></a:graphicData></a:graphic>'
        frame = '<p:cNvPr id="7" name="" descr="Money that flows"/><p:cNvGraphicFramePr/><p:nvPr/>'
        frame = f"<p:graphicFrame><p:nvGraphicFramePr>{frame}</p:nvGraphicFramePr><p:xfrm/>{graphic}</p:graphicFrame>"
        add_choices(shown, frame, "<p:sp/>")

    expected = "Picture: Money that flows\n\nChart: Cash\n\n|  | Euros |\n|---|---|\n| In | 5 |"
    text = PptxParser().parse(File(content=pptx_file(fill), uri="a.pptx")).text
    assert text.endswith(expected)
