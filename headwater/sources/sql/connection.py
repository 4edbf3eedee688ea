"""Connections to databases, in sessions that can only read.

Belongs here: the address, drivers, limits, and errors in our words. Not here: rows (`rows`). Guarantee: the server
itself refuses to write, whatever the query says; an error holds neither the password nor the address.

The address comes from the operator's environment, so its host is trusted, like that of Headwater's own database: it
does not pass the gate. A file of SQLite must be in HEADWATER_LOCAL_PATHS, however it is named.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from headwater.errors import SourceError
from headwater.settings import credential_variable
from headwater.sources.source_context import SourceContext

_CONNECT_SECONDS = 10
_STATEMENT_SECONDS = 300
_DRIVERS = {
    "postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}  # fmt: skip
"""The driver of each database, if the address names none."""
_ONLY_READ = {
    "postgresql": (
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        f"SET statement_timeout = '{_STATEMENT_SECONDS}s'",
    ),
    "mysql": ("SET SESSION TRANSACTION READ ONLY",),
    "mariadb": ("SET SESSION TRANSACTION READ ONLY",),
    "sqlite": ("PRAGMA query_only = ON",),
}
_TIMEOUTS: dict[str, dict[str, Any]] = {
    "psycopg": {"connect_timeout": _CONNECT_SECONDS},
    "pymysql": {"connect_timeout": _CONNECT_SECONDS, "read_timeout": _STATEMENT_SECONDS},
}


@contextmanager
def reading(context: SourceContext, credential: str | None, path: Path | None) -> Iterator[Connection]:
    """A connection whose session can only read, in a transaction, for the length of a block.

    Args:
        context: that of the source.
        credential: the name of the secret that is the address.
        path: a file of SQLite instead.

    Raises:
        SourceError: there is no such secret or database, or whatever fails in the block says so.
    """
    secrets: list[str] = []
    try:
        engine = _engine(context, credential, path, secrets)
        try:
            with engine.connect() as connection:
                _forbid_writing(connection)
                yield connection
        finally:
            engine.dispose()
    except SQLAlchemyError as error:
        raise SourceError(_explain_error(error, credential, path, secrets)) from None


def _engine(context: SourceContext, credential: str | None, path: Path | None, secrets: list[str]) -> Any:
    if credential is None:
        return _file_engine(context, path or Path())
    secret = context.password(credential)
    secrets.append(secret)
    url = _read_url(secret, credential)
    secrets.extend(filter(None, (url.password, quote(url.password or "", safe=""))))
    if url.get_backend_name() == "sqlite":
        return _file_engine(context, Path(url.database or "").absolute())
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    try:
        return create_engine(url, connect_args=_TIMEOUTS.get(url.get_driver_name(), {}), pool_size=1, max_overflow=0)
    except ModuleNotFoundError as error:
        raise SourceError(
            f"The driver {error.name} of {url.drivername} is not installed. Install it where Headwater runs; the extra"
            " `sql` has that of MySQL and MariaDB."
        ) from None


def _read_url(secret: str, credential: str) -> URL:
    try:
        return make_url(secret)
    except (ArgumentError, ValueError):
        raise SourceError(
            f"{credential_variable(credential)} must be the address of a database, such as"
            " postgresql://reader:password@db.example.com/shop."
        ) from None


def _file_engine(context: SourceContext, path: Path) -> Any:
    """SQLite, opened so that the file cannot change; any other address of SQLite would be outside local paths."""
    resolved = context.local(path)
    if not resolved.is_file():
        raise SourceError(f"{path} is not a regular file; name a file of SQLite.")
    address = f"file:{quote(str(resolved))}?mode=ro"
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=_CONNECT_SECONDS))


def _forbid_writing(connection: Connection) -> None:
    """Make the session read-only; the first statement of the transaction fixes that for Postgres.

    Raises:
        SourceError: this kind of database cannot be told so.
    """
    statements = _ONLY_READ.get(connection.dialect.name)
    if statements is None:
        raise SourceError(
            f"Headwater cannot make a session of {connection.dialect.name} read-only, so it does not read from it. It"
            " reads from PostgreSQL, MySQL, MariaDB and SQLite."
        )
    for statement in statements:
        connection.exec_driver_sql(statement)
    connection.commit()
    connection.exec_driver_sql("SELECT 1").all()


def _explain_error(error: SQLAlchemyError, credential: str | None, path: Path | None, secrets: list[str]) -> str:
    """An error of the database in one line, without secrets."""
    subject = f"The database of the credential {credential}" if path is None else str(path)
    if isinstance(error, NoSuchModuleError):
        return f"{subject} is of a kind that SQLAlchemy does not know here. Check the beginning of its address."
    reason = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    for secret in sorted(secrets, key=len, reverse=True):
        reason = reason.replace(secret, "***")
    line = " ".join(reason.split())[:300].rstrip(".")
    return f"{subject} cannot be read ({line}). Nothing was changed. Check it, and sync again."
