"""Entries of every kind: publishing them, and finding those that lead to chunks (EMB-3).

Belongs here: updating an index's entries to the newest versions, the nearest entries of a kind to a vector,
the chunks that they lead to. Not here: the kinds (`entry_kinds`), the words of entries (`term_weights`), the
statement that searches chunks (`passage_search`). Guarantee: an index has exactly the entries of what it publishes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.store.content.passage_links import load_passages
from headwater.store.search.entry_kinds import ENTRY_KINDS, EntryKind
from headwater.store.search.main_words import publish_main_words
from headwater.store.search.passage_search import search_scope
from headwater.store.search.term_weights import IndexShard, add_targets, restem, take_out
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session


@dataclass(frozen=True, kw_only=True, slots=True)
class LedTo:
    """A chunk that an entry leads to, the entry's rank from 1, and its cosine similarity to what was asked."""

    rank: int
    similarity: float
    passage: Passage


class EntryStore:
    """Reads search_entries of any kind."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def chunks_near(
        self,
        kind: EntryKind,
        index: SearchIndex,
        vector: NDArray[np.float32],
        *,
        filters: SearchFilters | None = None,
        least: float,
        limit: int,
    ) -> list[LedTo]:
        """Load the published chunks that the entries nearest to a vector lead to; every entry is compared.

        Args:
            kind: which entries; a kind that names `chunks`.
            index: the index to ask.
            vector: the question's, shape (dimensions,).
            filters: which part of the index to search; all when not given.
            least: the similarity that an entry must have.
            limit: how many entries, and how many chunks, at most.

        Returns:
            Chunks entry by entry, the nearest entry first; of one entry, the chunk nearest to the vector first.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            scope = search_scope(session, index, filters or SearchFilters())
            row = session.row("index_to_search", id=index.id, is_filtered=scope.entry_count is not None)
            if row is None:  # deleted since the caller looked
                return []
            nearest = session.run_template(
                "nearest_entries",
                {"entries": kind.entries, "shard": kind.shard(row["shard"]), "dimensions": index.dimensions},
                search_index_id=index.id,
                vector=HalfVector(vector),
                source_ids=scope.source_ids,
                document_ids=scope.document_ids,
                least=least,
                limit=limit,
            ).fetchall()
            return _chunks_below(session, kind, index, row["shard"], nearest, vector, limit) if nearest else []


def _chunks_below(
    session: Session,
    kind: EntryKind,
    index: SearchIndex,
    shard: int,
    near: Sequence[Row],
    vector: NDArray[np.float32],
    limit: int,
) -> list[LedTo]:
    rows = session.run_template(
        kind.chunks,
        {"shard": shard, "dimensions": index.dimensions},
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        target_ids=[entry["target_id"] for entry in near],
        vector=HalfVector(vector),
        limit=limit,
    ).fetchall()
    loaded = load_passages(session, index, shard, [row["chunk_id"] for row in rows], vector)
    return [
        LedTo(rank=row["number"], similarity=near[row["number"] - 1]["similarity"], passage=loaded[row["chunk_id"]])
        for row in rows
    ]


def publish_entries(session: Session, index: SearchIndex, shard: int, document_ids: Sequence[UUID]) -> int:
    """Update an index's entries to the newest state of some documents; returns how many rows changed.

    Args:
        session: the transaction that publishes the documents, before it does.
        index: the index.
        shard: its shard.
        document_ids: the documents; those that disappeared lose their entries.

    Raises:
        psycopg.errors.NotNullViolation: a text has no vector.
    """
    kinds = [kind for kind in ENTRY_KINDS if not kind.is_of_trees]
    places = [IndexShard(index=index, kind=kind, shard=kind.shard(shard)) for kind in kinds]
    count = sum(_publish(session, place, document_ids) for place in places)
    publish_main_words(session, index, shard, document_ids)
    return count


def _publish(session: Session, place: IndexShard, document_ids: Sequence[UUID]) -> int:
    names: dict[str, int | str] = {"entries": place.kind.entries, "shard": place.shard}
    values = {
        "search_index_id": place.index.id,
        "settings_hash": place.index.settings_hash,
        "document_ids": list(document_ids),
        "kind": place.kind.name,
    }
    gone = [row["target_id"] for row in session.run_template("delete_old_entries", names, **values)]
    old: list[Row] = []
    if place.kind.has_words:  # first, so that words without an entry can be recognised
        tables = {**names, "weights": place.kind.weights}
        old = session.run_template("delete_words", tables, **values, target_ids=gone).fetchall()
    fresh = session.run_template("insert_new_entries", names, **values, model=place.index.model)
    ids = [row["target_id"] for row in fresh]
    if place.kind.has_words:
        add_targets(session, place, ids, document_ids)  # first, so that terms in both stay where they are
        take_out(session, place, old)
        restem(session, place, document_ids)
    return len(gone) + len(ids)
