"""Requests that a page of another site, or a name that leads here, makes a browser send (SEC-1)."""

import pytest

from tests.probe.conftest import ADMIN_KEY, Api
from tests.probe.wire import JSON, KB, ask, assert_refused, message, send

_BEARER = {"Authorization": f"Bearer {ADMIN_KEY}"}
CHANGES = [("DELETE", KB, b""), ("POST", f"{KB}/syncs", b""), ("POST", f"{KB}/syncs", b"{}")]

FOREIGN = {
    "null": {"Origin": "null"},
    "another_site": {"Origin": "http://evil.example"},
    "another_port": {"Origin": "http://127.0.0.1:3000"},
    "another_name_of_this_machine": {"Origin": "http://localhost"},
    "a_longer_name": {"Origin": "http://127.0.0.1.evil.example"},
    "a_user_name": {"Origin": "http://127.0.0.1@evil.example"},
    "a_file": {"Origin": "file://"},
    "an_extension": {"Origin": "chrome-extension://127.0.0.1"},
    "malformed": {"Origin": "http://[::1"},
    "empty": {"Origin": ""},
    "two": {"Origin": "http://127.0.0.1, http://evil.example"},
    "cross_site": {"Sec-Fetch-Site": "cross-site"},
    "same_site": {"Sec-Fetch-Site": "same-site"},
    "unknown_site": {"Sec-Fetch-Site": "whatever"},
    "cross_site_from_here": {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"},
    "same_origin_from_elsewhere": {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    "none_from_elsewhere": {"Sec-Fetch-Site": "none", "Origin": "null"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())
def test_pages_of_other_sites_change_nothing(api: Api, headers: dict[str, str]) -> None:
    """403 for every change, with and without a body, and for search, which costs time."""
    for method, path, body in CHANGES:
        found = send(api.port, message(method, path, {**headers, **(JSON if body else {})}, body))
        assert_refused(found, 403, "ORIGIN_NOT_ALLOWED")


NAMES = [
    "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.", "127.1",
    "127.0.0.2", "2130706433", "0x7f.1", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "192.0.2.1", "", "127.0.0.1:",
    "127.0.0.1:80:80", "127.0.0.1:port", "evil.example@127.0.0.1", "127.0.0.1@evil.example", "127.0.0.1/evil",
    "127.0.0.1, evil.example", "127.0.0.1 evil.example", "[::1", "::1", "l\u00f6calhost", "localhost\\.evil.example",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_other_names_lead_nowhere(api: Api, name: str) -> None:
    """403 for reading too: a name that an attacker points here would make his page one of this site's."""
    for method, path in (("GET", KB), ("GET", "/openapi/openapi.json"), ("DELETE", KB), ("GET", "/health/live")):
        assert_refused(send(api.port, message(method, path, {"Host": name})), 403, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize("header", ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Forwarded-Server", "X-Real-Ip"])
def test_no_header_stands_in_for_the_host(api: Api, header: str) -> None:
    """A proxy's headers do not make a foreign name acceptable."""
    value = "host=127.0.0.1" if header == "Forwarded" else "127.0.0.1"
    found = send(api.port, message("GET", KB, {"Host": "evil.example", header: value}))
    assert_refused(found, 403, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize(
    "target", ["http://evil.example", "https://evil.example:8080", "http://127.0.0.1@evil.example"]
)
def test_a_target_of_another_name_leads_nowhere(api: Api, target: str) -> None:
    """A whole URL in the request line must name the host that `Host` names."""
    for method in ("GET", "DELETE"):
        assert_refused(send(api.port, message(method, target + KB)), 403, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize("method", ["POST", "DELETE", "PATCH", "PUT"])
def test_preflights_allow_nothing(api: Api, method: str) -> None:
    """No header lets a foreign page send a request that needs permission."""
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": method}
    (reply,) = send(api.port, message("OPTIONS", KB, {**asked, "Access-Control-Request-Headers": "content-type"}))
    assert not [name for name in reply.headers if name.startswith("access-control-")]
    (read,) = send(api.port, message("GET", KB, {"Origin": "http://evil.example"}))
    assert not [name for name in read.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("path", ["/openapi/swagger", "/openapi/", KB, "/nothing"])
def test_no_page_frames_ours_or_reads_them_as_its_own(api: Api, path: str) -> None:
    """Otherwise a page could cover Swagger's buttons, or embed a page that it may not read."""
    (reply,) = send(api.port, message("GET", path, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}))
    assert reply.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert reply.headers["x-frame-options"] == "DENY"
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("name", ["evil.example", "api.evil.example:8080", "docs.example.evil.example", "localhost."])
def test_rebound_names_lead_nowhere_where_there_are_keys(keyed_api: Api, name: str) -> None:
    """An attacker's name must have a dot; addresses, names without one and the one that people use are answered."""
    before = keyed_api.state()
    for method in ("GET", "DELETE"):
        own = {"Host": name, "Origin": f"http://{name}", "Sec-Fetch-Site": "same-origin", **_BEARER}
        assert_refused(send(keyed_api.port, message(method, KB, own)), 403, "HOST_NOT_ALLOWED")
    assert keyed_api.state() == before
    proxied = {"Host": "api:8080", "Origin": "https://docs.example", "Sec-Fetch-Site": "same-origin", **_BEARER}
    asked = message("POST", f"{KB}/search", {**JSON, **proxied}, b'{"query": "pump"}')
    (through_proxy,) = send(keyed_api.port, asked)
    assert through_proxy.status == 200
    for known in ("docs.example", "api:8080", "192.0.2.1:8080", "[2001:db8::1]", "LOCALHOST"):
        (reply,) = send(keyed_api.port, message("GET", KB, {"Host": known, **_BEARER}))
        assert reply.status == 200


@pytest.mark.parametrize("headers", [FOREIGN["null"], FOREIGN["another_site"], FOREIGN["cross_site"]])
def test_pages_of_other_sites_change_nothing_with_a_cookie(keyed_api: Api, headers: dict[str, str]) -> None:
    """A browser adds the cookie whoever asks; without a key a request is refused in any case."""
    form = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
    (opened,) = send(keyed_api.port, message("POST", "/login", form, f"key={ADMIN_KEY}".encode()))
    cookie = {"Cookie": opened.headers["set-cookie"].split(";")[0]}
    (read,) = send(keyed_api.port, message("GET", KB, cookie))
    assert read.status == 200
    before = keyed_api.state()
    for method, path, body in CHANGES:
        of_json = JSON if body else {}
        found = send(keyed_api.port, message(method, path, {**headers, **cookie, **of_json}, body))
        assert_refused(found, 403, "ORIGIN_NOT_ALLOWED")
        assert_refused(send(keyed_api.port, message(method, path, of_json, body)), 401, "UNAUTHENTICATED")
    assert keyed_api.state() == before
    assert ask(keyed_api.port, "GET", KB).status == 401


def test_pages_can_read_why_the_server_itself_refuses_a_visitor(api: Api) -> None:
    """A body that is too large is refused before any widget is known; only visitors' addresses say so to every page."""
    for path, allowed in (("/widget/v1/ask", "*"), ("/widget/v10/ask", None), (f"{KB}/search", None)):
        headers = {**JSON, "Origin": "https://docs.example.com", "Content-Length": "2000000"}
        (reply,) = send(api.port, message("POST", path, headers))
        assert (reply.status, reply.headers.get("access-control-allow-origin")) == (413, allowed)
