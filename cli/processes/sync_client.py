"""Handing a sync over to a running `headwater up`, which has already imported what a sync needs.

Belongs here: the command's side, the socket, and the messages between both sides. Not here: the worker (`sync_worker`),
the sync (`headwater.syncing`). Guarantee: the result is the one that this process would have produced in the same
environment; without a worker, or if it dies, this process does the work.

The socket is in HEADWATER_HOME. Only its owner can open it, and both sides ask the kernel who the other is.
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
from headwater.private_files import private_folder
from headwater.settings import REPOSITORY, Settings

SOCKET = "sync.sock"
_LENGTH = struct.Struct("!I")
_WAITING = 16  # commands that may wait to be taken
_PATIENCE = 10.0  # seconds until the worker must send its first answer
_GONE = "The process of `headwater up` that was syncing has died; continuing here."

Outcome = tuple[dict[str, Any], str | None]


class StoppedError(HeadwaterError):
    """`headwater up` was stopped, and this sync with it. Nothing is lost: run it again to finish."""

    code = "STOPPED"


def sync(slug: str, slugs: Sequence[str], *, is_full: bool = False, confirms_deletions: bool = False) -> Outcome:
    """Sync sources of a knowledge base: with the worker of a running `up`, or else in this process.

    Args:
        slug: the knowledge base.
        slugs: its sources; empty means all.
        is_full: read every document again, without trusting fingerprints.
        confirms_deletions: remove the documents that the last sync of each source held back.

    Returns:
        The sync as the API shows it, and an error that is not one of a source (or None).

    Raises:
        HeadwaterError: whatever `cli.sync_run.sync_sources` raises.
        KeyboardInterrupt: Ctrl-C was pressed; the rest of the sync is cancelled.
    """
    home = Settings.from_env().home
    connection = _connect(home)
    if connection is not None:
        with closing(connection):
            options = {"is_full": is_full, "confirms_deletions": confirms_deletions}
            outcome = _follow(connection, home, {"slug": slug, "slugs": list(slugs), **options})
        if outcome is not None:
            return outcome
    with many_imports():
        from cli.sync_run import sync_sources

    return sync_sources(slug, slugs, is_full=is_full, confirms_deletions=confirms_deletions)


def open_listener(home: Path) -> socket.socket:
    """A socket in a home that only its owner may use; replaces a socket that was left behind."""
    private_folder(home)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    previous_mask = os.umask(0o177)
    try:
        with beside(home):
            Path(SOCKET).unlink(missing_ok=True)
            listener.bind(SOCKET)
    finally:
        os.umask(previous_mask)
    listener.listen(_WAITING)
    return listener


def identity() -> dict[str, str]:
    """Identify this program: a worker of another version would work differently."""
    return {"version": __version__, "repository": str(REPOSITORY), "python": sys.executable}


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to the same user."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Work in a folder for a block: a socket's path may have about 100 bytes, and a home's path may be longer."""
    previous_folder = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(previous_folder)
        os.close(previous_folder)


def send(connection: socket.socket, message: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    """Send a message together with open files."""
    body = json.dumps(message, default=str).encode()
    socket.send_fds(connection, [_LENGTH.pack(len(body))], list(files))
    connection.sendall(body)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Read a message and the open files that came with it.

    Raises:
        EOFError: the other end has closed the connection.
    """
    head, files, _, _ = socket.recv_fds(connection, _LENGTH.size, 1)
    (length,) = _LENGTH.unpack(head + _exactly(connection, _LENGTH.size - len(head)) if head else _gone_error())
    message: dict[str, Any] = json.loads(_exactly(connection, length))
    return message, list(files)


def _gone_error() -> bytes:
    raise EOFError


def _exactly(connection: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        block = connection.recv(length - len(received))
        if not block:
            _gone_error()
        received += block
    return bytes(received)


def _connect(home: Path) -> socket.socket | None:
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
        pass  # left by an `up` that was killed, or one that is starting
    connection.close()
    return None


def _follow(connection: socket.socket, home: Path, sync_fields: Mapping[str, Any]) -> Outcome | None:
    """Hand the work over and wait for its result; None if this process must do it."""
    terminal = [sys.stderr.fileno()] if sys.stderr.isatty() else []
    request = {**identity(), **sync_fields, "environ": dict(os.environ), "folder": _folder()}
    answer = None
    with _pass_interrupts_on() as interrupt, suppress(OSError, EOFError, ValueError):  # raised when the worker has died
        send(connection, request, terminal)
        greeting, _ = receive(connection)
        if greeting.get("is_accepted"):
            interrupt.reach(greeting["process"])
            connection.settimeout(None)
            answer, _ = receive(connection)
            while "progress" in answer:
                note(answer["progress"])
                answer = None
                answer, _ = receive(connection)
    if interrupt.came and (answer is None or "is_interrupted" in answer):
        raise KeyboardInterrupt
    if answer is None:
        if interrupt.worker is not None:
            _must_be_up(home)
            note(_GONE)
        return None
    if "is_interrupted" in answer:  # because `up` or its worker was stopped
        _must_be_up(home)
        note(_GONE)
        return None
    if "code" in answer:
        error_fields = {"code": answer["code"], "exit_status": answer["exit_status"]}
        raise type("HandedOverError", (HeadwaterError,), error_fields)(answer["message"])
    return answer["result"], answer["error"]


class _Interrupt:
    """A Ctrl-C that is passed to the worker, which cancels the sync. Raised here, it could cut a message in two."""

    came = False
    worker: int | None = None

    def __call__(self, *_: object) -> None:
        """Record the Ctrl-C, and pass it on."""
        self.came = True
        if self.worker is not None:
            with suppress(ProcessLookupError):
                os.kill(self.worker, signal.SIGINT)

    def reach(self, worker: int) -> None:
        """Learn the worker's process id; pass on a Ctrl-C that came before."""
        self.worker = worker
        if self.came:
            self()


@contextmanager
def _pass_interrupts_on() -> Iterator[_Interrupt]:
    """During a block, pass a Ctrl-C on instead of raising it, unless it is ignored."""
    interrupt = _Interrupt()
    previous_handler = signal.getsignal(signal.SIGINT)
    if previous_handler is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def _must_be_up(home: Path) -> None:
    """Raise StoppedError if `up` is being stopped: it removes the socket first, so that no command continues."""
    if not (home / SOCKET).exists():
        raise StoppedError


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:
        return None  # deleted
