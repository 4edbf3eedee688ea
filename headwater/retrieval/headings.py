"""The header index as a leg of its own (EMB-3, RET-5): sections whose headings alone fit a question.

Belongs here: what the leg finds, and adding it to what words and vectors found. Not here: embedding breadcrumbs, SQL
(`headwater.store.search.entries`). Guarantee: passages are counted once; without a heading near the question nothing
changes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.retrieval.fusion import ranked, reciprocal_rank
from headwater.store.search.entries import LedTo
from headwater.store.search.entry_kinds import HEADING
from headwater.store.store import Store

LEAST_SIMILARITY = 0.8
"""How near to a question a heading must be to count.

Headings that are merely the nearest bring up the wrong sections, however little they weigh: nDCG@10 of 298 questions of
XQuAD fell from .971 to .940 at a quarter of a leg's weight, and that of Cranfield's 225 from .437 to .418 at all of it.
Behind this limit the first stayed, the second lost .001, and each of 12 questions that are headings themselves found
its section first. (.6 and .7 were tried too, on the same questions: they lose .017 and .011 of Cranfield's.) Before the
default reranker no choice makes a difference beyond chance: without a limit +.002 and +.003, with it none.
"""


def heading_leg(
    store: Store,
    index: SearchIndex,
    vector: NDArray[np.float32],
    *,
    filters: SearchFilters | None = None,
    least: float = LEAST_SIMILARITY,
    depth: int,
) -> list[Passage]:
    """Find the chunks below the headings that are nearest to a question.

    Args:
        store: where the index is.
        index: the index to ask.
        vector: the question's, shape (dimensions,).
        filters: which part of it to search; all when not given.
        least: the similarity that a heading must have.
        depth: how many headings, and how many chunks, at most.

    Returns:
        Passages by their heading's similarity, with `scores.heading` and `scores.heading_rank`, which the chunks of a
        section share; within a section, the one nearest to the question first.

    Raises:
        InvalidInputError: a filter names a source that is not there.
    """
    found = store.entries.chunks_near(HEADING, index, vector, filters=filters, least=least, limit=depth)
    return [_of_heading(place, led) for place, led in enumerate(found, start=1)]


def _of_heading(place: int, led: LedTo) -> Passage:
    scores = replace(led.passage.scores, heading=led.similarity, heading_rank=led.rank)
    return replace(led.passage, rank=place, score=led.similarity, scores=scores)


def add_heading_leg(passages: Sequence[Passage], leg: Sequence[Passage], *, weight: float, limit: int) -> list[Passage]:
    """Fuse the header index with the reciprocal ranks of the other legs.

    Args:
        passages: what words and vectors found, with `scores.fused` of reciprocal ranks.
        leg: as `heading_leg` returns it.
        weight: what a heading's rank counts against the rank of another leg.
        limit: how many passages at most.

    Returns:
        Passages, best first, numbered again; those that headings alone found are among them.
    """
    found = {passage.chunk_id: passage for passage in passages}
    for passage in leg:
        known = found.get(passage.chunk_id, passage)
        rank = passage.scores.heading_rank or len(leg)
        fused = known.scores.fused + reciprocal_rank(rank, weight)
        scores = replace(known.scores, heading=passage.scores.heading, heading_rank=rank, fused=fused)
        found[passage.chunk_id] = replace(known, score=fused, scores=scores)
    return ranked(sorted(found.values(), key=lambda passage: passage.chunk_id))[:limit]
