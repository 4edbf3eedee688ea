"""Lists, tables within tables and charts of OpenDocument files as markdown."""

from tests.unit.test_parsing_opendocument import odf, read

_LISTS = "".join(
    f'<text:list-style style:name="{name}">{levels}</text:list-style>'
    for name, levels in {
        "N": "".join(f'<text:list-level-style-number text:level="{level}" style:num-format="1"/>' for level in (1, 2)),
        "B": '<text:list-level-style-bullet text:level="1"/><text:list-level-style-bullet text:level="2"/>',
        "no": '<text:list-level-style-number text:level="1" style:num-format=""/>',
    }.items()
)


def points(style: str, *contents: str, attributes: str = "") -> str:
    """A list whose points are words, or what is in them."""
    name = f'text:style-name="{style}"' if style else ""
    items = (content if content.startswith("<") else f"<text:p>{content}</text:p>" for content in contents)
    shown = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
    return f"<text:list {name} {attributes}>{shown}</text:list>"


def table(*rows: tuple[str, ...]) -> str:
    """A table whose cells are words, or what is in them."""
    lines = (
        "".join(
            f"<table:table-cell>{cell if cell.startswith('<') else f'<text:p>{cell}</text:p>'}</table:table-cell>"
            for cell in row
        )
        for row in rows
    )
    return f"<table:table>{''.join(f'<table:table-row>{line}</table:table-row>' for line in lines)}</table:table>"


def text_of(body: str) -> str:
    return read(odf("text", body, styles=_LISTS))


def test_a_list_that_begins_deeper_belongs_to_the_point_above() -> None:
    """A file says so by points that hold nothing but a list, also of another style, and within a list."""
    inner = points("", "inner", points("", "deepest"))
    body = points("N", "one", "two") + points("B", inner, "outer") + points("N", points("", "last"))
    deeper = "   - inner\n     - deepest"
    assert text_of(body) == f"1. one\n2. two\n{deeper}\n\n- outer\n  1. last"
    within = points("N", "one", points("", "first"), "two", points("", "second"))
    assert text_of(within) == "1. one\n   1. first\n2. two\n   1. second"


def test_numbers_of_a_deeper_list_go_on() -> None:
    """Its list says so, as LibreOffice writes after a point of another style."""
    first = points("N", "one") + points("N", points("", "a"))
    on = points("B", "sign") + points("N", points("", "b"), attributes='text:continue-numbering="true"')
    assert text_of(first + on) == "1. one\n   1. a\n\n- sign\n  2. b"


def test_lists_of_headings_stay_headings() -> None:
    """LibreOffice numbers headings by lists; a list below one does not become part of it."""
    heading = points("", '<text:h text:outline-level="1">First</text:h>')
    assert text_of(heading + points("B", points("", "point"))) == "# First\n\n- point"
    deeper = points("", points("", '<text:h text:outline-level="2">Second</text:h>'))
    assert text_of(points("B", "point") + deeper) == "- point\n\n## Second"


def test_points_without_a_sign_are_paragraphs() -> None:
    """A list whose numbers have no format shows none."""
    assert text_of(points("no", "Aims:") + points("B", "more", "less")) == "Aims:\n\n- more\n- less"


def test_lists_in_cells_have_their_signs() -> None:
    """A single point with a sign is a text, because some programs write each cell so."""
    names = (points("B", "Step"), "Words")
    body = table(names, (points("N", "open", "close"), points("B", "soon", "often")))
    assert text_of(body) == "| Step | Words |\n| --- | --- |\n| 1. open 2. close | - soon - often |"


def test_a_table_in_a_cell_is_put_into_it() -> None:
    """The grid around it stays."""
    inner = f"<text:p>See:</text:p>{table(('A', 'B'), ('1', '2'))}"
    assert text_of(table(("Name", "Value"), (inner, "3"))) == (
        "| Name | Value |\n| --- | --- |\n| See: A, B; 1, 2 | 3 |"
    )


def test_a_table_that_only_frames_its_text_is_text() -> None:
    """It has one column, or one row with a heading in it."""
    cell = "<text:p>Words.</text:p><text:p>More words.</text:p>"
    assert text_of(table((cell,), (points("B", "one", "two"),))) == "Words.\n\nMore words.\n\n- one\n- two"
    assert text_of(table(('<text:h text:outline-level="1">Part</text:h>', "Words."))) == "# Part\n\nWords."


def test_a_chart_is_a_table_of_its_data() -> None:
    """Where it first stands, with its title; one whose data are damaged or too many adds nothing."""
    name = 'xlink:href="./Object 1"'
    frame = f"<draw:frame><draw:object {name}/></draw:frame>"
    body = f"<text:p>Above.{frame}</text:p><text:p>Below.{frame}</text:p>"
    data = table(("", "Sales"), ("Q1", "7"), ("Q2", "NaN"))
    content = odf("text", body, chart=f"<chart:title><text:p>Growth</text:p></chart:title>{data}")
    assert read(content) == "Above.\n\nChart: Growth\n\n|  | Sales |\n| --- | --- |\n| Q1 | 7 |\n| Q2 |  |\n\nBelow."
    many = data.replace("<table:table-row>", '<table:table-row table:number-rows-repeated="99999">')
    assert read(odf("text", body, chart=many)) == "Above.\n\nBelow."
    assert read(odf("text", body, chart="<chart:title>T</chart:title><table:table/>")) == (
        "Above.\n\nChart: T\n\nBelow."
    )
    assert read(odf("text", body, chart="<table:table>")) == "Above.\n\nBelow."
    assert read(odf("text", body)) == "Above.\n\nBelow."


def test_a_chart_in_a_cell_is_words() -> None:
    """The table around it stays, and so do the words that describe the chart."""
    frame = '<draw:frame><draw:object xlink:href="./Object 1"/><svg:desc>Sales rise.</svg:desc></draw:frame>'
    chart = f"<chart:title><text:p>Growth</text:p></chart:title>{table(('', 'Sales'), ('Q1', '7'))}"
    body = table(("Name", "Value"), (f"<text:p>See:{frame}</text:p>", "3"))
    words = "See: Picture: Sales rise. Chart: Growth; Sales; Q1, 7"
    assert read(odf("text", body, chart=chart)) == f"| Name | Value |\n| --- | --- |\n| {words} | 3 |"
    assert read(odf("text", f"<text:p>See:{frame}</text:p>", chart=chart)) == (
        "See:\n\nPicture: Sales rise.\n\nChart: Growth\n\n|  | Sales |\n| --- | --- |\n| Q1 | 7 |"
    )


def test_charts_add_no_more_than_a_bounded_table() -> None:
    """What counts are the cells that are written, also empty ones, of all charts, and long texts count more."""
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    gap = '<table:table-cell table:number-columns-repeated="799"/>'
    rows = f"<table:table-row>{cell.format('', 'a')}</table:table-row>" * 20
    few = f"<table:table>{rows}<table:table-row>{gap}{cell.format('', 'b')}</table:table-row></table:table>"
    steps = "".join(
        f'<table:table-row><table:table-cell table:number-columns-repeated="{place}"/>{cell.format("", "c")}'
        "</table:table-row>"
        for place in range(1, 150)
    )
    long_text = cell.format(' table:number-columns-repeated="15000"', "d" * 1000)
    flat = "<draw:frame><draw:object><office:document><office:body><office:chart><chart:chart>{}</chart:chart>"
    flat += "</office:chart></office:body></office:document></draw:object></draw:frame>"

    def count_lines(*tables: str) -> int:
        return read(odf("text", "".join(f"<text:p>{flat.format(data)}</text:p>" for data in tables))).count("\n| ")

    assert count_lines(few) == 22
    assert count_lines(f"<table:table>{steps}</table:table>", few) == 22
    assert count_lines(f"<table:table><table:table-row>{long_text}</table:table-row></table:table>", few) == 22
    column = f'<table:table><table:table-row table:number-rows-repeated="6000">{cell.format("", "e")}'
    assert count_lines(*[f"{column}</table:table-row></table:table>"] * 9) == 2 * 6001
