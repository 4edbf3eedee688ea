"""Named queries on one connection.

Belongs here: running a query with its parameters, and COPY. Not here: connections and transactions (`database`), the
queries (each beside the module that runs it). Guarantee: values reach SQL only as parameters.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import DictRow

from headwater.store.server.connection_pool import Connection, is_lent_per_transaction
from headwater.store.server.named_queries import load_queries

Row = DictRow


class Session:
    """A connection within a transaction, or for one statement: named queries in, rows as dictionaries out."""

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

    def run_template(self, query: str, names: Mapping[str, int | str], **values: Any) -> psycopg.Cursor[DictRow]:
        """Run a named query with `{names}` that cannot be parameters: numbers, such as a type's size, and tables."""
        # prepared at once: planning a search takes as long as running it
        return self.connection.execute(_format_template(query, tuple(names.items())), values, binary=True, prepare=True)

    def copy(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str]) -> int:
        """COPY rows into a table in binary form, through a staging table, so that existing rows stay.

        Returns:
            How many rows are new.
        """
        if not rows:
            return 0
        target, staging = sql.Identifier(table), sql.Identifier(f"staging_{table}")
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        end = sql.SQL("DROP" if is_lent_per_transaction(self.connection) else "DELETE ROWS")
        with self.connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("CREATE TEMP TABLE IF NOT EXISTS {} ON COMMIT {} AS SELECT {} FROM {} LIMIT 0").format(
                    staging, end, names, target
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

    def copy_new(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str]) -> int:
        """COPY rows that are all new into a table in binary form; returns how many.

        Raises:
            psycopg.errors.UniqueViolation: one exists.
        """
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with self.connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)
        return len(rows)

    def _run(self, query: str, values: Mapping[str, Any]) -> psycopg.Cursor[DictRow]:
        return self.connection.execute(load_queries()[query], values)


@lru_cache(maxsize=256)
def _format_template(query: str, names: tuple[tuple[str, int | str], ...]) -> bytes:
    identifiers = {
        name: sql.Identifier(value) if isinstance(value, str) else sql.Literal(int(value)) for name, value in names
    }
    return sql.SQL(load_queries()[query]).format(**identifiers).as_bytes()
