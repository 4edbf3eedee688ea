"""A streaming replica that searches are read from.

Belongs here: whether it may serve a read now. Not here: what is read (`database`). Guarantee: it serves nothing older
than what the first server had committed when the read began; when it is away, or too far behind, reads go to the
first server, and nobody waits for it more than a moment.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from headwater.store.server.connection_pool import Connection, new_pool, set_snapshot
from headwater.store.server.connections import SHUTDOWNS, is_reachable
from headwater.store.server.named_queries import load_queries

_MAX_WAIT_SECONDS = 0.05  # for the replica to reach a position; on one network it takes a few milliseconds
_POLL_SECONDS = 0.004
_MAX_POOL_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 5.0  # after an outage, or being behind


class _State(Enum):
    """How far a replica is; one that was promoted is none any more."""

    REACHED = auto()
    BEHIND = auto()
    PROMOTED = auto()


class Replica:
    """A pool of connections to a replica, opened with its first read."""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._size = size
        self._pool: ConnectionPool[Connection] | None = None
        self._opening_lock = threading.Lock()
        self._retry_at = 0.0

    def is_usable(self) -> bool:
        """Whether a read may try it now; nobody waits while it is looked whether it is there, or is back."""
        if time.monotonic() < self._retry_at:
            return False
        if self._pool is not None:
            return True
        if self._opening_lock.acquire(blocking=False):
            threading.Thread(target=self._open, name="replica", daemon=True).start()
        return False

    def _open(self) -> None:
        try:
            if is_reachable(self._url, is_replica=True):
                self._pool = new_pool(self._url, self._size, is_replica=True)
            else:
                self._retry_at = time.monotonic() + _RETRY_SECONDS
        finally:
            self._opening_lock.release()

    def note_failure(self, error: Exception) -> None:
        """After an outage, read elsewhere for a while; a read that was only cancelled changes nothing."""
        is_lost = getattr(error, "sqlstate", None) is None or isinstance(error, SHUTDOWNS)
        if is_lost and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout)):
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            self.close()

    def close(self) -> None:
        """Close every connection."""
        with self._opening_lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close(timeout=1)

    @contextmanager
    def connection(self, position: str) -> Iterator[Connection | None]:
        """A transaction that sees everything up to a position of the log; None if the replica is not that far.

        Args:
            position: of the first server's log (`pg_lsn`).

        Raises:
            psycopg.Error, PoolTimeout: the replica does not answer, or cancelled the read.
        """
        pool = self._pool
        if pool is None:
            yield None
            return
        with pool.connection(timeout=_MAX_POOL_WAIT_SECONDS) as connection:
            state = _await_position(connection, position)
            if state is _State.REACHED:
                set_snapshot(connection, True)
                with connection.transaction():
                    yield connection
                return
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        if state is _State.PROMOTED:  # its address may lead to another server now
            self.close()
        yield None


def _await_position(connection: Connection, position: str) -> _State:
    """Wait a moment until a replica has replayed the log up to a position."""
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while True:
        row = connection.execute(load_queries()["replica_position"], {"position": position}).fetchone()
        if row is None or not row["is_replica"]:
            return _State.PROMOTED
        if row["is_reached"]:
            return _State.REACHED
        if time.monotonic() > deadline:
            return _State.BEHIND
        time.sleep(_POLL_SECONDS)
