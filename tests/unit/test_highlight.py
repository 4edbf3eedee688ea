"""A span of a document, marked in its HTML (UI-1)."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from query_api.pages.highlight import highlight_span

TEXT = (
    "# Care\n\nClean the *filter* every week. Oil it.\n\n- one\n- two `x`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "```sh\nrun it\n```\n"
)


def marked(html: str) -> list[str]:
    """The marked pieces of text."""
    return re.findall(r"<mark>(.*?)</mark>", html, re.DOTALL)


def of(quote: str, **more: Any) -> str:
    """The text with a quote marked."""
    start = TEXT.index(quote)
    return highlight_span(TEXT, start, start + len(quote), **more)


def test_a_span_that_ends_with_a_block_of_code_leaves_the_block_closed() -> None:
    """The fence is no text, and code has its colours within the mark."""
    text = "# A\n\nSo:\n\n```python\nreturn 1\n```\n\nAfter.\n"
    start = text.index("So:")
    html = highlight_span(text, start, text.index("After") - 2)
    assert "```" not in html
    assert '<span class="code-keyword"><mark>return</mark></span>' in html
    assert "<p>After.</p>" in html


def test_the_words_of_a_span_are_marked_whatever_elements_they_cross() -> None:
    """And the block stays what it is, although the mark begins at its signs."""
    assert marked(of("Clean the *filter* every week.")) == ["Clean the ", "filter", " every week."]
    assert marked(of("- one\n- two `x`")) == ["one", "two ", "x"]
    assert of("- one\n- two `x`").count("<li>") == 2
    assert marked(of("| 1 | 2 |")) == ["1", "2"]
    assert of("| 1 | 2 |").count("<td>") == 2
    assert marked(of("```sh\nrun it\n```")) == ["run it\n```"] or "run it" in "".join(marked(of("```sh\nrun it\n```")))
    assert marked(of("# Care")) == ["Care"]
    assert "<h3>" in of("# Care")
    assert marked(of("filter", is_markdown=False)) == ["filter"]
    assert "&lt;b&gt;" in highlight_span("<b>", 0, 3, is_markdown=False)


def test_headings_of_a_part_stand_below_the_pages_own_without_gaps() -> None:
    """However deep the part begins; a heading that a page skips is one that a screen reader misses."""
    part = "#### Deep\n\nText.\n\n## Up\n\n##### Under\n\n###### Below\n"
    found = [f"<h{level}>" for level in (2, 2, 3, 4)]
    assert re.findall(r"<h\d>", highlight_span(part, 0, 0, below=1)) == found


@given(st.text(alphabet="ab \n#*-|`>1.[]<&\ue000", max_size=80), st.data())
def test_no_span_of_any_text_does_harm(text: str, data: st.DataObject) -> None:
    """No mark is left open, nothing private stays, and nothing but the mark differs from the text without one."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    html = highlight_span(text, start, end)
    assert html.count("<mark>") == html.count("</mark>")
    assert "\ue000" not in html
    assert "\ue001" not in html
    assert "<script" not in html
