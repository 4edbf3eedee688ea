"""Handing a sync over to a running `headwater up`, which has imported already what a sync needs.

Belongs here: the command's side, and what both sides say to each other. Not here: the worker (`sync_worker`), the sync
(`syncing`). Guarantee: the result is the one this process would have produced in the same environment; when there is no
worker, or it dies, this process does the work.

The socket lies in HEADWATER_HOME. Only the user who owns it gets in, and both sides ask the kernel who the other is.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from cli.imports import many_imports
from cli.output import note
from headwater import __version__
from headwater.errors import HeadwaterError
from headwater.settings import REPOSITORY, Settings

SOCKET = "sync.sock"
_LENGTH = struct.Struct("!I")
_PATIENCE = 10.0  # seconds until a worker must have answered at all
_GONE = "The process of `headwater up` that was syncing is gone; going on here."

Outcome = tuple[dict[str, Any], str | None]


class StoppedError(HeadwaterError):
    """`headwater up` was stopped, and this sync with it. Nothing is lost: run it again to finish."""

    code = "STOPPED"


def sync(slug: str, slugs: Sequence[str], *, is_full: bool = False) -> Outcome:
    """Sync sources of a knowledge base: by the worker of a running `up`, else in this process.

    Args:
        slug: the knowledge base.
        slugs: its sources; all when none is named.
        is_full: read everything, without trusting fingerprints.

    Returns:
        The sync as the API shows it, and what went wrong beside the sources' own errors (or None).

    Raises:
        HeadwaterError: whatever `cli.commands.syncing.sync_sources` raises.
        KeyboardInterrupt: it was interrupted from the keyboard; what was left is cancelled.
    """
    home = Settings.from_env().home
    connection = _connected(home)
    if connection is not None:
        with closing(connection):
            done = _follow(connection, home, {"slug": slug, "slugs": list(slugs), "is_full": is_full})
        if done is not None:
            return done
    with many_imports():
        from cli.commands.syncing import sync_sources

    return sync_sources(slug, slugs, is_full=is_full)


def identity() -> dict[str, str]:
    """Which program this is: a worker of another one would do the work otherwise."""
    return {"version": __version__, "repository": str(REPOSITORY), "python": sys.executable}


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end is of the same user."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Work in a folder for a block: the path of a socket may have some 100 bytes, and a home's may have more."""
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(before)
        os.close(before)


def send(connection: socket.socket, message: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    """Send a message, and open files with it."""
    body = json.dumps(message, default=str).encode()
    socket.send_fds(connection, [_LENGTH.pack(len(body))], list(files))
    connection.sendall(body)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Read a message, and the open files that came with it.

    Raises:
        EOFError: the other end is gone.
    """
    head, files, _, _ = socket.recv_fds(connection, _LENGTH.size, 1)
    (length,) = _LENGTH.unpack(head + _exactly(connection, _LENGTH.size - len(head)) if head else _gone())
    message: dict[str, Any] = json.loads(_exactly(connection, length))
    return message, list(files)


def _gone() -> bytes:
    raise EOFError


def _exactly(connection: socket.socket, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = connection.recv(length - len(parts))
        if not part:
            _gone()
        parts += part
    return bytes(parts)


def _connected(home: Path) -> socket.socket | None:
    if sys.platform != "linux" or not (home / SOCKET).exists():
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(_PATIENCE)
    try:
        with beside(home):
            connection.connect(SOCKET)
        if is_own(connection):
            return connection
    except OSError:
        pass  # of an `up` that was killed, or that is starting
    connection.close()
    return None


def _follow(connection: socket.socket, home: Path, asked: Mapping[str, Any]) -> Outcome | None:
    """Hand the work over and wait for its result; None when this process must do it."""
    terminal = [sys.stderr.fileno()] if sys.stderr.isatty() else []
    request = {**identity(), **asked, "environ": dict(os.environ), "folder": _folder()}
    answer = None
    with _passing_on() as interrupt, suppress(OSError, EOFError, ValueError):  # raised when the worker is gone
        send(connection, request, terminal)
        greeting, _ = receive(connection)
        if greeting.get("is_accepted"):
            interrupt.reach(greeting["process"])
            connection.settimeout(None)
            answer, _ = receive(connection)
    if interrupt.came and (answer is None or "is_interrupted" in answer):
        raise KeyboardInterrupt
    if answer is None:
        if interrupt.worker is not None:
            _must_be_up(home)
            note(_GONE)
        return None
    if "is_interrupted" in answer:  # by whoever stops `up`, or its worker
        _must_be_up(home)
        note(_GONE)
        return None
    if "code" in answer:
        known = {"code": answer["code"], "exit_status": answer["exit_status"]}
        raise type("HandedOverError", (HeadwaterError,), known)(answer["message"])
    return answer["result"], answer["error"]


class _Interrupt:
    """A Ctrl-C, which the worker gets, to cancel what is left; raised here, it might cut a message in two."""

    came = False
    worker: int | None = None

    def __call__(self, *_: object) -> None:
        """Note that it came, and pass it on."""
        self.came = True
        if self.worker is not None:
            with suppress(ProcessLookupError):
                os.kill(self.worker, signal.SIGINT)

    def reach(self, worker: int) -> None:
        """Learn who does the work; what came before is passed on now."""
        self.worker = worker
        if self.came:
            self()


@contextmanager
def _passing_on() -> Iterator[_Interrupt]:
    """For a block, pass a Ctrl-C on instead of raising it, unless it is ignored."""
    interrupt = _Interrupt()
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


def _must_be_up(home: Path) -> None:
    """Whoever stops `up` removes the socket first, and wants no work to go on."""
    if not (home / SOCKET).exists():
        raise StoppedError


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:
        return None  # deleted
