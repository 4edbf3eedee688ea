"""Formulas that stand in a page's text as TeX (SRC-1, SRC-4).

Belongs here: which text is a formula. Not here: elements for formulas (`test_parsing_html`).
"""

import pytest

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

SCRIPT = '<script async src="/js/mathjax/MathJax.js"></script>'
DOLLARS = "<script>MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}};</script>"


def read_text(body: str, head: str = SCRIPT) -> str:
    """The text of a page."""
    html = f"<html><head>{head}</head><body><main>{body}</main></body></html>"
    return page_document(read_page(html.encode(), "a.html"), uri="a.html").text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (r"<p>With \( Q^* \) and <b>\(a_i\)</b> is \(b\).</p>", "With $Q^*$ and **$a_i$** is $b$."),
        (
            r"<p>\[K = \begin{bmatrix} a \\[2pt] b \end{bmatrix}\]</p>",
            r"$K = \begin{bmatrix} a \\[2pt] b \end{bmatrix}$",
        ),
        (r"<p>$$x &lt; 1$$</p>", "$x < 1$"),
        (r"<p>\begin{align*} a &amp; b \\ c \end{align*}</p>", r"$\begin{align*} a & b \\ c \end{align*}$"),
        (r"<p>The command <code>\(x\)</code> costs $5 or $6.</p>", r"The command `\(x\)` costs $5 or $6."),
        (r"<p>Open \( and no end.</p>", r"Open \\( and no end."),
        (r"<h2>Size \(n\)</h2><p>Words.</p>", "## Size $n$\n\nWords."),
    ],
)
def test_formulas_of_mathjax_are_tex(html: str, text: str) -> None:
    """Markdown would take their backslashes and underscores for marks."""
    assert read_text(html) == text


def test_single_dollars_are_marks_of_formulas_where_the_page_says_so() -> None:
    """Elsewhere they are money."""
    assert read_text("<p>So $a_i * b_i$ is it.</p>", SCRIPT + DOLLARS) == "So $a_i * b_i$ is it."
    assert read_text("<p>So $a*$ is.</p>") == r"So $a\*$ is."


def test_pages_that_set_no_formulas_keep_their_backslashes() -> None:
    r"""A regular expression has `\(`, too."""
    assert read_text(r"<p>Find \(x\) here.</p>", "") == r"Find \\(x\\) here."


def test_pictures_of_formulas_are_their_tex() -> None:
    """Doxygen makes them without a script."""
    html = r'<p>In <img class="formulaInl" alt="$[min, max]$" src="f.png"/> it is.</p>'

    assert read_text(html, "") == "In $[min, max]$ it is."


@pytest.mark.parametrize("name", ["tex2jax_ignore", "mathjax_ignore"])
def test_what_mathjax_leaves_out_is_no_formula(name: str) -> None:
    r"""Sphinx marks pages so, and its formulas as `math`: `\(` in a sentence is none."""
    section = rf'<section class="{name}">Type \(x\) here. <span class="math">\(y^2\)</span></section>'

    assert read_text(section) == r"Type \\(x\\) here. $y^2$"
