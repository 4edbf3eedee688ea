"""What happens to a sync when its worker dies, or is stopped.

Belongs here: which rows have lost their worker, when another one takes them, when they fail, and what is said. Not
here: a live worker, its locks and its reports (`workers`), which runs of Dagster are dead (`pipelines.run_failures`).
Guarantee: no row waits for a dead worker for ever; a row that costs one worker after another fails.

A worker shows that it is alive by locks of Postgres, which vanish with its process: of its run, of the batch of a
command, and of the source.

    a worker dies at a source       its row waits for another worker; after `MAX_LOST_WORKERS` it fails with WORKER_LOST
    a command dies before its run   the same, for a run of Dagster; a full sync fails if a request for less is first
    a run ends before its rows      the same, if nobody waits for it; if a command does, they fail with RUN_FAILED
    a run, or a command, is         its rows are cancelled, and their sources are what they were
    cancelled
"""

from collections.abc import Collection, Sequence

from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.server.query_session import Row, Session

MAX_LOST_WORKERS = 3  # over one row, before it fails
_LOST = (
    "The process that synced this source died {} times, so Headwater gave up. The usual cause is too little memory. "
    "See the log of its run in Dagster, and `logs` in HEADWATER_HOME. Fix the cause, then sync again."
)
_NOT_COVERED = (
    "The command of this full sync died, and the sync after it was not a full one. Run `headwater sync` with --full"
    " again."
)
_LOST_CODE = "WORKER_LOST"
_ENDED_CODE = "RUN_FAILED"


class WorkerFailureStore:
    """The rows of sync_sources and sources whose worker is gone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_lost_runs(self) -> list[str]:
        """Runs that started work which no process holds any more; only Dagster knows whether they have ended."""
        return [row["run_id"] for row in self._database.rows("lost_runs")]

    def list_lost_batches(self) -> set[str]:
        """Batches of commands that no process holds and no run has started; one may be held again after an outage."""
        return {row["batch"] for row in self._database.rows("lost_batches")}

    def close_batches(self, names: Collection[str]) -> None:
        """Let the rows of batches wait for a run, if their commands are still dead."""
        with self._database.transaction() as session:
            retry_or_fail(session, [row["id"] for row in session.rows("lost_batches") if row["batch"] in names])

    def list_unwanted(self, batches: Collection[str]) -> set[str]:
        """Of some batches, those of which every request was cancelled."""
        with self._database.transaction() as session:
            return {row["batch"] for row in session.rows("unwanted_batches", batches=list(batches))}

    def are_requests_cancelled(self, batch: str) -> bool:
        """Whether every request that a batch served was cancelled, though some of its sources may be done."""
        return bool(self._database.one("are_requests_cancelled", batch=batch)["are_cancelled"])

    def list_cancelled_runs(self) -> list[str]:
        """Runs that were started in Dagster, in which a source was cancelled a short time ago."""
        return [row["run_id"] for row in self._database.rows("cancelled_runs")]

    def close_run(self, run_id: str, batch: str | None) -> None:
        """Let the unfinished work of a run that died wait for another run."""
        with self._database.transaction() as session:
            retry_or_fail(session, _open_rows(session, run_id, batch))

    def cancel_run(self, run_id: str, batch: str | None) -> None:
        """Close the unfinished work of a cancelled run."""
        with self._database.transaction() as session:
            cancelled = session.rows("cancel_rows", ids=_open_rows(session, run_id, batch))
            session.run("leave_source", source_ids=[row["source_id"] for row in cancelled])

    def cancel_waiting(self, batch: str) -> None:
        """Cancel what still waits for the run of a batch."""
        self._database.run("cancel_waiting_rows", batch=batch)

    def fail_rows(self, run_id: str, batch: str | None, message: str) -> None:
        """Fail the unfinished work of a run for good, because a command waits for it."""
        with self._database.transaction() as session:
            _fail(session, _open_rows(session, run_id, batch), _ENDED_CODE, clean_text(message))


def retry_or_fail(session: Session, ids: Sequence[int]) -> None:
    """Let rows whose worker was lost wait for another; fail those that have lost too many."""
    if not ids:
        return
    retried = session.rows("retry_sync_sources", ids=list(ids), attempts=MAX_LOST_WORKERS)
    session.run("mark_sources_pending", source_ids=[row["source_id"] for row in retried])
    hopeless = sorted(set(ids) - {row["id"] for row in retried})
    _fail(session, hopeless, _LOST_CODE, _LOST.format(MAX_LOST_WORKERS + 1))


def retry_before_request(session: Session, rows: Sequence[Row], batch: str | None, *, is_full: bool) -> bool:
    """Retry or close the lost rows of sources that somebody requests again.

    Args:
        session: of the request.
        rows: the unfinished rows of the sources.
        batch: of the request, if a command makes it.
        is_full: whether the request is for a full sync.

    Returns:
        Whether any was lost.
    """
    lost = [row["id"] for row in rows if row["is_lost"]]
    uncovered = [row["id"] for row in rows if _is_uncovered(row, batch, is_full=is_full)]
    if lost:
        session.rows("abandon_sync_sources", ids=uncovered, code=_LOST_CODE, message=_NOT_COVERED)
        retry_or_fail(session, [row_id for row_id in lost if row_id not in uncovered])
    return bool(lost)


def _open_rows(session: Session, run_id: str, batch: str | None) -> list[int]:
    return [row["id"] for row in session.rows("open_rows_of_run", run_id=run_id, batch=batch)]


def _fail(session: Session, ids: Sequence[int], code: str, message: str) -> None:
    if not ids:
        return
    closed = session.rows("abandon_sync_sources", ids=list(ids), code=code, message=message)
    session.run("mark_sources_failed", source_ids=[row["source_id"] for row in closed], message=message)


def _is_uncovered(row: Row, batch: str | None, *, is_full: bool) -> bool:
    """Whether a lost row is of a command that asked for more than the one which follows: nobody else would do it."""
    is_of_command = row["is_lost"] and row["origin"] == "command_line"
    return bool(is_of_command and batch is not None and row["is_full"] > is_full)
