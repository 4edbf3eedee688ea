"""The results of a search behind the shown ones.

Belongs here: grading them on demand. Not here: which results are shown (`result_groups`), computing trust (`trust`).
Guarantee: no shown passage is among them; their order is that of the search.
"""

from collections.abc import Sequence

from headwater.domain.search import Passage
from headwater.retrieval.finder import Finder
from headwater.retrieval.passage_places import load_places
from headwater.retrieval.result_order import RankedPassages
from headwater.retrieval.result_trust import add_trust
from headwater.store.search.passage_search import TermEvidence
from headwater.understanding.question import Understanding


def further(
    understanding: Understanding,
    ordered: RankedPassages,
    shown: Sequence[Passage],
    finder: Finder,
    terms: Sequence[TermEvidence],
    count: int,
) -> tuple[Passage, ...]:
    """The best results behind the shown ones, with their trust.

    Args:
        understanding: of the question.
        ordered: all results, best first.
        shown: the first of them; all are graded together, since trust depends on the words of the others.
        finder: the finder that found them.
        terms: the question's words as the index knows them.
        count: how many at most.
    """
    shown_ids = {passage.chunk_id for passage in shown}
    behind = [passage for passage in ordered.passages if passage.chunk_id not in shown_ids][:count]
    every = add_trust(understanding, (*shown, *behind), finder, terms, ordered.passages)
    return load_places(finder.store, every[len(shown) :])
