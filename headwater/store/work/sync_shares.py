"""Shares of a source in Postgres: which of its documents the run of a sync leaves to other runs, its helpers.

Belongs here: the rows of shares, a helper's lock, and what it reports. Not here: the leading run's own lock and rows
(`workers`), who works on which document when (`headwater.syncing.shares`, `headwater.syncing.helper`). Guarantee: a
document belongs to one run at a time; a helper whose share was taken back cannot write.

A helper holds a lock of Postgres, which vanishes with its process. The leading run alone deletes rows:

    requested   the leading run wants help; it goes on as if nobody came
    taken       a helper is there, and waits
    working     the leading run leaves the documents of the share to the helper
    finishing   the same, and no new documents come: the helper ends when it is done
    (deleted)   the documents are the leading run's again: the helper has ended, died, or is not wanted any more
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from headwater.store.catalogue.sources import SourceStore
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.workers import SyncCounts


class ShareState(StrEnum):
    """The state of a share, as the charter explains them."""

    REQUESTED = "requested"
    TAKEN = "taken"
    WORKING = "working"
    FINISHING = "finishing"


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedShare:
    """A share that no run has taken: its row, its place among `count`, its source, and the run that wants help."""

    id: int
    ordinal: int
    count: int
    key: str
    origin: str
    leading_run: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A share that a helper has taken, and what it has done: documents in `done_count`, the rest in `counts`."""

    id: int
    ordinal: int
    count: int
    state: ShareState
    is_alive: bool
    done_count: int
    counts: SyncCounts
    is_cost_known: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareLease:
    """A share in the hands of its helper."""

    ordinal: int
    count: int
    work: SyncLease
    """The leading run's part of the sync, with this share."""


def find_ordinal(document_id: UUID, count: int) -> int:
    """Which of some shares a document belongs to: its id is a hash of its source and URI. 0 is the leading run's."""
    return document_id.int % count


class ShareStore:
    """The sync_shares table."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sources = SourceStore(database)

    def request(self, work: SyncLease, count: int) -> None:
        """Ask for helpers of a sync, one less than `count`; a sensor starts their runs."""
        self._database.run("request_shares", token=work.token, count=count)

    def list_taken(self, work: SyncLease) -> list[Share]:
        """Return the shares that helpers have taken."""
        return [_share(row) for row in self._database.rows("list_shares", token=work.token)]

    def set_state(self, ids: Sequence[int], state: ShareState) -> None:
        """Say that these shares are their helpers', or that no more documents will be added to them."""
        self._database.run("set_share_states", ids=list(ids), state=state)

    def take_back(self, work: SyncLease, ids: Sequence[int] | None = None) -> list[Share]:
        """Take shares back, by default all of a sync; returns them as their helpers left them."""
        rows = self._database.rows("delete_shares", token=work.token, ids=None if ids is None else list(ids))
        return [_share(row) for row in rows]

    def list_wanted(self) -> list[WantedShare]:
        """Return the shares that no run has taken."""
        rows = self._database.rows("wanted_shares")
        return [
            WantedShare(
                id=row["id"],
                ordinal=row["ordinal"],
                count=row["count"],
                key=row["key"],
                origin=row["origin"],
                leading_run=row["run_id"],
            )
            for row in rows
        ]

    @contextmanager
    def hold(self, share_id: int, run_id: str) -> Iterator[ShareLease | None]:
        """Be the helper of a share for the length of a block; yields None if help is not needed any more."""
        with self._database.session_lock(f"share:{share_id}") as lock:
            row = None
            if lock.is_held:
                row = self._database.row("take_share", id=share_id, run_id=run_id)
            if row is None:
                yield None
                return
            work = SyncLease(
                token=row["token"],
                sync_id=row["sync_id"],
                batch=row["batch"],
                source=self._sources.get(row["knowledge_base"], row["source"]),
                is_whole=True,
                is_full=row["is_full"],
                lock=lock,
                share=share_id,
            )
            yield ShareLease(ordinal=row["ordinal"], count=row["count"], work=work)

    def find_state(self, share_id: int) -> ShareState | None:
        """Return the state of a share; None if its helper is not wanted any more."""
        row = self._database.row("share_state", id=share_id)
        return None if row is None else ShareState(row["state"])

    def report(self, share_id: int, done_count: int, counts: SyncCounts, *, is_cost_known: bool) -> None:
        """Store what a helper has done so far."""
        values = {"embedded": counts.embedded, "to_embed": counts.to_embed, "rows_written": counts.rows_written}
        values |= {"tokens": counts.tokens, "done": done_count, "is_cost_known": is_cost_known}
        self._database.run("report_share", id=share_id, cost_usd=counts.cost_usd, **values)


def _share(row: Row) -> Share:
    return Share(
        id=row["id"],
        ordinal=row["ordinal"],
        count=row["count"],
        state=ShareState(row["state"]),
        is_alive=row["is_alive"],
        done_count=row["done_count"],
        counts=SyncCounts(
            embedded=row["embedded_count"],
            to_embed=row["to_embed_count"],
            rows_written=row["written_count"],
            tokens=row["token_count"],
            cost_usd=row["cost_usd"],
        ),
        is_cost_known=row["is_cost_known"],
    )
