"""Numbered migrations, forward only.

Belongs here: finding and applying `migrations/NNNN_name.sql`. Not here: their contents. Guarantee: one process at a
time, each migration whole or not at all; a second run does nothing.
"""

from pathlib import Path

import psycopg

from headwater.errors import DatabaseUnavailableError
from headwater.store.addresses import create_databases
from headwater.store.database import unavailable

FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x6865616477617465  # "headwate"
_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
"""


def migrations() -> list[Path]:
    """Every migration, oldest first."""
    return sorted(FOLDER.glob("[0-9]*.sql"))


def migrate(url: str) -> list[str]:
    """Create the databases and bring ours up to date.

    Returns:
        Names of the migrations that were applied now.

    Raises:
        DatabaseUnavailableError: the server cannot be reached, or has no pgvector.
    """
    create_databases(url)
    if not pending(url):
        return []
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            connection.execute(_LEDGER)
            done = {name for (name,) in connection.execute("SELECT name FROM schema_migrations").fetchall()}
            return [path.stem for path in migrations() if path.stem not in done and _apply(connection, path)]
    except psycopg.errors.UndefinedFile as error:
        raise DatabaseUnavailableError("This Postgres has no pgvector. Install pgvector 0.8 or later on it.") from error
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def pending(url: str) -> list[str]:
    """Names of migrations that are not applied yet.

    Raises:
        DatabaseUnavailableError: the database cannot be reached.
    """
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            found = connection.execute("SELECT to_regclass('schema_migrations') IS NOT NULL").fetchone()
            if not found or not found[0]:
                return [path.stem for path in migrations()]
            done = {name for (name,) in connection.execute("SELECT name FROM schema_migrations").fetchall()}
            return [path.stem for path in migrations() if path.stem not in done]
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def _apply(connection: "psycopg.Connection[tuple[object, ...]]", path: Path) -> bool:
    with connection.transaction():
        connection.execute(path.read_bytes())
        connection.execute("INSERT INTO schema_migrations (name) VALUES (%s)", (path.stem,))
    return True
