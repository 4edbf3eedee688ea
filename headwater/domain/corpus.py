"""Knowledge bases, their sources, receipts of deletions, and the lineage of a row.

Belongs here: these classes and their fields. Not here: the settings of a knowledge base
(`knowledge_base_settings`). Guarantee: nothing here does input or output; names are the table names' singular.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.skips import Skipped
from headwater.domain.wrong_fields import SLUG

Slug = Annotated[str, StringConstraints(pattern=SLUG)]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeBase:
    """A named set of documents that is asked on its own."""

    id: int
    slug: str
    name: str
    description: str
    settings: KnowledgeBaseSettings
    created_at: datetime
    updated_at: datetime
    managed_by: str | None = None  # the Dagster project that alone changes it


class SourceState(StrEnum):
    """The state of a source after its last sync; `deleting` until the rows of a deleted source are removed."""

    PENDING = "pending"
    SYNCING = "syncing"
    READY = "ready"
    FAILED = "failed"
    DELETING = "deleting"


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceName:
    """A source by its slug and that of its knowledge base, for who needs no more of thousands."""

    knowledge_base: str
    source: str
    tags: tuple[str, ...]
    is_paused: bool
    managed_by: str | None

    @property
    def key(self) -> str:
        """The source's Dagster partition."""
        return f"{self.knowledge_base}/{self.source}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A configured origin of documents within one knowledge base."""

    id: int
    knowledge_base_id: int
    knowledge_base: str
    slug: str
    kind: str
    config: Mapping[str, Any]
    state: SourceState
    error: str | None
    document_count: int
    refresh_seconds: int | None
    schedule: str | None  # the cron line of times when it is due, in its time zone
    time_zone: str
    tags: tuple[str, ...]
    category: str
    paused_at: datetime | None
    synced_at: datetime | None
    verified_at: datetime | None  # when it was last read completely, without trusting fingerprints
    drift_share: float | None  # the share of its chunks that a fresh split would not make; None if not counted yet
    next_sync_at: (
        datetime | None
    )  # when its interval or its schedule makes it due; None without both or while it is paused
    created_at: datetime
    deletion_guard: float  # the share of its documents above which a sync asks before it removes them
    held_deletions: int | None  # how many documents its last sync would have removed, but asks first
    confirmed_deletions: int | None  # how many of them somebody has agreed to
    skipped: tuple[Skipped, ...] = ()  # what its last sync left out
    managed_by: str | None = None  # the Dagster project that alone changes and syncs it
    workers: int = 1  # how many runs may work on it at once

    @property
    def key(self) -> str:
        """The source's Dagster partition."""
        return f"{self.knowledge_base}/{self.slug}"

    @property
    def unread(self) -> tuple[Skipped, ...]:
        """The documents that its last sync could not read, or left out for their URI, by reason."""
        return tuple(line for line in self.skipped if line.reason in ("unreadable", "duplicate"))

    @property
    def unreadable_count(self) -> int:
        """How many documents its last sync could not read."""
        return sum(line.count for line in self.skipped if line.reason == "unreadable")


@dataclass(frozen=True, kw_only=True, slots=True)
class Deletion:
    """The receipt of a deleted source or knowledge base: `key` is its slug or slugs, `row_id` the id it had.

    `removed` counts rows by table; it grows until `finished_at`, when all rows are removed. `files_removed` counts the
    source's own files, and originals that no other version refers to.
    """

    id: int
    kind: Literal["source", "knowledge_base"]
    key: str
    row_id: int
    removed: Mapping[str, int]
    files_removed: int
    requested_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """The run and release that made a derived row; stored with every such row."""

    run_id: str
    code_version: str
