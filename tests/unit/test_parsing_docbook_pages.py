"""Pages that DocBook's style sheets made as markdown (SRC-1, SRC-4).

Belongs here: what those style sheets write in tables. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

TURNS = '<a accesskey="p" href="a.html">Prev</a><a accesskey="h" href="index.html">Home</a>'
BAR = '<table><tr><td><img alt="The library" src="l.png"></td><td><a href="../index.html">Home</a></td></tr></table>'


def read_text(body: str) -> str:
    """The text of a page."""
    html = f"<html><head><title>Lamps</title></head><body>{body}</body></html>"
    return page_document(read_page(html.encode(), "faq.html"), uri="faq.html").text


def make_question(number: str, question: str, answer: str) -> str:
    """The rows of a question."""
    return (
        f'<tr class="question"><td><a id="q"></a><p><strong>{number}</strong></p></td><td><p>{question}</p></td></tr>'
        f'<tr class="answer"><td></td><td>{answer}</td></tr>'
    )


def test_questions_are_headings_without_the_list_of_them() -> None:
    """Those of a division with a title stand below it."""
    contents = '<dl><dt>1.1. <a href="#q">What is it?</a></dt></dl>'
    rows = (
        f'<tr class="toc"><td colspan="2">{contents}</td></tr>'
        + make_question("1.1.", "What is it?", "<p>A lamp.</p><h4>More</h4><p>It glows.</p>")
        + '<tr class="qandadiv"><td colspan="2"><h4 class="title">2. Wires</h4></td></tr>'
        + make_question("2.1.", "Which?", "<pre>copper</pre>")
    )

    assert read_text(f'<h1>Lamps</h1><div class="qandaset">{contents}<table>{rows}</table></div>') == (
        "# Lamps\n\n## 1.1. What is it?\n\nA lamp.\n\n#### More\n\nIt glows.\n\n"
        "#### 2. Wires\n\n##### 2.1. Which?\n\n```\ncopper\n```"
    )


def test_the_bars_above_and_below_a_page_are_left_out() -> None:
    """The title of a section that is a page is its first heading; its author is none."""
    title = '<div class="titlepage"><h2 class="title">Chapter 4. Lamps</h2><h3 class="author">Ann Ohm</h3></div>'

    assert read_text(f'{BAR}<hr><div class="spirit-nav">{TURNS}</div>{title}<p>A lamp glows.</p>') == (
        "# Chapter 4. Lamps\n\nAnn Ohm\n\nA lamp glows."
    )


def test_other_pages_keep_their_tables_and_levels() -> None:
    """A question is a row of a table elsewhere."""
    page_text = read_text(
        '<h2>Lamps</h2><table><tr class="question"><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>'
    )

    assert "## Lamps" in page_text
    assert "| a | b |" in page_text or "| c | d |" in page_text
