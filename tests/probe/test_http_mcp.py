"""Attacks on `/mcp`, which lets programs with a language model in (SEC-1, API-7)."""

import json
from typing import Any

import pytest

from tests.probe.conftest import Api
from tests.probe.test_http_origins import FOREIGN, NAMES
from tests.probe.wire import JSON, Reply, message, send

ASK = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_knowledge_bases"}}
BODY = json.dumps(ASK).encode()


def assert_rpc_error(found: list[Reply], status: int, code: int) -> None:
    """One reply, an error of JSON-RPC, without a trace of the server's insides."""
    (reply,) = found
    assert (reply.status, reply.headers["content-type"]) == (status, "application/json"), reply
    assert (reply.json["jsonrpc"], reply.json["error"]["code"]) == ("2.0", code)
    assert b"Traceback" not in reply.body
    assert b"knowledge_bases" not in reply.body


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())
def test_pages_of_other_sites_call_no_tool(api: Api, headers: dict[str, str]) -> None:
    """403, whatever the page makes a browser send."""
    assert_rpc_error(send(api.port, message("POST", "/mcp", {**JSON, **headers}, BODY)), 403, -32600)


@pytest.mark.parametrize("name", NAMES)
def test_other_names_lead_to_no_tool(api: Api, name: str) -> None:
    """403: a name that an attacker points here would make his page one of this site's."""
    assert_rpc_error(send(api.port, message("POST", "/mcp", {**JSON, "Host": name}, BODY)), 403, -32600)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_calls_no_tool(api: Api, kind: str) -> None:
    """415: any page may send these without permission."""
    headers = {"Content-Type": kind} if kind else {}
    assert_rpc_error(send(api.port, message("POST", "/mcp", headers, BODY)), 415, -32600)


HOSTILE: dict[str, Any] = {
    "a_path_as_slug": {"name": "search", "arguments": {"knowledge_base": "../../etc", "query": "a"}},
    "sql_as_slug": {"name": "search", "arguments": {"knowledge_base": "kb'; DROP TABLE answers; --", "query": "a"}},
    "a_surrogate": {"name": "search", "arguments": {"knowledge_base": "kb", "query": "\ud800"}},
    "a_huge_number": {"name": "read_document", "arguments": {"document_version_id": "0", "start": 10**900}},
    "a_far_span": {"name": "read_document", "arguments": {"document_version_id": f"{7:032x}", "start": 2**70}},
    "nothing": {},
    "a_list": {"name": ["search"]},
    "a_private_name": {"name": "__class__"},
    "deep": {"name": "search", "arguments": json.loads("[" * 40 + "]" * 40)},
}


@pytest.mark.parametrize("params", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_arguments_are_refused(api: Api, params: Any) -> None:
    """As an error, or as a result that is one; never as a fault of the server."""
    body = json.dumps({**ASK, "params": params}).encode()
    (reply,) = send(api.port, message("POST", "/mcp", JSON, body))
    assert reply.status in (200, 400), reply
    assert "error" in reply.json or reply.json["result"]["isError"]
    assert b"Traceback" not in reply.body


def test_a_message_that_is_too_large_is_refused(api: Api) -> None:
    """Before it has arrived, in the shape that clients of MCP read."""
    found = send(api.port, message("POST", "/mcp", {**JSON, "Content-Length": "2000000"}, b"{"))
    assert_rpc_error(found, 413, -32600)
