"""Formulas as MathML, and addresses as links, in what pages show (UI-1)."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import fromstring

from query_api import mathml
from query_api.bare_addresses import find_end, holds_address
from query_api.markdown_stream import MarkdownStream
from query_api.mathml import to_mathml


def _html(markdown: str, *, is_known: bool = True) -> str:
    growing = MarkdownStream(is_coloured=True, is_known=lambda _: is_known)
    growing.add(markdown)
    return "".join(block.html for block in growing.changed(is_complete=True))


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        (r"Q = A \cdot v", "<mi>Q</mi><mo>=</mo><mi>A</mi><mo>·</mo><mi>v</mi>"),
        (r"\frac12 x^10", "<mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>"),
        (r"a < b \text{ if } -c", "<mi>a</mi><mo>&lt;</mo><mi>b</mi><mtext>&nbsp;if&nbsp;</mtext><mo>−</mo><mi>c</mi>"),
    ],
)
def test_a_formula_is_drawn(tex: str, mathml: str) -> None:
    """By the browser, without a script."""
    assert f'<math display="inline"><mrow>{mathml}</mrow></math>' in _html(f"It is ${tex}$.")


@pytest.mark.parametrize(
    "words", ["cost <limit", "</math><a href='https://evil.example'>Click</a>", "a & b", "&lt;script&gt;", "<p>"]
)
def test_words_in_a_formula_are_text(words: str) -> None:
    """A sign of HTML among them lost the words behind it, or made a link of them."""
    html = _html(f"$\\text{{{words}}} = x$", is_known=False)
    document = fromstring(html)
    assert [element.text for element in document.iter("mtext")] == [unescape(words).replace(" ", "\u00a0")]
    assert {element.tag for element in document.iter()} == {"p", "math", "mrow", "mtext", "mo", "mi"}


@pytest.mark.parametrize(("begin", "end"), [("\\(", "\\)"), ("\\[", "\\]")])
def test_what_begins_often_and_ends_once_is_read_once(begin: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each beginning was read up to the end: 400 of them took five seconds."""
    texts: list[str] = []

    def count(tex: str, *, is_block: bool = False) -> str | None:
        texts.append(tex)
        return to_mathml(tex, is_block=is_block)

    monkeypatch.setattr(mathml, "to_mathml", count)
    _html(f"{begin * 400}x^2 \\foo{end}")
    assert len(texts) <= 2  # once to find the blocks, once to write them


@pytest.mark.parametrize("tex", [r"\unknown{x}", "x^2^3", "", r"\begin{cases} a", r"\hat" * 200, "{" * 999])
def test_a_formula_with_anything_unknown_stays_text(tex: str) -> None:
    """Nothing of it is left out or shown wrong."""
    assert to_mathml(tex) is None


def test_a_formula_has_no_address() -> None:
    """Whatever a command of TeX makes of it."""
    assert "javascript" not in _html(r"$\href{javascript:alert(1)}{x^2}$")


@pytest.mark.parametrize(
    "markdown",
    [
        "It costs $5 and $10.",
        "$HOME and $PATH",
        "${191*7} #{191*7} ${a}",
        r"See \[this\] and \(that\).",
        "`$x^2$`",
        "From $5=x to 6$9 each.",
        "US$3^2$",
    ],
)
def test_dollars_and_brackets_that_are_no_formulas_stay(markdown: str) -> None:
    """Money, variables, escaped brackets, code."""
    assert "<math" not in _html(markdown)


def test_a_block_is_a_formula_of_its_own_line() -> None:
    """Between two dollar signs, or in the signs of LaTeX, also over several lines."""
    for markdown in ("$$\nx^2\n$$", r"\[x^2\]"):
        assert '<math display="block">' in _html(markdown)
    assert '<math display="inline"><mrow>' in _html(r"Then \(x^2\).")


@given(st.text(alphabet=r"\{}^_&$ab1<>'\"()[]|/ -", max_size=60))
def test_no_formula_brings_an_element_or_an_attribute_of_its_own(tex: str) -> None:
    """Whatever stands in it."""
    html = _html(f"${tex}$ <img src=x onerror=a>")
    assert "<img" not in html
    assert "<script" not in html


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("See https://example.com/a_b_c.", "https://example.com/a_b_c"),
        ("(https://example.com/a(b))", "https://example.com/a(b)"),
        ("https://example.com/flow[2], then", "https://example.com/flow"),
        ("**http://example.com**", "http://example.com"),
    ],
)
def test_an_address_in_a_text_is_a_link(text: str, address: str) -> None:
    """Without what ends the sentence; an address that no document has stays text."""
    assert f'<a href="{address}" rel="noopener noreferrer">{address}</a>' in _html(text)
    assert "<a " not in _html(text, is_known=False)


def test_code_and_links_stay_as_they_are() -> None:
    """An address in code is code; a link's text is the link's."""
    assert "<a " not in _html("`https://example.com` and\n\n    https://example.com")
    assert _html("[https://a.example](https://b.example)").count("<a ") == 1


def test_an_address_ends_where_it_ends() -> None:
    """A longer one is another one."""
    assert find_end("https://a.example/).") == len("https://a.example/")
    assert holds_address("see https://example.com.", "https://example.com")
    assert not holds_address("see https://example.com.evil", "https://example.com")
