"""Syncs in Postgres: who asked, who works, who may write.

Belongs here: requests, batches, the lock and the fencing token of a source. Not here: the work. Guarantee: one live
worker per source; a worker that lost its lock cannot write; a row whose worker died is closed by whoever asks next.
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Literal

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
    batch: str
    source: Source
    is_whole: bool


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
    tokens: int = 0
    cost_usd: float = 0.0
    ms: float = 0.0
    errors: list[DocumentProblem] = field(default_factory=list)


class SyncStore:
    """The syncs, sync_sources and source_stages tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def holding(self, batch: str) -> Iterator[None]:
        """Show that whoever named a batch lives, for the length of a block: its rows are lost when he is not."""
        with self._database.session_lock(f"batch:{batch}"):
            yield

    def is_held(self, batch: str) -> bool:
        """Whether whoever named a batch lives."""
        with self._database.transaction() as session:
            return bool(session.one("is_locked", name=f"batch:{batch}")["is_held"])

    def request(
        self, knowledge_base_id: int, sources: Sequence[Source], origin: Origin, batch: str | None = None
    ) -> int:
        """Ask for a sync of some sources; returns its id.

        Args:
            knowledge_base_id: whose they are.
            sources: which.
            origin: who asks. What the API asks for is joined to a request for the same that still waits.
            batch: the run's name when the asker runs it himself, holding it; otherwise a sensor names it.

        Raises:
            SyncAlreadyRunningError: a live worker is syncing one of them.
        """
        ids = [source.id for source in sources]
        with self._database.transaction() as session:
            session.rows("lock_source_rows", source_ids=ids)
            rows = session.rows("open_sync_sources", source_ids=ids)
            self._abandon(session, [row["id"] for row in rows if row["is_lost"]])
            if busy := [row for row in rows if row["state"] == "syncing" and not row["is_lost"]]:
                raise SyncAlreadyRunningError(
                    f"Source {busy[0]['source']} is being synced by sync {busy[0]['sync_id']}. Wait, then ask again."
                )
            waiting: dict[int, set[int]] = {}
            for row in rows:
                if row["state"] == "pending":
                    waiting.setdefault(row["sync_id"], set()).add(row["source_id"])
            for sync_id, covered in waiting.items():
                if batch is None and covered >= set(ids):
                    return sync_id
            sync_id = session.one("insert_sync", knowledge_base_id=knowledge_base_id, origin=origin)["id"]
            session.run("insert_sync_sources", sync_id=sync_id, source_ids=ids, batch=batch)
        return int(sync_id)

    @staticmethod
    def _abandon(session: Session, ids: list[int]) -> None:
        closed = session.rows("abandon_sync_sources", ids=ids, code="WORKER_LOST", message=_LOST)
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
    def working(self, source: Source, batch: str | None, run_id: str, *, is_whole: bool = True) -> Iterator[SyncSource]:
        """Be the one worker of a source for the length of a block.

        Args:
            source: which.
            batch: the batch its rows wait under, if someone asked by rows.
            run_id: Dagster's run.
            is_whole: whether every stage runs; a part of the chain leaves the source's state as it is.

        Raises:
            SyncAlreadyRunningError: another worker is at it.
            NotFoundError: the source was deleted meanwhile.
        """
        with self._database.session_lock(f"source:{source.id}") as is_held:
            if not is_held:
                raise SyncAlreadyRunningError(f"Another run is syncing {source.key} at this moment.")
            yield self._begin(source, batch, run_id, is_whole=is_whole)

    def _begin(self, source: Source, batch: str | None, run_id: str, *, is_whole: bool) -> SyncSource:
        with self._database.transaction() as session:
            if session.row("lock_source_rows", source_ids=[source.id]) is None:
                raise NotFoundError(f"Source {source.key} was deleted.")
            rows = session.rows("open_sync_sources", source_ids=[source.id])
            self._abandon(session, [row["id"] for row in rows if row["state"] == "syncing"])
            taken = batch and session.rows("begin_sync_source", source_id=source.id, batch=batch, run_id=run_id)
            if not taken:  # started over partitions, from the Dagster UI or a schedule: nobody asked by a row
                batch = run_id
                sync_id = session.one("insert_sync", knowledge_base_id=source.knowledge_base_id, origin="dagster")["id"]
                session.run("insert_sync_sources", sync_id=sync_id, source_ids=[source.id], batch=batch)
                taken = session.rows("begin_sync_source", source_id=source.id, batch=batch, run_id=run_id)
            newest = max(taken, key=lambda row: row["id"])
            session.run("take_source", source_id=source.id, token=newest["id"], is_whole=is_whole)
        return SyncSource(
            token=newest["id"], sync_id=newest["sync_id"], batch=str(batch), source=source, is_whole=is_whole
        )

    def progress(self, work: SyncSource, stage: str, done: int, total: int) -> None:
        """Say where a running sync stands."""
        with self._database.transaction() as session:
            session.run("report_progress", id=work.token, stage=stage, done=done, total=total)

    def finish(self, work: SyncSource, counts: SyncCounts, error: str | None) -> None:
        """Close a source's part of a sync."""
        values = {name: value for name, value in asdict(counts).items() if name != "errors"}
        errors = [clean(problem) for problem in counts.errors]
        if error is not None:
            errors.insert(0, {"uri": "", "code": "SOURCE_FAILED", "message": clean_text(error)})
        closing = {"source_id": work.source.id, "state": "ready" if error is None else "failed"}
        with self._database.transaction() as session:
            session.run("finish_sync_source", **closing, batch=work.batch, errors=to_json(errors), **values)
            if work.is_whole or error is not None:
                session.run("finish_source", **closing, token=work.token, error=error and clean_text(error))

    def postpone(self, source: Source, batch: str, message: str) -> bool:
        """Put off a source's part of a batch at which another works: the API's waits, a command's is told.

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
