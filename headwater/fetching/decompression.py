"""Decompression with a bound.

Belongs here: gzip and deflate, piece by piece. Not here: archives of several files. Guarantee: it never holds more than
the limit and one piece, however much the bytes would expand to.
"""

import zlib

from headwater.errors import FetchError, TooLargeError

ENCODINGS = "gzip, deflate"
_GZIP = b"\x1f\x8b"
_MAX_MEMBERS = 10_000  # gzip files may be joined; each one costs a copy of what follows it
_ANY = 32 + zlib.MAX_WBITS  # gzip or zlib


class Decompressor:
    """Collects the bytes of one response, decompressed."""

    def __init__(self, encoding: str, limit: int) -> None:
        """Begin.

        Args:
            encoding: `Content-Encoding`, empty for none.
            limit: how many bytes the result may have.

        Raises:
            FetchError: the encoding is not one that was asked for.
        """
        self._content = bytearray()
        self._limit = limit
        self._members = 0
        self._zlib: zlib._Decompress | None = None
        self._is_begun = False
        self._is_over = False
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._zlib = zlib.decompressobj(_ANY)
        elif encoding not in ("", "identity"):
            raise FetchError(f"It is sent with the encoding {encoding[:50]!r}, though only {ENCODINGS} were asked for.")

    def feed(self, piece: bytes) -> None:
        """Add the next bytes.

        Raises:
            TooLargeError: the result exceeds the limit. FetchError: the bytes are not what the encoding says.
        """
        if self._zlib is None:
            self._add(piece)
            return
        self._is_begun = self._is_begun or bool(piece)
        try:
            while piece and not self._is_over:
                piece = self._expand(piece)
        except zlib.error as error:
            raise FetchError(f"Its compressed content is damaged ({error}).") from None

    def content(self) -> bytes:
        """Everything, once all bytes were fed.

        Raises:
            FetchError: compressed content ends too early.
        """
        if self._zlib is not None and self._is_begun and not self._is_over and not self._zlib.eof:
            raise FetchError("Its compressed content ends too early.")
        return bytes(self._content)

    def begun(self) -> bytes:
        """What was collected so far, at most the limit."""
        return bytes(self._content)

    def _expand(self, piece: bytes) -> bytes:
        """Decompress a piece; returns what belongs to the next member."""
        decompressor = self._zlib
        assert decompressor is not None  # noqa: S101 - for the type checker
        if decompressor.eof:
            return self._next_member(piece)
        room = self._limit - len(self._content) + 1
        try:
            self._add(decompressor.decompress(piece, room))
        except zlib.error:
            if self._content or self._members:
                raise
            self._zlib = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers send deflate without its header
            self._members = 1
            self._add(self._zlib.decompress(piece, room))
            decompressor = self._zlib
        return decompressor.unused_data if decompressor.eof else b""

    def _next_member(self, piece: bytes) -> bytes:
        """Begin the next gzip member; anything else after the end is padding."""
        self._members += 1
        if not piece.startswith(_GZIP[: len(piece)]):
            self._is_over = True
            return b""
        if self._members > _MAX_MEMBERS:
            raise TooLargeError(f"It consists of more than {_MAX_MEMBERS:,} compressed parts.")
        self._zlib = zlib.decompressobj(_ANY)
        return piece

    def _add(self, piece: bytes) -> None:
        room = self._limit - len(self._content)
        self._content += piece[:room]
        if len(piece) > room:
            raise TooLargeError(f"It is larger than {megabytes(self._limit)}.")


def expand_gzip(content: bytes, limit: int) -> bytes:
    """Decompress a gzip file, such as a compressed sitemap.

    Raises:
        TooLargeError: the result exceeds the limit. FetchError: it is not a whole gzip file.
    """
    expander = Decompressor("gzip", limit)
    expander.feed(content)
    return expander.content()


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 1e6:,.0f} MB" if size >= 1_000_000 else f"{size:,} bytes"
