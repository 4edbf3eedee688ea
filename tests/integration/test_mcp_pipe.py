"""`headwater mcp`: messages from stdin to the API and back (API-7).

Belongs here: the pipe with servers that are slow, wrong or away. Not here: tools (`test_mcp`).
"""

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from click.testing import CliRunner

from cli.main import main
from cli.processes.mcp_pipe import Pipe
from tests.support import free_port

PING = b'{"jsonrpc": "2.0", "id": "a", "method": "ping"}'
Answer = Callable[[BaseHTTPRequestHandler, bytes], tuple[int, bytes]]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A server of the block's own; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, body = answer(self, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def passed(url: str, *lines: bytes, key: str = "") -> list[Any]:
    """The replies to some lines."""
    replies = io.BytesIO()
    Pipe(url, key, replies).run(lines)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def echo(_: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
    """A result for a request, nothing for a notification."""
    message = json.loads(body)
    if "id" not in message:
        return 202, b""
    return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"said": "a\nb"}}, indent=1).encode()


def test_each_request_gets_one_line() -> None:
    """In whatever order replies come; blank lines and notifications get none, and a reply has no line break."""
    requests = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() for number in range(20)]
    with serving(echo) as url:
        found = passed(url, b"\n", b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', *requests)
    assert sorted(one["id"] for one in found) == list(range(20))
    assert found[0]["result"] == {"said": "a\nb"}


def test_headers_repeat_the_message_and_carry_the_key() -> None:
    """At `/mcp` below the address, whether that is named or not; without a key there is no header for it."""
    seen: list[Any] = []

    def note(request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        seen.append((request.path, {name.lower(): value for name, value in request.headers.items()}))
        return echo(request, body)

    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "näme", "_meta": meta}}
    with serving(note) as url:
        passed(url, json.dumps(call).encode(), key="hw_1")
        passed(f"{url}/below/", PING)
        passed(f"{url}/mcp", PING)
    path, headers = seen[0]
    assert (path, headers["authorization"]) == ("/mcp", "Bearer hw_1")
    assert headers["content-type"] == "application/json"
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")
    assert headers["mcp-name"] == "=?base64?bsOkbWU=?="
    assert [path for path, _ in seen[1:]] == ["/below/mcp", "/mcp"]
    assert "authorization" not in seen[1][1]


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, b"<html>", "status 404"),
        (404, b'{"detail": "There is nothing at this address."}', "There is nothing at this address."),
        (200, b"", "Is it the address of Headwater?"),
        (200, b"[1]", "status 200"),
        (
            401,
            b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "A key is needed."}}',
            "key is needed",
        ),
    ],
)
def test_a_server_that_says_something_else_is_an_error(status: int, body: bytes, words: str) -> None:
    """With the id of the request, so that nobody waits."""
    with serving(lambda *_: (status, body)) as url:
        (found,) = passed(url, PING)
    assert found["id"] == "a"
    assert words in found["error"]["message"]


def test_a_server_that_is_away_or_leaves_is_an_error() -> None:
    """It names the address and what to do; a notification gets nothing on stdout."""
    (found,) = passed(f"http://127.0.0.1:{free_port()}", PING, b'{"jsonrpc": "2.0", "method": "notifications/x"}')
    assert "Start it with `headwater up`" in found["error"]["message"]

    def leave(request: BaseHTTPRequestHandler, _: bytes) -> tuple[int, bytes]:
        request.connection.close()
        raise ConnectionAbortedError

    with serving(leave) as url:
        (found,) = passed(url, PING)
    assert (found["id"], found["error"]["code"]) == ("a", -32603)


def test_a_cancelled_request_gets_no_reply() -> None:
    """The server sees the connection end; the others go on."""
    begun, left = threading.Event(), threading.Event()

    def slow(request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        if b'"slow"' in body:
            begun.set()
            request.connection.settimeout(30)
            assert request.connection.recv(1) == b""
            left.set()
        return echo(request, body)

    def lines() -> Iterator[bytes]:
        yield b'{"jsonrpc": "2.0", "id": 5, "method": "slow"}'
        assert begun.wait(30)
        yield b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}}'
        yield b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}'
        yield PING
        yield b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}'

    with serving(slow) as url:
        replies = io.BytesIO()
        Pipe(url, "", replies).run(lines())
        assert left.wait(30)
    assert [json.loads(line)["id"] for line in replies.getvalue().splitlines()] == ["a"]


def test_wrong_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is none, a variable that is not set; nothing of it is on stdout."""
    monkeypatch.delenv("MY_KEY", raising=False)
    for arguments, words in ((["--url", "127.0.0.1:8080"], "--url"), (["--key-env", "MY_KEY"], "MY_KEY")):
        found = CliRunner().invoke(main, ["mcp", *arguments], input="")
        assert (found.exit_code, found.stdout) == (2, "")
        assert words in found.stderr
