"""The shape of search indexes in the HTTP API and in `headwater index --json`.

Belongs here: response models of search indexes. Not here: other responses (`*_payloads`). Guarantee: fields
are added, and none is removed or renamed.
"""

from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from headwater.administration.indexes import Switched
from headwater.chunking.chunker import to_knowledge_base_settings
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.indexing.switch import hash_current_settings
from headwater.store.search.search_indexes import INDEX_RETENTION_DAYS
from headwater.store.store import Store


class CriterionPayload(BaseModel):
    """One criterion of the gate."""

    name: str
    passed: bool
    value: float
    limit: float
    words: str


class GatePayload(BaseModel):
    """The last report of the gate."""

    passed: bool
    judged_at: datetime
    criteria: list[CriterionPayload]


class SearchIndexPayload(BaseModel):
    """A search index and its contents.

    `state` is building, active or retained; `is_wanted` says whether it is the index for the current settings; `access`
    is exact or hnsw, and `recall_at_10` its measured recall; a retained index is dropped after `expires_at`.
    """

    id: int
    state: str
    is_wanted: bool
    model: str
    dimensions: int
    language: str
    chunk_max: int
    chunk_min: int
    chunk_overlap: int
    documents: int
    entries: int
    access: str
    ef_search: int | None
    recall_at_10: float | None
    gate: GatePayload | None
    created_at: datetime
    activated_at: datetime | None
    retained_at: datetime | None
    expires_at: datetime | None

    @classmethod
    def of(cls, store: Store, knowledge_base: KnowledgeBase, index: SearchIndex) -> "SearchIndexPayload":
        """Make it from an index of a knowledge base; counts its contents."""
        size = store.index_health.size(index)
        period = timedelta(days=INDEX_RETENTION_DAYS)
        return cls(
            id=index.id,
            state=index.state,
            is_wanted=index.is_for(knowledge_base.settings, hash_current_settings(knowledge_base)),
            model=index.model,
            dimensions=index.dimensions,
            language=index.language,
            documents=size.documents,
            entries=size.entries,
            access="hnsw" if index.shard else "exact",
            ef_search=index.ef_search,
            recall_at_10=index.recall,
            gate=None if index.gate is None else GatePayload.model_validate(index.gate),
            created_at=index.created_at,
            activated_at=index.activated_at,
            retained_at=index.retained_at,
            expires_at=index.retained_at and index.retained_at + period,
            **to_knowledge_base_settings(index.chunk_settings),
        )


class SearchIndexList(BaseModel):
    """The search indexes of a knowledge base, oldest first."""

    search_indexes: list[SearchIndexPayload]

    @classmethod
    def of(cls, store: Store, slug: str) -> "SearchIndexList":
        """Read the indexes.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        knowledge_base = store.knowledge_bases.get(slug)
        indexes = store.search_indexes.live(knowledge_base)
        return cls(search_indexes=[SearchIndexPayload.of(store, knowledge_base, index) for index in indexes])


class SwitchPayload(BaseModel):
    """The active index, the previous one (null if nothing was switched), and the settings that belong to it."""

    search_index: SearchIndexPayload
    previous: int | None
    settings: dict[str, Any]

    @classmethod
    def of(cls, store: Store, slug: str, switched: Switched) -> "SwitchPayload":
        """Make it from the result of a switch."""
        knowledge_base = store.knowledge_bases.get(slug)
        return cls(
            search_index=SearchIndexPayload.of(store, knowledge_base, switched.index),
            previous=switched.previous,
            settings=knowledge_base.settings.model_dump(),
        )
