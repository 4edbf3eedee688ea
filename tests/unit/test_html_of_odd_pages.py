"""Pages with the classes of programs where those never stand, and pages that nest more deeply than any is meant to.

Belongs here: that they are read, and in time. Not here: what the classes mean (`test_html_of_manuals`,
`test_parsing_doxygen`).
"""

import pytest
from lxml.html import document_fromstring

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    group_by_class,
    list_tables,
    move_to_start,
    select,
)
from headwater.parsing.html.page_frame import survey_page
from tests.unit.test_parsing_html import read

_WORDS = "The text of the page, which says what it is about."
_HADDOCK = '<script src="haddock.js"></script>'
_JAVADOC = '<link rel="stylesheet" title="Style" href="stylesheet.css">'
_ODD_PAGES = {
    "sqlite": '<html class="nosearch"><body><img src="sqlite.gif"><p class="fancy_title">T</p>{words}',
    "javadoc": '<html class="topNav"><head>{javadoc}</head><body><div class="topNav"></div>{words}',
    "javadoc-body": (
        '<html class="top-nav"><head>{javadoc}</head><body class="header topNav"><div class="top-nav"></div>{words}'
    ),
    "doxygen": '<html class="ttc legend"><body class="headertitle contents"><div class="headertitle">T</div>{words}',
    "haddock-caption": (
        '<head>{haddock}</head><div id="module-header"><div class="caption"><div id="content">{words}</div></div></div>'
    ),
    "haddock-link": (
        '<head>{haddock}</head><div id="content" class="top top"><div id="module-header"><p class="caption">T</p></div>'
        '<a class="link hide-when-js-enabled">x</a>{words}</div>'
    ),
    "rustdoc": '<body class="rustdoc"><h1>T</h1><span class="since line-numbers">1.0</span>{words}',
    "fpdoc": '<html class="bar"><head><link href="fpdoc.css"></head><body><h1>T</h1>{words}',
    "libreoffice": '<html class="switchinline note"><body class="switch tip"><div id="DisplayArea">{words}</div>',
}


@pytest.mark.parametrize("name", _ODD_PAGES)
def test_classes_of_programs_on_the_page_itself_lose_nothing(name: str) -> None:
    """Neither the page nor what was removed already is removed or moved."""
    page = _ODD_PAGES[name].format(words=f"<p>{_WORDS}</p>", haddock=_HADDOCK, javadoc=_JAVADOC)

    assert _WORDS in read(page).text


def test_the_page_itself_has_no_class_of_a_program() -> None:
    """Who looks for a class finds elements that can be removed."""
    tree = document_fromstring(
        '<html class="a"><head class="a"></head><body class="a"><p class="a">x</p></body></html>'
    )

    assert [element.tag for element in find_class(tree, "a")] == ["p"]
    groups = group_by_class(tree)
    assert [element.tag for element in select(groups, "a", "a")] == ["p"]
    drop_elements(select(groups, "a"))
    assert select(groups, "a") == []


def test_text_behind_removed_elements_stays() -> None:
    """Neighbours go at once, in whatever order they are named."""
    tree = document_fromstring("<p>1<b>x</b>2<b>x</b>3<i>4</i>5<b>x</b>6</p>")

    drop_elements([*reversed(list(tree.iter("b"))), tree, *tree.iter("b")])

    assert tree.text_content() == "123456"


def test_an_element_moves_into_no_part_of_itself() -> None:
    """A title that stands around the content stays there; another goes before the content's text."""
    tree = document_fromstring("<div><section>text</section>behind <h1>T</h1> the title</div>")
    holder, section = tree.find(".//div"), tree.find(".//section")

    move_to_start(holder, section)
    move_to_start(tree.find(".//h1"), section)

    assert tree.text_content() == "Ttextbehind  the title"


def test_tables_in_many_tables_are_read_with_them() -> None:
    """Each is read with what is in it, so that all of them would take the square of their number."""
    tree = document_fromstring("<table><tr><td>x" * 100)

    assert 5 < len(list_tables(tree)) < 12


def test_heads_in_many_heads_are_parts() -> None:
    """What share of their text leads elsewhere is worked out for the outer ones alone."""
    body = document_fromstring('<div class="header"><p>Words <a href="a">lead</a>.</p>' * 100).find("body")

    assert len(survey_page(body).section_heads) == 100
