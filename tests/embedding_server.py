"""A server of embedding and reranking models, on loopback.

Belongs here: OpenAI's and Ollama's ways to ask for vectors, Cohere's and Hugging Face's to ask for scores, and the ways
in which servers fail. Not here: what is
expected of who asks. Guarantee: vectors are those of `builtin/hash`, so that words find each other; every request is
noted.
"""

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.hash_embedder import HashEmbedder

KEY = "sk-0123456789abcdef"
MODEL = "openai/stub"

Reply = tuple[int, Any, dict[str, str]]


@dataclass
class EmbeddingServer:
    """The requests that the server got, and its responses."""

    url: str = ""
    key: str = KEY
    dimensions: int = 384
    requests: list[dict[str, Any]] = field(default_factory=list)
    replies: list[Callable[[dict[str, Any]], Reply]] = field(default_factory=list)
    """Answers of the next requests, one each; afterwards `otherwise`."""
    otherwise: Callable[[dict[str, Any]], Reply] | None = None

    @property
    def texts(self) -> list[str]:
        """Every text that was sent, in order."""
        return [text for request in self.requests for text in request["input"]]

    def reply(self, path: str, key: str, body: dict[str, Any]) -> Reply:
        """Answer a request as a server that works does, unless told otherwise."""
        self.requests.append({"path": path, **body})
        if path.endswith("/api/show"):
            return 404, {"error": "not found"}, {}
        if self.replies:
            return self.replies.pop(0)(body)
        if self.otherwise is not None:
            return self.otherwise(body)
        if path.endswith("/rerank") and key != f"Bearer {self.key}":
            return fails(401, f"Invalid token {key}")(body)
        if path.endswith("/rerank"):
            return self.scores(body)
        if path.endswith("/api/embed"):
            count = 7 * len(body["input"])
            return 200, {"embeddings": self.vectors(body["input"]).tolist(), "prompt_eval_count": count}, {}
        if key != f"Bearer {self.key}":
            return fails(401, f"Incorrect API key provided: {key}")(body)
        return self.vectors_of(body, lambda vector: vector.tolist())

    def vectors(self, texts: list[str]) -> Vectors:
        """Vectors, three times as long as a unit vector."""
        whole = HashEmbedder().embed(texts)
        folded = np.zeros((len(texts), self.dimensions), np.float32)
        for place in range(whole.shape[1]):
            folded[:, place % self.dimensions] += whole[:, place]
        return 3 * folded

    def vectors_of(self, body: dict[str, Any], encode: Callable[[Vectors], Any]) -> Reply:
        """An answer whose vectors come in an order that is not the texts'."""
        items = [{"index": n, "embedding": encode(vector)} for n, vector in enumerate(self.vectors(body["input"]))]
        items = items[1::2] + items[::2]
        usage = {"prompt_tokens": 7 * len(items), "total_tokens": 7 * len(items)}
        return 200, {"object": "list", "model": body["model"], "data": items, "usage": usage}, {}

    def scores(self, body: dict[str, Any]) -> Reply:
        """How similar each text is to the query, best first; Hugging Face's server calls things by other names."""
        texts = body["texts"] if "texts" in body else body["documents"]
        vectors = HashEmbedder().embed([body["query"], *texts])
        found = sorted(enumerate((vectors[1:] @ vectors[0]).clip(0, 1).tolist()), key=lambda item: -item[1])
        if "texts" in body:
            return 200, [{"index": index, "score": score} for index, score in found], {}
        return 200, {"id": "1", "results": [{"index": i, "relevance_score": s} for i, s in found], "meta": {}}, {}

    def base64(self, body: dict[str, Any]) -> Reply:
        """The vectors as bytes."""
        return self.vectors_of(body, lambda vector: base64.b64encode(vector.astype("<f4").tobytes()).decode())


def fails(status: int, message: str = "no", **headers: str) -> Callable[[dict[str, Any]], Reply]:
    """An answer that is an error."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (status, {"error": {"message": message, "type": "error"}}, names)


def gives(*vectors: list[Any]) -> Callable[[dict[str, Any]], Reply]:
    """A response with these vectors, whatever was requested."""
    items = [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]
    return lambda _: (200, {"object": "list", "data": items, "model": "stub"}, {})


def sleeps(seconds: float) -> Callable[[dict[str, Any]], Reply]:
    """An answer that comes late."""

    def reply(_: dict[str, Any]) -> Reply:
        time.sleep(seconds)
        return 200, {}, {}

    return reply


def norm(vectors: Vectors) -> Any:
    """The length of each vector."""
    return np.linalg.norm(vectors, axis=1)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: EmbeddingServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def end_headers(self) -> None:
        """Close after each reply: litellm keeps clients, whose idle connections would be warned of in other tests."""
        self.send_header("Connection", "close")
        super().end_headers()

    def do_POST(self) -> None:
        """Answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, answer, headers = self.told.reply(self.path, self.headers.get("Authorization", ""), body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **headers}.items():
            self.send_header(name, str(value))
        try:
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):  # who asked did not wait
            self.close_connection = True


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run a server for the length of a block."""
    told = EmbeddingServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
