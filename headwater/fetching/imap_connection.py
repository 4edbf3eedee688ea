"""Connections to mail servers by IMAP, through the guard of outgoing requests.

Belongs here: connecting to checked addresses, TLS, and the limits on time and bytes of one command. Not here: commands
and secrets (`headwater.sources.imap`). Guarantee: it connects only to addresses that the guard checked; it resolves no
name again; nothing is sent without encryption unless the operator names the host; no server makes it wait or store
without end.
"""

import imaplib
import socket
import ssl
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from headwater.errors import FetchError, FetchRefusedError, TooLargeError
from headwater.fetching.url_guard import UrlGuard

if TYPE_CHECKING:
    from typing_extensions import Buffer

IMAP_PORTS = {"imaps": 993, "imap": 143}
"""The usual port of each scheme; `imap` asks the server for TLS before anything else."""
_CONNECT_SECONDS = 10.0  # for one address
_MAX_LINE_BYTES = 8_000_000
_MIN_BYTES_PER_SECOND = 50_000
_RECEIVED_AT_ONCE = 65_536  # bytes


class GuardedImap(imaplib.IMAP4):
    """A connection to one mail server, encrypted, before anybody logs in."""

    def __init__(self, gate: UrlGuard, scheme: str, host: str, port: int) -> None:
        """Connect.

        Args:
            gate: what may be fetched.
            scheme: `imaps`, or `imap` for STARTTLS.
            host: the host's name or address.
            port: its port.

        Raises:
            FetchRefusedError: the guard refuses the host, or it offers no encryption. FetchError: its name cannot be
                resolved, or it is too slow. OSError: it cannot be reached. imaplib.IMAP4.error: it does not speak IMAP.
        """
        self._gate = gate
        self._scheme = scheme
        self._buffer = bytearray()
        self.expect(_MAX_LINE_BYTES)
        super().__init__(host, port)
        if scheme == "imap":
            self._encrypt()

    def expect(self, limit: int) -> None:
        """Begin a command, whose answer may have so many bytes; its time grows with them."""
        self._bytes = limit
        self._seconds = self._gate.time_limit + limit / _MIN_BYTES_PER_SECOND
        self._end = time.monotonic() + self._seconds

    def open(self, host: str = "", port: int = 993, timeout: float | None = None) -> None:  # noqa: ARG002
        """Connect to the first of the host's checked addresses that answers; IMAP4 calls it."""
        self.host, self.port = host, port
        if self._gate.is_proxied(host, port):
            self._gate.check_host(host, port, usual=IMAP_PORTS[self._scheme])
            raise FetchRefusedError(
                f"{host} is refused: IMAP does not go through HEADWATER_FETCH_PROXY. If it may be reached directly, add"
                f" {host}:{port} to HEADWATER_FETCH_ALLOW."
            )
        addresses = self._gate.addresses(host, port, usual=IMAP_PORTS[self._scheme])
        plain = self._connect_to(addresses)
        if self._scheme != "imaps":
            self.sock = plain
            return
        try:
            plain.settimeout(self._seconds_left())
            self.sock = _tls().wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise

    def read(self, size: int) -> bytes:
        """Read so many bytes; IMAP4 calls it."""
        if size > self._bytes + len(self._buffer):
            raise TooLargeError("The server announced more than was asked for.")
        while len(self._buffer) < size:
            self._receive()
        return self._take(size)

    def readline(self) -> bytes:
        """Read a line; IMAP4 calls it."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > _MAX_LINE_BYTES:
                raise TooLargeError("The server sent a line without an end.")
            self._receive()
        return self._take(end + 1)

    def send(self, data: "Buffer") -> None:
        """Send bytes; IMAP4 calls it."""
        self.sock.settimeout(self._seconds_left())
        self.sock.sendall(data)

    def shutdown(self) -> None:
        """Close the connection; IMAP4 calls it."""
        with suppress(OSError, AttributeError):  # it may never have been opened
            self.sock.close()

    def _encrypt(self) -> None:
        """Ask for TLS; what came unencrypted behind the server's answer counts for nothing.

        Raises:
            FetchRefusedError: the server offers none, and the operator does not name the host.
        """
        if "STARTTLS" in self.capabilities and self.xatom("STARTTLS")[0] == "OK":
            self._buffer.clear()
            self.sock.settimeout(self._seconds_left())
            self.sock = _tls().wrap_socket(self.sock, server_hostname=self.host)
            self.untagged_responses.clear()
            told = self.capability()[1][-1] or b""  # a server without TLS lists others, and so may somebody between
            self.capabilities = tuple(told.decode("ascii", "replace").upper().split())
        elif not self._gate.is_named(self.host, self.port):
            self.shutdown()
            raise FetchRefusedError(
                f"{self.host} is refused: it offers no encryption, so the credential would be sent in the open. Use"
                " imaps://, or add the host to HEADWATER_FETCH_ALLOW."
            )

    def _connect_to(self, addresses: tuple[str, ...]) -> socket.socket:
        for address in addresses:
            try:
                return socket.create_connection((address, self.port), min(_CONNECT_SECONDS, self._seconds_left()))
            except OSError as error:
                failure = error
        raise failure

    def _receive(self) -> None:
        self.sock.settimeout(self._seconds_left())
        data = self.sock.recv(_RECEIVED_AT_ONCE)
        if not data:
            raise self.abort("the server closed the connection")
        self._bytes -= len(data)
        if self._bytes < 0:
            raise TooLargeError("The server sent more than was asked for.")
        self._buffer += data

    def _take(self, size: int) -> bytes:
        content = bytes(self._buffer[:size])
        del self._buffer[:size]
        return content

    def _seconds_left(self) -> float:
        seconds_left = self._end - time.monotonic()
        if seconds_left <= 0:
            raise FetchError(
                f"{self.host} took longer than {self._seconds:.0f} s. Try again later, or raise"
                " HEADWATER_FETCH_TIME_LIMIT."
            )
        return seconds_left


def _tls() -> ssl.SSLContext:
    from headwater.fetching.transport import tls_context  # it imports httpx, which most syncs of mail need not

    return tls_context()
