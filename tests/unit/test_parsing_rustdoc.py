"""Pages of rustdoc as markdown (SRC-1, SRC-4): declarations, versions, lists of items, source.

Belongs here: what rustdoc writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

import pytest

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/clocks/struct.Timer.html"

STRUCT = """
<html><head><title>Timer in clocks - Rust</title></head><body class="rustdoc struct"><main>
<section id="main-content" class="content">
<a class="sub-logo-container" href="../clocks/index.html"><img src="rust-logo.svg" alt="logo"></a>
<div class="main-heading"><h1 class="fqn"><span class="in-band">Struct <a href="index.html">clocks</a>::<wbr><a
 class="struct" href="#">Timer</a></span></h1><span class="out-of-band"><span class="since"
 title="Stable since Rust version 1.4.0">1.4.0</span> · <a href="../src/t.rs.html">source</a></span></div>
<div class="item-decl"><pre class="rust struct"><code>pub struct Timer { /* fields */ }</code></pre></div>
<p>Measures time.</p>
<details open><summary><section id="method.start" class="method"><span class="rightside"><span class="since"
 title="Stable since Rust version 1.6.0">1.6.0</span> · <a href="../src/t.rs.html#7">source</a></span>
<a href="#method.start" class="anchor"></a><h4 class="code-header">pub fn <a href="#m">start</a>
&lt;S: <a class="trait" href="trait.As.html">As</a>&lt;S&gt;&gt;(s: &amp;S)
<span class="notable-traits"><span>Notable</span></span></h4></section></summary>
<div class="docblock"><p>Starts it.</p></div></details>
</section></main></body></html>
"""

STRUCT_TEXT = """# Struct clocks::Timer

Since 1.4.0

```rust
pub struct Timer { /* fields */ }
```

Measures time.

#### `pub fn start <S: As<S>>(s: &S)`

Since 1.6.0

Starts it."""

ROWS = """<div class="item-table"><div class="item-row">
<div class="item-left module-item"><a href="struct.Timer.html">Timer</a>
<span class="stab unstable">Experimental</span></div>
<div class="item-right docblock-short"><p>Measures time.</p></div></div>
<div class="item-row"><div class="item-left module-item"><a href="struct.Watch.html">Watch</a></div>
<div class="item-right docblock-short"></div></div></div>"""

NEW_ROWS = """<ul class="item-table"><li><div class="item-name"><a href="struct.Timer.html">Timer</a>
<span class="stab unstable">Experimental</span></div><div class="desc docblock-short">Measures time.</div></li>
<li><div class="item-name"><a href="struct.Watch.html">Watch</a></div></li></ul>"""


def read(html: str) -> str:
    return page_document(read_page(html.encode(), URI), uri=URI).text


def test_declarations_are_code_and_say_since_when_they_are_there() -> None:
    """The version stands beside the link to the source, which is no text; the logo is none, either."""
    page = read_page(STRUCT.encode(), URI)
    assert page_document(page, uri=URI).text == STRUCT_TEXT
    assert "https://docs.example.com/src/t.rs.html" in page.links
    assert "https://docs.example.com/clocks/trait.As.html" in page.links


@pytest.mark.parametrize("rows", [ROWS, NEW_ROWS])
def test_items_of_a_module_are_a_list(rows: str) -> None:
    """Each with its description, and with its label in brackets."""
    page = f'<body class="rustdoc mod"><main><h1>Module clocks</h1><h2>Structs</h2>{rows}</main></body>'
    assert read(page) == (
        "# Module clocks\n\n## Structs\n\n- [Timer](struct.Timer.html) (Experimental): Measures time.\n"
        "- [Watch](struct.Watch.html)"
    )


def test_source_has_no_numbers_of_lines() -> None:
    page = (
        '<body class="rustdoc source"><section id="main-content"><div class="example-wrap"><pre class="line-numbers">'
        '<span id="1">1</span>\n<span id="2">2</span>\n</pre><pre class="rust"><code>fn main() {\n}</code></pre></div>'
        "</section></body>"
    )
    assert read(page) == "```rust\nfn main() {\n}\n```"


def test_classes_of_rustdoc_mean_nothing_on_other_pages() -> None:
    page = '<main><h1>Trip</h1><p>Rain <span class="since">since 9</span> <span class="stab">again</span>.</p></main>'
    assert read(page) == "# Trip\n\nRain since 9 again."


@pytest.mark.parametrize("name", ["since", "code-header", "item-table", "item-name", "stab", "rust"])
def test_odd_pages_with_its_classes_keep_their_text(name: str) -> None:
    paragraph = "Measures time, and says how much of it has passed since it was started."
    for page in (
        f'<html class="{name}"><body class="rustdoc {name}"><p>{paragraph}</p></body></html>',
        f'<body class="rustdoc"><ul class="{name}"><div class="{name}"><div><p>{paragraph}</p></div></div></ul></body>',
    ):
        assert paragraph in read(page)
