"""Search indexes in Postgres: what readers see.

Belongs here: making search indexes and publishing into them. Not here: which one answers (`index_switching`), where
large ones lie (`index_partitions`), what gets published (`documents`), asking (`searching`). Guarantee: a document
changes hands in one transaction, old entries out and new ones in; a reader sees one state throughout.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.errors import ModelUnavailableError, NotFoundError
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.search.entries import publish_entries
from headwater.store.search.index_partitions import IndexPartitions
from headwater.store.search.index_switching import IndexSwitching, read_index
from headwater.store.search.index_weighing import IndexWeighing
from headwater.store.search.publications import note_publications
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.work.fencing import SyncSource, require_token


class ToPublish(NamedTuple):
    """A document whose newest version is to be published, and how many chunks that has."""

    document_id: UUID
    chunk_count: int


class SearchIndexStore(IndexSwitching, IndexPartitions, IndexWeighing):
    """The search_indexes and published_documents tables, and the entries of what is published."""

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
        return sorted(map(read_index, rows), key=lambda index: index.is_for(knowledge_base.settings, settings_hash))

    def live(self, knowledge_base: KnowledgeBase) -> list[SearchIndex]:
        """Return every index of a knowledge base."""
        with self._database.transaction() as session:
            return [read_index(row) for row in session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)]

    def get(self, knowledge_base: KnowledgeBase, search_index_id: int) -> SearchIndex:
        """Return one index of a knowledge base.

        Raises:
            NotFoundError: it has none by that number.
        """
        for index in self.live(knowledge_base):
            if index.id == search_index_id:
                return index
        raise NotFoundError(
            f"{knowledge_base.slug} has no search index {search_index_id}. `headwater index list {knowledge_base.slug}`"
            " shows those it has."
        )

    def active(self, knowledge_base: str) -> SearchIndex | None:
        """Return the index that answers, or None before the first sync.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            row = session.row("active_search_index", knowledge_base=knowledge_base)
            if row is None:
                find_knowledge_base(session, knowledge_base)
            return read_index(row) if row else None

    def documents_to_publish(
        self, work: SyncSource, index: SearchIndex, document_ids: Sequence[UUID] | None = None
    ) -> tuple[list[ToPublish], list[UUID]]:
        """Documents of which the index serves another version than the newest, or stemmed by another language.

        Args:
            work: the source's sync.
            index: one of its knowledge base's.
            document_ids: look at these only; at all of the source when not given.

        Returns:
            Changed ones, by URI, and vanished ones.
        """
        with self._database.transaction() as session:
            rows = session.rows(
                "documents_to_publish",
                search_index_id=index.id,
                source_id=work.source.id,
                settings_hash=index.settings_hash,
                document_ids=None if document_ids is None else list(document_ids),
                language=index.language,
            )
        changed = [ToPublish(row["id"], row["chunk_count"]) for row in rows if not row["is_removed"]]
        return changed, [row["id"] for row in rows if row["is_removed"]]

    def publish(self, work: SyncSource, index: SearchIndex, document_ids: Sequence[UUID], run_id: str) -> int:
        """Make the index serve the newest state of some documents, all at once; returns how many rows changed.

        Raises:
            FencedError: the sync was overtaken.
            ModelUnavailableError: a text has no vector; nothing was published.
        """
        values = {"search_index_id": index.id, "document_ids": list(document_ids), "language": index.language}
        try:
            with self._database.transaction() as session:
                require_token(session, work)
                session.run("share_index_lock", id=index.id)
                row = session.row("get_search_index", id=index.id)
                if row is None:  # another index has taken over meanwhile, and this one was given up
                    return 0
                changed = publish_entries(session, index, row["shard"], document_ids)
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
