"""Transactions in Postgres: of a block, and of one statement.

Belongs here: transactions, locks, the translation of driver errors. Not here: the pool (`connection_pool`), running a
query (`query_session`), and what queries mean (the other modules of this package). Guarantee: values reach SQL
only as parameters; driver errors are raised as `HeadwaterError`s.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.errors import ReadOnlySqlTransaction
from psycopg_pool import ConnectionPool, PoolTimeout

from headwater.errors import ConflictError, InvalidInputError
from headwater.store.server.conflicts import in_words
from headwater.store.server.connection_pool import (
    DEFAULT_EF_SEARCH,
    Connection,
    LockConnections,
    new_pool,
    set_snapshot,
)
from headwater.store.server.connections import (
    CONNECT_LIMIT,
    SHUTDOWNS,
    DatabaseUrls,
    find_outage,
    is_reachable,
    unavailable,
)
from headwater.store.server.query_session import Row, Session
from headwater.store.server.replica import Replica
from headwater.store.server.session_lock import SessionLock

_T = TypeVar("_T")


class Database:
    """A pool of connections to one database."""

    def __init__(self, urls: DatabaseUrls | str, *, size: int = 8) -> None:
        self.urls = DatabaseUrls(direct=urls) if isinstance(urls, str) else urls
        self._size = size
        self._pool: ConnectionPool[Connection] | None = None
        self._replica = Replica(self.urls.replica, size) if self.urls.replica else None
        self._lock_connections = LockConnections(self.urls.direct)
        self._lock = threading.Lock()
        self._is_away = False
        self._joined = threading.local()

    @property
    def url(self) -> str:
        """The server's own address."""
        return self.urls.direct

    def _connections(self) -> ConnectionPool[Connection]:
        """The pool; recreated after an outage, because a pool that lost its connections retries less and less often.

        Raises:
            DatabaseUnavailableError: Postgres was unavailable, and still is.
        """
        with self._lock:
            if self._is_away:
                outage = find_outage(self.urls.statements)
                if outage is not None:
                    raise outage
                self._discard()
                self._is_away = False
            if self._pool is None:
                pool = new_pool(self.urls.statements, self._size, is_lent_per_transaction=self.urls.pooled is not None)
                pool.wait(CONNECT_LIMIT)  # who came before its first connection is there would make it open a second
                self._pool = pool
            return self._pool

    def _discard(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _note_outage(self, error: Exception) -> None:
        """From now on, until Postgres is reachable, callers get an error at once."""
        is_lost = getattr(error, "sqlstate", None) is None or isinstance(error, (*SHUTDOWNS, ReadOnlySqlTransaction))
        if is_lost and not self.is_reachable():
            self._is_away = True

    def close(self) -> None:
        """Close every connection."""
        self._lock_connections.close()
        if self._replica is not None:
            self._replica.close()
        with self._lock:
            self._discard()

    @contextmanager
    def transaction(self, *, snapshot: bool = False) -> Iterator[Session]:
        """Run a block in one transaction, committed at its end.

        Args:
            snapshot: see one state of the database throughout (repeatable read), and write nothing.

        Raises:
            InvalidInputError: a value is malformed or too large for Postgres.
            ConflictError: an object that the block refers to was deleted or taken meanwhile.
            DatabaseUnavailableError: no connection was available, or it broke.
        """
        with self._explain_errors(snapshot), self._connection(snapshot) as connection, connection.transaction():
            session = Session(connection)
            if self.urls.pooled is not None:
                session.run("begin_session", ef_search=DEFAULT_EF_SEARCH)
            yield session

    def rows(self, query: str, **values: Any) -> list[Row]:
        """Run a named query as a transaction of its own and return every row; errors as those of `transaction`."""
        with self._statement() as session:
            return session.rows(query, **values)

    def row(self, query: str, **values: Any) -> Row | None:
        """Run a named query as a transaction of its own and return its first row, or None."""
        with self._statement() as session:
            return session.row(query, **values)

    def one(self, query: str, **values: Any) -> Row:
        """Run a named query that always has a row, as a transaction of its own."""
        with self._statement() as session:
            return session.one(query, **values)

    def run(self, query: str, **values: Any) -> int:
        """Run a named query as a transaction of its own and return how many rows it touched."""
        with self._statement() as session:
            return session.run(query, **values)

    @contextmanager
    def _statement(self) -> Iterator[Session]:
        """A session for one statement, which Postgres commits by itself: BEGIN and COMMIT take a round trip each."""
        shared = self._find_shared()
        if shared is not None:
            with self._explain_errors():
                yield Session(shared)
        elif self.urls.pooled is not None:
            with self.transaction() as session:
                yield session
        else:
            with self._explain_errors(), self._connections().connection() as connection:
                yield Session(connection)

    @contextmanager
    def _explain_errors(self, snapshot: bool = False) -> Iterator[None]:
        """Raise errors of the driver as those that `transaction` names."""
        try:
            yield
        except psycopg.errors.LockNotAvailable:
            raise  # only a caller that set a limit to waiting sees it, and handles it
        except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded) as error:
            raise InvalidInputError(f"Postgres cannot store this value: {_first_line(error)}.") from error
        except psycopg.IntegrityError as error:
            if isinstance(error, psycopg.errors.NotNullViolation | psycopg.errors.CheckViolation):
                raise
            raise ConflictError(in_words(error)) from error
        except (PoolTimeout, psycopg.OperationalError, psycopg.InterfaceError, ReadOnlySqlTransaction) as error:
            if snapshot and isinstance(error, ReadOnlySqlTransaction):
                raise  # the block writes, which it must not
            self._note_outage(error)
            raise unavailable(error) from error

    def read(self, work: Callable[[Session], _T]) -> _T:
        """Read one state of the database, on the replica if there is one that has all that was committed until now.

        Args:
            work: what is read; it is called again with the first server if the replica fails meanwhile.

        Raises:
            As `transaction`.
        """
        replica = self._replica
        if replica is not None and self._find_shared() is None and replica.is_usable():
            position = self.one("log_position")["position"]
            try:
                with replica.connection(position) as connection:
                    if connection is not None:
                        return work(Session(connection))
            except (psycopg.Error, PoolTimeout) as error:
                replica.note_failure(error)  # what is wrong with the read itself, the first server says as always
        with self.transaction(snapshot=True) as session:
            return work(session)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make the transactions of a block one: all of them are committed at its end, or none.

        It is for this thread alone. Locks on separate connections do not belong into the block. After an error of a
        single statement, nothing else can be done in it.

        Raises:
            As `transaction`.
        """
        if self._find_shared() is not None:
            yield
            return
        with self.transaction() as session:
            self._joined.connection = session.connection
            try:
                yield
            finally:
                self._joined.connection = None

    def _find_shared(self) -> Connection | None:
        """The connection of the block that this thread is in."""
        connection: Connection | None = getattr(self._joined, "connection", None)
        return connection

    @contextmanager
    def _connection(self, snapshot: bool) -> Iterator[Connection]:
        shared = self._find_shared()
        if shared is not None:
            yield shared
            return
        with self._connections().connection() as connection:
            set_snapshot(connection, snapshot)
            yield connection

    def is_reachable(self) -> bool:
        """Whether Postgres answers now."""
        return is_reachable(self.urls.statements)

    @contextmanager
    def session_lock(self, name: str) -> Iterator[SessionLock]:
        """Try to hold an advisory lock on a separate connection, for the length of a block.

        Postgres frees it when this process dies, so a killed worker blocks nobody.
        """
        try:
            with self.lock_connection() as connection:
                row = Session(connection).one("try_lock", name=name)
                yield SessionLock(connection, is_held=bool(row["is_held"]))
        except psycopg.OperationalError as error:
            raise unavailable(error) from error

    @contextmanager
    def hold_lock(self, query: str) -> Iterator[None]:
        """Hold the advisory lock that a named query takes, on a separate connection, for the length of a block."""
        with ExitStack() as stack:
            try:
                connection = stack.enter_context(self.lock_connection())
            except psycopg.OperationalError as error:
                raise unavailable(error) from error
            Session(connection).one(query)
            yield

    @contextmanager
    def lock_connection(self) -> Iterator[Connection]:
        """A separate connection for the length of a block, whose locks are freed then.

        If that fails, it is closed, which frees them only once the server has noticed.
        """
        connection = self._lock_connections.take()
        try:
            yield connection
        finally:
            try:
                Session(connection).one("free_locks")
            except psycopg.Error:
                connection.close()
            self._lock_connections.give_back(connection)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
