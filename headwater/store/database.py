"""Connections to Postgres, and the only place that runs a query.

Belongs here: the pool, transactions, locks, the translation of driver errors. Not here: what is asked
(`queries/*.sql`) and what it means (the other modules of this package). Guarantee: a value reaches SQL as a parameter
only; driver errors leave as `HeadwaterError`s.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from headwater.errors import ConflictError, DatabaseUnavailableError, InvalidInputError
from headwater.store.named_queries import named_queries

Row = DictRow
Connection = psycopg.Connection[DictRow]

DEFAULT_EF_SEARCH = 200
"""How thoroughly HNSW is searched where that was not chosen yet; it was measured at .96 recall."""

# HNSW returns too few rows behind a filter or over dead rows unless it goes on scanning.
_SESSION = f"-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search={DEFAULT_EF_SEARCH} -c application_name=headwater"


class Session:
    """One transaction's view of the database: named queries in, rows as dictionaries out."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def rows(self, query: str, **values: Any) -> list[Row]:
        """Run a named query and return every row."""
        return self._run(query, values).fetchall()

    def row(self, query: str, **values: Any) -> Row | None:
        """Run a named query and return its first row, or None."""
        return self._run(query, values).fetchone()

    def one(self, query: str, **values: Any) -> Row:
        """Run a named query that always has a row."""
        row = self._run(query, values).fetchone()
        if row is None:
            raise LookupError(f"query {query} returned no row")
        return row

    def run(self, query: str, **values: Any) -> int:
        """Run a named query and return how many rows it touched."""
        return self._run(query, values).rowcount

    def formatted(self, query: str, numbers: Mapping[str, int], **values: Any) -> psycopg.Cursor[DictRow]:
        """Run a named query whose `{names}` are whole numbers that cannot be parameters, such as a type's size."""
        literals = {name: sql.Literal(int(number)) for name, number in numbers.items()}
        return self.connection.execute(sql.SQL(named_queries()[query]).format(**literals), values)

    def copy(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str]) -> int:
        """COPY rows into a table in binary form, through a staging table so that rows that are there already are left.

        Returns:
            How many rows are new.
        """
        if not rows:
            return 0
        target, staging = sql.Identifier(table), sql.Identifier(f"staging_{table}")
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        with self.connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("CREATE TEMP TABLE IF NOT EXISTS {} ON COMMIT DELETE ROWS AS SELECT {} FROM {} LIMIT 0").format(
                    staging, names, target
                )
            )
            statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(staging, names)
            with cursor.copy(statement) as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)
            cursor.execute(
                sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} ON CONFLICT DO NOTHING").format(
                    target, names, names, staging
                )
            )
            count = cursor.rowcount
            cursor.execute(sql.SQL("TRUNCATE {}").format(staging))
        return count

    def _run(self, query: str, values: Mapping[str, Any]) -> psycopg.Cursor[DictRow]:
        return self.connection.execute(named_queries()[query], values)


class Database:
    """A pool of connections to one database."""

    def __init__(self, url: str, *, size: int = 8) -> None:
        self.url = url
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=size,
            open=False,
            timeout=10,
            kwargs={"row_factory": dict_row, "options": _SESSION},
            configure=_register_types,
            name="headwater",
        )
        self._is_open = False

    def close(self) -> None:
        """Close every connection; the object cannot be used afterwards."""
        self._pool.close()

    @contextmanager
    def transaction(self, *, snapshot: bool = False) -> Iterator[Session]:
        """Run a block in one transaction, committed at its end.

        Args:
            snapshot: see one state of the database throughout (repeatable read), and write nothing.

        Raises:
            InvalidInputError: a value is malformed or too large for Postgres.
            ConflictError: what the block refers to was deleted or taken meanwhile.
            DatabaseUnavailableError: no connection could be had, or it broke.
        """
        if not self._is_open:
            self._pool.open()
            self._is_open = True
        try:
            with self._pool.connection() as connection, connection.transaction():
                if snapshot:
                    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield Session(connection)
        except psycopg.errors.LockNotAvailable:
            raise  # only who set a limit to waiting sees it, and knows what to do instead
        except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded) as error:
            raise InvalidInputError(f"Postgres cannot hold this value: {_first_line(error)}.") from error
        except psycopg.IntegrityError as error:
            if isinstance(error, psycopg.errors.NotNullViolation | psycopg.errors.CheckViolation):
                raise
            raise ConflictError(f"Something changed meanwhile ({_first_line(error)}). Try again.") from error
        except (PoolTimeout, psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise unavailable(error) from error

    @contextmanager
    def session_lock(self, name: str) -> Iterator[bool]:
        """Try to hold an advisory lock on a connection of its own; yields whether it is held.

        Postgres frees it when this process dies, so a killed worker blocks nobody.
        """
        try:
            with psycopg.connect(self.url, autocommit=True, row_factory=dict_row) as connection:
                row = Session(connection).one("try_lock", name=name)
                yield bool(row["is_held"])
        except psycopg.OperationalError as error:
            raise unavailable(error) from error


def unavailable(error: Exception) -> DatabaseUnavailableError:
    """Say that Postgres cannot be reached, without repeating the address, which may hold a password."""
    lines = str(error).strip().splitlines()
    reason = lines[-1] if lines else type(error).__name__
    return DatabaseUnavailableError(f"Postgres did not answer ({reason}). Run `headwater doctor` to see what is wrong.")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _register_types(connection: Connection) -> None:
    """Teach a connection pgvector's types; an unmigrated database has none yet."""
    from pgvector.psycopg import register_vector

    try:
        register_vector(connection)
    except psycopg.ProgrammingError:
        connection.rollback()
    else:
        connection.commit()
