"""Protects a web server on this machine that asks for no password from pages of other sites.

Belongs here: which requests and web sockets reach the app behind it, as ASGI middleware. Not here: the app. Guarantee:
a page of another site can change and read nothing through a browser, whatever name that site gives this machine; pages
of the server itself, and programs that are not browsers, are not affected.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = tuple[int, str]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_READING = ("GET", "HEAD", "OPTIONS")
_PORTS = {"http": 80, "https": 443}
_SENT_UNASKED = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")  # any page can send these
_GRAPHQL_TYPES = ("application/json", "application/graphql")
_SINGLE = ("host", "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "content-type", "referer")
_HEADERS = {
    b"x-frame-options": b"DENY",
    b"content-security-policy": b"frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
}
_HOST_ADVICE = "Open it by localhost or 127.0.0.1, or set HEADWATER_DAGSTER_URL to the address that you use."


class RequestGuard:
    """ASGI middleware; see the module."""

    def __init__(self, app: App, *, urls: Iterable[str], host_advice: str = _HOST_ADVICE) -> None:
        """Guard an app.

        Args:
            app: the app behind the guard.
            urls: addresses that browsers use; pages from there count as the server's own. Loopback names are accepted,
                too.
            host_advice: what to do about another name.
        """
        self._app, self._host_advice = app, host_advice
        public = [urlsplit(url) for url in urls]
        self._origins = {(url_parts.scheme, _place(url_parts.netloc, url_parts.scheme)) for url_parts in public}
        self._hosts = {*LOOPBACK, *(url_parts.hostname for url_parts in public)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _forbid_frames(send))
        elif scope["type"] == "http":
            await _refuse(_forbid_frames(send), *refusal)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})  # before it is accepted: 403

    def refusal(self, scope: Scope) -> Refusal | None:
        """The status and the reason to refuse a request; None if it may pass."""
        pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(reversed(pairs))  # the first header of a name counts, as in the app
        names = [name for name, _ in pairs]
        if any(names.count(name) > 1 for name in _SINGLE):
            return 400, "A header for the origin or the type of the request occurs twice."
        host = _place(headers.get("host", ""), scope.get("scheme", "http"))
        if host is None or host[0] not in self._hosts:
            return 403, f"This server does not accept the host name of the request. {self._host_advice}"
        is_change = scope["type"] == "websocket" or scope["method"] not in _READING
        if not self._is_from_here(headers, is_change=is_change):
            return 403, "Pages of other sites may neither change nor read anything here."
        if not _is_navigation(scope, headers, is_change=is_change):
            return 403, "Pages of other sites may link to this one; they may neither change, read nor embed anything."
        return _body_refusal(scope, headers) if scope["type"] == "http" else None

    def _is_from_here(self, headers: dict[str, str], *, is_change: bool) -> bool:
        """Whether the requesting page, if there is one, is the server's own; a program names none."""
        origin = headers.get("origin")
        if origin is None and is_change:
            origin = headers.get("referer")
        if origin is None:
            return True
        try:
            url_parts = urlsplit(origin if "://" in origin else "")
        except ValueError:  # such as "http://[", which no browser sends
            return False
        place = _place(url_parts.netloc, url_parts.scheme)
        if place is None:  # such as "null": a sandboxed frame, a file
            return False
        is_same = url_parts.scheme in _PORTS and place == _place(headers["host"], url_parts.scheme)
        return is_same or (url_parts.scheme, place) in self._origins


def _is_navigation(scope: Scope, headers: dict[str, str], *, is_change: bool) -> bool:
    """Whether the browser says that our own page asks, or that a user follows a link in its own window."""
    site = headers.get("sec-fetch-site", "none")
    if site in ("none", "same-origin"):
        return True
    is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return is_link and site in ("same-site", "cross-site") and not is_change and not _is_graphql(scope)


def _is_graphql(scope: Scope) -> bool:
    return str(scope["path"]).rstrip("/").lower().endswith("/graphql")


def _body_refusal(scope: Scope, headers: dict[str, str]) -> Refusal | None:
    """Refuse requests that any page can send without permission: forms, plain text, and mutations in the address."""
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if scope["method"] in _READING:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        if _is_graphql(scope) and "query" in query and "text/html" not in headers.get("accept", ""):
            return 405, "Send GraphQL with POST: a link could hold a mutation."
        return None
    if kind in _SENT_UNASKED or (_is_graphql(scope) and kind not in _GRAPHQL_TYPES):
        return 415, "Send JSON, with the header Content-Type: application/json."
    return None


def _place(netloc: str, scheme: str) -> tuple[str, int] | None:
    """Host and port from `host[:port]`; None if it is malformed."""
    if not netloc or any(character in netloc for character in "@/\\?# ,"):
        return None
    try:
        url_parts = urlsplit(f"//{netloc}")
        return (url_parts.hostname or "", url_parts.port or _PORTS.get(scheme, 80)) if url_parts.hostname else None
    except ValueError:
        return None


def _forbid_frames(send: Send) -> Send:
    """Forbid other sites' pages to frame or read any response."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", [])} - {b"content-security-policy"}
            added = [(name, value) for name, value in _HEADERS.items() if name not in there]
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return sending


async def _refuse(send: Send, status: int, words: str) -> None:
    body = f"{words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
