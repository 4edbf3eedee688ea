"""A server on loopback whose answers in JSON a test computes, such as a stub of a service that cannot be had.

Belongs here: the server, its requests, faults. Not here: the services (`confluence_stub` and others). Guarantee: every
request is noted, with its method, path, query, headers and content; nothing leaves this machine.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, kw_only=True)
class StubRequest:
    """A request; `content` is its JSON, or the fields of its form."""

    method: str
    path: str
    fields: Mapping[str, str]
    headers: Mapping[str, str]
    content: Any = None


@dataclass(frozen=True, kw_only=True)
class StubReply:
    """A reply; `content` is JSON, or bytes of some other type."""

    status: int = 200
    content: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


class JsonStub:
    """A service: subclasses answer; `fault` may answer instead. Requests without `authorization` are refused."""

    authorization = ""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[StubRequest] = []
        self.fault: Callable[[StubRequest], StubReply | None] = lambda _: None

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        raise NotImplementedError

    def taken(self) -> list[str]:
        """The methods and paths of the requests since the last time."""
        paths = [f"{request.method} {request.path}" for request in self.requests]
        self.requests.clear()
        return paths

    def reply(self, request: StubRequest) -> StubReply:
        """The fault, a refusal, or the answer."""
        self.requests.append(request)
        if (fault := self.fault(request)) is not None:
            return fault
        if self.authorization and request.headers.get("authorization") != self.authorization:
            return StubReply(status=401, content={"message": "Unauthorized"})
        return self.answer(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and content go out together, or each reply would wait for an acknowledgement
    stub: JsonStub

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer."""
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length).decode()
        is_form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
        content = dict(parse_qsl(sent)) if is_form else json.loads(sent) if sent else None
        parts = urlsplit(self.path)
        reply = self.stub.reply(
            StubRequest(
                method=self.command, path=parts.path, fields=dict(parse_qsl(parts.query)), content=content,
                headers={name.lower(): value for name, value in self.headers.items()},
            )
        )  # fmt: skip
        encoded = reply.content if isinstance(reply.content, bytes) else json.dumps(reply.content).encode()
        self.send_response(reply.status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(encoded)),
            **reply.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(encoded)

    do_POST = do_GET  # noqa: N815 - the library's name


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that leave."""


@contextmanager
def serve_stub(stub: JsonStub) -> Iterator[JsonStub]:
    """Run a stub for the length of a block."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    stub.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
