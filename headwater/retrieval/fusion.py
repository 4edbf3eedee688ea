"""Combining several rankings into one, by ranks and scores (RET-1).

Belongs here: the weight of a rank and of a score, the union of several searches, numbering.
Not here: the fusion of words and vectors, which is one SQL statement (`headwater.store.search.passage_search`); judging
passages (`reranking`). Guarantee: pure; passages with equal scores keep their order.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from headwater.domain.search import Passage, Scores

RANK_OFFSET = 60
"""The number added to a rank before it is inverted (Cormack, Clarke, Buettcher 2009, who call it k).

The statements `search_chunks` and `search_as_of` hold the same number; a test compares them.
"""


def reciprocal_rank(rank: int, weight: float = 1.0) -> float:
    """The contribution of a rank, counted from 1, to a fused score; `weight` is that of its leg."""
    return weight / (RANK_OFFSET + rank)


def normalize(scores: Iterable[float | None]) -> list[float]:
    """Scale the scores of a leg from 0 (the lowest, or none) to 1 (the highest); equal scores are all 1."""
    all_scores = list(scores)
    known_scores = [score for score in all_scores if score is not None]
    low, width = min(known_scores, default=0.0), max(known_scores, default=0.0) - min(known_scores, default=0.0)
    return [0.0 if score is None else (score - low) / width if width else 1.0 for score in all_scores]


def weigh_scores(vector: float, text: float, *, vector_weight: float) -> float:
    """The weighted sum of two scaled scores; a missing one counts as 0."""
    return vector * vector_weight + text * (1 - vector_weight)


def number_ranks(passages: Iterable[Passage]) -> list[Passage]:
    """Number passages from 1, in the given order."""
    return [
        passage if passage.rank == rank else replace(passage, rank=rank)
        for rank, passage in enumerate(passages, start=1)
    ]


def rank_passages(passages: Iterable[Passage]) -> list[Passage]:
    """Order passages by score, best first, and number them."""
    return number_ranks(sorted(passages, key=lambda passage: -passage.score))


def rescore(
    passages: Sequence[Passage], scores: Sequence[float], noted: Callable[[Scores, float], Scores]
) -> list[Passage]:
    """Give passages new scores, sort them by these and number them; each is copied once.

    Args:
        passages: passages; equal scores keep this order.
        scores: the new score of each.
        noted: returns the field of a passage's `scores` that records the new score.
    """
    order = sorted(range(len(passages)), key=lambda place: -scores[place])
    return [
        replace(passages[place], rank=rank, score=scores[place], scores=noted(passages[place].scores, scores[place]))
        for rank, place in enumerate(order, start=1)
    ]


def fuse(searches: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Combine searches for the parts of a question, so that the best passages of each come first.

    The sum of reciprocal ranks would put passages that are mediocre for every part before the best one for a single
    part, and a part could get no passage at all.

    Args:
        searches: passages of each search, best first; of equally good passages, that of an earlier search comes first.

    Returns:
        Each passage once, ranked. Its score is the reciprocal of its best rank in any search, also stored as
        `scores.fused`; of its other scores the best of any search is kept.
    """
    by_chunk: dict[UUID, Passage] = {}
    best: dict[UUID, float] = {}
    for passages in searches:
        for rank, passage in enumerate(passages, start=1):
            key, earlier = passage.chunk_id, by_chunk.get(passage.chunk_id)
            best[key] = max(best.get(key, 0.0), reciprocal_rank(rank))
            by_chunk[key] = (
                passage if earlier is None else replace(earlier, scores=_best(earlier.scores, passage.scores))
            )
    return rescore(list(by_chunk.values()), [best[key] for key in by_chunk], lambda old, new: replace(old, fused=new))


def _best(one: Scores, other: Scores) -> Scores:
    return replace(
        one,
        vector=_most(one.vector, other.vector),
        vector_rank=_least(one.vector_rank, other.vector_rank),
        text=_most(one.text, other.text),
        text_rank=_least(one.text_rank, other.text_rank),
        heading=_most(one.heading, other.heading),
        heading_rank=_least(one.heading_rank, other.heading_rank),
        rerank=_most(one.rerank, other.rerank),
    )


def _most(*scores: float | None) -> float | None:
    return max((score for score in scores if score is not None), default=None)


def _least(*ranks: int | None) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)
