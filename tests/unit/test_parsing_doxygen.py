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

template\<typename T>

- `T as ()`

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
    ],
)
def test_odd_pages_with_its_classes_are_read(html: str) -> None:
    """Whatever element has a class of Doxygen's, the page is no error and keeps its text."""
    paragraph = "Measures time, and says how much of it has passed since it was started."
    page = read_page(html.format(f"<p>{paragraph}</p>").encode(), URI)
    assert paragraph in page_document(page, uri=URI).text
