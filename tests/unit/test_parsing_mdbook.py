"""Pages of mdBook as markdown (SRC-1, SRC-4): what a reader sees of an example.

Belongs here: what mdBook writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

URI = "https://docs.example.com/book/clocks.html"


def read(code: str) -> str:
    example = f'<pre><pre class="playground"><code class="language-rust">{code}</code></pre></pre>'
    page = f"<main><h1>Clocks</h1>{example}</main>"
    return page_document(read_page(page.encode(), URI), uri=URI).text


def test_hidden_lines_of_an_example_are_no_text() -> None:
    """What is left begins at the margin."""
    code = (
        '<span class="boring">fn main() {\n</span>    let x = 5;\n    if x &gt; 4 {\n        go();\n    }\n'
        '<span class="boring">}\n</span>'
    )
    assert read(code) == "# Clocks\n\n```rust\nlet x = 5;\nif x > 4 {\n    go();\n}\n```"


def test_an_example_that_is_hidden_as_a_whole_stays() -> None:
    code = '<span class="boring">fn main() {\n</span><span class="boring">}\n</span>'
    assert read(code) == "# Clocks\n\n```rust\nfn main() {\n}\n```"
