"""Numbered migrations, forward only.

Belongs here: finding and applying `migrations/NNNN_name.sql`. Not here: their contents. Guarantee: one process at a
time; each migration is applied completely or not at all; a second run does nothing.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from headwater import __version__
from headwater.errors import DatabaseUnavailableError
from headwater.store.server.connections import connect_directly, unavailable
from headwater.store.server.database_urls import create_databases

FOLDER = Path(__file__).parents[1] / "migrations"
_LOCK = 0x6865616477617465  # "headwate"
_POSTGRES, _PGVECTOR = 16, (0, 8)  # iterative scans came with pgvector 0.8
_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
"""


def migrations() -> list[Path]:
    """Every migration, oldest first."""
    return sorted(FOLDER.glob("[0-9]*.sql"))


def migrate(url: str) -> list[str]:
    """Create the databases and bring ours up to date.

    Returns:
        Names of the migrations that were applied.

    Raises:
        DatabaseUnavailableError: the server cannot be reached, is too old, or has no pgvector; or a newer release has
            changed the database.
    """
    create_databases(url)
    if not list_pending(url):
        return []
    try:
        with connect_directly(url, autocommit=True) as connection:
            _check_server(connection)
            connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            connection.execute(_LEDGER)
            applied = {name for (name,) in connection.execute("SELECT name FROM schema_migrations").fetchall()}
            return [path.stem for path in migrations() if path.stem not in applied and _apply(connection, path)]
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseUnavailableError(
            f"The user of the database may not migrate it ({str(error).splitlines()[0]}). An administrator must run "
            "CREATE EXTENSION vector in this database once, and make the user the owner of the database."
        ) from error
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def make_schema(connection: "psycopg.Connection[Any]", names: Collection[str]) -> None:
    """Apply some migrations to an empty database, in the caller's transaction.

    Raises:
        DatabaseUnavailableError: the server is too old, or has no pgvector.
    """
    _check_server(connection)
    connection.execute(_LEDGER)
    for path in migrations():
        if path.stem in names:
            _apply(connection, path)


def list_pending(url: str) -> list[str]:
    """Names of migrations that are not applied yet.

    Raises:
        DatabaseUnavailableError: the database cannot be reached, or a newer release has changed it.
    """
    try:
        with connect_directly(url) as connection:
            row = connection.execute("SELECT to_regclass('schema_migrations') IS NOT NULL").fetchone()
            if not row or not row[0]:
                return [path.stem for path in migrations()]
            applied = {name for (name,) in connection.execute("SELECT name FROM schema_migrations").fetchall()}
    except psycopg.OperationalError as error:
        if "does not exist" in str(error):
            return [path.stem for path in migrations()]
        raise unavailable(error) from error
    _refuse_newer(applied)
    return [path.stem for path in migrations() if path.stem not in applied]


def _refuse_newer(done: Collection[str]) -> None:
    """Refuse a database that a newer release has changed.

    Raises:
        DatabaseUnavailableError: it has migrations that only a newer release knows.
    """
    last = migrations()[-1].stem
    if unknown := sorted(name for name in done if name > last):
        raise DatabaseUnavailableError(
            f"A newer release of Headwater has changed this database ({', '.join(unknown)}). Headwater {__version__} "
            "could damage it: upgrade Headwater here, too."
        )


def _check_server(connection: "psycopg.Connection[Any]") -> None:
    """Refuse a server that is too old.

    Raises:
        DatabaseUnavailableError: it is too old, or has no pgvector.
    """
    if connection.info.server_version < _POSTGRES * 10_000:
        raise DatabaseUnavailableError(
            f"This is Postgres {connection.info.server_version // 10_000}; Headwater needs {_POSTGRES} or later."
        )
    with connection.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
        row = cursor.fetchone()
    version = str(row[0]) if row else ""
    if tuple(int(component) for component in version.split(".")[:2] if component.isdecimal()) < _PGVECTOR:
        needed_version = ".".join(map(str, _PGVECTOR))
        raise DatabaseUnavailableError(
            f"Headwater needs pgvector {needed_version} or later; this Postgres has {version or 'none'}."
        )


def _apply(connection: "psycopg.Connection[Any]", path: Path) -> bool:
    with connection.transaction():
        connection.execute(path.read_bytes())
        connection.execute("INSERT INTO schema_migrations (name) VALUES (%s)", (path.stem,))
    return True
