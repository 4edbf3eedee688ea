"""Workers in Postgres: which worker holds a source, and which may write.

Belongs here: a source's lock, its fencing token, a worker's reports and its end. Not here: requests (`syncs`), workers
that die (`worker_failures`), the work itself. Guarantee: one live worker per source; a worker that lost its lock cannot
write.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from headwater.domain.corpus import Source
from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skipped
from headwater.errors import (
    CancelledError,
    DatabaseUnavailableError,
    NotFoundError,
    SourceError,
    SyncAlreadyRunningError,
)
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text, to_json
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.syncs import Origin
from headwater.store.work.worker_failures import retry_or_fail

ERRORS_SHOWN = 1000  # of a source in one sync; there may be one per document
COUNTED_MEANWHILE = (
    "read", "failed", "added", "changed", "unchanged", "embedded", "to_embed", "summarized", "reused", "rows_written",
    "tokens", "cost_usd",
)  # fmt: skip
"""The counts of a sync that grow while it runs; the others are known at its end."""
_NOT_COLUMNS = ("errors", "error_code", "skipped", "to_embed")
_HELD_AGAIN = 1.0  # seconds between checks that a lock is still held


@dataclass(kw_only=True, slots=True)
class SyncCounts:
    """The results of a sync of one source.

    `total` is the number of documents of the source, once known; `read` and `failed` count them as they are processed.
    `embedded` counts texts sent to the model, `to_embed` these and those known to be left; `summarized` counts
    summaries that were made, `reused` those that existed, `summaries_left` at most how many a spent budget left, and
    `questions_left` how many documents it left without new questions; `tokens` and `cost_usd` are the cost of all
    models; `rows_written` counts content rows. `error_code` is the code of the error that made the source fail.
    """

    total: int | None = None
    read: int = 0
    failed: int = 0
    documents: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedded: int = 0
    to_embed: int = 0
    summarized: int = 0
    reused: int = 0
    summaries_left: int = 0
    questions_left: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    rows_written: int = 0
    ms: float = 0.0
    errors: list[DocumentProblem] = field(default_factory=list)
    """The first `ERRORS_SHOWN` errors, plus one; `failed` counts them all."""
    skipped: list[Skipped] | None = None  # by reason; None until the source has been listed
    error_code: str = SourceError.code

    def to_carry_over(self) -> "SyncCounts":
        """The counts to keep when the work starts again, after an outage or by another worker.

        What is finished is then found unchanged.
        """
        return SyncCounts(
            added=self.added,
            changed=self.changed,
            removed=self.removed,
            unchanged=-self.added - self.changed,
            embedded=self.embedded,
            summarized=self.summarized,
            tokens=self.tokens,
            cost_usd=self.cost_usd,
            rows_written=self.rows_written,
        )

    def count_changes(self, changes: Iterable[Literal["added", "changed", "unchanged"]]) -> None:
        """Count documents that were stored, each as what it is."""
        for change, count in Counter(changes).items():
            setattr(self, change, getattr(self, change) + count)


class WorkerStore:
    """The workers' side of the sync_sources, sources and source_stages tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def hold_batch(self, batch: str) -> Iterator[None]:
        """Show during a block that the process which named a batch is alive; otherwise its rows count as lost."""
        with self._hold_lock(f"batch:{batch}"):
            yield

    @contextmanager
    def running(self, run_id: str) -> Iterator[None]:
        """Show during a block that a Dagster run is alive: Dagster itself may not notice its end."""
        with self._hold_lock(f"run:{run_id}"):
            yield

    @contextmanager
    def _hold_lock(self, name: str) -> Iterator[None]:
        """Hold a lock for the length of a block; a thread takes it again if Postgres restarts."""
        ended, has_lock = threading.Event(), threading.Event()
        thread = threading.Thread(target=self._hold, args=(name, has_lock, ended), daemon=True)
        thread.start()
        has_lock.wait(10)
        try:
            yield
        finally:
            ended.set()
            thread.join(10)

    def _hold(self, name: str, held: threading.Event, ended: threading.Event) -> None:
        while not ended.is_set():
            try:
                with self._database.session_lock(name) as lock:
                    held.set()
                    while lock.is_held and not ended.wait(_HELD_AGAIN) and lock.is_alive():
                        pass
            except DatabaseUnavailableError:
                held.set()  # the work itself will notice
            ended.wait(_HELD_AGAIN / 2)

    @contextmanager
    def hold_refresh(self, knowledge_base_id: int) -> Iterator[None]:
        """Be the only process that refreshes a knowledge base during a block; waits for the previous one."""
        while True:
            with self._database.session_lock(f"refresh:{knowledge_base_id}") as lock:
                if lock.is_held:
                    yield
                    return
            time.sleep(_HELD_AGAIN / 5)

    def is_worked_at(self, knowledge_base_id: int) -> bool:
        """Whether a live process is syncing a source of a knowledge base."""
        return bool(self._database.one("is_worked_at", knowledge_base_id=knowledge_base_id)["is_worked_at"])

    def is_held(self, batch: str) -> bool:
        """Whether the process that named a batch is alive."""
        return bool(self._database.one("is_locked", name=f"batch:{batch}")["is_held"])

    def is_running(self, run_id: str) -> bool:
        """Whether a run has shown that it is alive."""
        return bool(self._database.one("is_locked", name=f"run:{run_id}")["is_held"])

    @contextmanager
    def hold_source(
        self, source: Source, batch: str | None, run_id: str, *,
        is_whole: bool = True, is_full: bool = False, patience: float = 0.0, origin: Origin = "dagster",
    ) -> Iterator[SyncLease]:  # fmt: skip
        """Be the only worker of a source for the length of a block.

        Args:
            source: the source.
            batch: the batch of its waiting rows, if it was requested by rows.
            run_id: the Dagster run.
            is_whole: whether every stage runs; otherwise the source's state stays.
            is_full: whether every document is read again, without trusting fingerprints.
            patience: seconds to wait for another worker's end.
            origin: who started the run, if no rows requested it.

        Raises:
            SyncAlreadyRunningError: another worker holds it.
            NotFoundError: the source was deleted meanwhile.
            CancelledError: the request of the batch was cancelled before it began.
        """
        deadline = time.monotonic() + patience
        while True:
            with self._database.session_lock(f"source:{source.id}") as lock:
                if lock.is_held:
                    lease = self._begin(source, batch, run_id, origin, is_whole=is_whole, is_full=is_full)
                    yield replace(lease, lock=lock)
                    return
            if time.monotonic() >= deadline:
                raise SyncAlreadyRunningError(f"Another run is syncing {source.key} now. Start this one after it.")
            time.sleep(_HELD_AGAIN / 5)

    def _begin(
        self, source: Source, batch: str | None, run_id: str, origin: Origin, *, is_whole: bool, is_full: bool
    ) -> SyncLease:
        values = {"source_id": source.id, "run_id": run_id, "is_whole": is_whole, "is_full": is_full}
        with self._database.transaction() as session:
            if session.row("lock_source_rows", source_ids=[source.id]) is None:
                raise NotFoundError(f"Source {source.key} was deleted.")
            rows = session.rows("open_sync_sources", source_ids=[source.id])
            lost = [row["id"] for row in rows if row["state"] == "syncing" and row["run_id"] != run_id]
            retry_or_fail(session, lost)
            if batch and session.row("cancelled_row", source_id=source.id, batch=batch):
                raise CancelledError(f"The sync of {source.key} was cancelled before it began. Nothing was changed.")
            batch = batch or run_id
            taken_rows = session.rows("begin_sync_source", batch=batch, **values)
            if not taken_rows:  # nobody requested or announced it, such as a run of somebody's own Dagster
                owner = source.knowledge_base_id
                sync = session.one("insert_sync", knowledge_base_id=owner, origin=origin, is_full=is_full)
                waiting = {"sync_id": sync["id"], "source_ids": [source.id], "batch": batch}
                session.run("insert_sync_sources", **waiting, state="pending")
                taken_rows = session.rows("begin_sync_source", batch=batch, **values)
            newest = max(taken_rows, key=lambda row: row["id"])
            if not session.run("take_source", source_id=source.id, token=newest["id"], is_whole=is_whole):
                raise NotFoundError(f"Source {source.key} is being deleted.")
        return SyncLease(
            token=newest["id"],
            sync_id=newest["sync_id"],
            batch=batch,
            source=source,
            is_whole=is_whole,
            is_full=is_full,
            lost_workers=max(row["attempt_count"] for row in taken_rows),
        )

    def load_lost_counts(self, work: SyncLease) -> SyncCounts:
        """What workers had reported of this part of a sync before they were lost."""
        row = self._database.row("counts_of_lost_workers", source_id=work.source.id, batch=work.batch)
        return SyncCounts(**row) if row else SyncCounts()

    def progress(
        self, work: SyncLease, stage: str, done: int, total: int, counts: SyncCounts, *, current_uri: str = "",
        with_errors: bool,
    ) -> None:  # fmt: skip
        """Report the progress of a running sync; the errors so far only if asked, since there may be many."""
        errors = to_json([clean(problem) for problem in counts.errors[:ERRORS_SHOWN]]) if with_errors else None
        values = {"stage": stage, "done": done, "total": total, "current_uri": clean_text(current_uri)}
        values |= {name: getattr(counts, name) for name in COUNTED_MEANWHILE}
        values |= {"source_id": work.source.id, "batch": work.batch, "total_documents": counts.total}
        self._database.run("report_progress", errors=errors, **values)

    def is_cancelled(self, work: SyncLease) -> bool:
        """Whether all requests for this work have been cancelled."""
        row = self._database.one("is_cancelled", source_id=work.source.id, batch=work.batch)
        return bool(row["is_cancelled"])

    def finish(self, work: SyncLease, counts: SyncCounts, error: str | None) -> None:
        """Close a source's part of a sync."""
        values = {name: value for name, value in asdict(counts).items() if name not in _NOT_COLUMNS}
        values["skipped"] = None if counts.skipped is None else to_json([asdict(line) for line in counts.skipped])
        errors = [clean(problem) for problem in counts.errors[:ERRORS_SHOWN]]
        if len(counts.errors) > ERRORS_SHOWN:
            unlisted_count = max(1, counts.failed - ERRORS_SHOWN)
            message = (
                f"{unlisted_count} more documents have errors. Fix the listed {ERRORS_SHOWN:,}, then sync again to see"
                " the rest."
            )
            errors.append({"uri": "", "code": "MORE_ERRORS", "message": message})
        if error is not None:
            errors.insert(0, {"uri": "", "code": counts.error_code, "message": clean_text(error)})
        closing = {"source_id": work.source.id, "state": "ready" if error is None else "failed"}
        with self._database.transaction() as session:
            session.run("finish_sync_source", **closing, batch=work.batch, errors=to_json(errors), **values)
            if work.is_whole or error is not None:
                session.run(
                    "finish_source",
                    **closing,
                    token=work.token,
                    error=error and clean_text(error),
                    is_full=work.is_full,
                )

    def stop(self, work: SyncLease) -> None:
        """Close a source's part of a cancelled sync; published documents stay."""
        with self._database.transaction() as session:
            rows = session.rows("open_sync_sources", source_ids=[work.source.id])
            session.rows("cancel_rows", ids=[row["id"] for row in rows if row["batch"] == work.batch])
            session.run("leave_source", source_ids=[work.source.id])

    def postpone(self, source: Source, batch: str, message: str) -> bool:
        """Handle a source of a batch that another worker holds: a request of the API waits, a command gets an error.

        A source whose worker was lost also waits, even if a command asked for it: that command goes on by itself, or is
        gone.

        Returns:
            Whether it waits for a later run.
        """
        with self._database.transaction() as session:
            waits = session.run("postpone_sync_sources", source_id=source.id, batch=batch)
            rows = session.rows("open_sync_sources", source_ids=[source.id])
            mine = [row["id"] for row in rows if row["batch"] == batch]
            code = SyncAlreadyRunningError.code
            session.rows("abandon_sync_sources", ids=mine, code=code, message=message)
        return bool(waits)

    def load_reported_stages(self, source: Source) -> dict[str, str]:
        """The data versions that Dagster last received for a source under its current key, by stage."""
        rows = self._database.rows("get_source_stages", source_id=source.id)
        return {row["stage"]: row["data_version"] for row in rows if row["partition_key"] == source.key}

    def report_stage(self, source: Source, stage: str, data_version: str, run_id: str) -> None:
        """Store the data version that Dagster receives for a source."""
        self._database.run(
            "put_source_stage",
            source_id=source.id,
            stage=stage,
            data_version=data_version,
            partition_key=source.key,
            run_id=run_id,
        )


def clean(problem: DocumentProblem) -> dict[str, str]:
    """A problem as JSON."""
    return {name: clean_text(value) for name, value in asdict(problem).items()}
