"""Databases that a source can read: the PostgreSQL of the tests, SQLite, and MariaDB where it is installed.

Belongs here: starting them, and their addresses. Not here: what is expected of a source. Guarantee: each has a table
`faq` of its own; MariaDB is found by PATH, and its absence is said.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from tests.support import free_port

_PASSWORD = "s3cr3t-of-db"
_START_LIMIT = 60.0  # seconds


@dataclass(frozen=True, kw_only=True)
class Database:
    """The address that a source reads with, with its password, and one that may write."""

    address: str
    writer: str
    password: str = ""

    def run(self, statement: str, rows: Sequence[dict[str, Any]] = ({},)) -> None:
        """Run a statement, once for each row of values."""
        engine = create_engine(self.writer)
        try:
            with engine.begin() as connection:
                for values in rows:
                    connection.execute(text(statement), values)
        finally:
            engine.dispose()


@contextmanager
def sqlite(folder: Path) -> Iterator[Database]:
    """A file."""
    address = f"sqlite:///{folder / 'faq.db'}"
    yield Database(address=address, writer=address)


@contextmanager
def postgres(server: str) -> Iterator[Database]:
    """A database of the server of the tests, whose user may do anything: only the session keeps it from writing.

    The server knows the user by the socket, and does not ask for the password in the address.
    """
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP DATABASE IF EXISTS faq_source WITH (FORCE)")
        connection.exec_driver_sql("CREATE DATABASE faq_source")
    own = url.set(database="faq_source", password=_PASSWORD)
    address = own.set(drivername="postgresql").render_as_string(hide_password=False)
    yield Database(address=address, writer=own.render_as_string(hide_password=False), password=_PASSWORD)
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP DATABASE faq_source WITH (FORCE)")
    engine.dispose()


@contextmanager
def mariadb() -> Iterator[Database]:
    """A server of its own."""
    program, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if program is None or install is None:
        pytest.skip("MariaDB is not installed (mariadbd, mariadb-install-db)")
    base, port = Path(program).parent.parent, free_port()
    with tempfile.TemporaryDirectory(prefix="maria-") as folder:
        user = ["--user=root"] if os.getuid() == 0 else []
        made = [install, "--no-defaults", f"--basedir={base}", f"--datadir={folder}", "--skip-test-db", *user]
        subprocess.run(
            [*made, "--auth-root-authentication-method=normal"], check=True, stdout=subprocess.DEVNULL, cwd=base
        )
        options = [f"--basedir={base}", f"--datadir={folder}", f"--port={port}", "--bind-address=127.0.0.1"]
        options += [f"--socket={folder}/s", "--innodb-buffer-pool-size=16M", "--performance-schema=off", *user]
        process = subprocess.Popen([program, "--no-defaults", *options], stderr=subprocess.DEVNULL)
        try:
            root = f"mysql+pymysql://root@127.0.0.1:{port}/mysql"
            _await(root, process)
            Database(address="", writer=root).run("CREATE DATABASE faq CHARACTER SET utf8mb4")
            Database(address="", writer=root).run(f"CREATE USER r@127.0.0.1 IDENTIFIED BY '{_PASSWORD}'")
            Database(address="", writer=root).run("GRANT ALL ON faq.* TO r@127.0.0.1")
            address = f"mysql://r:{_PASSWORD}@127.0.0.1:{port}/faq"
            yield Database(address=address, writer=address.replace("mysql:", "mysql+pymysql:"), password=_PASSWORD)
        finally:
            process.terminate()
            process.wait(30)


def _await(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_LIMIT
    while True:
        try:
            Database(address="", writer=address).run("SELECT 1")
        except OperationalError:
            assert process.poll() is None, "MariaDB ended at once"
            assert time.monotonic() < end, "MariaDB did not start"
            time.sleep(0.05)
        else:
            return
