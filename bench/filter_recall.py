"""Which share of the nearest entries a real search finds behind a filter by source, whatever vectors an index has.

Belongs here: recall@10 of searches by vector against every distance. Not here: recall by category with made vectors
(`recall`), times. Guarantee: an entry that is as near as the tenth counts as found.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector.psycopg import register_vector

from headwater.domain.search import SearchFilters, SearchIndex
from headwater.lexical.tokens import tokens
from headwater.retrieval.finder import DEPTH
from headwater.store.search.passage_search import SearchRequest
from headwater.store.store import Store

_TOLERANCE = 1e-6  # half-precision distances that differ by less are the same
_ENTRIES = """
SELECT e.target_id, s.slug, e.vector FROM search_entries_chunk e JOIN sources s ON s.id = e.source_id
 WHERE e.search_index_id = %s AND e.shard = %s
"""
_RANK = 10


def measure_recall(
    store: Store, index: SearchIndex, vectors: Sequence[NDArray[np.float32]], sources: Sequence[str | None]
) -> dict[str, float]:
    """Recall@10 of some questions by source; None is no filter, whose key is `none`."""
    ids, slugs, matrix = _read_entries(store, index)
    recalls = {}
    for slug in sources:
        rows = np.arange(len(ids)) if slug is None else np.flatnonzero(slugs == slug)
        filters = SearchFilters() if slug is None else SearchFilters(sources=(slug,))
        shares, filtered = [], matrix[rows]
        for vector in vectors:
            similarities = filtered @ vector
            count = min(_RANK, len(rows))
            least = np.sort(similarities)[-count] - _TOLERANCE
            near = {ids[rows[place]] for place in np.flatnonzero(similarities >= least)}
            shares.append(sum(chunk in near for chunk in _search(store, index, vector, filters)[:_RANK]) / count)
        recalls[slug or "none"] = round(fmean(shares), 4)
    return recalls


def _search(store: Store, index: SearchIndex, vector: NDArray[np.float32], filters: SearchFilters) -> list[UUID]:
    request = SearchRequest(words=tokens(""), vector=vector, by_text=False, filters=filters, depth=DEPTH, limit=DEPTH)
    return [passage.chunk_id for passage in store.searching.search(index, request).passages]


def _read_entries(store: Store, index: SearchIndex) -> tuple[list[UUID], NDArray[Any], NDArray[np.float32]]:
    """The chunk, the source and the vector of every entry, as they are stored."""
    with psycopg.connect(store.database.url) as connection:
        register_vector(connection)
        rows = connection.execute(_ENTRIES, (index.id, index.shard)).fetchall()
    vectors = np.array([row[2].to_numpy() for row in rows], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [row[0] for row in rows], np.array([row[1] for row in rows]), vectors
