"""Syncs as people follow them: a request, and the state of each of its sources.

Belongs here: these classes and their fields. Not here: a running sync (`headwater.syncing`). Guarantee:
nothing here does input or output; names are the table names' singular.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skipped


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncPart:
    """One source's part of a sync: its progress or its result.

    `stage`, `done_count` and `total_count` describe the current stage. `documents_total` and `skipped` are known once
    the source was listed. `attempt_count` counts lost workers. `summarized_count` and `reused_count` count summaries
    that were made and that existed; `summaries_left` is at most how many a spent budget left, and
    `questions_left` how many documents it left without new questions. `to_embed_count` counts the texts that were
    embedded and those known to be left; `current_uri` is the document that is read now. `runs_first` is the source that
    a run syncs before this one, as `<knowledge base>/<source>`.
    """

    source: str
    state: str
    batch: str | None
    runs_first: str | None
    run_id: str | None
    stage: str | None
    done_count: int
    total_count: int
    documents_total: int | None
    documents_done: int
    document_count: int
    failed_count: int
    added_count: int
    changed_count: int
    removed_count: int
    unchanged_count: int
    chunk_count: int
    embedded_count: int
    summarized_count: int
    reused_count: int
    summaries_left: int
    questions_left: int
    written_count: int
    token_count: int
    cost_usd: float
    to_embed_count: int
    current_uri: str
    started_at: datetime | None
    stage_started_at: datetime | None
    attempt_count: int
    duration_ms: float | None
    errors: tuple[DocumentProblem, ...]
    skipped: tuple[Skipped, ...] | None
    finished_at: datetime | None
    cancelled_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sync:
    """A request to sync some sources, given by their slugs."""

    id: int
    knowledge_base: str
    origin: str
    is_full: bool
    requested_at: datetime
    sources: tuple[SyncPart, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncSummary:
    """A request as a list shows it, with the sums over its sources.

    `states` are those of its sources, each once; `sources` the slugs of the first few, those that failed first.
    `started_at` is when the first of them was begun, `finished_at` when the last of them was over, None until all are.
    `error` is what was wrong with the first that failed. `documents_total` counts the documents of sources that were
    listed, `documents_done` those that were read. The counts grow while the sync runs. `stage` and the counts beside it
    are those of the source that runs, of several the one that was begun first.
    """

    id: int
    knowledge_base: str
    origin: str
    is_full: bool
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    states: tuple[str, ...]
    sources: tuple[str, ...]
    source_count: int
    over_count: int
    failed_source_count: int
    run_id: str | None
    error: str | None
    documents_total: int | None
    documents_done: int
    added_count: int
    changed_count: int
    removed_count: int
    failed_count: int
    embedded_count: int
    to_embed_count: int
    stage: str | None
    done_count: int
    total_count: int
    stage_started_at: datetime | None
    token_count: int
    cost_usd: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceSyncSummary:
    """A sync of one source as the page of the source lists it; the counts grow while it runs.

    `error` is what was wrong first, None if nothing was.
    """

    id: int
    origin: str
    is_full: bool
    state: str
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    run_id: str | None
    added_count: int
    changed_count: int
    removed_count: int
    failed_count: int
    embedded_count: int
    cost_usd: float
    error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncedDocument:
    """A document that a sync added, changed or removed."""

    id: UUID
    uri: str
    title: str
    change: Literal["added", "changed", "removed"]
