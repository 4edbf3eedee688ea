"""What stands before a chat model on this machine: `headwater models serve` behind a key.

Belongs here: which requests reach the model's server, as an ASGI app, and passing them on. Not here: pages of other
sites and foreign names (`request_guard`, which comes first), the model (`local_llm`). Guarantee: without the key
nothing is said, not even the model's name; no page of another site can read a response; a client that leaves ends its
reply.
"""

import asyncio
import hmac
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cli.processes.request_guard import App, Receive, RequestGuard, Scope, Send

ROUTES = {
    ("GET", "/v1/models"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/completions"),
    ("POST", "/v1/embeddings"),
}
"""What is passed on; the model's server has more, such as what others asked it."""
_MAX_BODY_BYTES = 8_000_000  # bytes
_NEVER = None  # a slow model may think for minutes; its client decides when that is too long
_TELLING = (b"content-type", b"content-length", b"cache-control")
_HOST = "Use 127.0.0.1 or localhost in the address."
_NO_KEY = "Send the key that `headwater models serve` printed, in the header Authorization: Bearer."


def guard_proxy(socket_path: Path, key: str) -> App:
    """The app that passes on what has the key and comes from no page of another site.

    Args:
        socket_path: where the model's server listens.
        key: what a client has to send.
    """
    return RequestGuard(_ModelProxy(socket_path, key), urls=(), host_advice=_HOST)


class _ModelProxy:
    """Asks for the key and passes requests on."""

    def __init__(self, socket_path: Path, key: str) -> None:
        self._path = str(socket_path)
        self._expected = f"Bearer {key}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            return  # a web socket is closed by returning
        headers = dict(reversed(scope["headers"]))
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            await _refuse(send, 401, "invalid_api_key", _NO_KEY)
        elif (scope["method"], scope["path"]) not in ROUTES:
            paths = ", ".join(sorted(path for _, path in ROUTES))
            await _refuse(send, 404, "not_found", f"This server has {paths}.")
        else:
            body = await _body(receive)
            if body is None:
                await _refuse(send, 413, "too_large", f"The body has more than {_MAX_BODY_BYTES:,} bytes.")
            else:
                await _until_client_leaves(self._pass_on(scope, body, send), receive)

    async def _pass_on(self, scope: Scope, body: bytes, send: Send) -> None:
        import httpx

        transport = httpx.AsyncHTTPTransport(uds=self._path)
        sent = {"content-type": "application/json"} if body else {}
        has_begun = False
        try:
            async with (
                httpx.AsyncClient(transport=transport, timeout=_NEVER, base_url="http://model") as client,
                client.stream(scope["method"], scope["path"], content=body, headers=sent) as reply,
            ):
                told = [(name.lower(), value) for name, value in reply.headers.raw if name.lower() in _TELLING]
                await send({"type": "http.response.start", "status": reply.status_code, "headers": told})
                has_begun = True
                async for block in reply.aiter_raw():
                    await send({"type": "http.response.body", "body": block, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except httpx.HTTPError as error:
            if has_begun:
                raise  # the connection breaks, so the client cannot take the reply as complete
            await _refuse(send, 502, "model_failed", f"The model's server does not answer ({type(error).__name__}).")


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _MAX_BODY_BYTES:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return bytes(body)


async def _until_client_leaves(work: Any, receive: Receive) -> None:
    """Do some work; if the client leaves meanwhile, end it, so that the model does not go on for nobody."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_leave(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        await _end((working, leaving))


async def _leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end(tasks: Iterable["asyncio.Future[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _refuse(send: Send, status: int, code: str, words: str) -> None:
    """Refuse in the form of OpenAI's API, which clients of this server read."""
    body = json.dumps({"error": {"message": words, "type": "invalid_request_error", "code": code}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
