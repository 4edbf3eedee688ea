"""Syncs in Postgres: requests and their results.

Belongs here: requests, batches and cancelling. Not here: the worker's side (`workers`), rows whose worker is gone
(`worker_failures`), the work. Guarantee: a request is stored before anything happens, so no crash loses it; a waiting
request never prevents a new one.
"""

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headwater.domain.corpus import Source
from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import read_skipped
from headwater.domain.syncs import Sync, SyncPart
from headwater.errors import NotFoundError, SyncAlreadyRunningError
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row
from headwater.store.server.typed_rows import from_row
from headwater.store.work.worker_failures import MAX_LOST_WORKERS, retry_before_request

_WORTH_A_RUN = 20  # sources; a run costs some seconds to start

Origin = Literal["api", "command_line", "dagster", "schedule"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """A future run: its name, the keys of its sources, and who requested it."""

    name: str
    keys: tuple[str, ...]
    is_full: bool
    origins: tuple[str, ...] = ()


class SyncStore:
    """The syncs and sync_sources tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def request(
        self,
        knowledge_base_id: int,
        sources: Sequence[Source],
        origin: Origin,
        batch: str | None = None,
        *,
        is_full: bool = False,
    ) -> int:
        """Request a sync of some sources; returns its id.

        Args:
            knowledge_base_id: their knowledge base.
            sources: the sources.
            origin: who requests it. A request of the API joins a waiting request for the same sources, but not a run
                that somebody started in Dagster, and may cancel there.
            batch: the run's name, if the caller runs it himself and holds its lock; otherwise a sensor names it.
            is_full: read every document again, without trusting fingerprints.

        Raises:
            SyncAlreadyRunningError: a live worker is syncing one of them.
        """
        ids = [source.id for source in sources]
        with self._database.transaction() as session:
            session.rows("lock_source_rows", source_ids=ids)
            rows = session.rows("open_sync_sources", source_ids=ids)
            if retry_before_request(session, rows, batch, is_full=is_full):
                rows = session.rows("open_sync_sources", source_ids=ids)
            if busy := [row for row in rows if row["state"] == "syncing" and not row["is_lost"]]:
                raise SyncAlreadyRunningError(
                    f"Source {busy[0]['source']} is being synced by sync {busy[0]['sync_id']}."
                    " Wait until it has ended, then sync again."
                )
            waiting: dict[int, set[int]] = {}
            for row in rows:
                if row["state"] == "pending" and row["is_full"] >= is_full and not is_run_id(row["batch"]):
                    waiting.setdefault(row["sync_id"], set()).add(row["source_id"])
            for sync_id, covered in waiting.items():
                if batch is None and covered >= set(ids):
                    return sync_id
            sync_id = session.one("insert_sync", knowledge_base_id=knowledge_base_id, origin=origin, is_full=is_full)[
                "id"
            ]
            state = "pending" if batch is None else "queued"
            session.run("insert_sync_sources", sync_id=sync_id, source_ids=ids, batch=batch, state=state)
        return int(sync_id)

    def announce(self, run_id: str, keys: Sequence[str], origin: Origin, *, is_full: bool) -> None:
        """Note that a run in Dagster's queue will sync some sources: a sync of each knowledge base, which waits for it.

        A source that the run has begun meanwhile, or that is gone, is left out.

        Args:
            run_id: the run, whose id is the name of the batch.
            keys: the sources, each as `<knowledge base>/<source>`.
            origin: who started the run.
            is_full: whether it reads every document again.
        """
        with self._database.transaction() as session:
            rows = session.rows("sources_by_keys", keys=list(keys))
            session.rows("lock_source_rows", source_ids=[row["id"] for row in rows])
            started_ids = {row["source_id"] for row in session.rows("sources_of_batch", batch=run_id)}
            waiting: dict[int, list[int]] = {}
            for row in rows:
                if row["id"] not in started_ids:
                    waiting.setdefault(row["knowledge_base_id"], []).append(row["id"])
            for owner, ids in waiting.items():
                sync = session.one("insert_sync", knowledge_base_id=owner, origin=origin, is_full=is_full)
                session.run("insert_sync_sources", sync_id=sync["id"], source_ids=ids, batch=run_id, state="pending")

    def get(self, sync_id: int) -> Sync:
        """Return a sync with the state of each of its sources.

        Raises:
            NotFoundError: there is no sync with that id.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_sync", id=sync_id)
            if row is None:
                raise unknown_sync_error(sync_id)
            source_rows = session.rows("list_sync_sources", sync_id=sync_id, attempts=MAX_LOST_WORKERS)
        return from_row(Sync, row, sources=tuple(map(_part, source_rows)))

    def cancel(self, sync_id: int) -> None:
        """Cancel the rest of a sync: waiting parts at once, running ones as soon as their worker notices.

        Raises:
            NotFoundError: there is no sync with that id.
        """
        with self._database.transaction() as session:
            if session.row("get_sync", id=sync_id) is None:
                raise unknown_sync_error(sync_id)
            session.rows("cancel_sync_sources", sync_id=sync_id)

    def name_batches(self, limit: int, runs: int) -> list[Batch]:
        """Divide waiting requests into named batches, each for one run.

        Args:
            limit: the most sources of one run.
            runs: how many runs execute at once: up to that many knowledge bases get runs of their own.

        Returns:
            Every batch that no run has started.
        """
        with self._database.transaction() as session:
            waiting = session.rows("unbatched_sources")
            for is_full in (True, False):
                pairs = [(row["source_id"], row["knowledge_base_id"]) for row in waiting if row["is_full"] == is_full]
                for source_ids in share_out(pairs, limit, runs):
                    session.run("name_batch", batch=uuid.uuid4().hex, source_ids=source_ids, is_full=is_full)
            return [
                Batch(
                    name=row["batch"],
                    keys=tuple(sorted(row["keys"])),
                    is_full=row["is_full"],
                    origins=tuple(row["origins"]),
                )
                for row in session.rows("pending_batches")
            ]

    def is_busy(self, knowledge_base_id: int) -> bool:
        """Whether a knowledge base has waiting or running work."""
        return bool(self._database.one("is_busy", knowledge_base_id=knowledge_base_id)["is_busy"])

    def look(self) -> tuple[bool, str]:
        """Whether any row is open or was just cancelled, and a fingerprint of the sources and knowledge bases."""
        row = self._database.one("sensor_look")
        return row["has_open"], row["names"]

    def count_waiting(self) -> int:
        """How many requests no worker has taken yet."""
        return int(self._database.one("waiting_count")["waiting_count"])

    def without_text(self, source: Source) -> tuple[int, list[str]]:
        """Count the documents of a source that have no text; also returns some of their URIs."""
        row = self._database.one("without_text", source_id=source.id)
        return row["document_count"], row["examples"] or []


def is_run_id(batch: str | None) -> bool:
    """Whether a batch is that of a run which was started in Dagster: only ids of runs have dashes."""
    return "-" in (batch or "")


def unknown_sync_error(sync_id: int) -> NotFoundError:
    """The error for an unknown sync."""
    return NotFoundError(f"There is no sync {sync_id}. `headwater syncs KB` lists those of a knowledge base.")


def _part(row: Row) -> SyncPart:
    return from_row(
        SyncPart,
        row,
        errors=tuple(DocumentProblem(**problem) for problem in row["errors"]),
        skipped=None if row["skipped"] is None else read_skipped(row["skipped"]),
    )


def share_out(waiting: Sequence[tuple[int, int]], limit: int, runs: int) -> list[list[int]]:
    """Divide sources among runs.

    Args:
        waiting: (source id, knowledge base id), in the order of the requests.
        limit: the most sources of one run, so that a source that hangs delays few others.
        runs: how many runs execute at once.

    Returns:
        Source ids by run. Up to `runs` knowledge bases get runs of their own, so that they are synced in parallel;
        more share runs, because starting a run takes some seconds. One knowledge base may use half of the run slots, so
        that later requests can start too.
    """
    by_owner: dict[int, list[int]] = {}
    for source, owner in dict(waiting).items():
        by_owner.setdefault(owner, []).append(source)
    groups = list(by_owner.values()) if len(by_owner) <= runs else [[s for group in by_owner.values() for s in group]]
    shared = []
    for group in groups:
        size = min(limit, max(_WORTH_A_RUN, math.ceil(len(group) / max(1, runs // 2))))
        shared += [group[start : start + size] for start in range(0, len(group), size)]
    return shared
