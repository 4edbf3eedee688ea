"""The shape of sources in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from headwater.domain.corpus import Source
from headwater.domain.source_settings import format_interval
from query_api.response_urls import partition_url
from query_api.routes.sync_payloads import SkippedItem


class SourcePayload(BaseModel):
    """A source and its state; `error` says why it failed, `dagster_url` is its partition in the Dagster UI.

    `refresh` is its interval, such as `6h`, `schedule` its cron line, in `time_zone`, and `next_sync_at` the time when
    one of them next makes it due: null without both, and while it is paused. `verified_at` is the time of the last full
    sync. `drift` is the share of its chunks that a fresh split would not make, null if unknown.
    `managed_by` is the Dagster project that alone changes and syncs it; then `dagster_url` is null.
    `held_deletions` is how many documents its last sync would have removed but asks first, because they are more than
    the share `deletion_guard`; null if it asks nothing.
    `workers` is how many runs may work on it at once.
    `skipped` is what its last sync left out, by reason, and `unreadable` how many documents of that could not be read.
    """

    slug: str
    kind: str
    config: dict[str, Any]
    refresh: str | None
    schedule: str | None
    time_zone: str
    tags: list[str]
    category: str
    paused: bool
    deletion_guard: float
    workers: int
    held_deletions: int | None
    state: str
    error: str | None
    documents: int
    unreadable: int
    synced_at: datetime | None
    verified_at: datetime | None
    drift: float | None
    next_sync_at: datetime | None
    created_at: datetime
    dagster_url: str | None
    managed_by: str | None
    skipped: list[SkippedItem]

    @classmethod
    def of(cls, source: Source, dagster_url: str) -> "SourcePayload":
        """Make it from a source."""
        return cls(
            slug=source.slug,
            kind=source.kind,
            config=dict(source.config),
            refresh=source.refresh_seconds and format_interval(source.refresh_seconds),
            schedule=source.schedule,
            time_zone=source.time_zone,
            tags=list(source.tags),
            category=source.category,
            paused=source.paused_at is not None,
            deletion_guard=source.deletion_guard,
            workers=source.workers,
            held_deletions=source.held_deletions,
            state=source.state.value,
            error=source.error,
            documents=source.document_count,
            unreadable=source.unreadable_count,
            synced_at=source.synced_at,
            verified_at=source.verified_at,
            drift=source.drift_share,
            next_sync_at=source.next_sync_at,
            created_at=source.created_at,
            dagster_url=None if source.managed_by else partition_url(dagster_url, "documents", source.key),
            managed_by=source.managed_by,
            skipped=[SkippedItem.model_validate(line, from_attributes=True) for line in source.skipped],
        )


class SourceList(BaseModel):
    """The sources of a knowledge base, by slug."""

    sources: list[SourcePayload]
