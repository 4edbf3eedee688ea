"""Search indexes in Postgres.

Belongs here: creating and finding search indexes. Not here: their contents (`publications`), which one is active
(`active_index`), partitions of large ones (`index_partitions`), querying (`passage_search`). Guarantee: from its first
index on, a knowledge base has one active index.
"""

from collections.abc import Mapping
from typing import Any

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.errors import NotFoundError
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.search.active_index import ActiveIndexStore, read_index
from headwater.store.search.index_partitions import IndexPartitions
from headwater.store.search.index_weights import IndexWeightStore
from headwater.store.search.publications import IndexPublishing
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json


class SearchIndexStore(IndexPublishing, ActiveIndexStore, IndexPartitions, IndexWeightStore):
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
        with self._database.transaction() as session:
            return [read_index(row) for row in session.rows("live_search_indexes", knowledge_base_id=knowledge_base.id)]

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
        with self._database.transaction() as session:
            row = session.row("active_search_index", knowledge_base=knowledge_base)
            if row is None:
                find_knowledge_base(session, knowledge_base)
            return read_index(row) if row else None
