"""A web server on loopback that says whatever a test wants, byte by byte, well-formed or not.

Belongs here: the server, names that resolve to where a test wants, the bodies of attacks. Not here: what is expected
of a client. Guarantee: every request is noted with its headers; nothing leaves this machine.
"""

import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard

_PATIENCE = 60.0  # seconds
_MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request."""

    path: str
    headers: dict[str, str]
    method: str = "GET"
    content: bytes = b""


Answer = bytes | Callable[[Asked], Iterable[bytes]]
"""The bytes of a response, or what makes them, piece by piece."""


@dataclass
class HostileServer:
    """The server's port, its answers by path, and the requests that it got."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "site.test", scheme: str = "http") -> str:
        """The address of a path, under some name for this server."""
        return f"{scheme}://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        """The paths that were asked for."""
        return [one.path for one in self.asked]


@dataclass
class Names:
    """A resolver for tests: each name has addresses, or one set of them after the other."""

    known: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str) -> Sequence[str]:
        """Resolve a name."""
        self.asked.append(host)
        found = self.known.get(host)
        if found is None:
            raise OSError("no such name")
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        return list(found)


def loopback_gate(names: Names | None = None, *, allow: str = "127.0.0.1", seconds: float = 10.0) -> UrlGuard:
    """A gate that lets tests reach servers of their own, under the name site.test and others that end in .site.test."""
    resolver = names if names is not None else Names({"site.test": ("127.0.0.1",)})
    allowed = tuple(parse_allowed(entry) for entry in allow.split(","))
    return UrlGuard(allowed=allowed, resolver=resolver, time_limit=seconds)


def response(content: bytes = b"", *, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    """A response as bytes; `_` in the name of a header stands for `-`."""
    found = {"Content-Length": str(len(content) if length is None else length), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in found.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + content


def redirect(to: str, status: int = 302) -> bytes:
    """A redirect."""
    return response(status=f"{status} Elsewhere", Location=to)


def gzip_of_zeros(gigabytes: int) -> Iterator[bytes]:
    """One gzip stream of so many gigabytes of zeros, a piece per hundred megabytes."""
    head = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    yield head.compress(bytes(_MEGABYTE)) + head.flush(zlib.Z_FULL_FLUSH)
    block = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    same = block.compress(bytes(10 * _MEGABYTE)) + block.flush(zlib.Z_FULL_FLUSH)  # needs nothing that came before
    for _ in range(gigabytes * 10):
        yield same * 10


def for_ever(piece: bytes, head: bytes = b"", pause: float = 0.0) -> Callable[[Asked], Iterator[bytes]]:
    """An answer that never ends."""

    def answer(_: Asked) -> Iterator[bytes]:
        yield head
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            yield piece
            if pause:
                time.sleep(pause)

    return answer


@contextmanager
def hostile_server(certificate: Path | None = None) -> Iterator[HostileServer]:
    """Run a server for the length of a block; with TLS, if there is a certificate."""
    told = HostileServer()
    listening = socket.create_server(("127.0.0.1", 0))
    told.port = listening.getsockname()[1]
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    threading.Thread(target=_accept, args=(listening, context, told), daemon=True).start()
    try:
        yield told
    finally:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _accept(listening: socket.socket, context: ssl.SSLContext | None, told: HostileServer) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, context, told), daemon=True).start()


def _serve(connection: socket.socket, context: ssl.SSLContext | None, told: HostileServer) -> None:
    connection.settimeout(_PATIENCE)
    with suppress(OSError), connection, _secured(connection, context) as secured:
        while (asked := _read(secured)) is not None:
            told.asked.append(asked)
            answer = told.answers.get(asked.path.partition("?")[0], response(status="404 Not Found"))
            for piece in (answer,) if isinstance(answer, bytes) else answer(asked):
                secured.sendall(piece)
            if not isinstance(answer, bytes):
                return


def _secured(connection: socket.socket, context: ssl.SSLContext | None) -> socket.socket:
    return connection if context is None else context.wrap_socket(connection, server_side=True)


def _read(connection: socket.socket) -> Asked | None:
    """The next request; None at the end."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, content = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    headers = {name.lower(): value for name, _, value in pairs}
    while len(content) < int(headers.get("content-length", "0")) and (piece := connection.recv(65536)):
        content += piece
    method, path, _ = first.split(" ")
    return Asked(path=path, headers=headers, method=method, content=content)
