"""Which sources have documents that readers see, and what the others are waiting for.

Belongs here: the state of sources for someone who asks. Not here: syncs for someone who syncs (`syncs`). Guarantee: a
sync whose process is gone counts as waiting, not as running.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.corpus import KnowledgeBase
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceReadiness:
    """A source for someone who asks: `documents_total` is None until the running sync has listed the source.

    `error` is the reason why its last sync failed. `has_open_sync` is true for a sync that is waiting or running.
    """

    source: str
    error: str | None
    was_synced: bool
    has_documents: bool
    has_open_sync: bool
    is_syncing: bool
    documents_done: int
    documents_total: int | None


class ReadinessStore:
    """Sources, their publications and their syncs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, knowledge_base: KnowledgeBase, sources: Sequence[str] = ()) -> list[SourceReadiness]:
        """Return the state of all sources of a knowledge base, or of those with these slugs."""
        rows = self._database.rows("source_readiness", knowledge_base_id=knowledge_base.id, slugs=list(sources) or None)
        return [from_row(SourceReadiness, row) for row in rows]
