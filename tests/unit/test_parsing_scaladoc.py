"""Pages of Scaladoc as markdown (SRC-1, SRC-4): the title, signatures, members.

Belongs here: what Scaladoc writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/clocks/Timer.html"

CLASS = """
<html><head><title>Timer - clocks</title></head><body class="type"><div id="definition">
<a href="Timer$.html"><img alt="Class/Object" src="../lib/class.png"></a>
<p id="owner"><a href="package.html" class="extype">clocks</a></p><h1><a href="Timer$.html">Timer</a></h1>
<h3><span class="morelinks"><div>Related Docs: <a href="Timer$.html">object Timer</a></div></span></h3>
<span class="permalink"><a href="../index.html#Timer"><img src="p.png" alt="Permalink"></a></span></div>
<h4 id="signature" class="signature"><span class="modifier_kind">
  <span class="kind">class</span></span>
  <span class="symbol">Timer<span class="tparams">[*]</span> extends <a href="Clock.html">Clock</a></span></h4>
<div id="comment" class="fullcommenttop"><p>Measures time.</p></div>
<div id="mbrsel"><span class="filtertype">Ordering</span><ol><li>Alphabetic</li></ol></div>
<div id="template"><div id="allMembers"><div class="values members"><h3>Value Members</h3><ol>
<li><h4 class="signature">def <span class="name">start</span>(at: <a href="Int.html">Int</a>): List[*]</h4>
<p class="shortcomment cmt">Starts it.</p><div class="fullcomment"><div class="comment"><p>Starts it. Twice.</p></div>
<dl class="paramcmts"><dt>returns</dt><dd><p>a list</p></dd></dl></div></li>
<li><h4 class="signature">def stop</h4><p class="shortcomment cmt">Stops it.</p></li></ol></div></div>
<div id="inheritedMembers"><div class="parent"><h3>Inherited from <a href="Any.html">Any</a></h3></div></div>
<div id="groupedMembers"><div class="group"><h3>Ungrouped</h3></div></div></div></body></html>
"""

TEXT = """# Timer

[clocks](package.html)

```scala
class Timer[*] extends Clock
```

Measures time.

### Value Members

#### `def start(at: Int): List[*]`

Starts it. Twice.

- **returns**: a list

#### `def stop`

Stops it."""


def test_each_description_of_a_member_stands_there_once() -> None:
    """Signatures are code, and boxes that scripts fill are no text."""
    page = read_page(CLASS.encode(), URI)
    document = page_document(page, uri=URI)
    assert document.title == "Timer"
    assert document.text == TEXT
    assert "https://docs.example.com/clocks/Clock.html" in page.links


def test_odd_pages_with_its_classes_keep_their_text() -> None:
    paragraph = "Measures time, and says how much of it has passed since it was started."
    for name in ("signature", "shortcomment", "fullcomment", "definition", "morelinks"):
        page = (
            f'<html class="{name}"><body class="{name}" id="definition"><h4 id="signature">class Timer</h4>'
            f'<div id="{name}"><p class="{name}">{paragraph}</p></div></body></html>'
        )
        assert paragraph in page_document(read_page(page.encode(), URI), uri=URI).text
