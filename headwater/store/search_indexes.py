"""Search indexes in Postgres: what readers see.

Belongs here: making, publishing into, moving, switching and reading search indexes. Not here: what gets published
(`documents`) or how a question is understood (`headwater.retrieval`). Guarantee: a document changes hands in one
transaction, old entries out and new ones in; a reader sees one state throughout.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from pgvector import HalfVector
from psycopg import sql

from headwater.errors import ModelUnavailableError
from headwater.models import KnowledgeBase, KnowledgeBaseSettings, Passage, SearchFilters
from headwater.store.database import Connection, Database, Row, Session
from headwater.store.json_values import to_json
from headwater.store.knowledge_bases import find_knowledge_base
from headwater.store.named_queries import named_queries
from headwater.store.sources import filtered_sources
from headwater.store.workers import SyncSource, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchIndex:
    """(knowledge base, model, chunk settings, language), and where its entries lie."""

    id: int
    knowledge_base_id: int
    model: str
    dimensions: int
    """0 until the first vector of a model that does not know its own."""
    chunk_settings: Mapping[str, Any]
    settings_hash: bytes
    language: str
    state: str
    shard: int

    def is_for(self, settings: KnowledgeBaseSettings, settings_hash: bytes) -> bool:
        """Whether it is the index of some settings, whose chunk settings have this hash."""
        mine = (self.model, self.settings_hash, self.language)
        return mine == (settings.embedding_model, settings_hash, settings.language)


class SearchIndexStore:
    """The search_indexes, search_entries and published_documents tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(
        self,
        knowledge_base: KnowledgeBase,
        *,
        dimensions: int,
        chunk_settings: Mapping[str, Any],
        settings_hash: bytes,
    ) -> list[SearchIndex]:
        """Make the index of the present settings if need be.

        Returns:
            Every index that a sync must publish into; the last is the one of the present settings.
        """
        with self._database.transaction() as session:
            session.row("lock_knowledge_base", slug=knowledge_base.slug)
            session.run(
                "ensure_search_index",
                knowledge_base_id=knowledge_base.id,
                model=knowledge_base.settings.embedding_model,
                dimensions=dimensions,
                chunk_settings=to_json(dict(chunk_settings)),
                settings_hash=settings_hash,
                language=knowledge_base.settings.language,
            )
            rows = session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)
        return sorted(map(_index, rows), key=lambda index: index.is_for(knowledge_base.settings, settings_hash))

    def live(self, knowledge_base: KnowledgeBase) -> list[SearchIndex]:
        """Return every index of a knowledge base."""
        with self._database.transaction() as session:
            return [_index(row) for row in session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)]

    def active(self, knowledge_base: str) -> SearchIndex | None:
        """Return the index that answers, or None before the first sync.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            row = session.row("active_search_index", knowledge_base=knowledge_base)
            if row is None:
                find_knowledge_base(session, knowledge_base)
            return _index(row) if row else None

    def documents_to_publish(self, work: SyncSource, index: SearchIndex) -> tuple[list[UUID], list[UUID]]:
        """Documents of which the index serves another version than the newest: (changed ones, vanished ones)."""
        with self._database.transaction() as session:
            rows = session.rows(
                "documents_to_publish",
                search_index_id=index.id,
                source_id=work.source.id,
                settings_hash=index.settings_hash,
            )
        changed = [row["id"] for row in rows if not row["is_removed"]]
        return changed, [row["id"] for row in rows if row["is_removed"]]

    def publish(self, work: SyncSource, index: SearchIndex, document_ids: Sequence[UUID], run_id: str) -> int:
        """Make the index serve the newest state of some documents, all at once; returns how many rows changed.

        Raises:
            FencedError: the sync was overtaken.
            ModelUnavailableError: a chunk has no vector; nothing was published.
        """
        values = {"search_index_id": index.id, "document_ids": list(document_ids)}
        try:
            with self._database.transaction() as session:
                require_token(session, work)
                session.run("share_index_lock", id=index.id)
                row = session.row("get_search_index", id=index.id)
                if row is None:  # another index has taken over meanwhile, and this one was given up
                    return 0
                place = {**values, "shard": row["shard"], "settings_hash": index.settings_hash}
                changed = session.run("delete_old_entries", **place)
                changed += session.run("insert_new_entries", **place, model=index.model, language=index.language)
                if not row["dimensions"]:
                    session.run("learn_dimensions", id=index.id, model=index.model)
                changed += session.run("publish_documents", **values, run_id=run_id)
                changed += session.run("withdraw_documents", **values)
                if row["state"] == "active":
                    note_publications(session, index.id, document_ids)
                return changed
        except psycopg.errors.NotNullViolation as error:
            raise ModelUnavailableError(
                f"Some chunks of {work.source.key} have no vector of {index.model} yet. Materialise embeddings first."
            ) from error

    def search(
        self, index: SearchIndex, *, text: str, vector: Any, filters: SearchFilters, limit: int, depth: int
    ) -> list[Passage]:
        """Find the passages nearest to a question, by vector and by words.

        Args:
            index: the active index.
            text: the question's words.
            vector: the question's unit vector, of the index's size.
            filters: which part of the knowledge base to search.
            limit: how many passages to return.
            depth: how many candidates each half contributes.

        Raises:
            InvalidInputError: a filter names a source that is not there.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None:  # deleted since the caller looked
                return []
            if row["shard"] and (filters.sources or filters.categories or filters.tags):
                session.run("scan_exactly")
            rows = session.formatted(
                "search_hybrid",
                {"shard": row["shard"], "dimensions": index.dimensions},
                search_index_id=index.id,
                settings_hash=index.settings_hash,
                language=index.language,
                text=text,
                vector=HalfVector(vector),
                **filtered_sources(session, index.knowledge_base_id, filters),
                categories=list(filters.categories) or None,
                depth=depth,
                limit=limit,
            ).fetchall()
        return to_passages(rows)

    def count_entries(self, index: SearchIndex) -> int:
        """How many entries an index has."""
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            return int(session.one("count_entries", id=index.id, shard=row["shard"])["entry_count"]) if row else 0

    def activate(self, knowledge_base: KnowledgeBase, index: SearchIndex) -> bool:
        """Let an index answer if it serves every document that the active one does; the old one is retained.

        Returns:
            Whether it answers now. Of the retained ones, only the last that answered is kept.
        """
        with self._database.transaction() as session:
            session.row("lock_knowledge_base", slug=knowledge_base.slug)
            rows = session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)
            for row in rows:
                session.run("own_index_lock", id=row["id"])
            missing = session.one("documents_missing_from_index", id=index.id, knowledge_base_id=knowledge_base.id)
            if missing["missing_count"]:
                return False
            for row in rows:
                if row["state"] == "active":
                    session.run("set_index_state", id=row["id"], state="retained")
                elif row["id"] != index.id:
                    for shard in {0, row["shard"]}:
                        session.run("delete_entries_of_index", id=row["id"], shard=shard)
                    session.run("delete_search_index", id=row["id"])
            session.run("set_index_state", id=index.id, state="active")
            served = session.rows(
                "documents_served", search_index_id=index.id, knowledge_base_id=index.knowledge_base_id
            )
            note_publications(session, index.id, [row["id"] for row in served])
        return True

    def move_to_partition(self, index: SearchIndex) -> None:
        """Give a large index a partition of its own, with HNSW; readers and their answers go on meanwhile.

        The partition is loaded and indexed as a plain table (a bulk build is 4–8 times faster than inserting into an
        index), then attached, which waits for no reader. Publishers into this index wait until it is there.
        """
        table = f"search_entries_{index.id}"
        with self._database.transaction() as session:
            session.run("own_index_lock", id=index.id)
            if session.one("get_search_index", id=index.id)["shard"]:
                return
            session.run("raise_build_memory")
            for step in _PARTITION_STEPS:
                _run_on_table(session.connection, step, table, index)
            session.run("set_shard", id=index.id)

    def clear_shared_entries(self, index: SearchIndex) -> None:
        """Take what an index with a partition of its own left in the shared table; earlier readers still see it."""
        with self._database.transaction() as session:
            session.run("delete_entries_of_index", id=index.id, shard=0)

    def drop_orphan_partitions(self) -> int:
        """Reclaim the space of deleted indexes, unless that would make readers wait; returns how many went."""
        with self._database.transaction() as session:
            names = [row["name"] for row in session.rows("orphan_partitions")]
        dropped = 0
        for name in names:
            try:
                with self._database.transaction() as session:
                    session.run("limit_lock_wait")
                    _run_on_table(session.connection, "drop_partition", name, None)
                dropped += 1
            except psycopg.errors.LockNotAvailable:
                continue  # the next refresh tries again
        return dropped


def note_publications(session: Session, search_index_id: int, document_ids: Sequence[UUID]) -> None:
    """Note what readers see of some documents from now on, and what they no longer see: `as of` reads it."""
    moment = session.one("publication_time")["published_at"]
    values = {"search_index_id": search_index_id, "document_ids": list(document_ids), "published_at": moment}
    session.run("close_publications", **values)
    session.run("open_publications", **values)


_PARTITION_STEPS = (
    "create_partition", "load_partition", "index_partition_by_document", "index_partition_by_words",
    "index_partition_by_vector", "analyze_partition", "attach_partition",
)  # fmt: skip


def _run_on_table(connection: Connection, query: str, table: str, index: SearchIndex | None) -> None:
    numbers = {"id": sql.Literal(index.id), "dimensions": sql.Literal(index.dimensions)} if index else {}
    connection.execute(sql.SQL(named_queries()[query]).format(table=sql.Identifier(table), **numbers))


def _index(row: Row) -> SearchIndex:
    return SearchIndex(**{name: row[name] for name in SearchIndex.__dataclass_fields__})


def to_passages(rows: Sequence[Row]) -> list[Passage]:
    """Make passages, best first, of what a search statement returned in that order."""
    return [_passage(rank, row) for rank, row in enumerate(rows, start=1)]


def _passage(rank: int, row: Row) -> Passage:
    values = {name: row[name] for name in row if name not in ("start_offset", "end_offset", "breadcrumb")}
    return Passage(
        rank=rank, start=row["start_offset"], end=row["end_offset"], breadcrumb=tuple(row["breadcrumb"]), **values
    )
