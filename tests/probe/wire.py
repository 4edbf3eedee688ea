"""Requests as bytes, and what comes back.

Belongs here: writing requests that no client library would send, reading replies, what every reply must be. Not here:
attacks. Guarantee: talks to loopback alone, and waits for nothing longer than ten seconds.
"""

import json
import re
import socket
from dataclasses import dataclass
from typing import Any

_PATIENCE = 60.0  # seconds without a byte after which a server counts as stopped
_CODE = re.compile(r"[A-Z_]{3,}")
JSON = {"Content-Type": "application/json"}
KB = "/api/v1/knowledge-bases/kb"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The problem's code; None when it is no problem."""
        is_problem = self.headers.get("content-type") == "application/problem+json"
        return str(self.json["code"]) if is_problem else None


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    """Open a connection from one of loopback's addresses."""
    return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE, source_address=(source, 0))


def message(
    method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"", *, version: str = "HTTP/1.1"
) -> bytes:
    """Write a request that ends its connection; headers replace those that it would have."""
    given = {"Host": "127.0.0.1", "Connection": "close", **(headers or {})}
    if body and not {"Transfer-Encoding", "Content-Length"} & set(given):
        given["Content-Length"] = str(len(body))
    lines = [f"{method} {path} {version}", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def ask(port: int, method: str, path: str, document: object = None, source: str = "127.0.0.1") -> Reply:
    """Ask as an ordinary client does."""
    body = b"" if document is None else json.dumps(document).encode()
    return send(port, message(method, path, JSON if body else None, body), source)[0]


def send(port: int, data: bytes, source: str = "127.0.0.1") -> list[Reply]:
    """Send bytes and read replies until the server closes."""
    with connect(port, source) as client:
        client.sendall(data)
        return replies(read(client))


def read(client: socket.socket) -> bytes:
    """Read until the server closes."""
    found = b""
    try:
        while block := client.recv(65_536):
            found += block
    except ConnectionResetError:
        pass  # it closed while more was on its way
    return found


def replies(data: bytes) -> list[Reply]:
    """Take replies apart."""
    found = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if headers.get("transfer-encoding") == "chunked":
            body, data = data, b""
        else:
            size = int(headers.get("content-length", "0"))
            body, data = data[:size], data[size:]
        found.append(Reply(status=int(first.split(" ")[1]), headers=headers, body=body))
    return found


def assert_harmless(reply: Reply) -> None:
    """No fault of the server, no trace of its insides; an error is a problem, or OpenAI's, with a stable code."""
    assert reply.status < 500, reply
    assert b"Traceback" not in reply.body
    assert b'File "' not in reply.body
    if reply.status >= 400 and reply.headers["content-type"] == "application/json":
        assert set(reply.json) == {"error"}
        assert set(reply.json["error"]) == {"message", "type", "param", "code"}
        assert _CODE.fullmatch(reply.json["error"]["code"].upper())
    elif reply.status >= 400:
        assert reply.headers["content-type"] == "application/problem+json", reply
        assert set(reply.json) == {"type", "title", "status", "detail", "code", "errors"}
        assert reply.json["status"] == reply.status
        assert _CODE.fullmatch(reply.json["code"])


def assert_refused(found: list[Reply], status: int, code: str) -> None:
    """One reply, a problem, and nothing after it."""
    assert [(reply.status, reply.code) for reply in found] == [(status, code)]
    assert_harmless(found[0])
