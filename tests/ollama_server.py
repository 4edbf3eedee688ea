"""A server that speaks Ollama's own API, on loopback: which models it has, and getting one.

Belongs here: `/api/tags` and `/api/pull`, as Ollama answers them. Not here: what is expected of who asks. Guarantee:
nothing is downloaded; every request is noted.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class OllamaServer:
    """What the server has and can get, and the requests that it got."""

    url: str = ""
    models: list[str] = field(default_factory=list)
    in_registry: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    breaks_off: bool = False
    """Whether a download ends in its middle."""

    def pull(self, name: str) -> Iterator[dict[str, object]]:
        """The lines that Ollama writes while it gets a model."""
        yield {"status": "pulling manifest"}
        full = name if ":" in name else f"{name}:latest"
        if full not in self.in_registry:
            yield {"error": "pull model manifest: file does not exist"}
            return
        yield {"status": "pulling 6a0746a1ec1a", "digest": "sha256:6a0746a1ec1a", "total": 4}
        yield {"status": "pulling 6a0746a1ec1a", "digest": "sha256:6a0746a1ec1a", "total": 4, "completed": 4}
        if self.breaks_off:
            return
        self.models.append(full)
        yield {"status": "verifying sha256 digest"}
        yield {"status": "success"}


class _Handler(BaseHTTPRequestHandler):
    told: OllamaServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the models."""
        self.told.requests.append(self.path)
        self._send([{"models": [{"name": name, "model": name} for name in self.told.models]}])

    def do_POST(self) -> None:
        """Get a model."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.told.requests.append(f"{self.path} {body['model']}")
        self._send(list(self.told.pull(body["model"])))

    def _send(self, documents: list[dict[str, object]]) -> None:
        self.send_response(200)
        self.end_headers()
        for document in documents:
            self.wfile.write(f"{json.dumps(document)}\n".encode())


@contextmanager
def ollama_server() -> Iterator[OllamaServer]:
    """Run a server for the length of a block."""
    told = OllamaServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
