"""What no passage supports is marked in an answer's HTML, and nothing else changes."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query_api.marked_answer import answer_blocks, quote_number

SAID = "(no passage supports this)"


def without_marks(html: str) -> str:
    """HTML as it is without marks."""
    html = html.replace(f'<span class="visually-hidden"> {SAID}</span>', "")
    return re.sub(r'<span class="unsupported" title="[^"]*">(.*?)</span>', r"\1", html, flags=re.DOTALL)


def marked_text(html: str) -> str:
    """The words that are marked."""
    return "".join(re.findall(r'<span class="unsupported"[^>]*>(.*?)</span>', html, flags=re.DOTALL))


@pytest.mark.parametrize(
    ("statement", "marked"),
    [
        ("It was **built in 1999.**", "It was built in 1999."),
        ("- the *first* item is `red`", "the first item is red"),
        ("2. and a second one", "and a second one"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "ab12"),
        ('```py\nx = 1\ny = "<b>"\n```', 'x = 1\ny = "&lt;b&gt;"'),
        ("> said by **nobody**", "said by nobody"),
        ("# Not a title but a claim", "Not a title but a claim"),
    ],
)
def test_each_kind_of_statement_is_marked_and_said(statement: str, marked: str) -> None:
    """Sentences, list items, tables, code, quotes: the words are marked, and a screen reader hears it."""
    markdown = f"The pump lifts water [1].\n\n{statement}\n\nIt stops by itself [1]."
    html = "".join(answer_blocks(markdown, [(statement, False)]))
    assert marked_text(html) == marked
    assert SAID in html
    assert without_marks(html) == "".join(answer_blocks(markdown))


def test_statements_are_marked_where_they_stand() -> None:
    """The second of two equal sentences is found behind the first; one that is not in the text changes nothing."""
    said = ["So it is.", "So it is.", "Never said."]
    html = "".join(answer_blocks("So it is. So it is. Elsewhere not.", [(text, False) for text in said]))
    assert html.count(SAID) == 2
    assert marked_text(html) == "So it is.So it is."
    assert SAID not in "".join(answer_blocks("⁅So it is.⁆", [("So it is.", False)]))


def test_a_short_statement_is_not_found_in_a_longer_one_before_it() -> None:
    """The words of a supported one are its own."""
    markdown = "- Use pipx, then restart [1].\n- Use pip"
    said = [("- Use pipx, then restart.", True), ("- Use pip", False)]
    assert marked_text("".join(answer_blocks(markdown, said))) == "Use pip"
    assert SAID not in answer_blocks("Use pip x [1].\n\nUse pip", [("Use pip x.", True), ("Use pip", False)])[0]


def test_the_quote_is_the_last_blockquote() -> None:
    """Whatever the model quoted before."""
    assert quote_number(answer_blocks("> one\n\nText.\n\n> **Doc:** two [1]")) == 2
    assert quote_number(answer_blocks("Text.")) == -1


@example("```", "_")
@given(st.text(alphabet="ab*_`[]()|-#>.\n <\"'1⁆", max_size=60), st.text(alphabet="ab*_` .\n", min_size=1, max_size=12))
def test_marks_cross_no_tag(markdown: str, statement: str) -> None:
    """Whatever the text is, removing the marks gives well-formed HTML without the signs."""
    html = "".join(answer_blocks(f"{markdown} {statement}", [(statement, False)]))
    assert "⁅" not in html
    assert html.count("<span") == html.count("</span>")
    assert not re.search(r"<span[^>]*>[^<]*<(?!/span)", html)
