"""Search indexes in Postgres.

Belongs here: creating, finding, switching, keeping and dropping search indexes. Not here: their contents
(`publications`), whether one may become active (`headwater.indexing.gate`), partitions of large ones
(`index_partitions`), querying (`passage_search`). Guarantee: from its first index on, a knowledge base has one active
index; one transaction switches both the index and the settings of the knowledge base; every document that readers see
before, they see afterwards.
"""

from collections.abc import Mapping
from typing import Any

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError, NotFoundError
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.search.entry_kinds import DOCUMENT, ENTRY_KINDS
from headwater.store.search.index_partitions import IndexPartitions
from headwater.store.search.index_weights import IndexWeightStore
from headwater.store.search.publications import IndexPublishing, note_publications
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row

INDEX_RETENTION_DAYS = 7
"""Days that the previous index is kept up to date for a rollback: long enough to notice that the new one is worse."""


class SearchIndexStore(IndexPublishing, IndexPartitions, IndexWeightStore):
    """The search_indexes table, and everything that belongs to an index."""

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
        """Create the index for the current settings if necessary.

        Returns:
            Every index that a sync must publish into; the last is the one for the current settings.
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
        return sorted(map(read_index, rows), key=lambda index: index.is_for(knowledge_base.settings, settings_hash))

    def live(self, knowledge_base: KnowledgeBase) -> list[SearchIndex]:
        """Return every index of a knowledge base."""
        return [
            read_index(row) for row in self._database.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)
        ]

    def get(self, knowledge_base: KnowledgeBase, search_index_id: int) -> SearchIndex:
        """Return one index of a knowledge base.

        Raises:
            NotFoundError: it has no index with that number.
        """
        for index in self.live(knowledge_base):
            if index.id == search_index_id:
                return index
        raise NotFoundError(
            f"{knowledge_base.slug} has no search index {search_index_id}. `headwater index list {knowledge_base.slug}`"
            " lists those it has."
        )

    def active(self, knowledge_base: str) -> SearchIndex | None:
        """Return the active index, or None before the first sync.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        row = self._database.row("active_search_index", knowledge_base=knowledge_base)
        if row is None:
            find_knowledge_base(self._database, knowledge_base)
        return read_index(row) if row else None

    def activate(
        self, knowledge_base: KnowledgeBase, index: SearchIndex, settings: KnowledgeBaseSettings
    ) -> dict[str, int]:
        """Make an index active if it serves every document that the active one does; the old one is retained.

        Args:
            knowledge_base: as the caller has judged it.
            index: the index to make active.
            settings: the knowledge base's new settings, which are those of the index.

        Returns:
            How many documents it lacks, by source; empty if it is now active.

        Raises:
            ConflictError: the knowledge base was changed since the caller read it.
            NotFoundError: the index was dropped meanwhile.
        """
        with self._database.transaction() as session:
            _lock_unchanged(session, knowledge_base)
            rows = {row["id"]: row for row in session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)}
            if index.id not in rows:
                raise NotFoundError(f"Search index {index.id} of {knowledge_base.slug} was dropped meanwhile.")
            for row in rows.values():
                session.run("own_index_lock", id=row["id"])
            if lacking := _count_lacking(session, index):
                return lacking
            if rows[index.id]["state"] != "active":
                for row in rows.values():
                    if row["state"] == "active":
                        session.run("set_index_state", id=row["id"], state="retained")
                session.run("set_index_state", id=index.id, state="active")
            # Store only settings that were chosen, so that a better default reaches everyone who did not choose.
            settings_json = to_json(settings.model_dump(exclude_defaults=True))
            session.run("set_knowledge_base_settings", id=knowledge_base.id, settings=settings_json)
            served = session.rows(
                "documents_served", search_index_id=index.id, knowledge_base_id=index.knowledge_base_id
            )
            note_publications(session, index.id, [row["id"] for row in served])
        return {}

    def lacking(self, index: SearchIndex) -> dict[str, int]:
        """How many documents of the active index an index lacks, by source."""
        with self._database.transaction() as session:
            return _count_lacking(session, index)

    def record_gate(self, index: SearchIndex, report: Mapping[str, Any]) -> None:
        """Store an index's gate report, for people."""
        self._database.run("set_index_gate", id=index.id, gate=to_json(dict(report)))

    def drop_unwanted(self, knowledge_base: KnowledgeBase, wanted_hash: bytes) -> int:
        """Drop indexes that were being built for settings which the knowledge base no longer has.

        Args:
            knowledge_base: nothing is dropped if it was changed since it was read.
            wanted_hash: the hash of its chunk settings.

        Returns:
            How many were dropped.
        """
        try:
            with self._database.transaction() as session:
                _lock_unchanged(session, knowledge_base)
                rows = session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)
                unwanted = [
                    row
                    for row in rows
                    if row["state"] == "building" and not read_index(row).is_for(knowledge_base.settings, wanted_hash)
                ]
                for row in unwanted:
                    _drop(session, row["id"])
                return len(unwanted)
        except ConflictError:
            return 0

    def drop_expired(self, days: int) -> int:
        """Drop indexes, of any knowledge base, that became inactive some days ago; returns how many.

        They stay one minute longer, so that a search that looked up the active index just before a switch still
        succeeds.
        """
        expired = self._database.rows("expired_search_indexes", days=days)
        dropped = 0
        for row in expired:
            with self._database.transaction() as session:
                session.row("lock_knowledge_base_of_index", id=row["id"])
                current = session.row("get_search_index", id=row["id"])
                if (
                    current is not None and current["retained_at"] == row["retained_at"]
                ):  # it was not made active again meanwhile
                    _drop(session, row["id"])
                    dropped += 1
        return dropped


def read_index(row: Row) -> SearchIndex:
    """A row of search_indexes as an object."""
    return from_row(SearchIndex, row)


def _lock_unchanged(session: Session, knowledge_base: KnowledgeBase) -> None:
    session.row("lock_knowledge_base", slug=knowledge_base.slug)
    current = find_knowledge_base(session, knowledge_base.slug)
    if (current.id, current.settings) != (knowledge_base.id, knowledge_base.settings):
        raise ConflictError(f"The settings of {knowledge_base.slug} were changed meanwhile. Try again.")


def _count_lacking(session: Session, index: SearchIndex) -> dict[str, int]:
    rows = session.rows("documents_missing_from_index", id=index.id, knowledge_base_id=index.knowledge_base_id)
    return {row["source"]: row["missing_count"] for row in rows}


def _drop(session: Session, search_index_id: int) -> None:
    """Delete an index; the partition of a large one is freed later, when no reader would wait for it."""
    session.run("own_index_lock", id=search_index_id)
    session.run("delete_shared_entries", id=search_index_id, kinds=[kind.name for kind in (*ENTRY_KINDS, DOCUMENT)])
    session.run("delete_search_index", id=search_index_id)
