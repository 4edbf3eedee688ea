"""What every stage of a source's chain works with.

Belongs here: what the chain hands to its stages, and progress. Not here: Dagster. Guarantee:
progress costs at most two small writes a second.
"""

import time
from dataclasses import dataclass, field

from headwater.models import KnowledgeBase, Lineage, SearchIndex, Source
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.syncs import SyncCounts, SyncSource

_PROGRESS_INTERVAL = 0.5  # seconds


@dataclass(kw_only=True)
class SourceJob:
    """One source being synced: who may write, where to, and what it came to so far."""

    store: Store
    settings: Settings
    knowledge_base: KnowledgeBase
    indexes: list[SearchIndex]
    """Every index that must be published into; the last is the one of the present settings."""
    work: SyncSource
    lineage: Lineage
    counts: SyncCounts = field(default_factory=SyncCounts)
    _reported: float = 0.0

    @property
    def source(self) -> Source:
        """The source."""
        return self.work.source

    @property
    def settings_hashes(self) -> list[bytes]:
        """The chunk settings in use, each once."""
        return sorted({index.settings_hash for index in self.indexes})

    def progress(self, stage: str, done: int, total: int) -> None:
        """Say where a stage stands; `total` is 0 while it is not known."""
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_INTERVAL:
            self._reported = now
            self.store.syncs.progress(self.work, stage, done, total)
