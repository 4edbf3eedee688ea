"""The notation of Cosense as markdown (SRC-7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.places import PlaceKind
from headwater.linking.references import link_target
from headwater.parsing.cosense.cosense_page import read_page
from headwater.parsing.cosense.project import Project, page_link
from tests.work import counted

MILL = Project(site="https://scrapbox.io", name="mill")


def text(*lines: str) -> str:
    """The markdown of a page's lines below its title."""
    return read_page(["Title", *lines], MILL).text


@pytest.mark.parametrize(
    ("line", "markdown"),
    [
        ("[link]", "[link](link)"),
        ("[two words]", "[two words](two_words)"),
        ("[水車]の輪", "[水車](水車)の輪"),
        ("[a (b)]", "[a (b)](a_%28b%29)"),
        ("[page#0123456789abcdef01234567]", "[page](page)"),
        ("[/mill/own]", "[own](own)"),
        ("[/other/page]", "[/other/page](https://scrapbox.io/other/page)"),
        ("[/other]", "[/other](https://scrapbox.io/other/)"),
        ("[https://a.test/b]", "https://a.test/b"),
        ("[text https://a.test/b]", "[text](https://a.test/b)"),
        ("[https://a.test/b(c) more text]", "[more text](https://a.test/b%28c%29)"),
        ("https://a.test/b_c*d", "https://a.test/b_c*d"),
        ("[https://a.test/b.png]", "![](https://a.test/b.png)"),
        ("[https://gyazo.com/0f82099330f378fe4917a1b4a5fe8815]", "![](https://gyazo.com/0f82099330f378fe4917a1b4a5fe8815)"),
        ("[https://a.test/b https://a.test/c.png]", "[![](https://a.test/c.png)](https://a.test/b)"),
        ("[https://a.test/c.png https://a.test/b]", "[![](https://a.test/c.png)](https://a.test/b)"),
        ("[ida.icon]", "[ida](ida)"),
        ("[ida.icon*3]", "[ida](ida)"),
        ("[/icons/todo.icon]", "[todo](https://scrapbox.io/icons/todo)"),
        ("say [* bold] and [[bold]]", "say **bold** and **bold**"),
        ("[/ slanted] [- struck] [*/- all]", "*slanted* ~~struck~~ ~~***all***~~"),
        ("[_ underlined]", "underlined"),
        ("see [* the [pump]]", "see **the [pump](pump)**"),
        ("[$ E = mc^2] is", "$E = mc^2$ is"),
        ("`[no link] #no`", "`[no link] #no`"),
        ("#tag and a#b", "[#tag](tag) and a#b"),
        ("> quoted [link]", "> quoted [link](link)"),
        ("? how to [open]", "? how to [open](open)"),
        ("[]", "\\[\\]"),
        ("a ] b [ c", "a \\] b \\[ c"),
        ("<script>", "\\<script>"),
        ("# no heading", "\\# no heading"),
        ("snake_case 2 * 3", "snake_case 2 \\* 3"),
    ],
)  # fmt: skip
def test_what_stands_in_a_line(line: str, markdown: str) -> None:
    """Links, images, icons, decorations, formulas, code, tags, quotations."""
    assert text(line) == markdown


def test_indented_lines_are_nested_bullets() -> None:
    """By spaces, tabs or wide spaces; a skipped step is one step."""
    assert text("", " a", "\tb", "   c", "\u3000d", "After.") == "- a\n- b\n  - c\n- d\n\nAfter."


def test_a_short_line_is_the_parent_of_the_items_below_it() -> None:
    """A quote of an item would leave out what it is an item of; a sentence, code and what stands apart are none."""
    assert text("19 ways", " of 4 * 5", "  less 1", "6 ways", " of 3") == (
        "- 19 ways\n  - of 4 \\* 5\n    - less 1\n- 6 ways\n  - of 3"
    )
    sentence = "A sentence of a text that goes on and on until it is long."
    assert text(sentence, " a") == f"{sentence}\n\n- a"
    assert text("A", "", " a") == "A\n\n- a"
    assert text("A", " code:x.py", "  y()") == "A\n\n`x.py`\n\n```py\ny()\n```"


def test_numbered_lines_are_numbered_items() -> None:
    """What stands below one is indented as its number asks for; signs of markdown in an item are text."""
    assert text(" 1. a", "  b", " 2. c", "10. d") == "1. a\n   - b\n2. c\n\n10. d"
    assert text(" - a", " # b", " 10. c", "  d") == "- \\- a\n- \\# b\n10. c\n    - d"


def test_a_line_of_hashtags_stands_alone() -> None:
    """Without the icons among them, which are links all the same; within a line, tags are a part of it."""
    page = read_page(["Title", "a", "#mill [ida.icon] #pump", "b #c", " [ida.icon] #mill"], MILL)
    assert page.text == "a\n\n[#mill](mill) [#pump](pump)\n\n- b [#c](c)\n  - [#mill](mill)"
    assert set(page.links) == {"mill", "ida", "pump", "c"}


def test_lines_stay_lines() -> None:
    """People end no sentence where a line ends, so markdown must not join two."""
    assert text("a", "b", "> c", "> d") == "a  \nb\n\n> c  \n> d"


def test_code_and_tables_own_the_lines_that_are_indented_further() -> None:
    """Code keeps its own indentation, brackets and language; a row of dashes is no row."""
    lines = ["code:a.py", " if [x]:", "     y()", "", "table:[T]", "\ta\t[b]", "\t---\t---", "\tc|d", "Over."]
    assert text(*lines) == (
        "`a.py`\n\n```py\nif [x]:\n    y()\n```\n\n**[T](T)**\n\n| a | [b](b) |\n| --- | --- |\n| c\\|d |  |\n\nOver."
    )
    assert text(" code:python(js)", "  ```") == "````js\n```\n````"


def test_lines_of_bold_are_headings() -> None:
    """The more stars, the higher; below the title."""
    found = text("[*** Big]", "a", "[* Small]", "[[Also small]]", "b [* bold]")
    assert found == "## Big\n\na\n\n### Small\n\n### Also small\n\nb **bold**"


def test_places_are_lines_of_the_page() -> None:
    """So that a citation says where; the title is line 1."""
    page = read_page(["Title", "one", "", "code:x.py", " ", " two", "table:t", "\th", "\tthree", " four"], MILL)
    assert page.places.kind == PlaceKind.LINE
    for word, line in (("one", 2), ("two", 6), ("three", 9), ("four", 10)):
        at = page.text.index(word)
        place = page.places.between(at, at + len(word), text=page.text)
        assert place is not None
        assert (word, place.first) == (word, line)


@given(st.text(min_size=1, max_size=30))
def test_a_link_leads_to_the_address_of_its_page(title: str) -> None:
    """Whatever the title: what is written in a text is found among the documents."""
    target = link_target(page_link(title), MILL.page("Any page"))
    if page_link(title):
        assert target is not None
        assert target.uris == (MILL.page(title),)


@given(st.lists(st.text("[]`*/-$# >?\t ab:.ｱ|<(\\" + "code:table", max_size=40), max_size=12))
def test_any_text_gives_markdown(lines: list[str]) -> None:
    """Without an error, with places in order."""
    page = read_page(["Title", *lines], MILL)
    marks = [mark.offset for mark in page.places.marks]
    assert marks == sorted(marks)
    assert all(0 <= mark <= len(page.text) for mark in marks)


HARD = {
    "open": lambda n: "[" * n,
    "nested": lambda n: "[" * n + "]" * n,
    "decorated": lambda n: "[* " * n + "]" * n,
    "double": lambda n: "[[" * n + "]]" * n,
    "links": lambda n: "[a " * n + "]" * n,
    "ticks": lambda n: "`" * (2 * n + 1),
    "tags": lambda n: "#a " * n,
    "addresses": lambda n: "[https://a.test/b " * n + "]" * n,
}


@pytest.mark.parametrize("name", HARD)
def test_the_work_grows_with_the_line(name: str) -> None:
    """And not with its square (SEC-1)."""
    from headwater.parsing.cosense import cosense_page, line_markup

    totals = []
    for size in (200, 400):
        with counted(line_markup, cosense_page) as done:
            text(HARD[name](size))
        totals.append(done.total)
    assert totals[1] / totals[0] < 2.75
