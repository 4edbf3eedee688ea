"""The pools of connections to Postgres: how each begins, whether it is alive, and which one is lent.

Belongs here: options of a session, types, checks of connections that may be broken, and the end of a pool that nobody
closed. Not here: transactions and queries (`database`). Guarantee: a connection that is lent was alive a moment ago; it
is the one that was used last, which has prepared the statements and read the catalogue, so that others rest and close.
"""

import os
import select
import time
from collections import deque
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary, finalize

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from headwater.store.server.connections import (
    CONNECT_LIMIT,
    connect_directly,
    first_server,
    lift_transaction_timeout,
    session_options,
)


class LastFirstPool(ConnectionPool[psycopg.Connection[DictRow]]):
    """The pool of a database."""

    def __del__(self) -> None:
        """End the pool's threads; one of them may hold the last reference, and cannot wait for its own end."""
        with suppress(RuntimeError):
            super().__del__()

    def _get_ready_connection(self, timeout: float | None) -> psycopg.Connection[DictRow] | None:
        self._pool.rotate()  # the pool lends its first one, and appends what is returned
        return super()._get_ready_connection(timeout)


Connection = psycopg.Connection[DictRow]

DEFAULT_EF_SEARCH = 200
"""The ef_search of HNSW before one is chosen; its measured recall was .96."""

# Behind a filter or over dead rows, HNSW returns too few rows without iterative scans.
SESSION_OPTIONS = (
    f"-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search={DEFAULT_EF_SEARCH}"
    # a sync, a deletion or building an index takes as long as it takes, whatever the server's limit for others is
    " -c statement_timeout=0 -c idle_in_transaction_session_timeout=0"
)

_LIMIT = 5.0  # seconds until a caller gets an error if no connection is free
_IDLE = 60.0  # seconds after which a connection that others made unnecessary is closed; each takes 4 MB of memory
_PREPARED = 50  # statements that a connection keeps; a search takes 0.7 MB of Postgres's memory
_SPARE = 2  # a sync holds two locks at a time, and takes five
_SILENT = 30.0  # seconds after which an unused connection is tested; proxies that drop idle ones wait longer
_used: "WeakKeyDictionary[psycopg.Connection[Any], float]" = WeakKeyDictionary()


def new_pool(
    url: str, size: int, *, is_lent_per_transaction: bool = False, is_replica: bool = False
) -> ConnectionPool[Connection]:
    """Open a pool of at most so many connections, on which a statement outside a transaction is committed at once.

    Args:
        url: where they lead.
        size: how many.
        is_lent_per_transaction: whether a pool of the server's, such as PgBouncer, is between, and gives each
            transaction another session: then there are no prepared statements, and `begin_session` sets the options.
        is_replica: whether they may lead to a replica.
    """
    options: dict[str, Any] = {"options": session_options(url, SESSION_OPTIONS)}
    if is_lent_per_transaction:
        options = {"prepare_threshold": None}
    return LastFirstPool(
        url,
        min_size=1,
        max_size=size,
        open=True,
        timeout=_LIMIT,
        max_idle=_IDLE,
        kwargs={
            "row_factory": dict_row,
            "autocommit": True,
            "application_name": "headwater",
            "connect_timeout": CONNECT_LIMIT,
            **options,
            **({} if is_replica else first_server(url)),
        },
        configure=configure,
        # Connections that broke during the outage are replaced before a caller gets one.
        check=_check_if_doubtful,
        name="headwater",
    )


def is_lent_per_transaction(connection: Connection) -> bool:
    """Whether the next transaction of a connection may be in another session, so that this one must leave nothing."""
    return connection.prepare_threshold is None


def set_snapshot(connection: Connection, is_snapshot: bool) -> None:
    """Set how the connection's next transaction begins, which takes no extra round trip."""
    level = psycopg.IsolationLevel.REPEATABLE_READ if is_snapshot else None
    if connection.isolation_level != level:
        connection.isolation_level = level
        connection.read_only = True if is_snapshot else None


def _check_if_doubtful(connection: Connection) -> None:
    """Test a connection with a query, unless it was used lately: that query was one of four round trips.

    A connection that was used lately and has nothing to read is alive: a server that stops closes it, which shows.

    Raises:
        OperationalError: it is broken.
    """
    now = time.monotonic()
    is_recent = now - _used.get(connection, -_SILENT) < _SILENT
    _used[connection] = now
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP)
    if not is_recent or poll.poll(0):
        ConnectionPool.check_connection(connection)


def configure(connection: Connection) -> None:
    """Teach a connection pgvector's types; an unmigrated database has none yet."""
    from pgvector.psycopg import register_vector

    connection.prepared_max = _PREPARED
    if not is_lent_per_transaction(connection):
        lift_transaction_timeout(connection)
    with suppress(psycopg.ProgrammingError):
        register_vector(connection)


class LockConnections:
    """Connections outside the pool, each for as long as a lock is held.

    A few are kept for the next lock: Postgres takes longer to open one than for everything that a lock needs.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._spare: deque[tuple[int, Connection]] = deque()
        finalize(self, _close_all, self._spare)

    def take(self) -> Connection:
        """A connection that commits each statement and holds no lock.

        Raises:
            OperationalError: Postgres cannot be reached.
        """
        while self._spare:
            try:
                process, connection = self._spare.pop()
                if process == os.getpid():  # else it belongs to the process that this one was forked from
                    _check_if_doubtful(connection)
                    return connection
            except IndexError:  # another thread was faster
                break
            except psycopg.OperationalError:
                connection.close()
        # Its own context would commit, and so may fail at its end.
        return connect_directly(self._url, autocommit=True, row_factory=dict_row)

    def give_back(self, connection: Connection) -> None:
        """Keep a connection whose locks were freed, or close it."""
        if connection.closed or len(self._spare) >= _SPARE:
            connection.close()
        else:
            self._spare.append((os.getpid(), connection))

    def close(self) -> None:
        """Close the connections that nobody uses."""
        _close_all(self._spare)


def _close_all(spare: deque[tuple[int, Connection]]) -> None:
    while spare:
        process, connection = spare.pop()
        if process == os.getpid():
            connection.close()
