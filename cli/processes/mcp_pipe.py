"""Messages of MCP from stdin to the API and back, for programs that start their servers themselves (API-7).

Belongs here: reading lines, sending each to `/mcp`, writing replies. Not here: what messages mean (`query_api.mcp`).
Guarantee: stdout holds replies and nothing else, one a line; every request gets a reply, whatever happens, unless it
was cancelled.
"""

import http.client
import json
import socket
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import SplitResult, urlsplit

from cli.output import note
from headwater.errors import InvalidInputError
from query_api.mcp.messages import INTERNAL_ERROR, Id, headers_of, id_of

_PATIENCE = 600.0  # seconds for a reply; answers have limits of their own
_CANCELLED = "notifications/cancelled"
_SENT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@dataclass
class _Call:
    """A message on its way."""

    line: bytes
    message: Mapping[str, Any]
    connection: http.client.HTTPConnection
    is_cancelled: bool = False
    is_over: bool = False

    @property
    def asked(self) -> Id | None:
        """The id of a request; None if no reply could have it."""
        return id_of(self.message)

    @property
    def wants_reply(self) -> bool:
        """Whether it is no notification."""
        return "id" in self.message or "method" not in self.message

    def cancel(self) -> None:
        """Close the connection, by which the server notices; no reply will be written."""
        self.is_cancelled = True
        with suppress(OSError, AttributeError):  # it is not open yet, or closed already
            self.connection.sock.shutdown(socket.SHUT_RDWR)


@dataclass
class Pipe:
    """The way to one API.

    Args:
        url: the address of the API.
        key: the API key; empty for none.
        replies: where replies are written.

    Raises:
        InvalidInputError: the address is none of HTTP.
    """

    url: str
    key: str
    replies: BinaryIO
    _address: SplitResult = field(init=False)
    _calls: list[_Call] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Check the address."""
        try:
            self._address = urlsplit(self.url)
            is_good = self._address.scheme in ("http", "https") and bool(self._address.hostname)
            is_good = is_good and self._address.username is None and self._address.port != 0
        except ValueError:  # its port is no number of a port
            is_good = False
        if not is_good:
            raise InvalidInputError(f"--url {self.url} is not an address such as http://127.0.0.1:8080.")

    def run(self, lines: Iterable[bytes]) -> None:
        """Pass messages on until there are no more, and wait for their replies."""
        threads: list[threading.Thread] = []
        for line in lines:
            message = _read(line)
            if message.get("method") == _CANCELLED:
                self._cancel(message)
            elif line.strip():
                call = _Call(line, message, self._connection())
                self._calls = [*(running_call for running_call in self._calls if not running_call.is_over), call]
                threads = [thread for thread in threads if thread.is_alive()]
                threads.append(threading.Thread(target=self._handle, args=(call,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()

    def _cancel(self, message: Mapping[str, Any]) -> None:
        params = message.get("params")
        request_id = params.get("requestId") if isinstance(params, dict) else None
        for call in self._calls:
            if request_id is not None and call.asked == request_id:
                call.cancel()

    def _handle(self, call: _Call) -> None:
        reply = self._exchange(call)
        call.is_over = True
        if reply is None or call.is_cancelled:
            return
        if call.wants_reply:
            self._write(reply)
        else:
            note(f"{call.message['method']}: {reply.get('error')}")

    def _exchange(self, call: _Call) -> Mapping[str, Any] | None:
        """The reply to a message; None if there is none."""
        try:
            status, body = self._post(call)
        except ValueError:  # a header cannot hold a name or the key; the error may repeat the key
            return _error(
                call.asked,
                "The message cannot be sent: the name in it, or the API key, has characters that do not fit.",
            )
        except (OSError, http.client.HTTPException) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            message = f"Headwater does not answer at {self.url} ({why})."
            return _error(call.asked, f"{message} Start it with `headwater up`, or name its address with --url.")
        finally:
            call.connection.close()
        if not body and status == http.HTTPStatus.ACCEPTED:
            return None
        return self._reply(call.asked, status, body)

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        return kind(self._address.hostname or "", self._address.port, timeout=_PATIENCE)

    def _post(self, call: _Call) -> tuple[int, bytes]:
        bearer = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        path = self._address.path.rstrip("/").removesuffix("/mcp")
        call.connection.connect()
        if call.is_cancelled:
            raise ConnectionAbortedError
        call.connection.request("POST", f"{path}/mcp", call.line, {**_SENT, **bearer, **headers_of(call.message)})
        response = call.connection.getresponse()
        return response.status, response.read()

    def _reply(self, request_id: Any, status: int, body: bytes) -> Mapping[str, Any]:
        """The reply that a response holds; an error if it holds none."""
        reply = _read(body)
        if "jsonrpc" not in reply:
            detail = reply.get("detail") or "Is it the address of Headwater?"
            return _error(
                request_id, f"{self.url} answered with status {status}, and not with a message of MCP. {detail}"
            )
        return {**reply, "id": request_id if reply.get("id") is None else reply["id"]}

    def _write(self, reply: Mapping[str, Any]) -> None:
        data = json.dumps(reply, separators=(",", ":")).encode() + b"\n"
        with self._lock, suppress(BrokenPipeError):  # the client has ended; then stdin ends too
            self.replies.write(data)
            self.replies.flush()


def _read(data: bytes) -> Mapping[str, Any]:
    """A message; an empty one if it is none, because the API says better what is wrong with it."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _error(request_id: Any, words: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": INTERNAL_ERROR, "message": words}}
