"""Tables and lists of HTML in markdown files.

Belongs here: which of them are written as markdown, where their rows come from, and indented lines in elements. Not
here: single tags (`test_parsing_markup`), tables of web pages (`test_parsing_html`).
"""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import parse_markdown


def parse(text: str, uri: str = "docs/page.md") -> ParsedDocument:
    return parse_markdown(text, uri=uri)


def find_lines(document: ParsedDocument, words: str) -> tuple[int | str, int | str]:
    """The lines of the file that the line of the text with some words is from."""
    start = document.text.index(words)
    assert document.places is not None
    place = document.places.between(start, document.text.index("\n", start), text=document.text)
    assert place is not None
    return place.first, place.last


TABLE = """Sizes:
<table class="wide">
  <thead><tr><th>Pump</th><th>Size</th></tr></thead>
  <tr>
    <td>The <code>x|y</code> and **big** one</td>
    <td>&lt;b&gt; <a href="big.md">details</a></td>
  </tr>

  <tr>
    <td rowspan="2">Small</td>
    <td><ul><li>one</li><li>two</li></ul></td>
  </tr>
  <TR><TD>three</TD></TR>
</table>
After it.
"""


def test_a_table_of_html_is_a_table() -> None:
    """Each cell stood in a line of its own, and nobody could tell what belongs together."""
    assert parse(TABLE).text == (
        "Sizes:\n\n| Pump | Size |\n| --- | --- |\n| The `x\\|y` and **big** one | \\<b> [details](big.md) |\n"
        "| Small | one; two |\n| Small | three |\n\nAfter it.\n"
    )


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("| Pump", (2, 3)),
        ("| The", (4, 7)),
        ("| Small | one", (9, 13)),
        ("| Small | three", (9, 13)),
        ("After", (15, 15)),
    ],
)
def test_a_row_comes_from_its_own_lines(words: str, lines: tuple[int, int]) -> None:
    """A citation names the lines of the row, not those of the whole table."""
    assert find_lines(parse(TABLE), words) == lines


@pytest.mark.parametrize(
    ("rows", "words", "lines"),
    [
        ("<tr>\n<td>a</td>\n<td>b</td></tr><tr><td>c</td>\n<td>d</td></tr>", "| a", (3, 5)),
        ("<tr>\n<td>a</td>\n<td>b</td></tr><tr><td>c</td>\n<td>d</td></tr>", "| c", (5, 6)),
        ("<tr><td></td></tr>\n<tr><td>a</td><td>b</td></tr>", "| a", (4, 4)),
        ("<tr><th>A2</th><th>B2</th></tr>\n<tr><td>a</td><td>b</td></tr>", "| a", (4, 4)),
        (
            "<tr><td>a</td><td rowspan=3>b</td></tr>\n<tr><td colspan=2>c</td></tr>\n<tr><td>d</td></tr>",
            "| d",
            (3, 5),
        ),
        ("<tr><td rowspan=2>a</td><td>b</td></tr>\n<tr></tr>\n<tr><td>c</td><td>d</td></tr>", "| c", (5, 5)),
    ],
)
def test_lines_of_a_row_have_all_of_it(rows: str, words: str, lines: tuple[int, int]) -> None:
    """Whatever the rows look like: on one line, without words, in the head, hanging."""
    document = parse(f"<table>\n<tr><th>A</th><th>B</th></tr>\n{rows}\n</table>\n\nEnd.\n")
    assert find_lines(document, words) == lines


def test_a_table_in_a_table_has_the_lines_of_both() -> None:
    """The rows that are shown are not those of the outer table."""
    inner = "<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"
    document = parse(f"<table>\n<tr><td>words</td></tr>\n<tr><td>{inner}</td></tr>\n</table>\n\nEnd.\n")
    assert find_lines(document, "| 1 | 2 |") == (1, 7)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<ol>\n<li>First</li>\n<li>Second\n<ul><li>a</li></ul></li>\n</ol>\n", "1. First\n2. Second\n   - a\n"),
        ("- item\n\n  <ul><li>a</li>\n  <li>b</li></ul>\n\n  more\n", "- item\n\n  - a\n  - b\n\n  more\n"),
        ("<ul>\n  <li>a</li>\n</ul>\nText.\n", "- a\n\nText.\n"),
        ("<UL><LI>a</LI><LI>b</LI></UL>\n", "- a\n- b\n"),
    ],
)
def test_lists_of_html_are_lists(text: str, expected: str) -> None:
    """Steps keep their numbers, and lists in lists their places."""
    assert parse(text).text.strip() == expected.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<table><tr><td>\n\nSome **text**\n\n</td></tr></table>\n", "Some **text**\n"),
        ("<ul>\n<li>{{ item }}</li>\n</ul>\n", "- {{ item }}\n"),
        ("> <ul><li>a</li></ul>\n", "> - a\n"),
        ("<ul>\n<li>a\n", "<ul>\n- a\n"),
        ("Write <ul> here.\n", "Write <ul> here.\n"),
        ("<ul>\n<li>Close `</ul>`</li>\n<li>b</li>\n</ul>\n", "- Close `</ul>`\n- b\n"),
        ("<ul>\n<li>clone <url> in List<String></li>\n</ul>\n", "- clone <url> in List<String>\n"),
        ("<ul>\n<li>See <https://e.com></li>\n</ul>\n", "- See <https://e.com>\n"),
        ("<ul>\n<li>:white_check_mark: [a](b.md){.x}</li>\n</ul>\n", "- ✅ [a](b.md)\n"),
        ("<ul>\n<li>Press <button>Save</button></li>\n</ul>\n", "- Press Save\n"),
        ("a | b\n--|--\n<ul><li>x</li></ul> | z\n", "a | b\n--|--\n  x   | z\n"),
        ("```html\n<table><tr><td>a</td></tr></table>\n```\n", "```html\n<table><tr><td>a</td></tr></table>\n```\n"),
    ],
)
def test_what_is_not_html_alone_is_read_tag_by_tag(text: str, expected: str) -> None:
    """Markdown in cells, tags of templates, quotations, elements without an end, code."""
    assert parse(text).text.strip() == expected.strip()


def test_expressions_in_lists_of_mdx_are_read() -> None:
    """HTML would show the braces."""
    assert parse("<ul>\n<li>{'a'} <Key k='z' /></li>\n</ul>\n", uri="a.mdx").text.strip() == "- a z"
    assert parse("<ol>\n<li>a</li>\n</ol>\n", uri="a.mdx").text.strip() == "1. a"


def test_text_in_indented_elements_is_no_code() -> None:
    """Elements are indented for their authors; real code below them stays code."""
    text = """<div>
    <div>
        <h3>Wells</h3>

        <p>They are deep.</p>

        <ol>
            <li>Dig</li>
        </ol>
    </div>
</div>

    real <b>code</b>

More.
"""
    assert parse(text).text == "### Wells\n\nThey are deep.\n\n1. Dig\n\n    real <b>code</b>\n\nMore.\n"


@pytest.mark.parametrize(
    "text",
    [
        "<details>\n\nRun:\n\n    make <b>all</b>\n\n</details>\n",
        "Use the `<div>` element, <div> for short:\n\n    <div>\n      <p>Hello</p>\n    </div>\n",
        "```\n<div>\n```\n\n    <p>Hello</p>\n",
        "Write:\n\n    ```python\n    x = 1\n\nText below.\n",
        "<!-- <div> old -->\n\nWrite:\n\n    <p>Hello</p>\n",
        "<div>\nSome text</div>\n\nWrite:\n\n    <p>Hello</p>\n",
        '<div id="root" />\n\nWrite:\n\n    <p>Hello</p>\n',
        "<b>Note</b>: use `<div>` here.\n\n    <p>Hello</p>\n",
    ],
)
def test_code_in_an_element_is_code(text: str) -> None:
    """What does not begin with a tag is no element, and words about an element open none."""
    code = "\n".join(line for line in text.split("\n") if line.startswith("    "))
    assert code in parse(text).text


def test_deep_lists_are_read() -> None:
    """HTML nests lists without items, too."""
    assert "a" in parse("<ul>" * 1_000 + "<li>a" + "</ul>" * 1_000).text


def test_words_behind_lists_do_not_cost_the_tables_below() -> None:
    """Only what is looked through counts against the limit."""
    text = (
        "<ul><li>a</li></ul> more words\n\n" * 15 + "<table><tr><th>A</th><th>B</th></tr><tr><td>c</td><td>d</td></tr>"
    )
    assert "| c | d |" in parse(f"{text}</table>\n\n" + "Words of a paragraph.\n\n" * 600).text


def test_a_list_of_html_without_items_keeps_its_text() -> None:
    """Some authors indent a line so."""
    assert parse("One:\n\n<ul>\n<code>a</code> is a name.\n</ul>\n\nTwo.\n").text == "One:\n\n`a` is a name.\n\nTwo.\n"
