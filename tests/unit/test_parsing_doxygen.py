"""Pages that Doxygen made as markdown (SRC-1, SRC-4): titles, declarations, code.

Belongs here: what Doxygen writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

import pytest

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/api/classClock.html"

PAGE = """
<html><head><title>The library</title></head><body>
<div id="top"><div id="nav-path" class="navpath"><ul><li class="navelem"><b>sf</b></li></ul></div></div>
<div class="header">
  <div class="summary"><a href="#pub-methods">Public Member Functions</a> | <a href="members.html">All</a></div>
  <div class="headertitle"><div class="title">sf::Clock Class Reference<span class="mlabels"><span>final</span></span>
  <div class="ingroups"><a href="g">System</a></div></div></div>
</div>
<div class="contents">
<p>Measures time. <a href="classClock.html#details">More...</a></p>
<table class="memberdecls">
<tr class="heading"><td colspan="2"><h2 class="groupheader">
<a name="pub-methods"></a>Public Member Functions</h2></td></tr>
<tr class="memitem:a1"><td class="memItemLeft">&#160;</td>
<td class="memItemRight"><a class="el" href="#a1">Clock</a> ()</td></tr>
<tr class="memdesc:a1"><td class="mdescLeft">&#160;</td>
<td class="mdescRight">Starts.  <a href="#a1">More...</a><br /></td></tr>
<tr class="separator:a1"><td class="memSeparator" colspan="2">&#160;</td></tr>
<tr class="memitem:a2"><td class="memItemLeft"><a class="el" href="t.html">Time</a>&#160;</td>
<td class="memItemRight"><a class="el" href="#a2">restart</a> (bool now=true)</td></tr>
<tr><td colspan="2" class="memTemplParams">template&lt;typename T&gt;</td></tr>
<tr><td class="memTemplItemLeft">T&#160;</td><td class="memTemplItemRight"><a href="#a3">as</a> ()</td></tr>
</table>
<a name="details"></a><h2 class="groupheader">Detailed Description</h2>
<div class="textblock"><p>A clock for games.</p><h1>Usage</h1>
<div class="fragment"><div class="line"><a class="code" href="c.html">sf::Clock</a> clock;</div>
<div class="line">  clock.restart();</div>
<div class="ttc" id="aclass"><div class="ttname"><a href="c.html">sf::Clock</a></div><div class="ttdoc">Box.</div></div>
</div><!-- fragment -->
<p class="definition">Definition at line <a href="s.html#l00041">41</a> of file Clock.hpp.</p></div>
<h2 class="groupheader">Member Function Documentation</h2>
<h2 class="memtitle"><span class="permalink"><a href="#a2">&#9670;&nbsp;</a></span>restart()</h2>
<div class="memitem"><div class="memproto"><table class="mlabels"><tr><td class="mlabels-left">
<table class="memname"><tr>
<td class="memname"><a class="el" href="t.html">Time</a> sf::Clock::restart </td><td>(</td>
<td class="paramtype">bool&#160;</td><td class="paramname"><em>now</em>, </td></tr>
<tr><td class="paramkey"></td><td></td><td class="paramtype">int&#160;</td><td class="paramname"><em>n</em></td>
<td>)</td><td></td></tr></table></td>
<td class="mlabels-right"><span class="mlabels">inline</span></td></tr></table></div>
<div class="memdoc"><p>Puts the counter back to zero.</p></div></div>
</div></body></html>
"""

TEXT = r"""# sf::Clock Class Reference

Measures time.

## Public Member Functions

- `Clock ()`: Starts.
- `Time restart (bool now=true)`
- `template<typename T> T as ()`

## Detailed Description

A clock for games.

## Usage

```
sf::Clock clock;
  clock.restart();
```

## Member Function Documentation

### restart()

`Time sf::Clock::restart (bool now, int n)`

Puts the counter back to zero."""


def test_a_class_has_its_name_its_declarations_and_its_code() -> None:
    """Not the name of the library as its title, nor the cells of a table as the parts of a declaration.

    A crawl does not go on to the list of the same members.
    """
    page = read_page(PAGE.encode(), URI)
    document = page_document(page, uri=URI)
    assert "https://docs.example.com/api/members.html" not in page.links
    assert document.title == "sf::Clock Class Reference"
    assert document.text == TEXT


def test_classes_of_doxygen_mean_nothing_on_other_pages() -> None:
    """A summary is content elsewhere."""
    page = '<main><h1>Trip</h1><div class="summary"><p>We saw two lakes.</p></div></main>'
    assert page_document(read_page(page.encode(), URI), uri=URI).text == "# Trip\n\nWe saw two lakes."


@pytest.mark.parametrize(
    "html",
    [
        '<html class="memproto"><body><div class="headertitle">Clock</div>{}</body></html>',
        '<body class="memberdecls"><div class="headertitle">Clock</div>{}</body>',
        '<div class="headertitle contents"><div class="title">Clock</div></div>{}',
        '<div class="headertitle">Clock<div class="contents">{}</div></div>',
        '<div class="headertitle">Clock</div>{}<table><th><p class="fragment">a</p></table>',
    ],
)
def test_odd_pages_with_its_classes_are_read(html: str) -> None:
    """Whatever element has a class of Doxygen's, the page is no error and keeps its text."""
    paragraph = "Measures time, and says how much of it has passed since it was started."
    page = read_page(html.format(f"<p>{paragraph}</p>").encode(), URI)
    assert paragraph in page_document(page, uri=URI).text


def read_contents(contents: str) -> str:
    """The text below the title of a page of Doxygen."""
    html = f'<div class="headertitle"><div class="title">Blocks</div></div><div class="contents">{contents}</div>'
    return page_document(read_page(html.encode(), URI), uri=URI).text.removeprefix("# Blocks\n\n")


def make_fragment(*lines: str) -> str:
    """Code as Doxygen writes it."""
    return f"""<div class="fragment">{"".join(f'<div class="line">{line}</div>' for line in lines)}</div>"""


def test_programs_in_cells_keep_their_lines() -> None:
    """A program and its output stand one below the other, each below the head of its column."""
    rows = f"<td>{make_fragment('int n;', '  <a href=c.html>run</a>(n);')}</td><td>{make_fragment('1', '2')}</td>"
    labeled = f"<td>Corner</td><td>{make_fragment('a', 'b')}</td><td>{make_fragment('c')}</td>"

    assert read_contents(
        f'<table class="example"><tr><th>Example:</th><th>Output:</th></tr><tr>{rows}</tr></table>'
    ) == ("**Example:**\n\n```\nint n;\n  run(n);\n```\n\n**Output:**\n\n```\n1\n2\n```")
    assert read_contents(f"<table><tr><th>Block</th><th>Long</th><th>Short</th></tr><tr>{labeled}</tr></table>") == (
        "**Corner**\n\nLong:\n\n```\na\nb\n```\n\nShort:\n\n```\nc\n```"
    )


def test_a_table_whose_code_is_a_line_in_each_cell_stays_one() -> None:
    """Its head and the words before the code are needed to tell the cells apart."""
    row = f"<td>First row</td><td>{make_fragment('m.row(0);')}</td>"

    assert read_contents(f"<table><tr><th>Block</th><th>Method</th></tr><tr>{row}</tr></table>") == (
        "| Block | Method |\n| --- | --- |\n| First row | `m.row(0);` |"
    )


def test_a_declaration_has_its_labels_and_its_form_in_python() -> None:
    """They are no part of the signature in C++."""
    python = "<tr><th>Python:</th></tr><tr><td>cv.blur(</td><td>src</td><td>) -> dst</td></tr>"
    labels = "".join(f"<span class=mlabel>{label}</span>" for label in ("inline", "explicit"))
    name = "<td><table class=memname><tr><td>void blur </td><td>()</td></tr></table></td>"
    prototype = (
        f"<table class=mlabels><tr>{name}<td class=mlabels-right><span class=mlabels>{labels}</span></td></tr></table>"
        f"<table class=python_language>{python}</table>"
    )

    assert read_contents(f"<div class=memproto>{prototype}</div>") == (
        "`void blur ()` [inline, explicit]\nPython: `cv.blur(src) -> dst`"
    )


def test_parameters_and_values_are_lists() -> None:
    """One row is no table, and several have no head."""
    row = "<tr><td class=paramdir>[in]</td><td class=paramname>size</td><td>The <code>size</code>.</td></tr>"
    values = "<tr><th colspan=2>Enumerator</th></tr><tr><td class=fieldname>RECT</td><td><p>A box.</p></td></tr>"

    assert read_contents(f"<dl><dt>Parameters</dt><dd><table class=params>{row}</table></dd></dl>") == (
        "- **Parameters**\n  - **size** [in]: The `size`."
    )
    assert read_contents(f"<table class=fieldtable>{values}</table>") == "**Enumerator**\n\n- **RECT**: A box."


def test_members_of_a_class_above_stand_below_a_heading() -> None:
    """A class above whose members are not listed leaves no heading."""
    member = "<tr><td class=memItemLeft>int</td><td class=memItemRight>size ()</td></tr>"
    above = "<tr class=inherit_header><td colspan=2>Public Types inherited from <a href=b.html>Base</a></td></tr>"

    assert read_contents(f"<table class=memberdecls>{above}{member}{above}</table>") == (
        "### Public Types inherited from Base\n\n- `int size ()`"
    )


def test_diagrams_and_names_of_source_files_are_left_out() -> None:
    """The caption of a picture stays, as its words."""
    diagram = "<div class=dynheader>Inheritance diagram for Clock:</div><div class=dyncontent><img src=c.png></div>"
    files = "<hr/>The documentation for this class was generated from the following file:<ul><li>Clock.hpp</li></ul>"
    picture = '<div class=image><img src="face.png" alt=""><div class=caption>The face</div></div>'

    assert read_contents(f"{diagram}<p>Measures time.</p>{picture}{files}") == (
        "Measures time.\n\n![The face](face.png)"
    )


def test_the_head_of_a_template_is_code() -> None:
    """Its lines are those of the declaration."""
    head = "<div class=compoundTemplParams>template&lt;typename T&gt;<br />\nclass Box&lt; T &gt;</div>"

    assert read_contents(f"<div class=textblock>{head}<p>Holds it.</p></div>") == (
        "```cpp\ntemplate<typename T>\nclass Box< T >\n```\n\nHolds it."
    )


def test_a_tutorial_names_the_languages_of_its_programs() -> None:
    """A script shows one of them, below buttons that it makes; links to other tutorials are left out."""
    turns = (
        '<p><b>Prev Tutorial:</b> <a href="a.html">Masks</a><br/><b>Next Tutorial:</b> <a href="b.html">Hull</a></p>'
    )
    parts = "".join(
        f"<div class='newInnerHTML' title='{label}' style='display: none;'>{name}</div>"
        f"<div class='toggleable_div label_{label}' style='display: none;'><p>Call {function}.</p></div>"
        for label, name, function in (("cpp", "C++", "blur"), ("python", "Python", "cv.blur"))
    )

    assert read_contents(f"{turns}{parts}") == "**C++**\n\nCall blur.\n\n**Python**\n\nCall cv.blur."


def test_only_the_legend_of_a_graph_is_left_out() -> None:
    """An author may call a paragraph so, too."""
    graph = '<center><span class="legend">[<a target="top" href="graph_legend.html">legend</a>]</span></center>'

    assert read_contents(f'{graph}<p class="legend">Red is hot.</p>') == "Red is hot."


def test_the_head_of_a_special_template_stands_in_front_of_its_member() -> None:
    """It has a row of its own, whose cell is that of types elsewhere."""
    rows = (
        "<tr><td class=memItemLeft>template&lt;&gt; </td></tr>"
        "<tr><td class=memTemplItemLeft>Line</td><td class=memTemplItemRight>cast ()</td></tr>"
    )

    assert read_contents(f"<table class=memberdecls>{rows}</table>") == "- `template<> Line cast ()`"
