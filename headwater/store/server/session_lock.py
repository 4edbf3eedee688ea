"""A lock that lasts as long as its connection.

Belongs here: whether it is held, and still alive. Not here: taking and freeing it (`database`). Guarantee: Postgres
frees it when the process that holds it dies.
"""

import psycopg

from headwater.store.server.connection_pool import Connection


class SessionLock:
    """An advisory lock that was requested."""

    def __init__(self, connection: Connection, *, is_held: bool) -> None:
        self._connection = connection
        self.is_held = is_held

    def is_alive(self) -> bool:
        """Whether the connection that holds it still exists: if not, the lock is gone too."""
        try:
            self._connection.execute("SELECT")
        except psycopg.OperationalError:
            return False
        return True
