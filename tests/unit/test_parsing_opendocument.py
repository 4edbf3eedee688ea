"""OpenDocument files as markdown."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing.file_types import media_type_of
from headwater.parsing.opendocument.parser import OpenDocumentParser
from headwater.parsing.parser import File

_NAMES = "".join(
    f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "meta": "meta",
        "presentation": "presentation", "chart": "chart", "svg": "svg-compatible", "fo": "xsl-fo-compatible",
    }.items()
)  # fmt: skip
_NAMES += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def odf(kind: str, body: str, *, styles: str = "", meta: str = "", manifest: str = "", chart: str = "") -> bytes:
    """A file of LibreOffice with this body, and what is in the chart that it may have."""
    content = (
        f"<office:document-content{_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", content)
        archive.writestr(
            "meta.xml", f"<office:document-meta{_NAMES}><office:meta>{meta}</office:meta></office:document-meta>"
        )
        if chart:
            root = f"<office:chart><chart:chart>{chart}</chart:chart></office:chart>"
            archive.writestr(
                "Object 1/content.xml", f"<office:document-content{_NAMES}>{root}</office:document-content>"
            )
        archive.writestr("META-INF/manifest.xml", f"<manifest>{manifest}</manifest>")
    return packed.getvalue()


def read(content: bytes, name: str = "a.odt") -> str:
    """The text of a file."""
    return OpenDocumentParser().parse(File(content=content, uri=name)).text


def test_text_has_its_headings_lists_and_links() -> None:
    """Headings have their levels, lists their nesting, and spaces and links stay."""
    list_style = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>'
        '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    )
    body = (
        '<text:h text:outline-level="1">First<text:s/>part</text:h>'
        '<text:p>See <text:a xlink:href="https://example.org/">the site</text:a> &lt;b&gt;.</text:p>'
        '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item>'
        "<text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>"
    )
    document = OpenDocumentParser().parse(File(content=odf("text", body, styles=list_style), uri="a.odt"))
    assert document.text == ("# First part\n\nSee [the site](https://example.org/) \\<b>.\n\n1. one\n   - inner")
    assert document.title == "First part"


def test_lists_that_only_indent_are_no_points() -> None:
    """Slides indent a point by lists in empty points."""
    point = "<text:list-item><text:p>point</text:p></text:list-item>"
    body = f"<text:list><text:list-item><text:list>{point}</text:list></text:list-item></text:list>"
    assert read(odf("text", body)) == "- point"


def test_what_a_reader_does_not_see_is_left_out() -> None:
    """Deleted text, comments, contents and hidden parts are not in the text; a note and a box are, once."""
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>Contents</text:p></text:index-body></text:table-of-content>"
        '<text:section text:display="none"><text:p>hidden</text:p></text:section>'
        "<text:p>Words<office:annotation><text:p>comment</text:p></office:annotation><text:note>"
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body>"
        "</text:note><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>"
    )
    assert read(odf("text", body)) == "Words[^1]\n\nIn a box\n\n[^1]: A note."


def test_table_has_its_first_row_as_header() -> None:
    """The first row names the columns, and a cell that spans rows stands in each."""
    body = (
        "<table:table><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell><table:table-cell>"
        "<text:p>Price</text:p></table:table-cell></table:table-row><table:table-row>"
        '<table:table-cell table:number-rows-spanned="2"><text:p>Bolt</text:p></table:table-cell><table:table-cell>'
        "<text:p>1 €</text:p></table:table-cell></table:table-row><table:table-row><table:covered-table-cell/>"
        "<table:table-cell><text:p>2 €</text:p></table:table-cell></table:table-row></table:table>"
    )
    assert read(odf("text", body)) == "| Part | Price |\n| --- | --- |\n| Bolt | 1 € |\n| Bolt | 2 € |"


def test_title_comes_from_the_title_style_or_the_properties() -> None:
    """A styled title wins; the title that a program invented, and a heading below a cover, do not count."""
    styled = odf("text", '<text:p text:style-name="Title">The book</text:p><text:h text:outline-level="1">One</text:h>')
    parser = OpenDocumentParser()
    document = parser.parse(File(content=styled, uri="a.odt"))
    assert (document.title, document.text) == ("The book", "# The book\n\n## One")
    cover = "<text:p>Cover</text:p><text:h>Introduction</text:h>"
    named = odf("text", cover, meta="<dc:title>Manual</dc:title><dc:creator>Ann</dc:creator>")
    assert parser.parse(File(content=named, uri="a.odt")).title == "Manual"
    assert parser.parse(File(content=named, uri="a.odt")).metadata == {"author": "Ann"}
    invented = odf("text", cover, meta="<dc:title>Untitled 1</dc:title>")
    assert parser.parse(File(content=odf("text", cover), uri="a.odt")).title == ""
    assert parser.parse(File(content=invented, uri="a.odt")).title == ""


def test_sheet_has_its_cells_and_their_places() -> None:
    """Texts are those that were shown; repeated empty cells cost nothing, and a hidden sheet is left out."""
    styles = (
        '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/>'
        "</style:style>"
    )

    def row(*texts: str) -> str:
        cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
        return f'<table:table-row>{cells}<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'

    body = (
        f'<table:table table:name="Prices">{row("Part", "Price")}{row("Bolt", "1.50 €")}'
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
        f'<table:table table:name="Old" table:style-name="off">{row("x", "y")}</table:table>'
    )
    document = OpenDocumentParser().parse(File(content=odf("spreadsheet", body, styles=styles), uri="a.ods"))
    assert document.text == "## Prices\n\n| Part | Price |\n|---|---|\n| Bolt | 1.50 € |"
    assert document.places is not None
    assert document.places.kind is PlaceKind.CELL


def test_cell_without_a_text_has_its_value() -> None:
    """Some programs write nothing else."""
    cells = "".join(
        f"<table:table-cell {value}/>" for value in ('office:value="3.5"', 'office:date-value="2026-01-02"')
    )
    sheet = f'<table:table table:name="Sheet"><table:table-row>{cells}</table:table-row></table:table>'
    text = read(odf("spreadsheet", sheet), "a.ods")
    assert "3.5" in text
    assert "2026-01-02" in text


def test_sheet_that_repeats_texts_without_end_is_refused() -> None:
    """A text that is repeated in a million rows does not fill the memory."""
    cells = '<table:table-cell table:number-columns-repeated="100"><text:p>x</text:p></table:table-cell>'
    body = f'<table:table><table:table-row table:number-rows-repeated="1048576">{cells}</table:table-row></table:table>'
    with pytest.raises(DocumentError, match="1,000,000 cells"):
        read(odf("spreadsheet", body), "a.ods")


def test_slides_have_their_titles_places_and_notes() -> None:
    """Shapes come from top to bottom; hidden slides and page numbers are left out."""

    def shape(words: str, attributes: str) -> str:
        return f"<draw:frame {attributes}><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"

    shapes = [
        shape("below", 'svg:y="9cm" svg:x="1cm"'), shape("above", 'svg:y="3cm" svg:x="1cm"'),
        shape("Aims", 'presentation:class="title"'), shape("7", 'presentation:class="page-number"'),
        f"<presentation:notes>{shape('Say it slowly.', '')}</presentation:notes>",
    ]  # fmt: skip
    styles = (
        '<style:style style:name="off" style:family="drawing-page"><style:drawing-page-properties '
        'presentation:visibility="hidden"/></style:style>'
    )
    hidden = f'<draw:page draw:style-name="off">{shape("secret", "")}</draw:page>'
    content = odf("presentation", f"{hidden}<draw:page>{''.join(shapes)}</draw:page>", styles=styles)
    document = OpenDocumentParser().parse(File(content=content, uri="a.odp"))
    assert document.text == "## Aims\n\nabove\n\nbelow\n\nNotes: Say it slowly."
    assert document.title == "Aims"
    assert document.places is not None
    assert document.places.kind is PlaceKind.SLIDE
    assert [(mark.offset, mark.first) for mark in document.places.marks] == [(0, 2)]


def test_type_is_told_by_the_content() -> None:
    """A file without a telling name is recognised, and an encrypted one says what to do."""
    assert media_type_of(odf("text", "<text:p>a</text:p>"), "a.bin") in OpenDocumentParser.media_types
    with pytest.raises(DocumentError, match="protected by a password"):
        read(odf("text", "<text:p>a</text:p>", manifest="<manifest:encryption-data/>".replace("manifest:", "m:")))


def test_positions_and_originals_of_odd_files() -> None:
    """A position of 400 digits is one, and the original of a file in one piece keeps its type."""
    frame = f'<draw:frame svg:y="{"9" * 400}cm"><draw:text-box><text:p>Far below</text:p></draw:text-box></draw:frame>'
    assert read(odf("presentation", f"<draw:page>{frame * 2}</draw:page>")) == "## Slide 1\n\nFar below\n\nFar below"
    body = "<office:body><office:text><text:p>Flat</text:p></office:text></office:body>"
    flat = f"<office:document{_NAMES}>{body}</office:document>"
    original = OpenDocumentParser().parse(File(content=flat.encode(), uri="a.fodt")).original
    assert original is not None
    assert original.media_type == "application/vnd.oasis.opendocument.text-flat-xml"


def test_fields_are_words_of_their_paragraph() -> None:
    """Numbers of figures, references to chapters, dates and words with a reading are read where they stand."""
    body = (
        "<text:p>Figure <text:sequence>1</text:sequence>, see <text:bookmark-ref>Chapter 3</text:bookmark-ref>, of "
        "<text:date>2 May</text:date>: <text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ"
        "</text:ruby-text></text:ruby>.</text:p>"
    )
    assert read(odf("text", body)) == "Figure 1, see Chapter 3, of 2 May: 漢字."


def test_lines_of_code_are_one_block() -> None:
    """Programs write each line of code as a paragraph, with a style based on that of preformatted text."""
    style = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>'
    lines = ("def f():", '<text:s text:c="4"/>return 1', "", "f()")
    body = "".join(f'<text:p text:style-name="P1">{line}</text:p>' for line in lines)
    assert read(odf("text", body, styles=style)) == "```\ndef f():\n    return 1\n\nf()\n```"


def test_numbers_of_lists_go_on() -> None:
    """A list goes on after a picture and starts at its own number; a nested list starts at 1 again."""
    levels = "".join(f'<text:list-level-style-number text:level="{level}" style:num-format="1"/>' for level in (1, 2))
    style = f'<text:list-style style:name="L1">{levels}</text:list-style>'

    def steps(words: str, attributes: str = "", item_attributes: str = "") -> str:
        inner = "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list>"
        item = f"<text:list-item {item_attributes}><text:p>{words}</text:p>{inner}</text:list-item>"
        return f'<text:list text:style-name="L1" {attributes}>{item}</text:list><text:p>A picture.</text:p>'

    body = steps("one") + steps("two", 'text:continue-numbering="true"') + steps("seven", "", 'text:start-value="7"')
    texts = [f"{step}\n   1. inner\n\nA picture." for step in ("1. one", "2. two", "7. seven")]
    assert read(odf("text", body, styles=style)) == "\n\n".join(texts)


def test_items_that_only_indent_or_head_a_list_are_no_points() -> None:
    """A first point that only indents is none, and neither is a paragraph that belongs to a list without a sign."""
    point = "<text:list-item><text:p>point</text:p></text:list-item>"
    indented = f"<text:list><text:list-item><text:list>{point}</text:list></text:list-item>{point}</text:list>"
    assert read(odf("text", indented)) == "- point\n\n- point"
    header = f"<text:list><text:list-header><text:p>Further:</text:p></text:list-header>{point}</text:list>"
    assert read(odf("text", header)) == "Further:\n\n- point"


def test_shapes_and_linked_boxes_come_after_their_paragraph() -> None:
    """What is drawn at a paragraph or heading does not divide it."""
    shape = "<draw:custom-shape><text:p>Shape</text:p></draw:custom-shape>"
    linked = f'<draw:a xlink:href="https://example.org/">{shape}</draw:a>'
    assert read(odf("text", f"<text:p>Before {linked}after.</text:p>")) == "Before after.\n\nShape"
    assert read(odf("text", f"<text:h>Be{shape}fore</text:h>")) == "# Before\n\nShape"


def test_notes_have_their_spaces_and_links() -> None:
    """A note of several paragraphs is one, also below the title and code."""
    note = (
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See<text:s/><text:a xlink:href="
        '"https://example.org/">it</text:a>.</text:p><text:p>Twice.</text:p></text:note-body></text:note>'
    )
    for style, begin in (("Title", "# Words[^1]"), ("Preformatted Text", "```\nWords[^1]\n```")):
        body = f'<text:p text:style-name="{style}">Words{note}</text:p>'
        assert read(odf("text", body)) == f"{begin}\n\n[^1]: See [it](https://example.org/). Twice."


def test_hidden_paragraphs_and_covered_cells_are_left_out() -> None:
    """A paragraph may be hidden by its own style, and a merged cell hides those that it covers."""
    style = (
        '<style:style style:name="off" style:family="paragraph"><style:text-properties text:display="none"/>'
        "</style:style>"
    )
    body = '<text:h text:style-name="off">no</text:h><text:p text:style-name="off">no</text:p><text:p>yes</text:p>'
    assert read(odf("text", body, styles=style)) == "yes"
    row = (
        '<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>shown</text:p></table:table-cell>'
        "<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell></table:table-row>"
    )
    assert "covered" not in read(odf("spreadsheet", f"<table:table>{row}</table:table>"), "a.ods")


def test_group_of_shapes_is_where_its_first_shape_is() -> None:
    """A group has no position of its own."""
    low, high = (
        f'<draw:frame svg:y="{y}cm"><draw:text-box><text:p>{y}</text:p></draw:text-box></draw:frame>' for y in (9, 3)
    )
    content = odf("presentation", f"<draw:page><draw:g>{low}</draw:g>{high}</draw:page>")
    assert read(content, "a.odp") == "## Slide 1\n\n3\n\n9"


def test_all_keywords_of_a_file_are_its_keywords() -> None:
    """Programs write each of them as a property of its own."""
    content = odf(
        "text", "<text:p>a</text:p>", meta="<meta:keyword>oil</meta:keyword><meta:keyword>pump</meta:keyword>"
    )
    assert OpenDocumentParser().parse(File(content=content, uri="a.odt")).metadata == {"keywords": "oil, pump"}


def test_lines_that_look_like_headings_are_some() -> None:
    """By their size, also as a share of another, and by bold type; lists and the last line are none."""
    styles = "".join(
        f'<style:style style:name="{name}" style:family="{family}"{based}>'
        f"<style:text-properties {properties}/></style:style>"
        for name, family, based, properties in (
            ("P1", "paragraph", "", 'fo:font-size="18pt"'),
            ("P2", "paragraph", ' style:parent-style-name="P1"', 'fo:font-size="80%"'),
            ("P3", "paragraph", ' style:parent-style-name="P2"', 'fo:font-size="80%"'),
            ("T1", "text", "", 'fo:font-weight="bold"'),
        )
    )
    text = "<text:p>The pump runs all night.</text:p>"
    body = (
        f'<text:p text:style-name="P1">Pumps</text:p>{text}<text:p text:style-name="P2">Filters</text:p>{text}'
        '<text:p text:style-name="P3">of copper</text:p>'
        f'<text:p><text:span text:style-name="T1">Hoses</text:span></text:p>{text}'
        '<text:list><text:list-item><text:p><text:span text:style-name="T1">Taps</text:span></text:p></text:list-item>'
        '</text:list><text:p text:style-name="P1">Ann Smith</text:p>'
    )
    document = OpenDocumentParser().parse(File(content=odf("text", body, styles=styles), uri="a.odt"))
    plain = "The pump runs all night."
    assert document.text == (
        f"# Pumps\n\n{plain}\n\n## Filters\n\n{plain}\n\nof copper\n\n### Hoses\n\n{plain}\n\n- Taps\n\nAnn Smith"
    )
    assert document.title == "Pumps"


def test_lines_in_a_font_for_code_are_code() -> None:
    """Outside of lists; sentences that were typed so are text."""
    styles = (
        '<style:style style:name="P1" style:family="paragraph">'
        '<style:text-properties style:font-name="Courier New1"/></style:style>'
    )
    line = '<text:p text:style-name="P1">{}</text:p>'.format
    letter = "We thank you for the letter that you wrote to us."
    item = f"<text:list><text:list-item>{line('go()')}</text:list-item></text:list>"
    typed = f"{line('Dear Ann,')}<text:p/>{line(letter)}<text:p/>{line(letter)}"
    assert "```" not in read(odf("text", typed, styles=styles))
    body = f"{line('stop()')}{line('run()')}<text:p>Dear Ann,</text:p>{line(letter)}{item}"
    assert read(odf("text", body, styles=styles)) == f"```\nstop()\nrun()\n```\n\nDear Ann,\n\n{letter}\n\n- go()"
