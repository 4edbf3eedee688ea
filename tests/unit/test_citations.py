"""Quotes put into an answer: markers, order and offsets (ANS-1)."""

from headwater.answering.events import Done
from headwater.answering.extractive import compose
from headwater.answering.folding import Folded, fold
from headwater.answering.quotes import Quote
from headwater.domain.search import Passage
from tests.passages import passage

TEXT = "The pump lifts water. It stops in winter. Oil is for the wheel."


def _quote(found: Passage, sentence: str, score: float = 0.5) -> Quote:
    start = found.text.index(sentence)
    return Quote(passage=found, start=start, end=start + len(sentence), score=score)


def _composed(*quotes: Quote) -> Folded:
    return fold([*compose(quotes), Done()])


def test_markers_count_from_1_and_passages_come_as_they_are_quoted() -> None:
    """One marker is one passage; its sentences stand in the passage's order."""
    one, other = passage(TEXT, uri="a.md", start=100), passage("A valve leaks.", uri="b.md", start=7)
    answer = _composed(
        _quote(one, "Oil is for the wheel.", 0.5),
        _quote(other, "A valve leaks.", 0.25),
        _quote(one, "The pump lifts water.", 0.75),
    )
    citations = answer.citations
    assert answer.text == "The pump lifts water. [1]\n\nOil is for the wheel. [1]\n\nA valve leaks. [2]"
    assert [(each.marker, each.uri) for each in citations] == [("[1]", "a.md"), ("[2]", "b.md")]
    assert citations[0].score == 0.75


def test_a_citation_spans_from_its_first_to_its_last_sentence() -> None:
    """In offsets of the document version, not of the chunk."""
    found = passage(TEXT, start=100)
    (citation,) = _composed(_quote(found, "It stops in winter."), _quote(found, "The pump lifts water.")).citations
    assert (citation.start, citation.end) == (100, 100 + TEXT.index(" Oil"))
