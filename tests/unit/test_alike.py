"""What passages gain from their documents (RET-1, RET-6).

Belongs here: the new scores and order, the words that a question is asked by. Not here: the words of documents
(`tests/integration/test_alike.py`).
"""

import uuid

import pytest

from headwater.lexical.tokens import split_question
from headwater.retrieval.similar_documents import SHARE, Aboutnesses, inherit
from tests.passages import passage

RIGHT, WRONG, SHORT = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
FOUND = [
    passage(uri="wrong.pdf", document_id=WRONG, score=0.9),
    passage(uri="short.md", document_id=SHORT, score=0.85),
    passage(uri="right.pdf", document_id=RIGHT, score=0.8),
]


def test_the_document_that_is_about_the_question_comes_first() -> None:
    """A passage of another loses up to `SHARE` of its score; one that is its whole document loses nothing."""
    first, second, third = inherit(FOUND, Aboutnesses(of={RIGHT: 1.0, WRONG: 0.0}))
    assert [(one.uri, one.rank) for one in (first, second, third)] == [
        ("short.md", 1),
        ("right.pdf", 2),
        ("wrong.pdf", 3),
    ]
    assert [one.score for one in (first, second, third)] == pytest.approx([0.85, 0.8, 0.9 * (1 - SHARE)])


def test_where_all_documents_are_short_nothing_changes() -> None:
    """No document has main words, so no score changes."""
    assert list(inherit(FOUND, Aboutnesses())) == FOUND


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("RFC 34 and 0812", ["rfc", "34", "and", "0812", "034", "0034"]),
        ("FY2018 sales of 3M", ["fy2018", "sales", "of", "3m", "2018"]),
        ("covid19 rules", ["covid19", "rules", "covid"]),
        ("FY2018 and 2018", ["fy2018", "and", "2018"]),
        ("the 10K of Q2", ["the", "10k", "of", "q2"]),
    ],
)
def test_a_question_is_asked_as_texts_and_names_of_files_write_it(question: str, expected: list[str]) -> None:
    """A word of letters and digits also asks for its parts of three characters, a number also with zeros before it."""
    assert split_question(question).words == expected
