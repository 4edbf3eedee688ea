"""The quote beneath a reply: how it is written, when it is needless, and where both disagree."""

import re
from typing import Any

import pytest

from headwater.domain.answers import Citation
from headwater.generation.citations import CitationList
from headwater.generation.disagreement import find_disagreement
from headwater.generation.quote_block import is_said, quote_block
from headwater.quote.quotes import Quote
from query_api.markdown_stream import MarkdownStream
from tests.passages import passage

TEXT = "The pump lifts forty litres of water per minute. It stops by itself."


def _quote(text: str = TEXT, headings: tuple[str, ...] = ("Guide", "Limits"), **values: Any) -> Quote:
    return Quote(
        text=text, headings=headings, passage=passage(TEXT, start=10), start=10, end=10 + len(TEXT), score=1.0,
        word_count=12, line=text, plain=text, **values,
    )  # fmt: skip


def _html(markdown: str) -> str:
    growing = MarkdownStream()
    growing.add(markdown)
    return re.sub(r"\s+", " ", "".join(block.html for block in growing.changed(is_complete=True)))


def test_a_quote_stands_below_its_headings() -> None:
    """In one paragraph, with its marker at its end; a long path keeps its title and its last headings."""
    assert quote_block(_quote(), "[2]") == f"> **Guide › Limits:** {TEXT} [2]"
    long = _quote(headings=("Guide", "A", "B", "C_*x*"))
    assert quote_block(long, "[2]").startswith("> **Guide › … › B › C\\_ x:** ")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("```sh\npump start\n```", "<pre>"),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", "<td>1</td>"),
        ("- One\n- Two", "<li>Two</li>"),
        ("1. One\n\n   ```\n   code\n   ```\n2. Two", "<pre>"),
    ],
)
def test_blocks_stay_what_they_are(text: str, holds: str) -> None:
    """Code, tables and lists within the blockquote; the marker stands outside of them."""
    html = _html(f"The answer.\n\n{quote_block(_quote(text, is_open=False), '[1]')}")
    quoted = html.partition("<blockquote>")[2].partition("</blockquote>")[0]
    assert holds in quoted
    assert "<p>[1]</p>" in quoted


def test_a_quote_that_a_reply_repeats_is_needless() -> None:
    """Only if the reply cites its span, too."""
    cited = CitationList()
    cited.cite_quote(_quote())
    assert is_said(_quote(), f"So it is: {TEXT} [1]", cited.citations)
    assert not is_said(_quote(), "The pump lifts forty litres [1].", cited.citations)
    assert not is_said(_quote(), TEXT, [])


def test_a_quote_gets_the_next_number_or_the_one_it_has() -> None:
    """A citation of the same span is not listed twice."""
    cited = CitationList()
    marker, citation = cited.cite_quote(_quote())
    assert (marker, isinstance(citation, Citation)) == ("[1]", True)
    assert cited.cite_quote(_quote()) == ("[1]", None)
    assert citation is not None
    assert (citation.breadcrumb, citation.start, citation.end) == (("Guide", "Limits"), 10, 10 + len(TEXT))


@pytest.mark.parametrize(
    ("question", "reply", "quote", "says"),
    [
        ("How many files?", "You may keep 5 files [1].", "Each account keeps 10 files.", "numbers: 5 and 10."),
        ("How long?", "It takes 5 days.", "It takes 5 days, at most 8 days.", ""),
        ("How long?", "It takes 5 days.", "Keep 10 files.", ""),
        ("Who wrote it?", "It was written by Ada Lovelace.", "It was written by Grace Hopper.", "different names"),
        ("Who wrote it?", "It was written by Grace.", "It was written by Grace Hopper.", ""),
        ("Can I restore a file?", "Yes, you can.", "You cannot restore a file.", "says yes"),
        ("Can I restore a file?", "No.", "Yes, you can restore a file.", "says no"),
        ("Can I restore a file?", "Yes, you can.", "You can restore a file.", ""),
        ("Can I restore a file?", "Yes, you can.", "Ferries do not run.", ""),
        ("How long?", "It takes 5 days.", "Five days, or 10 days for guests.", ""),
        ("Is a list read?", "Yes, each list is read.", "A non-empty list is read.", ""),
        ("¿Funciona con caché?", "No, sin caché.", "Si hay caché, funciona con ella.", ""),
    ],
)
def test_a_contradiction_is_told(question: str, reply: str, quote: str, says: str) -> None:
    """Of numbers that count the same, of names, of yes and no; what only one mentions is none."""
    note = find_disagreement(question, reply, quote)
    assert (says in note) if says else not note
