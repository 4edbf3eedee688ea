"""Asks for an administrator's session before anything of Dagster's UI is read or changed (API-6).

Belongs here: which requests and web sockets need a session, and the link that opens one, as ASGI middleware. Not here:
pages of other sites (`request_guard`, which comes first), comparing secrets (`headwater.administration.callers`).
Guarantee: once there is an API key, or if the connection is not loopback, or if a proxy forwarded the request, nothing
but the server's version is served without a session or a key that may administer everything; if Postgres does not
answer, nothing is.
"""

import asyncio
import threading
from collections.abc import Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cli.processes.request_guard import App, Receive, Send
from headwater.administration.callers import COOKIE, SECURE_COOKIE, SESSION, Callers
from headwater.domain.access import Caller, Scope
from headwater.errors import HeadwaterError
from headwater.settings import Settings
from headwater.store.store import Store, open_database
from query_api.guards.connection import select_forwarding_names
from query_api.guards.hosts import is_loopback

LOGIN = "/headwater/login"
OPEN = ("/server_info",)
"""What the supervisor and health checks ask."""
_CONNECTIONS = 4
_WHO = (
    "This needs an administrator's session. Run `headwater login` and open its link for Dagster; or log in at {}/login,"
    " if that has the same host name."
)
_USED = "The link was used before, or is older than ten minutes. Run `headwater login` again."


class SessionGuard:
    """ASGI middleware; see the module."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._callers = Callers(settings)
        self._store: Store | None = None
        self._lock = threading.Lock()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on, log a browser in, or refuse."""
        if scope["type"] not in ("http", "websocket") or (scope["type"] == "http" and scope["path"] in OPEN):
            await self._app(scope, receive, send)
            return
        is_login = scope["type"] == "http" and scope["path"] == LOGIN
        decide: Callable[[MutableMapping[str, Any]], _Reply | None] = self._log_in if is_login else self._refusal
        try:
            reply = await asyncio.to_thread(decide, scope)
        except HeadwaterError as error:
            reply = _Reply(error.http_status, str(error))
        if reply is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await reply.send(send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "no session"})  # before it is accepted: 403

    def _refusal(self, scope: MutableMapping[str, Any]) -> "_Reply | None":
        store, headers = self._open_store(), _headers(scope)
        is_local = is_loopback((scope.get("server") or ("",))[0]) and not select_forwarding_names(headers)
        if is_local and not self._callers.keys_exist(store):
            return None
        who = self._caller(store, headers)
        if who is not None and who.scope is Scope.ADMIN and who.visible is None:
            return None
        return _Reply(401 if who is None else 403, _WHO.format(self._settings.api_url))

    def _caller(self, store: Store, headers: dict[str, str]) -> Caller | None:
        kind, _, key = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._callers.by_key(store, key.strip())
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None
        tokens = [cookies[name].value for name in (SECURE_COOKIE, COOKIE) if name in cookies]
        return next(filter(None, (self._callers.by_session(store, token) for token in tokens)), None)

    def _log_in(self, scope: MutableMapping[str, Any]) -> "_Reply":
        """Use a link up; a browser that only fetches the page beforehand must not."""
        headers = _headers(scope)
        token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("link", [""])[0]
        if scope["method"] != "GET" or "prefetch" in headers.get("sec-purpose", headers.get("purpose", "")):
            return _Reply(405, "Open the link in a browser.")
        session = self._callers.log_in_by_link(self._open_store(), token)
        if session is None:
            return _Reply(403, _USED)
        public = urlsplit(self._settings.dagster_url)
        is_secure = public.scheme == "https" and headers.get("host", "").lower() == public.netloc.lower()
        name, secure = (SECURE_COOKIE, "; Secure") if is_secure else (COOKIE, "")
        age = int(SESSION.total_seconds())
        cookie = f"{name}={session}; Max-Age={age}; Path=/; HttpOnly; SameSite=Lax{secure}"
        return _Reply(303, "", {"location": "/", "set-cookie": cookie})

    def _open_store(self) -> Store:
        with self._lock:
            if self._store is None:
                self._store = Store(open_database(self._settings, size=_CONNECTIONS))
            return self._store


class _Reply:
    """A response of the guard's own."""

    def __init__(self, status: int, words: str, headers: dict[str, str] | None = None) -> None:
        self.status = status
        self._body = f"{words}\n".encode()
        self._headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store", **(headers or {})}

    async def send(self, send: Send) -> None:
        """Send it."""
        sent = {**self._headers, "content-length": str(len(self._body))}
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": pairs})
        await send({"type": "http.response.body", "body": self._body})


def _headers(scope: MutableMapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reversed(scope["headers"])}
