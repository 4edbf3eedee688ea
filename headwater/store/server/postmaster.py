"""What the files and processes of the embedded Postgres say of it.

Belongs here: reading postmaster.pid, whether its process lives, accepts connections, recovers or waits for nothing. Not
here: starting and ending it (`embedded_postgres`). Guarantee: looking changes nothing, and another server of this
machine is never taken for ours.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg.pq

from headwater.store.server import embedded_access as access

if TYPE_CHECKING:
    import psutil

_STUCK_AFTER = 8  # seconds; between a crash and recovery, Postgres waits up to five for its other processes
_READY, _STOPPING = "ready", "stopping"


@dataclass(frozen=True, kw_only=True, slots=True)
class Running:
    """A server that has started, according to its postmaster.pid."""

    pid: int
    named: str
    """The name of its folder: a path in releases that opened the folders above it to everyone."""
    sockets: Path
    port: str

    @property
    def address(self) -> str:
        """The address of its maintenance database."""
        return f"postgresql://{access.USER}@/{access.USER}?host={quote(str(self.sockets), safe='/')}&port={self.port}"

    def is_refusing(self) -> bool:
        """Whether it refuses every connection: it recovers from a crash, or stops."""
        ping = psycopg.pq.PGconn.ping(f"{self.address}&connect_timeout=5".encode())
        return ping == psycopg.pq.Ping.REJECT


def find_running(folder: Path) -> Running | None:
    """The server that has started in a folder, whether or not it recovers from a crash since; None if there is none.

    Its postmaster.pid has the lines pid, folder, start, port, socket folder, host, shared memory, status.
    """
    lines = _lines(folder)
    if _status(lines) != _READY or (process := alive(folder)) is None:
        return None
    sockets = folder.resolve() if lines[4] == access.HERE else Path(lines[4])
    if not (sockets / f".s.PGSQL.{lines[3]}").exists():
        return None
    return Running(pid=process.pid, named=lines[1], sockets=sockets, port=lines[3])


def alive(folder: Path) -> "psutil.Process | None":
    """The first process of a folder's server, also while it starts, recovers or stops."""
    import psutil

    try:
        process = psutil.Process(int(next(iter(_lines(folder)), "")))
        return process if is_postgres(process) and _works_in(process, folder) else None
    except (ValueError, psutil.Error):
        return None


def is_postgres(process: "psutil.Process") -> bool:
    """Whether a process is a live Postgres: after a crash the file stays, and another process may have the number."""
    import psutil

    try:
        return process.name().startswith("postgres") and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def is_stopping(folder: Path) -> bool:
    """Whether its postmaster.pid says that it was told to stop."""
    return _status(_lines(folder)) == _STOPPING


class StuckWatch:
    """Tells a server that recovers from one that waits for nothing, while it is asked again and again.

    When recovery fails for a full disk, Postgres may live on without the process that recovers, refuse every
    connection, and never end (seen with 18.6).
    """

    def __init__(self) -> None:
        self._idle_since: float | None = None

    def is_stuck(self, process: "psutil.Process") -> bool:
        """Whether nothing has recovered for some seconds; the seconds then begin again."""
        now = time.monotonic()
        if self._idle_since is None or _recovers(process):
            self._idle_since = now
        if now - self._idle_since < _STUCK_AFTER:
            return False
        self._idle_since = now
        return True


def _recovers(process: "psutil.Process") -> bool:
    """Whether a server has its startup process, which replays the log; if that cannot be seen, it may have one."""
    import psutil

    try:
        return any(" startup" in " ".join(child.cmdline()) for child in process.children())
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _works_in(process: "psutil.Process", folder: Path) -> bool:
    """Whether a server's working directory is the folder; if that cannot be seen, it may be."""
    import psutil

    try:
        return folder.samefile(process.cwd())
    except psutil.AccessDenied:
        return True
    except OSError:
        return False


def _lines(folder: Path) -> list[str]:
    try:
        return [line.strip() for line in (folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return []


def _status(lines: list[str]) -> str:
    return lines[7] if len(lines) > 7 else ""
