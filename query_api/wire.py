"""A non-blocking client connection: the request bytes received and the response bytes not yet sent.

Belongs here: one socket, and how much of a response its client has read. Not here: when to read and write (`worker`).
Guarantee: no read and no write blocks; a thread that serves a request is free as soon as the response is ready.
"""

import errno
import fcntl
import select
import socket
import struct
import termios
import time
from contextlib import suppress
from enum import IntEnum, auto
from typing import Any

from gunicorn.workers.gthread import TConn

from query_api.arriving import Arriving

_MOST_UNSENT = 4_000_000  # bytes: no script is longer; a stream's client that leaves so much unread does not read
_PATIENCE = 5.0  # seconds for such a client to read some of them


class Phase(IntEnum):
    """A connection's state, in the order in which connections are closed to make room."""

    CLOSING = auto()
    """The response is sent; the client has not closed."""
    IDLE = auto()
    """No byte of a request has arrived."""
    RECEIVING = auto()
    """A request has begun."""
    SENDING = auto()
    """The response is ready, but the client has not read all of it."""
    SERVING = auto()
    """A thread is processing the request, or will."""


class Wire(socket.socket):
    """A socket that reads what is available and writes what fits."""

    unsent: bytearray

    @classmethod
    def around(cls, accepted: socket.socket) -> "Wire":
        """Take over an accepted socket."""
        wire = cls(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        wire.unsent = bytearray()
        return wire

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read what is available; empty, as at the end, if a parser asks for more than has arrived."""
        try:
            return super().recv(size, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""

    def take(self, size: int) -> bytes | None:
        """Read what is available; None if nothing is yet."""
        try:
            return super().recv(size, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None

    def sendall(self, data: Any, flags: int = 0) -> None:  # noqa: ARG002 - as its base has it
        """Send what fits, keep the rest.

        Raises:
            ConnectionResetError: the client has left too much unread.
        """
        self.flush()
        deadline = time.monotonic() + _PATIENCE
        waiting = select.poll()  # select() fails for descriptors from 1,024 on
        waiting.register(self, select.POLLOUT)
        while len(self.unsent) > _MOST_UNSENT:
            if time.monotonic() > deadline:
                raise ConnectionResetError(errno.ECONNRESET, "the client does not read")
            waiting.poll(_PATIENCE * 100)  # milliseconds: a tenth of it
            self.flush()
        self.unsent += data
        self.flush()

    @property
    def unread(self) -> int:
        """The bytes of responses that the client's machine has not received, as far as the kernel knows."""
        kept = bytearray(struct.calcsize("i"))
        with suppress(OSError, ValueError):  # such as a closed socket
            fcntl.ioctl(self, termios.TIOCOUTQ, kept)
        return len(self.unsent) + int(struct.unpack("i", kept)[0])

    def flush(self) -> None:
        """Send as much of the kept bytes as fits."""
        while self.unsent:
            try:
                sent = self.send(self.unsent, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            del self.unsent[:sent]


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """One client's connection and its phase."""

    sock: Wire

    def __init__(self, cfg: Any, accepted: socket.socket, client: Any, server: Any) -> None:
        super().__init__(cfg, Wire.around(accepted), client, server)
        self.init()  # creates the parser
        self.address = client[0] if isinstance(client, tuple) else ""
        self.arriving = Arriving()
        self.phase = Phase.IDLE
        self.since = time.monotonic()  # in this phase
        self.deadline = 0.0  # of this phase
        self.unread = 0  # bytes, when the deadline of sending was set
        self.stays = False  # open after the response
        self.discarded = 0  # bytes, while closing

    @property
    def size(self) -> int:
        """Bytes kept."""
        return len(self.arriving.data) + len(self.sock.unsent)

    def enter(self, phase: Phase, seconds: float) -> None:
        """Enter a phase that may last that many seconds."""
        self.phase, self.since = phase, time.monotonic()
        self.deadline = self.since + seconds

    def hand_over(self) -> None:
        """Pass received bytes to the parser."""
        self.parser.unreader.unread(bytes(self.arriving.data))
        self.arriving = Arriving()
        self.enter(Phase.SERVING, 0)

    def take_back(self) -> None:
        """Take back bytes that the parser left: they belong to the next request."""
        self.arriving = Arriving(self.parser.unreader.take_buffered())
