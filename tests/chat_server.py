"""A server of chat models, on loopback: it speaks OpenAI's chat completions, and misbehaves as told.

Belongs here: the protocol, streamed and whole, and the ways in which servers fail. Not here: what is expected of the
caller. Guarantee: it says only what a test scripted; every request is noted; no thread outlives the server.

A script is a text, a `Says` or `Refuses`, or a function of the request that returns one of these:

    chat.replies = [refuses(429, retry_after="1"), "The pump stops at 90 °C [1]."]    # the next requests, one each
    chat.by_model["cheap"] = lambda request: '{"intent": "how_to"}'                   # all requests for a model
    chat.otherwise = Says("A long answer.", tokens_per_second=50)                     # all others
"""

import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from headwater.models_gateway.call_limits import CallBounds
from headwater.models_gateway.remote_chat import RemoteChatModel
from headwater.models_gateway.reply_reader import Limits

KEY = "sk-chat-0123456789abcdef"
MODEL = "openai/stub"
SPARE = "openai/spare"
VLLM = "hosted_vllm/stub"
"""The same model by a provider that litellm calls itself, not with OpenAI's client."""
OLLAMA = "ollama_chat/stub"
"""The same model by Ollama's API; its replies are whole, or end early without an error."""
UNKNOWN = "openai/unknown"
"""The one model that the server does not have."""

_TOKEN = re.compile(r"\s*\S+|\s+")

Ending = Literal["whole", "ends", "breaks", "breaks in a chunk", "hangs", "error"]


@dataclass(frozen=True, slots=True)
class Says:
    """A reply that begins well; times in seconds."""

    text: str = ""
    thoughts: str = ""
    """What a reasoning model sends before its text."""
    finish_reason: str = "stop"
    has_usage: bool = True
    first_token_delay: float = 0.0
    tokens_per_second: float = 0.0
    """0: as fast as possible. A token is a word with the blanks before it."""
    holds: Mapping[int, threading.Event] = field(default_factory=dict)
    """Tokens, by their numbers from 0, that come only once a test has set an event: no machine is too slow for that."""
    tool_calls: tuple[dict[str, Any], ...] = ()
    """What it asks for instead of a text."""
    ending: Ending = "whole"
    """What happens after the text instead of a finish reason: the stream `ends` as if it were complete, the connection
    `breaks` between two chunks or in one, the server `hangs`, or it sends an `error`."""


@dataclass(frozen=True, slots=True)
class Refuses:
    """A reply with an error status; `body` replaces the usual JSON."""

    status: int
    message: str = "no"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass
class ChatRequest:
    """One request that the server got."""

    path: str
    key: str
    body: dict[str, Any]
    first_token_at: float | None = None
    """`time.monotonic()` when the first token was sent."""
    left: threading.Event = field(default_factory=threading.Event)
    """Set once the server sees that the caller closed the connection before the reply was complete."""

    @property
    def model(self) -> str:
        """The model's name, without a provider."""
        return str(self.body.get("model", ""))

    @property
    def is_ollama(self) -> bool:
        """Whether it came to Ollama's own address, which streams JSON lines."""
        return self.path.endswith("/api/chat")

    @property
    def prompt(self) -> str:
        """The contents of all messages, one after the other."""
        return "\n".join(str(message.get("content")) for message in self.body["messages"])

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the reply is to have, if one was sent."""
        schema: dict[str, Any] | None = (self.body.get("response_format") or {}).get("json_schema")
        return schema


_PATIENCE = 60.0  # seconds
_SIGN_OF_LIFE = 5.0  # seconds; callers wait half a minute for the next token
Reply = str | Says | Refuses
Script = Reply | Callable[[ChatRequest], Reply]


@dataclass
class ChatServer:
    """The requests that the server got, and what it says."""

    url: str = ""
    key: str = KEY
    requests: list[ChatRequest] = field(default_factory=list)
    replies: list[Script] = field(default_factory=list)
    """Scripts of the next requests, one each."""
    by_model: dict[str, Script] = field(default_factory=dict)
    """Scripts of all requests for one model, named without its provider; used when `replies` is empty."""
    otherwise: Script = "Hello."
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def prompts(self) -> list[str]:
        """The prompt of each request, in order."""
        return [request.prompt for request in self.requests]

    def await_request(self, number: int = 0) -> ChatRequest:
        """Wait for a request; one that the client gave up may come later than the client's error."""
        deadline = time.monotonic() + _PATIENCE
        while len(self.requests) <= number:
            assert time.monotonic() < deadline, "there was no such request"
            time.sleep(0.01)
        return self.requests[number]

    def reply(self, request: ChatRequest) -> Reply:
        """Answer a request as a server that works does, unless told otherwise."""
        self.requests.append(request)
        if request.key != f"Bearer {self.key}" and not request.is_ollama:
            return refuses(401, f"Incorrect API key provided: {request.key}")
        if request.model == UNKNOWN.partition("/")[2]:
            return refuses(404, f"The model `{request.model}` does not exist")
        script = self.replies.pop(0) if self.replies else self.by_model.get(request.model, self.otherwise)
        return script(request) if callable(script) else script


def refuses(status: int, message: str = "no", **headers: str) -> Refuses:
    """An error in OpenAI's form; `retry_after="1"` is a header."""
    return Refuses(status, message, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def chain(*models: str, **limits: Any) -> RemoteChatModel:
    """A chain of models of the server, without bounds; limits are seconds, by the names of `Limits`."""
    bounds = [CallBounds(concurrency=0, per_minute=0) for _ in models]
    return RemoteChatModel(models, limits=Limits(**limits), bounds=bounds)


def hangs() -> Says:
    """The server takes the request and says nothing, until the caller leaves."""
    return Says(ending="hangs")


class _LeftError(Exception):
    """The caller closed the connection, or the server closes."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    told: ChatServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def end_headers(self) -> None:
        """Close after each reply: litellm keeps clients, whose idle connections would be warned of in other tests."""
        self.send_header("Connection", "close")
        super().end_headers()

    def do_GET(self) -> None:
        """List the models, as servers that speak OpenAI's API do."""
        names = ("stub", "spare", *self.told.by_model)
        self._send(200, json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in names]}))

    def do_POST(self) -> None:
        """Answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/api/show"):  # litellm asks Ollama what a model can do
            self._send(200, json.dumps({"model_info": {}, "capabilities": ["completion"]}))
            return
        request = ChatRequest(path=self.path, key=self.headers.get("Authorization", ""), body=body)
        reply = self.told.reply(request)
        reply = Says(reply) if isinstance(reply, str) else reply
        try:
            if isinstance(reply, Refuses):
                error = json.dumps({"error": {"message": reply.message, "type": "error"}})
                self._send(reply.status, reply.body or error, dict(reply.headers))
            elif body.get("stream"):
                self._stream(request, reply)
            else:
                self._whole(request, reply)
        except (_LeftError, BrokenPipeError, ConnectionResetError):
            request.left.set()
            self.close_connection = True

    def _send(self, status: int, content: str | bytes, headers: dict[str, str] | None = None) -> None:
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _whole(self, request: ChatRequest, reply: Says) -> None:
        tokens = _TOKEN.findall(reply.text)
        self._wait(reply.first_token_delay + (len(tokens) / reply.tokens_per_second if reply.tokens_per_second else 0))
        if reply.ending == "hangs":
            self._wait(None)
        choice = {
            "index": 0,
            "message": {"role": "assistant", **_content(reply)},
            "finish_reason": reply.finish_reason if reply.ending == "whole" else None,
        }
        body = {**_head(request, "chat.completion"), "choices": [choice]}
        content = json.dumps({**body, "usage": _usage(request, tokens)} if reply.has_usage else body)
        if reply.ending.startswith("breaks"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content) + 100))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2].encode())
            self._hang_up()
            return
        self._send(200, content)

    def _stream(self, request: ChatRequest, reply: Says) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._wait(reply.first_token_delay)
        thoughts, tokens = _TOKEN.findall(reply.thoughts), _TOKEN.findall(reply.text)
        begun = time.monotonic()
        for number, token in enumerate([*thoughts, *tokens]):
            if number and reply.tokens_per_second:
                self._wait(begun + number / reply.tokens_per_second - time.monotonic())
            self._hold(request, reply, number)
            is_thought = number < len(thoughts)
            if not is_thought:
                request.first_token_at = request.first_token_at or time.monotonic()
            role = {} if number else {"role": "assistant"}
            if request.is_ollama:
                self._line(request, {"thinking" if is_thought else "content": token})
            else:
                self._event(_chunk(request, {**role, "reasoning_content" if is_thought else "content": token}))
        self._end_stream(request, reply, tokens)

    def _hold(self, request: ChatRequest, reply: Says, number: int) -> None:
        """Wait until a token may come; after the first one, thoughts show that the model is alive meanwhile."""
        event, thought_at = reply.holds.get(number), time.monotonic() + _SIGN_OF_LIFE
        while event is not None and not event.is_set():
            self._wait(0.02)
            if number and time.monotonic() > thought_at:
                self._event(_chunk(request, {"reasoning_content": " "}))
                thought_at += _SIGN_OF_LIFE

    def _end_stream(self, request: ChatRequest, reply: Says, tokens: list[str]) -> None:
        for number, call in enumerate(reply.tool_calls):
            self._event(_chunk(request, {"role": "assistant", "tool_calls": [{"index": number, **call}]}))
        if reply.ending == "hangs":
            self._wait(None)
        if reply.ending == "breaks in a chunk":
            data = b'data: {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"conte'
            self.wfile.write(f"{len(data) + 50:x}\r\n".encode() + data)
        if reply.ending.startswith("breaks"):
            self._hang_up()
            return
        if request.is_ollama:
            if reply.ending == "whole":
                self._line(request, {}, done_reason=reply.finish_reason, **_ollama_usage(request, tokens))
            self.wfile.write(b"0\r\n\r\n")
            return
        if reply.ending == "error":
            self._event({"error": {"message": "The server is out of memory", "type": "server_error", "code": 500}})
        if reply.ending == "whole":
            self._event(_chunk(request, {}, reply.finish_reason))
            if reply.has_usage and (request.body.get("stream_options") or {}).get("include_usage"):
                self._event(
                    {**_head(request, "chat.completion.chunk"), "choices": [], "usage": _usage(request, tokens)}
                )
            self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, data: dict[str, Any]) -> None:
        self._write(f"data: {json.dumps(data)}\n\n".encode())

    def _line(self, request: ChatRequest, message: dict[str, str], **end: Any) -> None:
        """One line of a stream of Ollama's; `end` makes it the last one."""
        body = {"model": request.model, "message": {"role": "assistant", "content": "", **message}, "done": bool(end)}
        self._write(json.dumps({**body, **end}).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _wait(self, seconds: float | None) -> None:
        """Wait, for ever without a number; leaves when the caller does, and when the server closes."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self.told.closing.is_set():
            left = 0.05 if end is None else min(0.05, end - time.monotonic())
            if left <= 0:
                return
            if select.select([self.connection], [], [], left)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                break
        raise _LeftError

    def _hang_up(self) -> None:
        """Close the connection in the middle of a reply."""
        self.wfile.flush()
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def _head(request: ChatRequest, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request.model}


def _content(reply: Says) -> dict[str, Any]:
    return {"content": None, "tool_calls": list(reply.tool_calls)} if reply.tool_calls else {"content": reply.text}


def _chunk(request: ChatRequest, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {**_head(request, "chat.completion.chunk"), "choices": [choice]}


def _usage(request: ChatRequest, tokens: list[str]) -> dict[str, int]:
    """Words, counted as tokens."""
    sent = len(request.prompt.split())
    return {"prompt_tokens": sent, "completion_tokens": len(tokens), "total_tokens": sent + len(tokens)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of callers that leave between requests."""


def _ollama_usage(request: ChatRequest, tokens: list[str]) -> dict[str, int]:
    usage = _usage(request, tokens)
    return {"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]}


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Run a server for the length of a block."""
    told = ChatServer()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.closing.set()
        server.shutdown()
        server.server_close()
