"""Descriptions of APIs (SRC-4): a document per operation, one request a sync, one operation touched at a time."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchRefusedError, HeadwaterError, SourceError
from headwater.parsing.openapi.description import read_operations
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import Asked, HostileServer, hostile_server, loopback_gate, response
from tests.page_server import PageServer, page_server
from tests.support import Headwater

Make = Callable[..., Headwater]
OLD = b"""
swagger: "2.0"
host: api.example.com
paths:
  /a: {post: {parameters: [{in: body, name: b, schema: {type: object, properties: {x: {type: string}}}}]}}
"""
CIRCLE = b"""
openapi: 3.0.0
paths: {/a: {get: {requestBody: {$ref: "#/a/b"}, security: [{}]}}}
a: {b: {$ref: "#/a/b"}}
"""


def description(count: int = 30) -> dict[str, Any]:
    """An API with so many operations, of two tags."""
    valve = {
        "type": "object", "required": ["name"],
        "properties": {
            "name": {"type": "string", "description": "Its name.", "maxLength": 40},
            "state": {"type": "string", "enum": ["open", "closed"], "default": "closed"},
            "next": {"$ref": "#/components/schemas/Valve"},
        },
    }  # fmt: skip
    paths = {
        f"/valves/{number}/{{id}}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "operationId": f"getValve{number}", "summary": f"Read valve {number}",
                "tags": ["valves" if number % 2 else "pumps"],
                "description": f"Returns the valve of pump house number {number}.",
                "responses": {"200": {"$ref": "#/components/responses/Valve"}, "404": {"description": "None."}},
            },
        }
        for number in range(count)
    }  # fmt: skip
    return {
        "openapi": "3.0.3",
        "info": {"title": "Pump house", "version": "1.2", "description": "Controls pumps."},
        "servers": [{"url": "https://api.example.com/v1"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": {"Valve": valve},
            "responses": {
                "Valve": {
                    "description": "The valve.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Valve"}}},
                }
            },
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "Ask Ida."}},
        },
    }


@pytest.fixture
def site() -> Iterator[PageServer]:
    """A server that knows ETags."""
    with page_server() as running:
        yield running


def fetch(
    folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **config: Any
) -> list[Found]:
    """Everything that the connector finds."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return list(open_connector("openapi", config, context).fetch())


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_an_operation_is_written_whole(tmp_path: Path) -> None:
    """Its parameters, those of its path too, its responses with their schemas, and what it needs; recursion ends."""
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(description(2)))
    about, first, _ = fetch(tmp_path, path=str(path), link="https://docs.example.com/{tag}#{operation_id}")
    assert isinstance(about, FetchedDocument)
    assert isinstance(first, FetchedDocument)
    assert (about.uri, first.uri) == ("openapi.json#info", "openapi.json#operation/getValve0")
    text = about.parse().text
    assert text.startswith(
        "# Pump house\n\nControls pumps.\n\nVersion 1.2.\n\n## Servers\n\n- https://api.example.com/v1"
    )
    assert "- `key`: apiKey in the header `X-Key`. Ask Ida." in text
    document = first.parse()
    assert document.title == "GET /valves/0/{id}: Read valve 0"
    assert document.text.startswith(
        "# GET /valves/0/{id}: Read valve 0\n\nReturns the valve of pump house number 0.\n\n"
        "Operation id: `getValve0`. It needs `key`.\n\n## Parameters\n\n"
        "| Name | In | Type | Required | Meaning |\n| --- | --- | --- | --- | --- |\n| `id` | path | integer | yes |  |"
    )
    assert "- `name` (string, required): Its name. at most 40 characters" in document.text
    assert "- `state` (string): one of `open`, `closed`; default `closed`" in document.text
    assert document.text.count("- `next` (object)") == 4
    assert document.text.endswith("### 404\n\nNone.")
    assert (document.category, document.metadata["method"]) == ("pumps", "GET")
    assert document.places is not None
    assert document.places.address == "https://docs.example.com/pumps#getValve0"


def test_an_operation_without_an_id_has_an_address(tmp_path: Path) -> None:
    """Swagger UI derives it from method and path. The text of an operation is ours, so it has no lines of a file."""
    path = tmp_path / "openapi.json"
    operation = {"responses": {"200": {"description": "A file."}}}
    path.write_text(json.dumps({"openapi": "3.1.0", "info": {}, "paths": {"/bills/{id}.pdf": {"get": operation}}}))
    link = "https://api.example.com/docs#/{tag}/{operation_id}"
    item = next(item for item in fetch(tmp_path, path=str(path), link=link) if "info" not in item.uri)
    assert isinstance(item, FetchedDocument)
    document = item.parse()
    assert document.places is not None
    place = document.places.between(0, 9, text=document.text)
    assert place is not None
    assert link_to(document.uri, place) == "https://api.example.com/docs#/default/get_bills__id__pdf"
    assert place.label == ""


def test_exactly_the_operations_that_changed_are_touched(
    headwater: Make, site: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three are edited, one is deleted, one gets another id; half of a description asks; citations open operations."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    kb = headwater()
    api = description()
    site.pages["openapi.json"] = json.dumps(api).encode()
    config = {"url": f"{site.url}/openapi.json"}
    kb.store.sources.create(kb.slug, slug="api", kind="openapi", config=config, settings=SourceSettings())
    assert kb.sync("api")["api"].added == 31
    before = kb.content()
    site.asked()
    done = kb.sync("api")["api"]
    assert (done.unchanged, done.rows_written, site.asked()) == (31, 0, [("openapi.json", 304)])
    assert kb.content() == before
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    for number in (3, 5, 7):
        api["paths"][f"/valves/{number}/{{id}}"]["get"]["description"] = "Opens the sluice gate of the mill."
    del api["paths"]["/valves/9/{id}"]
    api["paths"]["/valves/11/{id}"]["get"]["operationId"] = "readValve"
    site.pages["openapi.json"] = json.dumps(api).encode()
    done = kb.sync("api")["api"]
    assert (done.added, done.removed, done.unchanged) == (0, 1, 26)
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    uri = f"{site.url}/openapi.json#operation"
    assert now[f"{uri}/readValve"] == ids[f"{uri}/getValve11"]
    found = kb.search("sluice gate mill", top_k=3)
    assert {passage.uri for passage in found} == {f"{uri}/getValve{number}" for number in (3, 5, 7)}
    api["paths"] = dict(list(api["paths"].items())[:9])
    site.pages["openapi.json"] = json.dumps(api).encode()
    assert [error.code for error in kb.sync("api")["api"].errors] == ["DELETIONS_HELD"]
    assert kb.source("api").document_count == 30


def test_operations_are_listed_by_what_they_are_for(headwater: Make, tmp_path: Path) -> None:
    """Of "which operations are there for valves", all that are called so."""
    api = description(3)
    api["paths"]["/pumps"] = {"get": {"summary": "List pumps", "responses": {"200": {"description": "Every pump."}}}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(api))
    kb = headwater(summary_model="builtin/extractive")
    config = {"path": str(path)}
    kb.store.sources.create(kb.slug, slug="api", kind="openapi", config=config, settings=SourceSettings())
    kb.sync("api")
    text = kb.ask("Which operations are there for valves?").answer
    assert text.startswith("**3 documents** in openapi.json#operation:")
    assert "GET /valves/2/{id}: Read valve 2 [3]" in text


def test_a_lost_list_only_costs_a_request(tmp_path: Path, site: PageServer) -> None:
    """A worker without the kept list, or whose documents are not known, reads the description again."""
    site.pages["openapi.yaml"] = yaml.safe_dump(description(3)).encode()
    url = f"{site.url}/openapi.yaml"
    known = as_known(fetch(tmp_path, url=url))
    assert {type(item) for item in fetch(tmp_path, known, url=url)} == {UnchangedDocument}
    assert {type(item) for item in fetch(tmp_path / "other", known, url=url)} == {UnchangedDocument}
    del known[f"{url}#operation/getValve1"]
    (new,) = [item for item in fetch(tmp_path, known, url=url) if isinstance(item, FetchedDocument)]
    assert new.uri == f"{url}#operation/getValve1"
    assert [status for _, status in site.asked()].count(304) == 1


@pytest.mark.parametrize(
    ("content", "operations"),
    [
        (OLD, 2),
        (b"openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {description: 5}}}, put: 3, parameters: 7}, /b: 9}", 2),
        (b"openapi: 3.1.0\nx: &a [1]\ny: [*a, *a]\npaths: {}", 1),
        (CIRCLE, 2),
        (b'{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"$ref": "http://10.0.0.1/x"}}}}}}', 2),
    ],
)  # fmt: skip
def test_odd_descriptions_are_read(content: bytes, operations: int) -> None:
    """Version 2, numbers where texts belong, aliases, references in circles and to other hosts, which are not asked."""
    found = read_operations(content)
    assert len(found) == operations
    assert all(operation.text.startswith("# ") for operation in found)


def test_a_schema_that_explodes_ends() -> None:
    """Thirty schemas that each hold the next ten times: the text is bounded."""
    schemas = {
        f"S{number}": {
            "type": "object",
            "properties": {f"p{i}": {"$ref": f"#/components/schemas/S{number + 1}"} for i in range(10)},
        }
        for number in range(30)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    api = {"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": body}}}, "components": {"schemas": schemas}}
    (_, operation) = read_operations(json.dumps(api).encode())
    assert operation.text.count("\n- ") + operation.text.count("  - ") <= 400


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (response(b"<html>", Content_Type="text/html"), "It is neither JSON nor YAML|It is no description"),
        (response(b'{"openapi": "3.0.0", "paths": 3}'), "It is no description"),
        (response(status="401 No"), "answers 401. Name a `credential`"),
        (response(status="500 No"), "answers 500. Nothing was changed"),
        (response(status="302 Found", Location="http://10.0.0.1/"), "10.0.0.1 is refused"),
        (response(status="429 Slow", Retry_After="901"), "longer than a sync waits"),
    ],
)  # fmt: skip
def test_what_is_no_description_changes_nothing(tmp_path: Path, answer: bytes, message: str) -> None:
    """It is an error of the whole source, which says what to do (SEC-1)."""
    with hostile_server() as server:
        server.answers["/openapi.json"] = answer
        with pytest.raises(HeadwaterError, match=message):
            fetch(tmp_path, url=server.url("/openapi.json"))


def test_a_busy_server_is_waited_for(tmp_path: Path) -> None:
    """As long as it says; one that fails is asked again, too."""
    answers = [
        response(status="429 Slow", Retry_After="120"), response(status="503 Busy", Retry_After="7"),
        response(status="502 Bad"), response(json.dumps(description(3)).encode()),
    ]  # fmt: skip
    waits: list[float] = []
    with hostile_server() as server:
        server.answers["/openapi.json"] = lambda _: [answers.pop(0)]
        assert len(fetch(tmp_path, waits=waits, url=server.url("/openapi.json"))) == 4
    assert waits == [120.0, 7.0, 16.0]


@pytest.mark.dagster
def test_a_credential_that_ends_loses_nothing(
    headwater: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The source fails and says what to renew, its documents stay; the secret is in no row or log (SRC-14)."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_API", "tulip-tree-7")
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    kb = headwater()
    is_over: list[bool] = []

    def answer(asked: Asked) -> list[bytes]:
        is_right = asked.headers.get("authorization") == "Bearer tulip-tree-7" and not is_over
        return [response(json.dumps(description(3)).encode()) if is_right else response(status="401 No")]

    with hostile_server() as server:
        monkeypatch.setenv("HEADWATER_CREDENTIAL_API_HOST", f"127.0.0.1:{server.port}")
        server.answers["/openapi.json"] = answer
        config = {"url": server.url("/openapi.json", "127.0.0.1"), "credential": "api"}
        kb.store.sources.create(kb.slug, slug="api", kind="openapi", config=config, settings=SourceSettings())
        assert kb.sync("api")["api"].added == 4
        is_over.append(True)
        done = kb.sync("api")["api"]
    assert (done.state, done.removed) == ("failed", 0)
    assert "the credential api" in done.errors[0].message
    assert kb.source("api").document_count == 4
    assert "tulip-tree-7" not in f"{kb.dump()} {caplog.text}"


def test_a_private_address_is_refused(tmp_path: Path) -> None:
    """And a secret goes to its own host alone (SEC-1, SRC-14)."""
    with pytest.raises(FetchRefusedError, match=re.escape("169.254.169.254 is refused")):
        fetch(tmp_path, url="http://169.254.169.254/openapi.json")


def test_a_secret_is_for_its_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And in no error."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_API", "s3cr3t")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_API_HOST", "api.example.com")
    with hostile_server() as server, pytest.raises(SourceError, match="is not for") as caught:
        fetch(tmp_path, url=server.url("/openapi.json"), credential="api")
    assert "s3cr3t" not in str(caught.value)
    assert isinstance(server, HostileServer)
