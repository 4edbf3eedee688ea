"""The header index as a leg of its own (EMB-3, RET-5): sections whose headings alone match a question.

Belongs here: the results of the leg, and adding them to those of words and vectors. Not here: embedding breadcrumbs,
SQL (`headwater.store.search.entries`). Guarantee: passages are counted once; without a heading near the question
nothing changes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.retrieval.fusion import rank_passages, reciprocal_rank
from headwater.store.search.entries import LedTo
from headwater.store.search.entry_kinds import HEADING
from headwater.store.store import Store

MIN_SIMILARITY = 0.8
"""The similarity to the question that a heading needs.

Without a limit, merely nearest headings promote the wrong sections, even with a low weight: nDCG@10 of 298 questions of
XQuAD fell from .971 to .940 at a quarter of a leg's weight, and that of Cranfield's 225 from .437 to .418 at full
weight. With this limit the first stayed, the second lost .001, and each of 12 questions that are headings themselves
found its section first. (.6 and .7 were also tried on the same questions: Cranfield loses .017 and .011.) Followed by
the default reranker, no choice makes a significant difference: +.002 and +.003 without a limit, none with it.
"""


def heading_leg(
    store: Store,
    index: SearchIndex,
    vector: NDArray[np.float32],
    *,
    filters: SearchFilters | None = None,
    least: float = MIN_SIMILARITY,
    depth: int,
) -> list[Passage]:
    """Find the chunks below the headings that are nearest to a question.

    Args:
        store: the store of the index.
        index: the index to search.
        vector: the question's, shape (dimensions,).
        filters: the part of the index to search; by default all.
        least: the similarity that a heading must have.
        depth: the most headings, and the most chunks.

    Returns:
        Passages by their heading's similarity, with `scores.heading` and `scores.heading_rank`, which the chunks of a
        section share; within a section, the one nearest to the question comes first.

    Raises:
        InvalidInputError: a filter names a source that does not exist.
    """
    chunks_led_to = store.entries.chunks_near(HEADING, index, vector, filters=filters, least=least, limit=depth)
    return [_of_heading(place, led) for place, led in enumerate(chunks_led_to, start=1)]


def _of_heading(place: int, led: LedTo) -> Passage:
    scores = replace(led.passage.scores, heading=led.similarity, heading_rank=led.rank)
    return replace(led.passage, rank=place, score=led.similarity, scores=scores)


def add_heading_leg(passages: Sequence[Passage], leg: Sequence[Passage], *, weight: float, limit: int) -> list[Passage]:
    """Fuse the header index with the reciprocal ranks of the other legs.

    Args:
        passages: the results of words and vectors, with `scores.fused` from reciprocal ranks.
        leg: the result of `heading_leg`.
        weight: the weight of a heading's rank compared with the rank of another leg.
        limit: the most passages.

    Returns:
        Passages, best first, numbered again, including those that only headings found.
    """
    by_chunk = {passage.chunk_id: passage for passage in passages}
    for passage in leg:
        candidate = by_chunk.get(passage.chunk_id, passage)
        rank = passage.scores.heading_rank or len(leg)
        fused = candidate.scores.fused + reciprocal_rank(rank, weight)
        scores = replace(candidate.scores, heading=passage.scores.heading, heading_rank=rank, fused=fused)
        by_chunk[passage.chunk_id] = replace(candidate, score=fused, scores=scores)
    return rank_passages(sorted(by_chunk.values(), key=lambda passage: passage.chunk_id))[:limit]
