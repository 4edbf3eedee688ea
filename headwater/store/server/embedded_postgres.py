"""The Postgres that Headwater runs itself if no other is configured.

Belongs here: starting, finding and stopping the server under `HEADWATER_HOME/postgres`. Not here: its contents, access
to it (`embedded_access`), what its files and processes say (`postmaster`). Guarantee: the first command starts it, all
share it, and it runs until `stop` is called: no command stops it on exit. Only the user who runs Headwater, and root,
can connect. A server that recovers from a crash is waited for.
"""

import fcntl
import os
import pwd
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from headwater.errors import DatabaseUnavailableError
from headwater.full_disk import disk_full_error, is_caused_by_full_disk, is_full
from headwater.private_files import private_folder
from headwater.settings import plain_environment
from headwater.store.server import embedded_access as access
from headwater.store.server import postmaster
from headwater.store.server.named_queries import load_queries

_CONFIGURED = "# Headwater's own; change it as you like"
_PATIENCE = 60  # seconds to stop, or to read its rules
_RECOVERY = 600  # seconds; after a crash, up to a gigabyte of log is replayed
_REAPED = 15  # seconds until a killed process is gone


def start(folder: Path, *, recovery: float = _RECOVERY) -> str:
    """Return the address of the server's maintenance database; starts the server if it is not running.

    A server that recovers from a crash is waited for; one that is stuck is ended and started again.

    Args:
        folder: the server's folder.
        recovery: how many seconds to wait for a server that recovers.

    Raises:
        DatabaseUnavailableError: it does not start; the message names its log, or the disk if that is full.
    """
    running = postmaster.find_running(folder)
    if running and not running.is_refusing() and not open_doors(folder):
        return running.address
    try:
        private_folder(folder.parent)
        with _lock_server(folder):
            return _start(folder, time.monotonic() + recovery)
    except (OSError, KeyError, subprocess.SubprocessError, psycopg.Error) as error:
        if is_caused_by_full_disk(error) or is_full(folder.parent):
            raise disk_full_error(folder) from error
        raise DatabaseUnavailableError(
            f"The embedded Postgres under {folder} did not start ({_words(error)}); its log is {folder / 'log'}."
        ) from error


def is_alive(folder: Path) -> bool:
    """Whether the server has started and its process lives; it is not asked, which would cost it a process."""
    return postmaster.find_running(folder) is not None


def is_running(folder: Path) -> bool:
    """Whether the server is running, and does not recover from a crash."""
    running = postmaster.find_running(folder)
    return running is not None and not running.is_refusing()


def stop(folder: Path) -> bool:
    """Stop the server, and wait until it has ended; returns whether it was running.

    Raises:
        DatabaseUnavailableError: it does not stop.
    """
    process = postmaster.alive(folder)
    if process is None:
        return False
    # INT, "fast": sessions are ended, committed data is kept. QUIT: as after a crash, the log has what was committed.
    # While Postgres recovers from a crash, INT may leave it waiting for nothing (seen with 18.6).
    steps = ((signal.SIGINT, _PATIENCE), (signal.SIGQUIT, _REAPED))
    for signal_number, seconds in steps if is_running(folder) or postmaster.is_stopping(folder) else steps[1:]:
        try:
            os.kill(process.pid, signal_number)
        except ProcessLookupError:
            return True
        except PermissionError as error:
            raise DatabaseUnavailableError(
                f"The Postgres under {folder} belongs to another user; it was not stopped."
            ) from error
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not postmaster.is_postgres(process):
                return True
            time.sleep(0.05)
    raise DatabaseUnavailableError(f"The Postgres under {folder} did not stop; its log is {folder / 'log'}.")


def open_doors(folder: Path) -> list[str]:
    """How other users could reach an existing server; empty if they cannot, or if there is none."""
    weaknesses = []
    if (folder / "PG_VERSION").exists() and not access.has_rules(folder):
        weaknesses.append("it lets every local user connect (pg_hba.conf)")
    if folder.exists() and not access.is_private(folder):
        weaknesses.append(f"others can enter {folder}")
    running = postmaster.find_running(folder)
    if running and not access.is_private(running.sockets):
        weaknesses.append(f"others can enter its socket's folder {running.sockets}")
    if running and _needs_open_folders(running):
        weaknesses.append("it needs the folders above it to be open to all")
    return weaknesses


def _needs_open_folders(running: postmaster.Running) -> bool:
    return os.geteuid() == 0 and running.named != access.HERE


def _is_of_an_earlier_release(running: postmaster.Running) -> bool:
    """Whether closing a running server needs a restart: its socket is open to all, or it needs open folders."""
    return not access.is_private(running.sockets) or _needs_open_folders(running)


def _start(folder: Path, deadline: float) -> str:
    """Create, close or start the server, as needed; no other process does so now."""
    runs_as = access.account(folder)
    if not folder.exists():
        folder.mkdir(mode=0o700)
    if runs_as:
        os.chown(folder, runs_as.pw_uid, runs_as.pw_gid)
    folder.chmod(0o700)
    running = _await_settled(folder, deadline)
    if running and _is_of_an_earlier_release(running):
        stop(folder)
        running = None
    programs = access.programs_for(runs_as)
    if not (folder / "PG_VERSION").exists():
        options = ["--auth=peer", "--encoding=utf8", f"--username={access.USER}"]
        _run([str(programs / "initdb"), "-D", _name_folder(folder), *options], folder, runs_as)
    _configure(folder)
    if access.write_rules(folder, runs_as) and running:
        _reload(running)
    if not running:
        running = _launch(programs, folder, runs_as, deadline)
    return running.address


class _Wait:
    """Waiting for a server that starts, recovers or stops; one that is stuck is ended."""

    def __init__(self, folder: Path, deadline: float) -> None:
        self._folder = folder
        self._begun = time.monotonic()
        self._deadline = deadline
        self._watch = postmaster.StuckWatch()
        self._signals = iter((signal.SIGQUIT, signal.SIGKILL))

    def look(self) -> None:
        """Do what is due now.

        Raises:
            OSError: the time is over; a server that recovers goes on.
        """
        if time.monotonic() > self._deadline:
            raise OSError("it still recovers from a crash, or stops; wait a little, and run the command again")
        process = postmaster.alive(self._folder)
        if process and self._watch.is_stuck(process):
            # One that stops may wait for the end of sessions, or still write what it holds.
            may_stop = postmaster.is_stopping(self._folder) and time.monotonic() < self._begun + _PATIENCE
            os.kill(process.pid, signal.SIGINT if may_stop else next(self._signals, signal.SIGKILL))


def _await_settled(folder: Path, deadline: float) -> postmaster.Running | None:
    """The server, once it has started or recovered; None if there is none, or it has ended."""
    wait = _Wait(folder, deadline)
    while postmaster.alive(folder):
        running = postmaster.find_running(folder)
        if running and not running.is_refusing():
            return running
        wait.look()
        time.sleep(0.1)
    return None


def _launch(programs: Path, folder: Path, runs_as: pwd.struct_passwd | None, deadline: float) -> postmaster.Running:
    sockets = access.socket_folder(folder, runs_as)
    if sockets == access.HERE:
        sockets = _name_folder(folder)
    options = f"-h '' -k {shlex.quote(sockets)} -c unix_socket_permissions=0700"  # a socket, and no port
    wait = _Wait(folder, deadline)
    begin = ["-w", "-t", str(_RECOVERY), "-l", "log", "-o", options, "start"]
    until = time.monotonic() + (_REAPED if (folder / "postmaster.pid").exists() else 0)
    while True:
        try:
            _run([str(programs / "pg_ctl"), "-D", _name_folder(folder), *begin], folder, runs_as, wait.look)
            break
        except OSError:  # the previous server was killed; its process or its children may still exist for a moment
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
    running = _await_settled(folder, deadline)
    if running is None:
        raise OSError("it ended at once")
    return running


def _reload(running: postmaster.Running) -> None:
    """Make a server read its access rules again, and wait until it has."""
    with psycopg.connect(running.address, autocommit=True, connect_timeout=10) as connection:
        loaded = load_queries()["rules_read_at"]
        last_load = connection.execute(loaded).fetchone()
        os.kill(running.pid, signal.SIGHUP)
        deadline = time.monotonic() + _PATIENCE
        while connection.execute(loaded).fetchone() == last_load:
            if time.monotonic() > deadline:
                raise OSError("it does not reload its rules")
            time.sleep(0.02)


def _run(
    command: list[str], folder: Path, runs_as: pwd.struct_passwd | None, look: Callable[[], None] = lambda: None
) -> None:
    """Run a Postgres program in the server's folder, as its user, and without our environment; `look` meanwhile."""
    identity: dict[str, Any] = {}
    if runs_as:
        identity = {"user": runs_as.pw_uid, "group": runs_as.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as output:  # not a pipe, which the server would inherit and keep open
        with subprocess.Popen(
            command, cwd=folder, env=plain_environment(), umask=0o077, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, **identity,
        ) as program:  # fmt: skip
            try:
                while program.poll() is None:
                    look()
                    with suppress(subprocess.TimeoutExpired):
                        program.wait(0.2)
            except OSError:
                program.kill()
                raise
        output.seek(0)
        lines = output.read().decode("utf-8", "replace").strip().splitlines()
    if program.returncode:
        raise OSError(f"{Path(command[0]).name}: {lines[-1] if lines else program.returncode}")


def _name_folder(folder: Path) -> str:
    """The name of the server's folder for the server; systems without /proc need the path."""
    return access.HERE if Path(access.HERE).exists() else str(folder)


def _configure(folder: Path) -> None:
    """Give a new server more cache than its default of 128 MB, and no processes that read ahead; people may change it.

    A search reads entries all over the index: 512 MB hold them at 100,000 chunks. Only used memory is allocated.
    The three processes of `io_method = worker` take 8 MB, and a table of 370 MB is read no faster with them. With
    this cache, Postgres would set `wal_buffers` to 16 MB and use all of it in turn; rows are loaded no faster than with
    the 4 MB that belong to its default.
    """
    import psutil

    file = folder / "postgresql.conf"
    if _CONFIGURED.encode() not in access.read_own(file):
        megabytes = max(128, min(512, psutil.virtual_memory().total // 8 // 2**20))
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "a", encoding="utf-8") as configuration:
            lines = (_CONFIGURED, f"shared_buffers = {megabytes}MB", "io_method = sync", "wal_buffers = 4MB")
            configuration.write("\n" + "\n".join(lines) + "\n")


@contextmanager
def _lock_server(folder: Path) -> Iterator[None]:
    """Be the only process that starts or repairs this server."""
    descriptor = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _words(error: Exception) -> str:
    return " ".join(str(error).split())
