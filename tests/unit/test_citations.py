"""Units put into an answer: markers, citations and offsets (ANS-3, ANS-4)."""

from headwater.answering.choosing import Choice
from headwater.answering.events import Done
from headwater.answering.extractive import compose
from headwater.answering.folding import Folded, fold
from headwater.answering.sections import find_units
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Shape
from headwater.domain.search import Passage
from tests.passages import passage

TEXT = "The pump lifts water.\n\n- It stops in winter.\n- Oil is for the wheel.\n"


def _choice(found: Passage, beginning: str, shape: Shape, score: float = 0.5) -> Choice:
    (stretch,) = make_stretches([found], ())
    return Choice(
        unit=next(u for u in find_units(stretch) if u.shape == shape and u.text.startswith(beginning)), score=score
    )


def _composed(*choices: Choice) -> Folded:
    return fold([*compose(choices), Done()])


def test_each_block_has_a_marker_and_each_marker_a_citation() -> None:
    """Markers count from 1; two blocks of one passage have two, because they are in two places."""
    one, other = passage(TEXT, uri="a.md", start=100), passage("A valve leaks.", uri="b.md", start=7)
    answer = _composed(
        _choice(one, "- Oil", Shape.ITEM), _choice(other, "A valve", Shape.TEXT, 0.25), _choice(one, "The", Shape.TEXT)
    )
    assert answer.text == "- Oil is for the wheel. [1]\n\nA valve leaks. [2]\n\nThe pump lifts water. [3]"
    assert [(each.marker, each.uri) for each in answer.citations] == [("[1]", "a.md"), ("[2]", "b.md"), ("[3]", "a.md")]
    assert answer.citations[1].score == 0.25


def test_a_citation_is_the_span_of_its_block() -> None:
    """In offsets of the document version, not of the chunk."""
    (citation,) = _composed(_choice(passage(TEXT, start=100), "- It", Shape.LIST)).citations
    assert (citation.start, citation.end) == (100 + TEXT.index("- It"), 100 + len(TEXT) - 1)
