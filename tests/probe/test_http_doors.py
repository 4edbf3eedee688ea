"""Bodies of strangers, and requests that a proxy forwarded while there is no key (API-6, SEC-1)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from headwater.domain.access import Scope
from tests.probe.conftest import ADMIN_KEY, Api, published, serving
from tests.probe.test_http_slow import many
from tests.probe.test_http_uploads import FILES, big, files_of_uploads, wait_for_uploads
from tests.probe.wire import JSON, KB, Reply, ask, assert_refused, connect, message, read, replies, send

_BEARER = {"Authorization": f"Bearer {ADMIN_KEY}"}
SEARCH = f"{KB}/search"


@dataclass(frozen=True, kw_only=True)
class Body:
    """A body that its sender may not send: the head, and what it must be answered before any byte of the body."""

    path: str
    status: int
    code: str
    scope: str | None = None
    """Of the key; `admin` is the environment's, None is none."""
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "PUT"


NOBODY, WRONG = (), (("Authorization", f"Bearer hw_aaaaaaaa_{'a' * 43}"),)
BODIES = {
    "no_key": Body(path=f"{FILES}/a", status=401, code="UNAUTHENTICATED"),
    "a_wrong_key": Body(path=f"{FILES}/a", status=401, code="UNAUTHENTICATED", headers=WRONG),
    "a_cookie_without_a_session": Body(
        path=f"{FILES}/a", status=401, code="UNAUTHENTICATED", headers=(("Cookie", "headwater_session=abc"),)
    ),
    "a_read_key": Body(path=f"{FILES}/a", status=403, code="FORBIDDEN", scope="read"),
    "a_key_of_bots": Body(path=f"{FILES}/a", status=403, code="FORBIDDEN", scope="bot"),
    "another_knowledge_base": Body(
        path="/api/v1/knowledge-bases/none/sources/inbox/files/a", status=404, code="NOT_FOUND", scope="limited"
    ),
    "an_encoded_slash": Body(path=f"{FILES}/a%2Fb", status=404, code="NOT_FOUND", scope="write"),
    "compressed": Body(
        path=f"{FILES}/a", status=415, code="UNSUPPORTED_MEDIA_TYPE", scope="write",
        headers=(("Content-Encoding", "gzip"),),
    ),
    "another_site": Body(
        path=f"{FILES}/a", status=403, code="ORIGIN_NOT_ALLOWED", headers=(("Origin", "https://evil.example"),)
    ),
    "no_route": Body(path=f"{KB}/nothing", status=404, code="NOT_FOUND", scope="write"),
    "another_method": Body(path=f"{KB}/search", status=405, code="METHOD_NOT_ALLOWED", scope="write"),
    "a_search": Body(path=SEARCH, status=401, code="UNAUTHENTICATED", method="POST"),
    "a_chat_completion": Body(path="/v1/chat/completions", status=401, code="invalid_api_key", method="POST"),
}  # fmt: skip
SENT = {
    "asked_first": {"Content-Length": "900000", "Expect": "100-continue"},
    "small_and_asked_first": {"Content-Length": "10", "Expect": "100-Continue"},
    "without_asking": {"Content-Length": "900000"},
    "in_chunks": {"Transfer-Encoding": "chunked"},
}


@pytest.fixture(scope="module")
def door_api(server: str, template: str, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server whose callers have keys."""
    with (
        published(server, template, "probe_doors", tmp_path_factory.mktemp("doors")) as url,
        serving(tmp_path_factory.mktemp("serve"), url, cache, HEADWATER_ADMIN_KEY=ADMIN_KEY) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def keys(door_api: Api) -> Iterator[dict[str, dict[str, str]]]:
    """A header for each scope, and `limited`, which opens the knowledge base `kb` alone; revoked at the end."""
    made = {}
    for name in ("read", "bot", "write", "write2", "write3", "limited"):
        scope = Scope.WRITE if name[:5] in ("write", "limit") else Scope(name)
        wanted = {"name": name, "scope": scope, **({"knowledge_bases": ["kb"]} if name == "limited" else {})}
        made[name] = make_key(door_api, wanted)
    yield {name: {"Authorization": f"Bearer {text}"} for name, text in made.items()}
    for text in made.values():
        revoke(door_api, text)


def make_key(api: Api, wanted: Mapping[str, object]) -> str:
    """Make a key; returns its text."""
    return str(as_admin(api, "POST", "/api/v1/keys", wanted).json["key"])


def revoke(api: Api, text: str) -> None:
    """Revoke a key."""
    assert as_admin(api, "DELETE", f"/api/v1/keys/{text.split('_')[1]}").status in (200, 204)


def as_admin(api: Api, method: str, path: str, document: object = None) -> Reply:
    """Ask with the environment's key."""
    body = b"" if document is None else json.dumps(document).encode()
    return send(api.port, message(method, path, {**_BEARER, **(JSON if body else {})}, body))[0]


@pytest.mark.parametrize("how", SENT.values(), ids=SENT.keys())
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_no_body_is_awaited_from_who_may_not_send_it(
    door_api: Api, keys: dict[str, dict[str, str]], body: Body, how: dict[str, str]
) -> None:
    """The refusal comes for the head alone, with no `100 Continue` before it."""
    key = keys[body.scope] if body.scope else {}
    headers = {**JSON, **how, **key, **dict(body.headers)}
    (reply,) = send(door_api.port, message(body.method, body.path, headers))
    code = reply.json["error"]["code"] if body.path.startswith("/v1/") else reply.code
    assert (reply.status, code) == (body.status, body.code)
    assert reply.headers["connection"] == "close"


def test_uploads_without_a_key_take_no_place_and_no_disk(door_api: Api, keys: dict[str, dict[str, str]]) -> None:
    """Sixteen that send on after they were refused, and somebody with a key beside them."""
    half = message("PUT", f"{FILES}/half", {"Content-Length": "30000000"}, big()[:900_000])
    with many(door_api.port, half, 16, "127.0.0.2"):
        for number in range(3):
            stored = send(door_api.port, message("PUT", f"{FILES}/{number}", keys["write"], big()[:200_000]))
            assert stored[0].status == 201
            assert files_of_uploads(door_api) == []
    for number in range(3):
        assert as_admin(door_api, "DELETE", f"{FILES}/{number}").status == 200


def test_no_key_and_no_address_takes_every_place(door_api: Api, keys: dict[str, dict[str, str]]) -> None:
    """Four of a key, eight of an address, whatever keys it has; the others still have theirs."""
    size = {"Content-Length": "3000000"}
    halves = {name: message("PUT", f"{FILES}/half", {**size, **keys[name]}, big()[:1000]) for name in keys}
    with many(door_api.port, halves["write"], 4, "127.0.0.2"):
        wait_for_uploads(door_api, 4)
        for source in ("127.0.0.2", "127.0.0.3"):
            assert_refused(send(door_api.port, halves["write"], source), 429, "TOO_MANY_UPLOADS")
        with many(door_api.port, halves["write2"], 4, "127.0.0.2"):
            wait_for_uploads(door_api, 8)
            assert_refused(send(door_api.port, halves["write3"], "127.0.0.2"), 429, "TOO_MANY_UPLOADS")
            (stored,) = send(door_api.port, message("PUT", f"{FILES}/whole", keys["write3"], big()[:200_000]))
            assert stored.status == 201
    assert as_admin(door_api, "DELETE", f"{FILES}/whole").status == 200
    wait_for_uploads(door_api, 0)


def test_a_key_that_is_revoked_while_a_body_arrives_stores_nothing(door_api: Api) -> None:
    """The whole request is checked again when it has arrived."""
    text = make_key(door_api, {"name": "short", "scope": "write"})
    head = {"Content-Length": "200000", "Authorization": f"Bearer {text}"}
    with connect(door_api.port) as client:
        client.sendall(message("PUT", f"{FILES}/late", head, big()[:1000]))
        wait_for_uploads(door_api, 1)
        revoke(door_api, text)
        client.sendall(big()[1000:200_000])
        assert_refused(replies(read(client)), 401, "UNAUTHENTICATED")
    assert as_admin(door_api, "GET", f"{FILES}/late").status == 404


def test_a_body_that_is_let_in_counts_once(door_api: Api) -> None:
    """In the metrics and in the limits, though the app sees its head twice."""
    text = make_key(door_api, {"name": "once", "scope": "write"})
    counted = re.compile(r'headwater_http_requests_total\{method="PUT",route="[^"]*files[^"]*",status="(\d+)"\} (\S+)')

    def puts() -> dict[str, float]:
        found = counted.findall(as_admin(door_api, "GET", "/metrics").body.decode())
        return {status: float(count) for status, count in found}

    before = puts()
    head = {"Content-Length": "200000", "Authorization": f"Bearer {text}", "Expect": "100-continue"}
    with connect(door_api.port) as client:
        client.sendall(message("PUT", f"{FILES}/once", head))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(big()[:200_000])
        (stored,) = replies(read(client))
    assert stored.status == 201
    after = puts()
    assert after == {**before, "201": before.get("201", 0) + 1}
    (units,) = door_api.database.execute(
        "SELECT extract(epoch FROM tat - clock_timestamp()) FROM rate_limits WHERE bucket = %s", [f"key:{text[3:11]}"]
    ).fetchone() or (0,)
    assert float(units) <= 2 * 60 / 600 + 0.01  # the two units of an upload, of 600 a minute
    assert as_admin(door_api, "DELETE", f"{FILES}/once").status == 200
    revoke(door_api, text)


FORWARDED = {
    "x_forwarded_for": {"X-Forwarded-For": "203.0.113.9"},
    "of_this_machine": {"X-Forwarded-For": "127.0.0.1"},
    "empty": {"X-Forwarded-For": ""},
    "standard": {"Forwarded": "for=203.0.113.9;proto=https"},
    "via": {"Via": "1.1 proxy"},
    "protocol": {"X-Forwarded-Proto": "https"},
    "host": {"X-Forwarded-Host": "docs.example"},
    "port": {"X-Forwarded-Port": "443"},
    "real_ip": {"X-Real-IP": "203.0.113.9"},
    "original": {"X-Original-Forwarded-For": "203.0.113.9"},
    "cloudflare": {"CF-Connecting-IP": "203.0.113.9"},
    "akamai": {"True-Client-IP": "203.0.113.9"},
    "fastly": {"Fastly-Client-IP": "203.0.113.9"},
    "fly": {"Fly-Client-IP": "203.0.113.9"},
    "client_ip": {"X-Client-IP": "203.0.113.9"},
    "cluster": {"X-Cluster-Client-IP": "203.0.113.9"},
    "envoy": {"X-Envoy-External-Address": "203.0.113.9"},
    "lower_case": {"x-forwarded-for": "203.0.113.9"},
}
"""What proxies add, each alone."""


@pytest.mark.parametrize("headers", FORWARDED.values(), ids=FORWARDED.keys())
def test_whom_a_proxy_forwards_is_nobody_while_there_is_no_key(api: Api, headers: dict[str, str]) -> None:
    """Reading, changing, uploading, pages and tools; the refusal says what to do. Open addresses stay open."""
    for method, path, body in (
        ("GET", KB, b""), ("DELETE", KB, b""), ("GET", "/api/v1/keys", b""), ("PUT", f"{FILES}/a", b"x"),
        ("POST", f"{KB}/search", b'{"query": "pump"}'), ("GET", "/metrics", b""),
    ):  # fmt: skip
        (reply,) = send(api.port, message(method, path, {**headers, **(JSON if body else {})}, body))
        assert_refused([reply], 401, "UNAUTHENTICATED")
        assert "headwater keys create" in reply.json["detail"]
        assert next(iter(headers)).lower() in reply.json["detail"].lower()
    call = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    for method, path, body in (("POST", "/mcp", call), ("GET", "/v1/models", b"")):
        (reply,) = send(api.port, message(method, path, {**headers, **(JSON if body else {})}, body))
        assert reply.status == 401
    page = {"Accept": "text/html", **headers}
    (shown,) = send(api.port, message("GET", "/", page))
    assert (shown.status, shown.headers["location"]) == (303, "/login")
    assert b"came through a proxy" in send(api.port, message("GET", "/login", page))[0].body
    assert send(api.port, message("GET", "/health/live", headers))[0].status == 200
    assert ask(api.port, "GET", KB).status == 200


def test_a_proxy_forwards_whoever_has_a_key(door_api: Api) -> None:
    """Once there is one, its headers say nothing against a caller."""
    for headers in FORWARDED.values():
        assert send(door_api.port, message("GET", KB, {**headers, **_BEARER}))[0].status == 200
