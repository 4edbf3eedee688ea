"""What else was found, as evidence for a passage.

Belongs here: the text beside a passage, how far it stands out. Not here: what both are worth (`trust`).
Guarantee: pure.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from headwater.domain.search import Passage
from headwater.retrieval.question_words import names_text
from headwater.understanding.words import terms

BESIDE, _MOST_BESIDE = 2, 20
"""How many chunks before and after a passage are the text beside it (with all of its section it is no better), and how
many of the found passages are looked at."""
USUAL_LEAD, _LEAST_FOUND = 0.5, 20
"""How far a passage is assumed to stand out if fewer passages were found than the second number; the right one of many
usually stands out by .7."""


def with_text_beside(
    passages: Sequence[Passage], covered: Sequence[set[str]], others: Sequence[Passage], forms: Mapping[str, set[str]]
) -> list[set[str]]:
    """The question's words in each passage or in one beside it."""
    others = others[:_MOST_BESIDE]
    read = map(_stems, others)  # each once, not once for each word of the question
    covered_others = [{word for word, alike in forms.items() if alike & stems} for stems in read]
    pairs = [*zip(passages, covered, strict=True), *zip(others, covered_others, strict=True)]
    return [
        mine.union(*(words for neighbour, words in pairs if _is_beside(passage, neighbour)))
        for passage, mine in zip(passages, covered, strict=True)
    ]


def _stems(passage: Passage) -> set[str]:
    return {*terms(names_text(passage), passage.language), *terms(passage.text, passage.language)}


def _is_beside(passage: Passage, other: Passage) -> bool:
    return passage.document_id == other.document_id and abs(passage.position - other.position) <= BESIDE


def lead_of(similarity: float | None, middle: float | None) -> float:
    """How far a passage's similarity is above that of the middle one; the usual distance if that is unknown."""
    if similarity is None:
        return USUAL_LEAD
    return min(USUAL_LEAD, similarity) if middle is None else similarity - middle


def median_similarity(found: Sequence[Passage], floor: float) -> float | None:
    """In floors; None if too few were found to tell what is usual."""
    values = [passage.scores.vector for passage in found if passage.scores.vector is not None]
    return median(values) / floor if len(values) >= _LEAST_FOUND else None
