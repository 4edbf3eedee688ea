"""A server on loopback that speaks as much of GitHub's interfaces as the connector asks for.

Belongs here: issues, comments and discussions that a test changes, pages by Link header and by cursor, ETags, limits on
requests. Not here: what is expected of the connector. Guarantee: every request is noted with its status and its token;
a request during a limit is refused and noted as early.
"""

import json
import math
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "acme/pumps"
_PEOPLE = ("ann", "bo", "cy")


@dataclass
class GitHubServer:
    """The server's address, the repository's threads, and the requests it got."""

    url: str = ""
    page_size: int = 100
    token: str = ""
    """If there is one, requests without it find nothing."""
    limit: int = 0
    """Requests that are accepted before each pause; 0 means all."""
    pause: float = 1.0
    """Seconds that a pause takes."""
    style: str = "retry-after"
    """How it says so: retry-after, reset, secondary, or graphql with status 200."""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    discussions: dict[int, dict[str, Any]] = field(default_factory=dict)
    moved: dict[int, str] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    answers: dict[str, tuple[int, Mapping[str, str], bytes]] = field(default_factory=dict)
    """What a path answers instead."""
    asked: list[tuple[str, int]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    early: int = 0
    time: int = 0
    _counted: int = 0
    _paused_until: float = 0.0

    def now(self) -> str:
        """The repository's own clock, a minute later each time."""
        self.time += 1
        return f"2026-01-{1 + self.time // 1440:02}T{self.time // 60 % 24:02}:{self.time % 60:02}:00Z"

    def issue(self, number: int, *, is_pull: bool = False, **fields: Any) -> None:
        """Add an issue or pull request, or change its fields."""
        when = self.now()
        made = self.issues.get(number) or {
            "number": number, "title": f"Pump {number} leaks", "body": f"Water under pump {number}.", "state": "open",
            "state_reason": None, "labels": [], "user": {"login": _PEOPLE[number % 3]}, "created_at": when,
            "closed_at": None, "milestone": None, "comments": 0, "reactions": {"total_count": 0, "+1": 0},
            "repository_url": f"{self.url}/api/v3/repos/{REPOSITORY}",
        }  # fmt: skip
        pull = {"pull_request": {"merged_at": None}} if is_pull else {}
        self.issues[number] = {**made, **pull, **fields, "updated_at": when}

    def comment(self, number: int, body: str, *, likes: int = 0) -> None:
        """Add a comment to an issue."""
        entries = self.comments.setdefault(number, [])
        entries.append(
            {"body": body, "user": {"login": "dee"}, "created_at": self.now(), "reactions": {"+1": likes, "-1": 7}}
        )
        self.issue(number, comments=len(entries))

    def discussion(self, number: int, *comments: dict[str, Any], **fields: Any) -> None:
        """Add a discussion, or replace it."""
        when = self.now()
        made = {
            "number": number, "title": f"Which oil for {number}?", "body": "We wonder.", "createdAt": when,
            "updatedAt": when, "closed": False, "closedAt": None, "stateReason": None, "author": {"login": "ann"},
            "category": {"name": "Q&A"}, "labels": {"nodes": [{"name": "oil"}]}, "answer": None, "answerChosenAt": None,
        }  # fmt: skip
        self.discussions[number] = {**made, **fields, "listed": list(comments)}

    def take(self) -> list[tuple[str, int]]:
        """Paths and statuses since the last time, without the host's part."""
        found, self.asked = self.asked, []
        return found

    def refusal(self, *, is_query: bool) -> tuple[int, dict[str, str], bytes] | None:
        """What is answered during a pause; None if there is none."""
        left = self._paused_until - time.monotonic()
        if left > 0:
            self.early += 1
        elif not self.limit or self._counted < self.limit:
            self._counted += 1
            return None
        else:
            self._counted = 0
            self._paused_until, left = time.monotonic() + self.pause, self.pause
        reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(math.ceil(time.time() + left))}
        if self.style == "graphql" and is_query:
            return 200, reset, json.dumps({"errors": [{"type": "RATE_LIMITED", "message": "Wait."}]}).encode()
        if self.style == "secondary":
            return 403, {}, b'{"message": "You have exceeded a secondary rate limit."}'
        headers = reset if self.style in ("reset", "graphql") else {"Retry-After": str(math.ceil(left))}
        return (403 if self.style == "reset" else 429), headers, b'{"message": "Limited."}'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: GitHubServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer for REST."""
        self._answer(None)

    def do_POST(self) -> None:
        """Answer for GraphQL."""
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, query: dict[str, Any] | None) -> None:
        parts = urlsplit(self.path)
        token = self.headers.get("Authorization", "")
        self.hub.tokens.add(token)
        found = self.hub.answers.get(parts.path)
        if found is None and self.hub.token and token != f"Bearer {self.hub.token}":
            found = (401 if token else 404, {}, b'{"message": "Not Found"}')
        if found is None:
            value: Any = None
            status, headers = 200, dict[str, str]()
            if query is not None:
                value = {"data": {"repository": self._graph(query["variables"])}}
            else:
                status, headers, value = self._rest(parts.path, parse_qs(parts.query))
            content = json.dumps(value).encode()
            etag = f'W/"{md5(content, usedforsecurity=False).hexdigest()}"'
            if query is None and status == 200 and self.headers.get("If-None-Match") == etag:
                found = (304, {"ETag": etag}, b"")  # does not count
            else:
                found = self.hub.refusal(is_query=query is not None) or (status, {"ETag": etag, **headers}, content)
        self._send(*found)

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.hub.asked.append((self.path.removeprefix("/api/v3").removeprefix(f"/repos/{REPOSITORY}"), status))
        self.send_response(status)
        for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _rest(self, path: str, query: Mapping[str, list[str]]) -> tuple[int, dict[str, str], Any]:
        here = f"/api/v3/repos/{REPOSITORY}/issues"
        if path == here:
            return self._listed(query)
        number, _, rest = path.removeprefix(f"{here}/").partition("/")
        if not path.startswith(here) or not number.isdecimal():
            moved = self.hub.answers.get("moved", (404, {}, b"null"))
            return (200, {}, json.loads(moved[2])) if path == "/api/v3/moved" else (404, {}, {"message": "Not Found"})
        if int(number) in self.hub.moved:
            return 301, {"Location": self.hub.moved[int(number)]}, {}
        if int(number) in self.hub.deleted:
            return 410, {}, {"message": "This issue was deleted"}
        if int(number) not in self.hub.issues:
            return 404, {}, {"message": "Not Found"}
        if rest == "comments":
            return self._paged(self.hub.comments.get(int(number), []), query)
        return 200, {}, self.hub.issues[int(number)]

    def _listed(self, query: Mapping[str, list[str]]) -> tuple[int, dict[str, str], Any]:
        assert query["state"] == ["all"]
        since = query.get("since", [""])[0]
        name = "updated_at" if query["sort"] == ["updated"] else "number"
        found = sorted(self.hub.issues.values(), key=lambda issue: issue[name], reverse=query["direction"] == ["desc"])
        return self._paged([issue for issue in found if issue["updated_at"] >= since], query)

    def _paged(self, found: list[Any], query: Mapping[str, list[str]]) -> tuple[int, dict[str, str], Any]:
        page = int(query.get("page", ["1"])[0])
        size = min(self.hub.page_size, int(query["per_page"][0]))
        shown = found[(page - 1) * size : page * size]
        base, _, own = self.path.partition("?")
        kept = "&".join(part for part in own.split("&") if not part.startswith("page="))
        at = f"<{self.hub.url}{base}?{kept}&page="
        following = {"Link": f'{at}1>; rel="first", {at}{page + 1}>; rel="next"'} if page * size < len(found) else {}
        return 200, following, shown

    def _graph(self, variables: Mapping[str, Any]) -> Any:
        if f"{variables['owner']}/{variables['name']}" != REPOSITORY:
            return None
        if "number" not in variables:
            found = sorted(self.hub.discussions.values(), key=lambda one: int(one["number"]))
            nodes = [
                {**{name: one[name] for name in ("number", "updatedAt", "answerChosenAt")},
                 "comments": {"totalCount": len(one["listed"])}} for one in found
            ]  # fmt: skip
            return {"discussions": self._connection(nodes, variables)}
        one = self.hub.discussions.get(variables["number"])
        if one is None:
            return {"discussion": None}
        plain = {name: value for name, value in one.items() if name != "listed"}
        return {"discussion": {**plain, "comments": self._connection(one["listed"], variables)}}

    def _connection(self, nodes: list[Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        start = int((variables.get("after") or "cursor-0").removeprefix("cursor-"))
        end = start + min(self.hub.page_size, 50)
        info = {"hasNextPage": end < len(nodes), "endCursor": f"cursor-{end}"}
        return {"pageInfo": info, "nodes": nodes[start:end]}


@contextmanager
def github_server() -> Iterator[GitHubServer]:
    """Run a server for the length of a block."""
    hub = GitHubServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
