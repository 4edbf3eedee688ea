"""Pages of Haddock as markdown (SRC-1, SRC-4): the title, signatures, instances, formulas.

Belongs here: what Haddock writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/clocks/Data-Timer.html"

MODULE = r"""
<html><head><title>Data.Timer</title><script src="haddock-bundle.min.js"></script></head><body>
<div id="package-header"><span class="caption">clocks-1.0</span><ul id="page-menu"><li><a href="index.html">Contents</a>
</li></ul></div>
<div id="content"><div id="module-header"><table class="info"><tr><th>License</th><td>BSD</td></tr>
<tr><th>Stability</th><td>stable</td></tr></table><p class="caption">Data.Timer</p></div>
<div id="description"><p class="caption">Description</p><div class="doc"><p>Measures time.</p></div></div>
<div id="synopsis"><details><summary>Synopsis</summary><ul><li><a href="#v:start">start</a> :: Timer</li></ul></details>
</div><div id="interface"><h1>Documentation</h1>
<div class="top"><p class="src"><span class="keyword">data</span> <a id="t:Timer" class="def">Timer</a> a <a
 href="src/Data-Timer.html#Timer" class="link">Source</a> <a href="#t:Timer" class="selflink">#</a></p>
<div class="doc"><p>A clock in <span class="mathjax">\(O(\log n_1 * n_2)\)</span>.</p></div>
<div class="subs constructors"><p class="caption">Constructors</p><table><tr><td class="src"><a id="v:Off"
 class="def">Off</a></td><td class="doc empty">&nbsp;</td></tr><tr><td class="src"><a id="v:On" class="def">On</a>
 a</td><td class="doc empty">&nbsp;</td></tr></table></div>
<div class="subs instances"><h4 class="instances">Instances</h4><details open="open">
<summary class="hide-when-js-enabled">Instances details</summary><table>
<tr><td class="src clearfix"><span class="inst-left"><a href="F.html">Functor</a> <a href="T.html">Timer</a></span>
 <a href="#t:F" class="selflink">#</a></td><td class="doc"><p><em>Since: 1.0</em></p></td></tr>
<tr><td colspan="2"><details><summary class="hide-when-js-enabled">Instance details</summary>
<p>Defined in <a href="Data-Timer.html">Data.Timer</a></p> <div class="subs methods"><p class="caption">Methods</p>
<p class="src"><a href="#v:fmap">fmap</a> :: (a -&gt; b) -&gt; <a href="T.html">Timer</a> a -&gt; Timer b <a
 href="src/F.html" class="link">Source</a></p>
<p class="src"><a href="#v:x">(&lt;$)</a> :: a -&gt; Timer b -&gt; Timer a</p>
</div></details></td></tr></table></details></div></div>
<div class="top"><p class="src"><a id="v:start" class="def">(**)</a> :: <a href="T.html">Timer</a> a
 -&gt; a<span class="fixity">infixl 9</span><span class="rightedge"></span> <a class="link">Source</a></p>
<div class="doc"><p>Starts it.</p><h4>Expand</h4></div></div></div></div></body></html>
"""

TEXT = r"""# Data.Timer

|  |  |
| --- | --- |
| License | BSD |
| Stability | stable |

Measures time.

## Documentation

#### `Timer`

```haskell
data Timer a
```

A clock in $O(\log n_1 * n_2)$.

Constructors

- `Off`
- `On a`

##### Instances

`Functor Timer`: *Since: 1.0*

Defined in [Data.Timer](Data-Timer.html)

```haskell
fmap :: (a -> b) -> Timer a -> Timer b
(<$) :: a -> Timer b -> Timer a
```

#### `(**)`

```haskell
(**) :: Timer a -> a
infixl 9
```

Starts it.

##### Expand"""


def test_signatures_are_code_below_the_names_that_they_define() -> None:
    """The module is the title, and what repeats or unfolds other text is none."""
    page = read_page(MODULE.encode(), URI)
    document = page_document(page, uri=URI)
    assert document.title == "Data.Timer"
    assert document.text == TEXT
    assert "https://docs.example.com/clocks/src/F.html" in page.links


def test_odd_pages_with_its_classes_keep_their_text() -> None:
    paragraph = "Measures time, and says how much of it has passed since it was started."
    for name in ("src", "instances", "mathjax", "top", "link", "caption", "subs", "def"):
        page = (
            f'<html class="{name}"><script src="haddock-util.js"></script>'
            f'<body class="{name}"><div id="content"><div id="module-header"></div>'
            f'<div class="{name}"><p class="{name}">{paragraph}</p><a class="{name}">{name}</a></div></div></body>'
        )
        document = page_document(read_page(page.encode(), URI), uri=URI)
        assert paragraph in document.text


def test_fields_of_haddock_stand_below_their_constructor() -> None:
    """Their row in the table of constructors is another one."""
    field = '<li><dfn class="src"><a class="def">stateInput</a> :: s</dfn><div class="doc empty">&nbsp;</div></li>'
    rows = (
        '<tr><td class="src"><a>State</a></td><td class="doc empty">&nbsp;</td></tr>'
        f'<tr><td colspan="2"><div class="subs fields"><p>Fields</p><ul>{field}</ul></div></td></tr>'
    )
    page = (
        '<head><script src="haddock.js"></script></head>'
        '<div id="content"><div id="module-header"><p class="caption">M</p></div>'
        f'<div class="subs constructors"><p class="caption">Constructors</p><table>{rows}</table></div></div>'
    )

    text = page_document(read_page(page.encode(), URI), uri=URI).text
    assert text == "# M\n\nConstructors\n\n- `State`\n\n  Fields\n  - `stateInput :: s`"
