"""Syncs in Postgres: who asked, who works, who may write.

Belongs here: requests, batches, the lock and the fencing token of a source. Not here: the work. Guarantee: one live
worker per source; a worker that lost its lock cannot write; a row whose worker died is closed by whoever asks next.
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from headwater.errors import FencedError, NotFoundError, SyncAlreadyRunningError
from headwater.models import DocumentProblem, Source
from headwater.store.database import Database, Row, Session
from headwater.store.json_values import clean_text, to_json

Origin = Literal["api", "command_line", "dagster"]
_LOST = "The worker of this sync is gone. Nothing was lost; sync again to finish."


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncSource:
    """One source's part of a sync that runs now; `token` is the fencing token every write must show."""

    token: int
    sync_id: int
    source: Source


@dataclass(kw_only=True, slots=True)
class SyncCounts:
    """What a sync of one source came to. `embedded` counts texts sent to the model, `rows_written` content rows."""

    documents: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedded: int = 0
    rows_written: int = 0
    ms: float = 0.0
    errors: list[DocumentProblem] = field(default_factory=list)


class SyncStore:
    """The syncs, sync_sources and source_stages tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def request(self, knowledge_base_id: int, sources: Sequence[Source], origin: Origin) -> tuple[int, str | None]:
        """Ask for a sync of some sources.

        A request that still waits for a worker is joined rather than doubled, unless the asker is the worker.

        Returns:
            The sync's id, and the batch to run when the asker runs it himself (None from the API: a sensor names it).

        Raises:
            SyncAlreadyRunningError: a live worker is syncing one of them.
        """
        ids = [source.id for source in sources]
        with self._database.transaction() as session:
            session.run("lock_source_rows", source_ids=ids)
            waiting = self._waiting(session, ids)
            if origin == "api" and waiting and {row["source_id"] for row in waiting} >= set(ids):
                return int(waiting[-1]["sync_id"]), None
            batch = None if origin == "api" else uuid.uuid4().hex
            sync_id = session.one("insert_sync", knowledge_base_id=knowledge_base_id, origin=origin)["id"]
            session.run("insert_sync_sources", sync_id=sync_id, source_ids=ids, batch=batch)
        return int(sync_id), batch

    def _waiting(self, session: Session, source_ids: list[int]) -> list[Row]:
        """Close what dead workers left open, refuse while a live one works, and return what still waits."""
        rows = session.rows("open_sync_sources", source_ids=source_ids)
        running = [row for row in rows if row["state"] == "syncing"]
        if busy := [row for row in running if row["is_locked"]]:
            raise SyncAlreadyRunningError(
                f"Source {busy[0]['source']} is being synced by sync {busy[0]['sync_id']}. Wait for it, then ask again."
            )
        if lost := [row["id"] for row in rows if row["state"] == "syncing" or row["is_forgotten"]]:
            self._abandon(session, lost)
        return [row for row in rows if row["state"] == "pending"]

    @staticmethod
    def _abandon(session: Session, ids: list[int]) -> None:
        closed = session.rows("abandon_sync_sources", ids=ids, message=_LOST)
        session.run("mark_sources_failed", source_ids=[row["source_id"] for row in closed], message=_LOST)

    def get(self, sync_id: int) -> Row:
        """Return a sync with its sources' rows under `sources`.

        Raises:
            NotFoundError: there is none with that id.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_sync", id=sync_id)
            if row is None:
                raise NotFoundError(f"There is no sync {sync_id}.")
            return {**row, "sources": session.rows("list_sync_sources", sync_id=sync_id)}

    def name_batches(self, limit: int) -> list[tuple[str, list[str]]]:
        """Give waiting requests the names of runs to be; returns every batch that no run has begun, with its keys."""
        with self._database.transaction() as session:
            while session.run("name_batches", batch=uuid.uuid4().hex, limit=limit):
                pass
            return [(row["batch"], sorted(row["keys"])) for row in session.rows("pending_batches")]

    def is_busy(self, knowledge_base_id: int) -> bool:
        """Whether a knowledge base still has work waiting or running."""
        with self._database.transaction() as session:
            return bool(session.one("is_busy", knowledge_base_id=knowledge_base_id)["is_busy"])

    def waiting_count(self) -> int:
        """How many requests no worker has taken yet."""
        with self._database.transaction() as session:
            return int(session.one("waiting_count")["waiting_count"])

    @contextmanager
    def working(self, source: Source, batch: str | None, run_id: str) -> Iterator[SyncSource]:
        """Be the one worker of a source for the length of a block.

        Raises:
            SyncAlreadyRunningError: another worker is at it.
            NotFoundError: the source was deleted meanwhile.
        """
        with self._database.session_lock(f"source:{source.id}") as is_held:
            if not is_held:
                raise SyncAlreadyRunningError(f"Another run is syncing {source.key} at this moment.")
            yield self._begin(source, batch, run_id)

    def _begin(self, source: Source, batch: str | None, run_id: str) -> SyncSource:
        with self._database.transaction() as session:
            if session.row("lock_source_rows", source_ids=[source.id]) is None:
                raise NotFoundError(f"Source {source.key} was deleted.")
            rows = session.rows("open_sync_sources", source_ids=[source.id])
            self._abandon(session, [row["id"] for row in rows if row["state"] == "syncing"])
            row = batch and session.row("begin_sync_source", source_id=source.id, batch=batch, run_id=run_id)
            if not row:  # started over partitions, from the Dagster UI or a schedule: nobody asked by a row
                batch = run_id
                sync_id = session.one("insert_sync", knowledge_base_id=source.knowledge_base_id, origin="dagster")["id"]
                session.run("insert_sync_sources", sync_id=sync_id, source_ids=[source.id], batch=batch)
                row = session.one("begin_sync_source", source_id=source.id, batch=batch, run_id=run_id)
            session.run("take_source", source_id=source.id, token=row["id"])
        return SyncSource(token=row["id"], sync_id=row["sync_id"], source=source)

    def progress(self, work: SyncSource, stage: str, done: int, total: int) -> None:
        """Say where a running sync stands."""
        with self._database.transaction() as session:
            session.run("report_progress", id=work.token, stage=stage, done=done, total=total)

    def finish(self, work: SyncSource, counts: SyncCounts, error: str | None) -> None:
        """Close a source's part of a sync."""
        values = {name: value for name, value in _plain(counts).items() if name != "errors"}
        errors = [clean(problem) for problem in counts.errors]
        if error is not None:
            errors.insert(0, {"uri": "", "code": "SOURCE_FAILED", "message": clean_text(error)})
        with self._database.transaction() as session:
            state = "ready" if error is None else "failed"
            session.run("finish_sync_source", id=work.token, state=state, errors=to_json(errors), **values)
            session.run(
                "finish_source",
                source_id=work.source.id,
                token=work.token,
                state="ready" if error is None else "failed",
                error=error and clean_text(error),
            )

    def refuse(self, source: Source, batch: str, message: str) -> None:
        """Close a source's part of a batch that could not even begin."""
        with self._database.transaction() as session:
            rows = session.rows("open_sync_sources", source_ids=[source.id])
            mine = [row["id"] for row in rows if row["batch"] == batch]
            session.rows("abandon_sync_sources", ids=mine, message=message)

    def close_run(self, run_id: str, batch: str | None, message: str) -> None:
        """Close what a run that ended without a word left open."""
        with self._database.transaction() as session:
            closed = session.rows("close_run", run_id=run_id, batch=batch, message=clean_text(message))
            ids = [row["source_id"] for row in closed]
            session.run("mark_sources_failed", source_ids=ids, message=clean_text(message))

    def reported_stages(self, source: Source) -> dict[str, str]:
        """What Dagster was last told about a source under its present key: data version by stage."""
        with self._database.transaction() as session:
            rows = session.rows("get_source_stages", source_id=source.id)
        return {row["stage"]: row["data_version"] for row in rows if row["partition_key"] == source.key}

    def report_stage(self, source: Source, stage: str, data_version: str, run_id: str) -> None:
        """Remember what Dagster is told about a source."""
        with self._database.transaction() as session:
            session.run(
                "put_source_stage",
                source_id=source.id,
                stage=stage,
                data_version=data_version,
                partition_key=source.key,
                run_id=run_id,
            )


def require_token(session: Session, work: SyncSource) -> None:
    """Refuse to write for a sync that was overtaken; what passes holds until the transaction ends.

    Raises:
        FencedError: a newer sync has taken the source over, or it was deleted.
    """
    if session.row("check_fencing_token", source_id=work.source.id, token=work.token) is None:
        raise FencedError(
            f"Sync {work.sync_id} of {work.source.key} was overtaken or its source deleted; it wrote no more."
        )


def clean(problem: DocumentProblem) -> dict[str, str]:
    """A problem as JSON."""
    return {name: clean_text(value) for name, value in asdict(problem).items()}


def _plain(counts: SyncCounts) -> dict[str, Any]:
    return asdict(counts)
