"""The shape of syncs: the request, its progress and its results.

Belongs here: response models of syncs. Not here: other responses (`*_payloads`). Guarantee: fields are added,
and none is removed or renamed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from headwater.domain.index_builds import BuildStep, IndexBuild
from headwater.domain.sync_progress import Counted, measure_progress
from headwater.domain.syncs import Sync, SyncPart, SyncSummary


class ProblemItem(BaseModel):
    """A document that could not be read; with an empty `uri`, an error of the whole source."""

    uri: str
    code: str
    message: str


class SkippedItem(BaseModel):
    """What a sync left out for one reason.

    `reason` is no_parser, no_text, unreadable, duplicate, hidden, tool or outside; `examples` names the first few.
    """

    reason: str
    message: str
    count: int
    examples: list[str]


class SyncSourcePayload(BaseModel):
    """The result of a sync for one source.

    `state` is pending, queued, syncing, ready, failed or cancelled. `documents_total` is the number of documents of the
    source, once known; `documents_done` and `documents_failed` count those read so far, and `errors` lists the errors
    so far; `added`, `changed`, `unchanged`, `embedded`, `summarized`, `reused`, `tokens`, `cost_usd` and `rows_written`
    grow with them. `skipped` says at the end what was left out, by reason. `progress` is that of the current
    stage: its `share`, `texts_left` to embed and `seconds_left`, null while unknown, and the `document` being read.
    `embedded` counts texts sent to the model. `summarized` counts summaries that were made, `reused` those that existed
    and `summaries_left` at most how many the next sync has to make, since the budget was spent;
    `questions_left` is the number of documents that it left without new questions. `tokens` and `cost_usd` are the cost
    of all models; `rows_written` counts content rows; `attempts` counts lost workers.
    """

    source: str
    state: str
    run_id: str | None
    documents: int
    added: int
    changed: int
    removed: int
    unchanged: int
    documents_total: int | None
    documents_done: int
    documents_failed: int
    chunks: int
    embedded: int
    summarized: int
    reused: int
    summaries_left: int
    questions_left: int
    tokens: int
    cost_usd: float
    rows_written: int
    attempts: int
    ms: float | None
    progress: dict[str, Any] | None
    errors: list[ProblemItem]
    skipped: list[SkippedItem]

    @classmethod
    def of(cls, part: SyncPart) -> "SyncSourcePayload":
        """Make it from a source's part of a sync."""
        counts = ("document", "added", "changed", "removed", "unchanged", "chunk", "embedded", "summarized", "reused",
                  "written", "failed", "token", "attempt")  # fmt: skip
        names = ("documents", "added", "changed", "removed", "unchanged", "chunks", "embedded", "summarized", "reused",
                 "rows_written", "documents_failed", "tokens", "attempts")  # fmt: skip
        progress = {"stage": part.stage, "done": part.done_count, "total": part.total_count} | progress_fields(part)
        return cls(
            source=part.source,
            state=part.state,
            run_id=part.run_id,
            ms=part.duration_ms,
            documents_total=part.documents_total,
            documents_done=part.documents_done,
            cost_usd=part.cost_usd,
            summaries_left=part.summaries_left,
            questions_left=part.questions_left,
            progress=progress if part.state == "syncing" else None,
            errors=[ProblemItem.model_validate(problem, from_attributes=True) for problem in part.errors],
            skipped=[SkippedItem.model_validate(line, from_attributes=True) for line in part.skipped or ()],
            **{name: getattr(part, f"{count}_count") for name, count in zip(names, counts, strict=True)},
        )


class SyncPayload(BaseModel):
    """A sync: pending until every source has a worker, failed if one source failed, ready when all are.

    `requested_by` is `api`, `command_line`, `dagster` (a run started there) or `schedule` (also a source's interval).
    `total`, `done` and `failed` count its sources. `waiting` is a message if no worker takes it.
    """

    id: int
    knowledge_base: str
    state: str
    requested_by: str
    full: bool
    waiting: str | None
    total: int
    done: int
    failed: int
    requested_at: datetime
    run_id: str | None
    sources: list[SyncSourcePayload]

    @classmethod
    def of(cls, sync: Sync) -> "SyncPayload":
        """Make it from a sync in its current state."""
        sources = [SyncSourcePayload.of(sync_source) for sync_source in sync.sources]
        state = _overall([source.state for source in sources])
        return cls(
            id=sync.id,
            knowledge_base=sync.knowledge_base,
            state=state,
            requested_by=sync.origin,
            full=sync.is_full,
            waiting=_explain_sync(sync) if state == "pending" else None,
            total=len(sources),
            done=sum(source.state in OVER for source in sources),
            failed=sum(source.state == "failed" for source in sources),
            requested_at=sync.requested_at,
            run_id=next((source.run_id for source in sources if source.run_id), None),
            sources=sources,
        )


class SyncItem(BaseModel):
    """A sync in the list: what ran, when, who asked, how it ended and what it cost.

    `sources` names the first ten of its `total` sources, those that failed first; `error` says what was wrong with the
    first of them. `started_at` is null until a worker begins, `finished_at` until every source is over. The counts are
    sums over its sources, and grow while it runs: documents that the sources have (`documents_total`, null until one
    was listed), that were read, added, changed, removed or could not be read, texts that were embedded, and what the
    model took for it. While it runs, `stage` is what it does now, `share` how much of that is done, `texts_left` how
    many texts are known to be left to embed, and `seconds_left` an estimate; null otherwise, or while unknown.
    """

    id: int
    knowledge_base: str
    state: str
    requested_by: str
    full: bool
    sources: list[str]
    total: int
    done: int
    failed: int
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    run_id: str | None
    error: str | None
    documents_total: int | None
    documents_done: int
    added: int
    changed: int
    removed: int
    documents_failed: int
    embedded: int
    tokens: int
    cost_usd: float
    stage: str | None
    share: float | None
    texts_left: int | None
    seconds_left: float | None

    @classmethod
    def of(cls, sync: SyncSummary) -> "SyncItem":
        """Make it from a sync of the list."""
        same = ("id", "knowledge_base", "requested_at", "started_at", "finished_at", "run_id", "error", "cost_usd",
                "documents_total", "documents_done")  # fmt: skip
        return cls(
            **{name: getattr(sync, name) for name in same},
            state=_overall(sync.states),
            requested_by=sync.origin,
            full=sync.is_full,
            sources=list(sync.sources),
            total=sync.source_count,
            done=sync.over_count,
            failed=sync.failed_source_count,
            added=sync.added_count,
            changed=sync.changed_count,
            removed=sync.removed_count,
            documents_failed=sync.failed_count,
            embedded=sync.embedded_count,
            tokens=sync.token_count,
            stage=sync.stage,
            **(_measure(sync) if sync.stage else {"share": None, "texts_left": None, "seconds_left": None}),
        )


class IndexBuildItem(BaseModel):
    """A large search index that is being built: `share` of the `step` is done, null if Postgres does not say.

    `step` is copying, indexing or indexing_vectors, which takes almost all of the time.
    """

    search_index_id: int
    started_at: datetime
    step: BuildStep
    share: float | None


class SyncPage(BaseModel):
    """Syncs, newest first; `next` is what to ask `after` for the rest, null at the end.

    `index_builds` are the search indexes that are being built now; empty in a list of several knowledge bases.
    """

    syncs: list[SyncItem]
    next: int | None
    index_builds: list[IndexBuildItem] = []

    @classmethod
    def of(cls, found: Sequence[SyncSummary], limit: int, builds: Sequence[IndexBuild] = ()) -> "SyncPage":
        """Make a page of one sync more than it holds, if there are so many."""
        page = [SyncItem.of(sync) for sync in found[:limit]]
        items = [IndexBuildItem.model_validate(build, from_attributes=True) for build in builds]
        return cls(syncs=page, next=page[-1].id if len(found) > limit else None, index_builds=items)


def progress_fields(part: SyncPart) -> dict[str, Any]:
    """The share, the texts and the time that are left, and the document that is read, of a source's running sync."""
    return _measure(part) | {"document": part.current_uri or None}


def _measure(counted: Counted) -> dict[str, Any]:
    progress = measure_progress(counted, datetime.now(UTC))
    share = None if progress.share is None else round(progress.share, 3)
    seconds_left = None if progress.seconds_left is None else round(progress.seconds_left)
    return {"share": share, "texts_left": progress.texts_left, "seconds_left": seconds_left}


OVER = ("ready", "failed", "cancelled")
_PATIENCE = 30.0  # seconds: if Dagster runs, a worker takes up to 15


def _explain_sync(sync: Sync) -> str | None:
    first = next(source for source in sync.sources if source.state == "pending")
    began = first.started_at is not None
    return explain_waiting(sync.requested_at, batch=first.batch, runs_first=first.runs_first, began=began)


def explain_waiting(requested_at: datetime, *, batch: str | None, runs_first: str | None, began: bool) -> str | None:
    """Why a source still waits, once it has waited for long; None before that.

    Args:
        requested_at: when its sync was requested.
        batch: of its run; None if Dagster was not asked for one.
        runs_first: the source that a run syncs before it, if a run has begun; empty if it is of another knowledge base,
            which the reader may not know.
        began: whether a worker had begun it, and was lost.
    """
    seconds = (datetime.now(UTC) - requested_at).total_seconds()
    if seconds < _PATIENCE:
        return None
    if runs_first is not None:
        return f"A run syncs {runs_first or 'another source'} now; this one comes after it."
    if began:
        return "Its worker is gone. Another run takes it up; if none does in a minute, check that `headwater up` runs."
    if batch is not None:
        return (
            f"Its run has waited in Dagster for {seconds:.0f} s: it starts when other runs have ended. "
            "HEADWATER_CONCURRENT_RUNS says how many run at the same time."
        )
    return (
        f"No worker has taken it for {seconds:.0f} s. Dagster starts it: check that `headwater up` runs, and that the"
        " sensor `requested_syncs` is turned on."
    )


def _overall(states: Sequence[str]) -> str:
    for state in ("syncing", "queued", "pending", "failed", "cancelled"):
        if state in states:
            return state
    return "ready"
