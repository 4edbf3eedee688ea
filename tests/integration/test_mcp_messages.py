"""MCP on the wire: both forms of the protocol, and what breaks it (API-7).

Belongs here: messages that the official client does not send. Not here: tools (`test_mcp`).
"""

import json
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from flask.testing import FlaskClient
from hypothesis import strategies as st

from headwater.settings import Settings
from query_api.app import create_app
from query_api.mcp.messages import META, headers_of, read
from query_api.server.refusals import response_of
from query_api.server.request_reader import RefusedError

NOWHERE = "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"
MODERN = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    """A client of an app without a database."""
    return create_app(Settings(home=tmp_path, cache=tmp_path, database_url=NOWHERE)).test_client()


def message(method: str, meta: Any = None, **params: Any) -> dict[str, Any]:
    """A request."""
    given = {**params, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": 7, "method": method, **({"params": given} if given else {})}


def modern(client: FlaskClient, method: str, *, headers: Any = None, **params: Any) -> Any:
    """Send a request of the newer form, with its headers."""
    body = message(method, MODERN, **params)
    return client.post("/mcp", json=body, headers={**headers_of(body), **(headers or {})})


def error_of(response: Any, status: int) -> tuple[int, str, Any]:
    """The code and the words of an error, and the id to which it belongs."""
    assert (response.status_code, response.content_type) == (status, "application/json"), response.text
    assert response.json["jsonrpc"] == "2.0"
    assert "Traceback" not in response.text
    error = response.json["error"]
    return error["code"], error["message"], response.json["id"]


def test_the_newer_form_needs_no_beginning(client: FlaskClient) -> None:
    """Results name the server, their type, and how long a list may be kept."""
    found = modern(client, "server/discover").json["result"]
    assert found["supportedVersions"][0] == "2026-07-28"
    assert found["capabilities"] == {"tools": {"listChanged": False}}
    listed = modern(client, "tools/list").json["result"]
    for result in (found, listed):
        assert result["resultType"] == "complete"
        assert result["_meta"][f"{META}serverInfo"]["name"] == "headwater"
        assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
    assert listed["tools"] == modern(client, "tools/list").json["result"]["tools"]


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2024-11-05"])
def test_the_older_form_agrees_on_a_version(client: FlaskClient, version: str) -> None:
    """A known version is echoed; an unknown one gets the newest of this form. Results are plain."""
    given = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    found = client.post("/mcp", json=message("initialize", **given)).json["result"]  # type: ignore[index]
    assert found["protocolVersion"] == version
    assert "resultType" not in found
    later = client.post("/mcp", json=message("initialize", **{**given, "protocolVersion": "2031-01-01"}))
    assert later.json["result"]["protocolVersion"] == "2025-11-25"  # type: ignore[index]
    assert client.post("/mcp", json=message("ping")).json["result"] == {}  # type: ignore[index]
    named = client.post("/mcp", json=message("tools/list"), headers={"MCP-Protocol-Version": version})
    assert set(named.json["result"]) == {"tools"}  # type: ignore[index]


def test_a_notification_gets_no_reply(client: FlaskClient) -> None:
    """202 without a body; GET and DELETE, with which older clients begin and end streams, are not taken."""
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/whatever"):
        response = client.post("/mcp", json={"jsonrpc": "2.0", "method": method})
        assert (response.status_code, response.data) == (202, b"")
    for call in (client.get, client.delete):
        response = call("/mcp")
        assert error_of(response, 405)[0] == -32600
        assert "POST" in response.headers["Allow"]


@pytest.mark.parametrize(
    ("body", "code", "words", "to"),
    [
        (b"{", -32700, "not valid JSON", None),
        (b"[]", -32600, "object", None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, "object", None),
        (b'"ping"', -32600, "object", None),
        (b"", -32700, "not valid JSON", None),
        (b"{}", -32600, "jsonrpc", None),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, "jsonrpc", 1),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, "method", 1),
        (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', -32600, "method", 1),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, "id", None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, "id", None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, "id", None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 3}', -32600, "method", 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600, "params", 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\u0000"}}', -32600, "NUL", None),
    ],
)
def test_what_is_no_message_is_an_error(client: FlaskClient, body: bytes, code: int, words: str, to: Any) -> None:
    """400, with JSON-RPC's code, what is wrong, and the id if there is one."""
    found = error_of(client.post("/mcp", data=body, content_type="application/json"), 400)
    assert (found[0], found[2]) == (code, to)
    assert words in found[1]


def test_other_bodies_and_pages_are_refused_as_elsewhere(client: FlaskClient) -> None:
    """Forms, pages of other sites, other names: in JSON-RPC's shape, with the stable code."""
    body = message("ping")
    for status, code, given in (
        (415, "UNSUPPORTED_MEDIA_TYPE", {"data": json.dumps(body), "content_type": "text/plain"}),
        (403, "ORIGIN_NOT_ALLOWED", {"json": body, "headers": {"Origin": "http://evil.example"}}),
        (403, "HOST_NOT_ALLOWED", {"json": body, "headers": {"Host": "evil.example"}}),
    ):
        response = client.post("/mcp", **given)
        assert error_of(response, status)[0] == -32600
        assert response.json["error"]["data"]["code"] == code  # type: ignore[index]
    refused = response_of(RefusedError(413, "TOO_LARGE", "Too large."), b"POST /mcp HTTP/1.1\r\n")
    assert json.loads(refused.partition(b"\r\n\r\n")[2])["error"]["code"] == -32600


def test_the_newer_form_is_checked(client: FlaskClient) -> None:
    """Headers must say what the body says; a version that is not spoken names those that are."""
    for headers in (
        {"Mcp-Method": "tools/call"},
        {"Mcp-Protocol-Version": "2025-11-25"},
        {"Mcp-Protocol-Version": "2026-07-28, 2026-07-28"},
        {"Mcp-Method": ""},
    ):
        assert error_of(modern(client, "tools/list", headers=headers), 400)[::2] == (-32020, 7)
    for name in ("ask", "=?base64?!?=", ""):
        assert error_of(modern(client, "tools/call", headers={"Mcp-Name": name}, name="search"), 400)[0] == -32020
    assert error_of(client.post("/mcp", json=message("tools/list", MODERN)), 400)[0] == -32020
    partly = {f"{META}protocolVersion": "2026-07-28"}
    assert error_of(client.post("/mcp", json=message("tools/list", partly)), 400)[0] == -32602
    assert error_of(client.post("/mcp", json=message("server/discover")), 400)[0] == -32602
    future = {**MODERN, f"{META}protocolVersion": "2031-01-01"}
    body = message("tools/list", future)
    for response in (
        client.post("/mcp", json=body, headers=headers_of(body)),
        client.post("/mcp", json=message("tools/list"), headers={"Mcp-Protocol-Version": "2031-01-01"}),
    ):
        assert error_of(response, 400)[0] == -32022
        data = response.json["error"]["data"]  # type: ignore[index]
        assert (data["requested"], data["supported"][:2]) == ("2031-01-01", ["2026-07-28", "2025-11-25"])


def test_unknown_methods_tools_and_pages(client: FlaskClient) -> None:
    """404 in the newer form, 200 in the older one, whose clients expect it; each says what there is."""
    assert error_of(modern(client, "resources/list"), 404)[0] == -32601
    assert error_of(modern(client, "initialize"), 404)[0] == -32601
    assert error_of(client.post("/mcp", json=message("resources/list")), 200)[::2] == (-32601, 7)
    assert error_of(client.post("/mcp", json=message("initialize")), 200)[0] == -32602
    for params in ({"name": "nothing"}, {"name": 3}, {}, {"name": "search", "arguments": [1]}):
        assert error_of(client.post("/mcp", json=message("tools/call", **params)), 200)[0] == -32602
    assert error_of(modern(client, "tools/list", cursor="2"), 400)[0] == -32602


def test_a_database_that_is_away_is_an_error_of_the_protocol(client: FlaskClient) -> None:
    """With the id of the request, so that nobody waits for a reply, and the stable code."""
    response = modern(client, "tools/call", name="list_knowledge_bases", arguments={})
    code, words, to = error_of(response, 500)
    assert (code, to, "Postgres" in words) == (-32603, 7, True)
    assert response.json["error"]["data"] == {"code": "DATABASE_UNAVAILABLE"}


@hypothesis.given(st.text(min_size=1).filter(lambda text: text.isprintable() or not text.isascii()))
def test_any_name_passes_through_a_header(name: str) -> None:
    """What a header cannot hold is encoded, and read again."""
    body = message("tools/call", MODERN, name=name)
    try:
        headers = headers_of(body)
    except UnicodeEncodeError:  # half a surrogate pair, which no body may contain
        return
    assert all(value.isascii() and value.isprintable() for value in headers.values())
    assert read(body, headers).params["name"] == name
