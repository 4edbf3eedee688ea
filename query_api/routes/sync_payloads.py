"""The shape of syncs: the request, its progress and its results.

Belongs here: response models of syncs. Not here: other responses (`payloads`). Guarantee: as there.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from headwater.domain.syncs import Sync, SyncPart


class ProblemItem(BaseModel):
    """A document that could not be read; with an empty `uri`, an error of the whole source."""

    uri: str
    code: str
    message: str


class SkippedItem(BaseModel):
    """What a sync left out for one reason.

    `reason` is no_parser, no_text, unreadable, hidden, tool or outside; `examples` names the first few.
    """

    reason: str
    message: str
    count: int
    examples: list[str]


class SyncSourcePayload(BaseModel):
    """The result of a sync for one source.

    `state` is pending, queued, syncing, ready, failed or cancelled. `documents_total` is the number of documents of the
    source, once known; `documents_done` and `documents_failed` count those read so far, and `errors` lists the errors
    so far. `skipped` says at the end what was left out, by reason. `progress` is the progress of the current stage.
    `embedded` counts texts sent to the model, `tokens` and `cost_usd` are their cost; `rows_written` counts content
    rows; `attempts` counts lost workers.
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
        counts = ("document", "added", "changed", "removed", "unchanged", "chunk", "embedded", "written", "failed",
                  "token", "attempt")  # fmt: skip
        names = ("documents", "added", "changed", "removed", "unchanged", "chunks", "embedded", "rows_written",
                 "documents_failed", "tokens", "attempts")  # fmt: skip
        progress = {"stage": part.stage, "done": part.done_count, "total": part.total_count}
        return cls(
            source=part.source,
            state=part.state,
            run_id=part.run_id,
            ms=part.duration_ms,
            documents_total=part.documents_total,
            documents_done=part.documents_done,
            cost_usd=part.cost_usd,
            progress=progress if part.state == "syncing" else None,
            errors=[ProblemItem.model_validate(problem, from_attributes=True) for problem in part.errors],
            skipped=[SkippedItem.model_validate(line, from_attributes=True) for line in part.skipped or ()],
            **{name: getattr(part, f"{count}_count") for name, count in zip(names, counts, strict=True)},
        )


class SyncPayload(BaseModel):
    """A sync: pending until every source has a worker, failed if one source failed, ready when all are.

    `total`, `done` and `failed` count its sources. `waiting` is a message if no worker takes it.
    """

    id: int
    knowledge_base: str
    state: str
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
        sources = [SyncSourcePayload.of(part) for part in sync.sources]
        state = _overall([source.state for source in sources])
        return cls(
            id=sync.id,
            knowledge_base=sync.knowledge_base,
            state=state,
            full=sync.is_full,
            waiting=_waiting(sync.requested_at) if state == "pending" else None,
            total=len(sources),
            done=sum(source.state in OVER for source in sources),
            failed=sum(source.state == "failed" for source in sources),
            requested_at=sync.requested_at,
            run_id=next((source.run_id for source in sources if source.run_id), None),
            sources=sources,
        )


OVER = ("ready", "failed", "cancelled")
_PATIENCE = 30.0  # seconds: if Dagster runs, a worker takes up to 15


def _waiting(requested_at: datetime) -> str | None:
    seconds = (datetime.now(UTC) - requested_at).total_seconds()
    if seconds < _PATIENCE:
        return None
    return f"No worker has taken it for {seconds:.0f} s. It starts when Dagster runs: `headwater up`."


def _overall(states: Sequence[str]) -> str:
    for state in ("syncing", "queued", "pending", "failed", "cancelled"):
        if state in states:
            return state
    return "ready"
