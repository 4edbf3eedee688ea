"""The pool of connections to Postgres: how each begins, and which one is lent.

Belongs here: options of a session, types, checks of connections that may be broken. Not here: transactions and queries
(`database`). Guarantee: a connection that is lent was alive a moment ago.
"""

import select
import time
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

Connection = psycopg.Connection[DictRow]

DEFAULT_EF_SEARCH = 200
"""The ef_search of HNSW before one is chosen; its measured recall was .96."""

# Behind a filter or over dead rows, HNSW returns too few rows without iterative scans.
SESSION_OPTIONS = (
    f"-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search={DEFAULT_EF_SEARCH} -c application_name=headwater"
)

CONNECT_LIMIT = 5
"""Seconds."""
_LIMIT = 5.0  # seconds until a caller gets an error if no connection is free
_PREPARED = 50  # statements that a connection keeps; a search takes 0.7 MB of Postgres's memory
_SILENT = 30.0  # seconds after which an unused connection is tested; proxies that drop idle ones wait longer
_used: "WeakKeyDictionary[psycopg.Connection[Any], float]" = WeakKeyDictionary()


class _LastFirst(ConnectionPool[Connection]):
    """A pool that lends the connection that was used last: it has prepared the statements, and read the catalogue."""

    def _get_ready_connection(self, timeout: float | None) -> Connection | None:
        self._pool.rotate()  # the pool lends its first one, and appends what is returned
        return super()._get_ready_connection(timeout)


def new_pool(url: str, size: int) -> ConnectionPool[Connection]:
    """Open a pool of at most so many connections."""
    return _LastFirst(
        url,
        min_size=1,
        max_size=size,
        open=True,
        timeout=_LIMIT,
        kwargs={"row_factory": dict_row, "options": SESSION_OPTIONS, "connect_timeout": CONNECT_LIMIT},
        configure=configure,
        # Connections that broke during the outage are replaced before a caller gets one.
        check=_check_if_doubtful,
        name="headwater",
    )


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
    try:
        register_vector(connection)
    except psycopg.ProgrammingError:
        connection.rollback()
    else:
        connection.commit()
