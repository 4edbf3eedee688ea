"""A Cosense site on loopback, which answers as the real one does.

Belongs here: paging, the cookie, throttling, pages that are only linked to. Not here: what is expected of a source.
Guarantee: every request is noted, with its status.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_MOST = 1000
_LINK = re.compile(r"\[([^\[\]/$*\-\s][^\[\]]*)\]|#(\S+)")


@dataclass
class CosenseServer:
    """The project's pages by title, in the order of creation; its secrets; and the requests that it got.

    With `busy`, so many requests for pages are refused before one is answered. `after_list` is called after each answer
    to a request for the list.
    """

    url: str = ""
    name: str = "mill"
    pages: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    cookie: str = ""
    token: str = ""
    busy: int = 0
    most: int = _MOST
    answers: list[tuple[str, int]] = field(default_factory=list)
    after_list: Callable[[], None] = lambda: None

    @property
    def project(self) -> str:
        """The project's address."""
        return f"{self.url}/{self.name}"

    def put(self, title: str, *lines: str, updated: int = 1_700_000_000) -> None:
        """Write a page."""
        self.pages[title] = (updated, [title, *lines])

    def asked(self) -> list[tuple[str, int]]:
        """Paths, without the API's own, and statuses since the last time."""
        answers, self.answers = self.answers, []
        return [(path.removeprefix(f"/api/pages/{self.name}"), status) for path, status in answers]

    def answer(self, path: str, headers: Any) -> tuple[int, Any]:
        """The status and the JSON of an answer."""
        parts = urlsplit(path)
        found = re.fullmatch(rf"/api/pages/{self.name}(?:/([^/]+))?", parts.path)
        if found is None:
            return 404, {"name": "NotFoundError", "message": "Project not found."}
        if not self._may_read(headers):
            return 401, {"name": "NotLoggedInError", "message": "You are not logged in yet."}
        if found[1] is None:
            return 200, self._list(parse_qs(parts.query))
        if self.busy:
            self.busy -= 1
            return 429, {"name": "TooManyRequests"}
        return self._page(unquote(found[1]).replace("_", " "))

    def _may_read(self, headers: Any) -> bool:
        if not self.cookie and not self.token:
            return True
        return bool(
            (self.cookie and f"connect.sid={self.cookie}" in headers.get("Cookie", ""))
            or (self.token and headers.get("x-personal-access-token") == self.token)
        )

    def _list(self, query: dict[str, list[str]]) -> dict[str, Any]:
        skip, limit = (int(query.get(name, [default])[0]) for name, default in (("skip", "0"), ("limit", "100")))
        limit = min(limit, self.most)
        items = [_item(title, updated) for title, (updated, _) in self.pages.items()]
        return {
            "projectName": self.name,
            "skip": skip,
            "limit": limit,
            "count": len(items),
            "pages": items[skip : skip + limit],
        }

    def _page(self, title: str) -> tuple[int, Any]:
        found = self.pages.get(title)
        if found is not None:
            lines = [{"id": str(n), "text": text, "userId": "u"} for n, text in enumerate(found[1])]
            return 200, {**_item(title, found[0]), "commitId": "c", "persistent": True, "lines": lines}
        linked = {one or two for _, lines in self.pages.values() for line in lines for one, two in _LINK.findall(line)}
        if title in linked:
            return 200, {**_item(title, 0), "persistent": False, "lines": [{"id": "0", "text": title}]}
        return 404, {"name": "NotFoundError", "message": "Page not found."}


def _item(title: str, updated: int) -> dict[str, Any]:
    return {"id": f"id-{title}", "title": title, "image": None, "pin": 0, "views": 1, "created": 1_600_000_000,
            "updated": updated, "accessed": updated, "descriptions": []}  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer: a second one would wait 40 ms for the first to be confirmed
    site: CosenseServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer."""
        status, found = self.site.answer(self.path, self.headers)
        content = json.dumps(found).encode()
        self.site.answers.append((self.path, status))
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if status == 429:
            self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(content)
        if "?" in self.path:
            self.site.after_list()


@contextmanager
def cosense_server() -> Iterator[CosenseServer]:
    """Run a site for the length of a block."""
    site = CosenseServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
