"""A non-blocking client connection: the request bytes received and the response bytes not yet sent.

Belongs here: one socket, and how much of a response its client has read. Not here: when to read and write
(`gunicorn_worker`). Guarantee: no read and no write blocks; a thread that serves a request is free as soon as the
response is ready, also when the response is a large file.
"""

import errno
import fcntl
import select
import socket
import struct
import tempfile
import termios
import time
from contextlib import suppress
from enum import IntEnum, auto
from pathlib import Path
from typing import Any, BinaryIO

from gunicorn.workers.gthread import TConn

from headwater.private_files import private_folder
from query_api.guards.admission import Admission
from query_api.server.request_reader import MAX_BODY_BYTES, RequestReader
from query_api.sse import Stream

_MAX_UNSENT_BYTES = 4_000_000  # bytes: no script is longer; a stream's client that leaves so much unread does not read
_BEGINNING = 200  # bytes of a request that are remembered: more than its method and the start of its address
_BLOCK = 65_536  # bytes of a file that are read at a time
_BLOCKS = 16  # blocks that are sent in a row, before other connections have their turn
_MIN_SENT_BYTES = 4_000  # bytes a second that the client of an upload must send
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
    STREAMING = auto()
    """The loop of streams has it."""


class Wire(socket.socket):
    """A socket that reads what is available and writes what fits."""

    unsent: bytearray
    begun: bytes = b""
    """How the current request begins, for the form of its refusal."""
    is_counted: bool = False
    """Whether the limits have counted the current request, because the app was asked about its head."""
    spool: BinaryIO | None = None
    """The body of an upload, which is read before anything from the socket."""
    tail: BinaryIO | None = None
    """A file that is sent after what is unsent; `tail_left` is how many bytes of it."""
    tail_left: int = 0
    stream: Stream | None = None
    """What the loop of streams sends after what is unsent; `ending` is what follows it."""
    ending: bytes = b""

    @classmethod
    def around(cls, accepted: socket.socket) -> "Wire":
        """Take over an accepted socket."""
        wire = cls(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        wire.unsent = bytearray()
        return wire

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read what is available; empty, as at the end, if a parser asks for more than has arrived."""
        spooled = self.spool.read(size) if self.spool else b""
        if spooled:
            return spooled
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
        if self.stream is not None:
            self.ending += bytes(data)
            return
        self.flush()
        deadline = time.monotonic() + _PATIENCE
        waiting = select.poll()  # select() fails for descriptors from 1,024 on
        waiting.register(self, select.POLLOUT)
        while len(self.unsent) > _MAX_UNSENT_BYTES:
            if time.monotonic() > deadline:
                raise ConnectionResetError(errno.ECONNRESET, "the client does not read")
            waiting.poll(_PATIENCE * 100)  # milliseconds: a tenth of it
            self.flush()
        self.unsent += data
        self.flush()

    def send_later(self, file: BinaryIO, length: int) -> None:
        """Send the next bytes of a file after the response so far, and close the file; needs no thread meanwhile."""
        self.tail, self.tail_left = file, length

    def stream_later(self, stream: Stream) -> None:
        """Leave the rest of the response to the loop of streams, which begins when the thread has finished."""
        self.stream, self.ending = stream, b""

    def send_stream(self, data: bytes) -> None:
        """Send what fits of the next bytes of the stream, keep the rest; of none, send what follows the stream."""
        if self.ending and data:  # the server ends a body in chunks
            self.unsent += b"%x\r\n%b\r\n" % (len(data), data)
        else:
            self.unsent += data or self.ending
        self.flush()

    @property
    def has_more(self) -> bool:
        """Whether a part of the response is still to be sent."""
        return bool(self.unsent) or self.tail is not None

    def close_files(self) -> None:
        """Close the files and the stream that belong to the current request."""
        for resource in (self.spool, self.tail, self.stream):
            if resource is not None:
                resource.close()
        self.spool = self.tail = self.stream = None
        self.tail_left = 0

    @property
    def unread(self) -> int:
        """The bytes of responses that the client's machine has not received, as far as the kernel knows."""
        buffer = bytearray(struct.calcsize("i"))
        with suppress(OSError, ValueError):  # such as a closed socket
            fcntl.ioctl(self, termios.TIOCOUTQ, buffer)
        return self.tail_left + len(self.unsent) + int(struct.unpack("i", buffer)[0])

    def flush(self) -> None:
        """Send as much of the kept bytes as fits.

        Raises:
            ConnectionResetError: the file that is being sent ended early, so the client must not take it as complete.
        """
        blocks_left = _BLOCKS
        while self.unsent or (blocks_left > 0 and self._take_from_tail()):
            try:
                sent = self.send(self.unsent, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            del self.unsent[:sent]
            blocks_left -= self.tail is not None

    def _take_from_tail(self) -> bool:
        if self.tail is None:
            return False
        block = self.tail.read(min(_BLOCK, self.tail_left))
        if not block and self.tail_left:
            raise ConnectionResetError(errno.ECONNRESET, "the file ended early")
        self.tail_left -= len(block)
        self.unsent += block
        if not self.tail_left:
            self.tail.close()
            self.tail = None
        return bool(block)


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """One client's connection and its phase."""

    sock: Wire

    def __init__(
        self, cfg: Any, accepted: socket.socket, client: Any, server: Any, upload_limit: int = MAX_BODY_BYTES
    ) -> None:
        super().__init__(cfg, Wire.around(accepted), client, server)
        self._upload_limit = upload_limit
        self.init()  # creates the parser
        self.address = client[0] if isinstance(client, tuple) else ""
        self.arriving = RequestReader(upload_limit=upload_limit)
        self.admission = Admission()  # of the upload that arrives or is served
        self.arrived = 0  # bytes of an upload, when the deadline of receiving was set
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
        self.sock.begun = bytes(self.arriving.data[:_BEGINNING])
        self.parser.unreader.unread(bytes(self.arriving.data))
        if self.arriving.spool is not None:
            self.arriving.spool.seek(0)
        self.sock.spool = self.arriving.spool
        self.arriving = RequestReader(upload_limit=self._upload_limit)
        self.enter(Phase.SERVING, 0)

    def take_back(self) -> None:
        """Take back bytes that the parser left: they belong to the next request."""
        following = self.parser.unreader.take_buffered()
        if self.sock.spool is not None:
            following += self.sock.spool.read()  # less than a block
        self.sock.close_files()
        self.sock.is_counted = False
        self.arriving = RequestReader(following, self._upload_limit)

    @property
    def is_upload(self) -> bool:
        """Whether an upload is arriving, or being served."""
        return self.arriving.spool is not None or self.sock.spool is not None

    def spool(self, folder: Path, admission: Admission) -> None:
        """Keep the body of an upload on disk.

        Raises:
            OSError: the disk is full.
        """
        self.arriving.spool_body(tempfile.TemporaryFile(dir=private_folder(folder)))  # noqa: SIM115 - closed with it
        self.admission = admission
        self.arrived = self.arriving.arrived

    def is_flowing(self, seconds: float) -> bool:
        """Whether an upload has arrived fast enough in the seconds since its deadline was set."""
        return self.is_upload and self.arriving.arrived - self.arrived >= _MIN_SENT_BYTES * seconds

    def close_files(self) -> None:
        """Close every file of the connection."""
        if self.arriving.spool is not None:
            self.arriving.spool.close()
            self.arriving.spool = None
        self.sock.close_files()
