"""The Postgres that Headwater runs itself if no other is configured.

Belongs here: starting, finding and stopping the server under `HEADWATER_HOME/postgres`. Not here: its contents, access
to it (`embedded_access`). Guarantee: the first command starts it, all share it, and it runs until
`stop` is called: no command stops it on exit. Only the user who runs Headwater, and root, can connect.
"""

import fcntl
import os
import pwd
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from headwater.errors import DatabaseUnavailableError
from headwater.full_disk import disk_full_error, is_caused_by_full_disk, is_full
from headwater.private_files import private_folder
from headwater.settings import plain_environment
from headwater.store.server import embedded_access as access
from headwater.store.server.named_queries import named_queries

_CONFIGURED = "# Headwater's own; change it as you like"
_PATIENCE = 60  # seconds to start or to stop
_REAPED = 15  # seconds until a killed process is gone


@dataclass(frozen=True, kw_only=True, slots=True)
class Running:
    """A running server, according to its postmaster.pid."""

    pid: int
    named: str
    """The name of its folder: a path in releases that opened the folders above it to everyone."""
    sockets: Path
    port: str

    @property
    def address(self) -> str:
        """The address of its maintenance database."""
        return f"postgresql://{access.USER}@/{access.USER}?host={quote(str(self.sockets), safe='/')}&port={self.port}"


def start(folder: Path) -> str:
    """Return the address of the server's maintenance database; starts the server if it is not running.

    Raises:
        DatabaseUnavailableError: it does not start; the message names its log, or the disk if that is full.
    """
    running = _running(folder)
    if running and not open_doors(folder):
        return running.address
    try:
        private_folder(folder.parent)
        with _locked(folder):
            return _start(folder)
    except (OSError, KeyError, subprocess.SubprocessError, psycopg.Error) as error:
        if is_caused_by_full_disk(error) or is_full(folder.parent):
            raise disk_full_error(folder) from error
        raise DatabaseUnavailableError(
            f"The embedded Postgres under {folder} did not start ({_words(error)}); its log is {folder / 'log'}."
        ) from error


def is_running(folder: Path) -> bool:
    """Whether the server is running."""
    return _running(folder) is not None


def stop(folder: Path) -> bool:
    """Stop the server, and wait until it has ended; returns whether it was running.

    Raises:
        DatabaseUnavailableError: it does not stop.
    """
    running = _running(folder)
    if running is None:
        return False
    try:
        os.kill(running.pid, signal.SIGINT)  # "fast": sessions are ended, committed data is kept
    except ProcessLookupError:
        return True
    except PermissionError as error:
        raise DatabaseUnavailableError(
            f"The Postgres under {folder} belongs to another user; it was not stopped."
        ) from error
    deadline = time.monotonic() + _PATIENCE
    while _is_postgres(running.pid):
        if time.monotonic() > deadline:
            raise DatabaseUnavailableError(f"The Postgres under {folder} did not stop; its log is {folder / 'log'}.")
        time.sleep(0.05)
    return True


def open_doors(folder: Path) -> list[str]:
    """How other users could reach an existing server; empty if they cannot, or if there is none."""
    found = []
    if (folder / "PG_VERSION").exists() and not access.has_rules(folder):
        found.append("it lets every local user connect (pg_hba.conf)")
    if folder.exists() and not access.is_private(folder):
        found.append(f"others can enter {folder}")
    running = _running(folder)
    if running and not access.is_private(running.sockets):
        found.append(f"others can enter its socket's folder {running.sockets}")
    if running and _needs_open_folders(running):
        found.append("it needs the folders above it to be open to all")
    return found


def _needs_open_folders(running: Running) -> bool:
    return os.geteuid() == 0 and running.named != access.HERE


def _is_of_an_earlier_release(running: Running) -> bool:
    """Whether closing a running server needs a restart: its socket is open to all, or it needs open folders."""
    return not access.is_private(running.sockets) or _needs_open_folders(running)


def _start(folder: Path) -> str:
    """Create, close or start the server, as needed; no other process does so now."""
    runs_as = access.account(folder)
    if not folder.exists():
        folder.mkdir(mode=0o700)
    if runs_as:
        os.chown(folder, runs_as.pw_uid, runs_as.pw_gid)
    folder.chmod(0o700)
    running = _running(folder)
    if running and _is_of_an_earlier_release(running):
        stop(folder)
        running = None
    programs = access.programs_for(runs_as)
    if not (folder / "PG_VERSION").exists():
        options = ["--auth=peer", "--encoding=utf8", f"--username={access.USER}"]
        _run([str(programs / "initdb"), "-D", _named(folder), *options], folder, runs_as)
    _configure(folder)
    if access.write_rules(folder, runs_as) and running:
        _reload(running)
    if not running:
        running = _launch(programs, folder, runs_as)
    return running.address


def _launch(programs: Path, folder: Path, runs_as: pwd.struct_passwd | None) -> Running:
    sockets = access.socket_folder(folder, runs_as)
    if sockets == access.HERE:
        sockets = _named(folder)
    options = f"-h '' -k {shlex.quote(sockets)} -c unix_socket_permissions=0700"  # a socket, and no port
    wait = ["-w", "-t", str(_PATIENCE), "-l", "log", "-o", options, "start"]
    deadline = time.monotonic() + (_REAPED if (folder / "postmaster.pid").exists() else 0)
    while True:
        try:
            _run([str(programs / "pg_ctl"), "-D", _named(folder), *wait], folder, runs_as)
            break
        except OSError:  # the previous server was killed; its process or its children may still exist for a moment
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    running = _running(folder)
    if running is None:
        raise OSError("it ended at once")
    return running


def _reload(running: Running) -> None:
    """Make a server read its access rules again, and wait until it has."""
    with psycopg.connect(running.address, autocommit=True, connect_timeout=10) as connection:
        loaded = named_queries()["rules_read_at"]
        before = connection.execute(loaded).fetchone()
        os.kill(running.pid, signal.SIGHUP)
        deadline = time.monotonic() + _PATIENCE
        while connection.execute(loaded).fetchone() == before:
            if time.monotonic() > deadline:
                raise OSError("it does not reload its rules")
            time.sleep(0.02)


def _run(command: list[str], folder: Path, runs_as: pwd.struct_passwd | None) -> None:
    """Run a Postgres program in the server's folder, as its user, and without our environment."""
    identity: dict[str, Any] = {}
    if runs_as:
        identity = {"user": runs_as.pw_uid, "group": runs_as.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as output:  # not a pipe, which the server would inherit and keep open
        done = subprocess.run(
            command, cwd=folder, env=plain_environment(), umask=0o077, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, check=False, timeout=3 * _PATIENCE, **identity,
        )  # fmt: skip
        output.seek(0)
        lines = output.read().decode("utf-8", "replace").strip().splitlines()
    if done.returncode:
        raise OSError(f"{Path(command[0]).name}: {lines[-1] if lines else done.returncode}")


def _named(folder: Path) -> str:
    """The name of the server's folder for the server; systems without /proc need the path."""
    return access.HERE if Path(access.HERE).exists() else str(folder)


def _configure(folder: Path) -> None:
    """Give the server more cache than the default of 128 MB, once; its owner may change it.

    A search reads entries all over the index: 512 MB hold them at 100,000 chunks. Only used memory is allocated.
    """
    import psutil

    file = folder / "postgresql.conf"
    if _CONFIGURED.encode() not in access.read_own(file):
        megabytes = max(128, min(512, psutil.virtual_memory().total // 8 // 2**20))
        number = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
        with os.fdopen(number, "a", encoding="utf-8") as opened:
            opened.write(f"\n{_CONFIGURED}\nshared_buffers = {megabytes}MB\n")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Be the only process that starts or repairs this server."""
    number = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _running(folder: Path) -> Running | None:
    """Read postmaster.pid: pid, folder, start, port, socket folder, host, shared memory, status."""
    try:
        lines = [line.strip() for line in (folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()]
        if len(lines) < 8 or lines[7] != "ready":
            return None
        pid, named, port = int(lines[0]), lines[1], lines[3]
    except (OSError, ValueError):
        return None
    sockets = folder.resolve() if lines[4] == access.HERE else Path(lines[4])
    if not _is_postgres(pid) or not (sockets / f".s.PGSQL.{port}").exists():
        return None
    return Running(pid=pid, named=named, sockets=sockets, port=port)


def _is_postgres(pid: int) -> bool:
    """Whether the process is a live Postgres: after a crash the file stays, and another process may have the number."""
    import psutil

    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _words(error: Exception) -> str:
    return " ".join(str(error).split())
