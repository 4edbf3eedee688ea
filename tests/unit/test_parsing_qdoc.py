"""Pages that qdoc made as markdown (SRC-1, SRC-4).

Belongs here: what qdoc writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document


def read_text(content: str, name: str = "content mainContent") -> str:
    """The text of a page whose content is given."""
    html = f'<html><body><div class="{name}"><h1 class="title">Lamp Class</h1>{content}</div></body></html>'
    return page_document(read_page(html.encode(), "lamp.html"), uri="lamp.html").text.removeprefix("# Lamp Class\n\n")


def make_table(left: str, right: str) -> str:
    """A summary with one row."""
    cells = f'<td class="memItemLeft"> {left} </td><td class="memItemRight">{right}</td>'
    return f'<div class="table"><table class="alignedsummary"><tr>{cells}</tr></table></div>'


def test_members_are_code_also_where_there_is_only_one() -> None:
    """A declaration has no links and no marks; what a class needs has its name before it."""
    member = "<b><a href='lamp.html#set'>setWatts</a></b>(int *<i>watts</i>)"

    assert read_text(make_table("void", member)) == "- `void setWatts(int *watts)`"
    assert read_text(make_table("Header:", '<span class="preprocessor">#include &lt;Lamp&gt;</span>')) == (
        "- **Header:** `#include <Lamp>`"
    )
    assert "**[setWatts]" in read_text(make_table("void", member), "text")


def test_properties_in_two_columns_are_one_list() -> None:
    """They stand side by side to save space."""
    lists = "".join(f"<td><ul><li><b><a href='#p'>{name}</a></b> : int</li></ul></td>" for name in ("watts", "volts"))

    assert read_text(f'<table class="propsummary"><tr>{lists}</tr></table>') == "- `watts : int`\n- `volts : int`"


def test_a_second_signature_stands_below_the_heading() -> None:
    """Links to other pages, and to the text below, are left out."""
    heading = (
        '<h3 class="flags" id="a"><a name="a"></a>enum Lamp::<span class="name">Mode</span><br/>flags Lamp::Modes</h3>'
    )
    turns = '<p class="naviNextPrevious headerNavi"><a href="a.html">Wires</a> <a href="b.html">Plugs</a></p>'
    brief = '<p>It glows. <a href="#details">More...</a></p>'

    assert read_text(f"{turns}{brief}{heading}") == "It glows.\n\n### enum Lamp::Mode\n\n`flags Lamp::Modes`"
