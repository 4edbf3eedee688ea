"""The header index as a leg of its own (EMB-3, RET-5): sections whose headings alone fit a question.

Belongs here: what the leg finds, and adding it to what words and vectors found. Not here: embedding breadcrumbs, SQL
(`headwater.store.headings`). Guarantee: passages are counted once; without a heading near the question nothing changes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from headwater.models import Passage, SearchFilters, SearchIndex
from headwater.store.store import Store

_RANK_OFFSET = 60  # of reciprocal ranks, as in the fusion of the other legs


def heading_leg(
    store: Store,
    index: SearchIndex,
    vector: NDArray[np.float32],
    *,
    filters: SearchFilters | None = None,
    depth: int,
) -> list[Passage]:
    """Find the chunks below the headings that are nearest to a question.

    Args:
        store: where the index is.
        index: the index to ask.
        vector: the question's, shape (dimensions,).
        filters: which part of it to search; all when not given.
        depth: how many headings, and how many chunks, at most.

    Returns:
        Passages by their heading's similarity, with `scores.heading` and `scores.heading_rank`, which the chunks of a
        section share; within a section, the one nearest to the question first.

    Raises:
        InvalidInputError: a filter names a source that is not there.
    """
    headings = store.headings.nearest(index, vector, filters=filters, limit=depth)
    return store.headings.passages(index, headings, vector, limit=depth)


def add_heading_leg(passages: Sequence[Passage], leg: Sequence[Passage], *, weight: float, limit: int) -> list[Passage]:
    """Fuse the header index with what reciprocal ranks of the other legs came to.

    Args:
        passages: what words and vectors found, with `scores.fused` of reciprocal ranks.
        leg: as `heading_leg` returns it.
        weight: what a heading's rank counts against the rank of another leg.
        limit: how many passages at most.

    Returns:
        Passages, best first, numbered anew; those that headings alone found are among them.
    """
    found = {passage.chunk_id: passage for passage in passages}
    for passage in leg:
        known = found.get(passage.chunk_id, passage)
        rank = passage.scores.heading_rank or len(leg)
        fused = known.scores.fused + weight / (_RANK_OFFSET + rank)
        scores = replace(known.scores, heading=passage.scores.heading, heading_rank=rank, fused=fused)
        found[passage.chunk_id] = replace(known, score=fused, scores=scores)
    best = sorted(found.values(), key=lambda passage: (-passage.score, passage.chunk_id))[:limit]
    return [replace(passage, rank=rank) for rank, passage in enumerate(best, start=1)]
