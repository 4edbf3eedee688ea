"""The API on loopback, in this process, for clients that are not Flask's.

Belongs here: serving an app for the length of a block, and connections that are cut. Not here: the server that users
run (`probe.conftest`). Guarantee: no thread outlives the block but those of requests that never end.
"""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from headwater.settings import Settings
from query_api.app import create_app


@dataclass
class Connection:
    """A client that writes and reads bytes."""

    socket: socket.socket

    def post(self, path: str, body: object) -> None:
        """Send a request, and read nothing."""
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self.socket.sendall(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)

    def read_until(self, words: bytes) -> bytes:
        """Read until some words have come."""
        found = b""
        while words not in found:
            block = self.socket.recv(65_536)
            assert block, found
            found += block
        return found


@dataclass
class ApiServer:
    """Where the API is, how many requests it got, and the paths of those that it has answered."""

    url: str = ""
    requests: int = 0
    answered: list[str] = field(default_factory=list)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection that is cut at the end of the block."""
        host, _, port = self.url.rpartition("/")[2].partition(":")
        with closing(socket.create_connection((host, int(port)), timeout=30)) as opened:
            yield Connection(opened)


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    told: ApiServer

    def log(self, *_: Any) -> None:
        """Say nothing."""

    def run_wsgi(self) -> None:
        """Count, and answer."""
        self.told.requests += 1
        super().run_wsgi()
        self.told.answered.append(self.path)


@contextmanager
def api_server(settings: Settings, port: int = 0) -> Iterator[ApiServer]:
    """Serve the API for the length of a block, at a port of its own unless one is given."""
    told = ApiServer()
    handler = type("Handler", (_Handler,), {"told": told})
    server = make_server("127.0.0.1", port, create_app(settings), threaded=True, request_handler=handler)
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
