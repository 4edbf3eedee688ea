"""Parsing how much of a request has arrived.

Belongs here: finding the end of a request. Not here: whether the request is valid (gunicorn's parser decides that), and
sockets (`gunicorn_worker`). Guarantee: a request that is reported as complete can be read to its end, or refused,
without waiting for the client; the body of an upload is on disk, not in memory, from the moment that `spool_body` is
called.
"""

import re
from enum import Enum, auto
from typing import BinaryIO

MAX_LINE_BYTES = 4094  # bytes of a request line, gunicorn's own limit
MAX_HEAD_BYTES = 65_536  # bytes of the request line and all header fields
MAX_BODY_BYTES = 1_000_000  # bytes
_SMALL_BODY = 65_536  # bytes of a body that is read before the app is asked
_MAX_SIZE_LINE_BYTES = 256  # bytes of the line before a chunk; sizes take 5
_OVERHEAD = 4  # how many times its limit a chunked body may take on the wire; chunks of one byte take 6 times theirs
_HEAD_END = b"\r\n\r\n"
_BARE_LF = re.compile(rb"(?<!\r)\n")
_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_UPLOAD = re.compile(rb"PUT /api/v1/knowledge-bases/[^/ ?]+/sources/[^/ ?]+/files/[^ ?]+(?:\?[^ ]*)? HTTP/1\.1\r\n")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,16})[ \t]*(?:;|$)")


class Part(Enum):
    """The missing part of a request, if any."""

    NOTHING_YET = auto()
    """No byte has arrived."""
    HEAD = auto()
    """The head has begun."""
    BODY = auto()
    """The head is complete, the body is not."""
    WHOLE = auto()
    """It can be read to its end; or its head is so wrong that the parser will refuse it."""


class RefusedError(Exception):
    """The bytes cannot become a request: the status, code and detail of the response."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


class RequestReader:
    """The bytes of one request (and of what follows it), as they arrive."""

    def __init__(self, data: bytes = b"", upload_limit: int = MAX_BODY_BYTES) -> None:
        self.data = bytearray(data)
        self.spool: BinaryIO | None = None
        self.is_upload = False
        self._is_file = False
        self._upload_limit = upload_limit
        self._spooled = 0  # bytes
        self.expects_continue = False
        self.is_awaited = False  # whether we wait for the body and have told the client so
        self._searched = 0
        self._head = 0  # end of the head; 0 while unknown
        self._length: int | None = 0  # of the body; None if it is chunked
        self._chunk = 0  # start of the next chunk's size line
        self._payload = 0  # bytes of the chunks so far

    def add(self, block: bytes) -> None:
        """Add bytes that arrived.

        Raises:
            OSError: the disk is full.
        """
        if self.spool is None:
            self.data += block
            return
        self.spool.write(block)
        self._spooled += len(block)

    def spool_body(self, spool: BinaryIO) -> None:
        """Keep the body of an upload in a file from now on: what has arrived of it, and what is still to come.

        Raises:
            OSError: the disk is full.
        """
        self.spool = spool
        body_start = bytes(self.data[self._head :])
        del self.data[self._head :]
        self.add(body_start)

    @property
    def arrived(self) -> int:
        """How many bytes have arrived."""
        return len(self.data) + self._spooled

    @property
    def head(self) -> bytes:
        """The request line and the header fields, once they are complete."""
        return bytes(self.data[: self._head])

    @property
    def needs_leave(self) -> bool:
        """Whether the app must let the body come before it is read.

        So it is for a file, for a body that is large or may become so, and if the client asks. Asking the app for each
        small body would double its work: many clients send the head and the body separately.
        """
        is_large = self._length is None or self._length > _SMALL_BODY
        return self._is_file or is_large or self.expects_continue

    def part(self) -> Part:
        """The part that is missing now.

        Raises:
            RefusedError: the bytes cannot become a request.
        """
        if not self.data:
            return Part.NOTHING_YET
        if not self._head and not self._find_head():
            return Part.HEAD
        if self._length is None:
            return self._chunks()
        limit = self._upload_limit if self.is_upload else MAX_BODY_BYTES
        if self._length > limit:
            raise _too_large(limit)
        return Part.WHOLE if self.arrived >= self._head + self._length else Part.BODY

    def _find_head(self) -> bool:
        start = max(0, self._searched - len(_HEAD_END))
        position = self.data.find(_HEAD_END, start)
        end = position + len(_HEAD_END) if position >= 0 else len(self.data)
        if not 0x41 <= self.data[0] <= 0x7A and self.data[0] not in b"\r\n":
            raise RefusedError(
                400,
                "MALFORMED_REQUEST",
                "This is not HTTP. The API speaks HTTP/1.1 without TLS: use http://, not https://.",
            )
        if _BARE_LF.search(self.data, start, end):
            raise RefusedError(400, "MALFORMED_REQUEST", "A line of the request's head ends without a carriage return.")
        if b"\r\n" not in self.data[2 : MAX_LINE_BYTES + 4] and end > MAX_LINE_BYTES + 4:
            raise RefusedError(414, "URI_TOO_LONG", f"The address has more than {MAX_LINE_BYTES:,} bytes. Send less.")
        if end > MAX_HEAD_BYTES:
            raise RefusedError(
                431, "HEADERS_TOO_LARGE", f"The headers have more than {MAX_HEAD_BYTES:,} bytes. Send less."
            )
        self._searched = len(self.data)
        if position < 0:
            return False
        self._head = self._chunk = end
        self._frame()
        return True

    def _frame(self) -> None:
        """Find the length of the body. If the head is unclear about it, the parser will refuse it."""
        fields = [(name.lower(), value.strip()) for name, value in _FRAMING.findall(self.data[: self._head])]
        lengths = [value for name, value in fields if name == b"content-length"]
        codings = [value.lower() for name, value in fields if name == b"transfer-encoding"]
        self._is_file = _UPLOAD.match(self.data) is not None
        if codings == [b"chunked"] and not lengths:
            self._length = None
        elif len(lengths) == 1 and not codings and lengths[0].isdigit():
            self._length = int(lengths[0]) if len(lengths[0]) < 20 else 10**20
            self.is_upload = self._is_file
        self.expects_continue = (b"expect", b"100-continue") in [(name, value.lower()) for name, value in fields]

    def _chunks(self) -> Part:
        while True:
            end = self.data.find(b"\r\n", self._chunk)
            if end < 0:
                return self._more(self._chunk, _MAX_SIZE_LINE_BYTES)
            size_line = _CHUNK_SIZE.match(self.data[self._chunk : end])
            if size_line is None:
                raise _malformed_error()
            size = int(size_line.group(1), 16)
            if size == 0:
                return Part.WHOLE if self.data.find(_HEAD_END, end) >= 0 else self._more(end, MAX_HEAD_BYTES)
            self._payload += size
            following = end + 2 + size + 2
            if self._payload > MAX_BODY_BYTES or following - self._head > _OVERHEAD * MAX_BODY_BYTES:
                raise _too_large(MAX_BODY_BYTES)
            if len(self.data) < following:
                self._payload -= size
                return Part.BODY
            if self.data[following - 2 : following] != b"\r\n":
                raise _malformed_error()
            self._chunk = following

    def _more(self, start: int, most: int) -> Part:
        """Wait for the end of a line, or of trailers: the parser would take incomplete ones as complete."""
        if len(self.data) - start > most:
            raise _malformed_error()
        return Part.BODY


def _too_large(limit: int) -> RefusedError:
    advice = "Upload a smaller file, or raise HEADWATER_UPLOAD_LIMIT." if limit > MAX_BODY_BYTES else "Send less."
    return RefusedError(413, "REQUEST_ENTITY_TOO_LARGE", f"The body has more than {limit:,} bytes. {advice}")


def _malformed_error() -> RefusedError:
    return RefusedError(400, "MALFORMED_REQUEST", "The chunks of the body are not framed as RFC 9112 requires.")
