"""Removing rows from Postgres that are older than their retention period.

Belongs here: deleting old versions, rows that only they used, and old syncs, in batches. Not here: retention periods
(`headwater.administration.housekeeping`). Guarantee: newest versions, versions that an index serves, and data of a
running sync are left alone; no lock is held for longer than a batch takes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

import psycopg

from headwater.errors import ConflictError
from headwater.store.content.chunk_summaries import delete_with_chunks
from headwater.store.content.summaries import delete_above
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session

_FOUND = 50_000  # rows looked for at once
_BATCH = 500  # documents or versions per transaction
_SYNCS = 1_000  # syncs per transaction
_EMBEDDINGS = 5_000  # vectors per transaction


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruned:
    """How many rows were removed."""

    documents: int = 0
    document_versions: int = 0
    chunks: int = 0

    def __add__(self, other: "Pruned") -> "Pruned":
        return Pruned(
            documents=self.documents + other.documents,
            document_versions=self.document_versions + other.document_versions,
            chunks=self.chunks + other.chunks,
        )


class HousekeepingStore:
    """Deleting by age, across the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Prevent other housekeeping for the length of a block.

        Raises:
            ConflictError: another process is doing housekeeping.
        """
        with self._database.session_lock("housekeeping") as lock:
            if not lock.is_held:
                raise ConflictError("Housekeeping is already running. Wait until it ends.")
            yield

    def prune_versions(self, before: datetime) -> Pruned:
        """Delete versions that readers have not seen since a time, and documents that disappeared before it.

        Sources that are being synced are skipped until the next time.
        """
        total = Pruned()
        for query, prune in (("expired_documents", self._prune_documents), ("expired_versions", self._prune_versions)):
            busy: set[int] = set()
            while rows := self._find(query, before, busy):
                for source_id, group in groupby(rows, key=lambda row: int(row["source_id"])):
                    of_source = list(group)
                    for start in range(0, len(of_source), _BATCH):
                        pruned = prune(source_id, of_source[start : start + _BATCH])
                        if pruned is None:
                            busy.add(source_id)
                            break
                        total += pruned
                if len(rows) < _FOUND:
                    break
        return total

    def _find(self, query: str, before: datetime, busy: set[int]) -> list[Row]:
        return self._database.rows(query, before=before, busy=sorted(busy), limit=_FOUND)

    def _prune_versions(self, source_id: int, rows: Sequence[Row]) -> Pruned | None:
        with self._database.transaction() as session:
            if not _is_idle(session, source_id):
                return None
            versions = session.run("delete_versions", source_id=source_id, ids=[row["id"] for row in rows])
            document_ids = list({row["document_id"] for row in rows})
            delete_with_chunks(session, document_ids, unheld_only=True)
            chunks = session.run("delete_unheld_chunks", document_ids=document_ids)
        return Pruned(document_versions=versions, chunks=chunks)

    def _prune_documents(self, source_id: int, rows: Sequence[Row]) -> Pruned | None:
        with self._database.transaction() as session:
            if not _is_idle(session, source_id):
                return None
            removed_rows = session.rows("still_removed", source_id=source_id, ids=[row["id"] for row in rows])
            ids: list[UUID] = [row["id"] for row in removed_rows]
            delete_with_chunks(session, ids)
            chunks = session.run("delete_chunks_of_documents", ids=ids)
            versions = session.run("delete_versions_of_documents", ids=ids)
            # None, unless the source's tree could not be made again since they were removed.
            delete_above(session, document_ids=ids)
            documents = session.run("delete_documents", document_ids=ids)
        return Pruned(documents=documents, document_versions=versions, chunks=chunks)

    def prune_embeddings(self) -> int:
        """Delete the vectors of texts that no version uses; returns how many were removed.

        Syncs that write chunks wait for at most two seconds and a batch; if one of them takes longer, the rest waits
        for the next housekeeping.
        """
        removed = 0
        while True:
            rows = self._database.rows("unheld_embeddings", limit=_EMBEDDINGS)
            if not rows:
                return removed
            try:
                with self._database.transaction() as session:
                    session.run("limit_lock_wait")
                    session.run("hold_off_chunking")
                    removed += session.run(
                        "delete_unheld_embeddings",
                        models=[row["model"] for row in rows],
                        hashes=[row["text_hash"] for row in rows],
                    )
            except psycopg.errors.LockNotAvailable:
                return removed
            if len(rows) < _EMBEDDINGS:
                return removed

    def prune_syncs(self, before: datetime) -> int:
        """Delete syncs that ended before a time, except each source's newest; returns how many were removed."""
        removed = 0
        while True:
            count = self._database.run("delete_old_syncs", before=before, limit=_SYNCS)
            removed += count
            if count < _SYNCS:
                return removed

    def runs_in_use(self) -> set[str]:
        """Return the runs whose results still exist: rows, evidence of answers, kept syncs."""
        return {row["run_id"] for row in self._database.rows("runs_in_use")}


def _is_idle(session: Session, source_id: int) -> bool:
    """Whether no worker syncs a source; if so, none begins until the transaction ends.

    A sync takes its lock, then the source's row: we either see it, or it waits for us and reads the remaining rows.
    """
    if session.row("lock_source", source_id=source_id) is None:
        return False
    return not session.one("is_source_busy", source_id=source_id)["is_busy"]
