"""A pool of connections that lends the one that was used last.

Belongs here: the order, and the end of a pool that nobody closed. Not here: how connections begin (`connection_pool`).
Guarantee: connections that are not needed rest, so the pool closes them as before; the one in use has prepared the
statements and read the catalogue.
"""

from contextlib import suppress

import psycopg
from psycopg.rows import DictRow
from psycopg_pool import ConnectionPool


class LastFirstPool(ConnectionPool[psycopg.Connection[DictRow]]):
    """The pool of a database."""

    def __del__(self) -> None:
        """End the pool's threads; one of them may hold the last reference, and cannot wait for its own end."""
        with suppress(RuntimeError):
            super().__del__()

    def _get_ready_connection(self, timeout: float | None) -> psycopg.Connection[DictRow] | None:
        self._pool.rotate()  # the pool lends its first one, and appends what is returned
        return super()._get_ready_connection(timeout)
