"""The HTTP API over a real database (API-1, API-2, API-5)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.schemas import schema_v31
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

from headwater.settings import Settings
from headwater.store.store import open_store
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
KB = "/api/v1/knowledge-bases"


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def _problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.data
    assert response.content_type == "application/problem+json"
    assert response.json["code"] == code
    assert response.json["status"] == status
    assert "Traceback" not in response.text
    found: dict[str, Any] = response.json
    return found


def test_knowledge_base_lives_and_dies(client: FlaskClient) -> None:
    """Create, read, list, change, rename, delete (KB-1)."""
    made = client.post(KB, json={"slug": "a", "settings": {"embedding_model": "builtin/hash"}})
    assert (made.status_code, made.headers["Location"]) == (201, f"{KB}/a")
    assert made.json["settings"]["chunk_max"] == 1000  # type: ignore[index]
    _problem(client.post(KB, json={"slug": "a"}), 409, "ALREADY_EXISTS")
    changed = client.patch(f"{KB}/a", json={"name": "Anna", "settings": {"top_k": 7}}).json
    assert changed is not None
    assert (changed["name"], changed["settings"]["top_k"]) == ("Anna", 7)
    assert changed["settings"]["embedding_model"] == "builtin/hash"
    boosted = client.patch(f"{KB}/a", json={"settings": {"boosts": [{"uri": "index.md", "factor": 2}]}}).json
    assert boosted is not None
    assert boosted["settings"]["boosts"][0]["factor"] == 2
    assert client.get(f"{KB}/a").json["settings"] == boosted["settings"]  # type: ignore[index]
    assert client.patch(f"{KB}/a", json={"slug": "b"}).status_code == 200
    _problem(client.get(f"{KB}/a"), 404, "NOT_FOUND")
    assert client.post(KB, json={"slug": "handbook"}).status_code == 201
    for unknown in (client.get(f"{KB}/handbok"), client.post(f"{KB}/handbok/syncs", json={})):
        assert _problem(unknown, 404, "NOT_FOUND")["detail"].endswith("handbok. Did you mean `handbook`?")
    assert client.delete(f"{KB}/b").status_code == 200
    _problem(client.delete(f"{KB}/b"), 404, "NOT_FOUND")


def test_lists_come_in_pages(client: FlaskClient) -> None:
    """`next` leads through all of them."""
    for slug in "abcde":
        client.post(KB, json={"slug": slug})
    seen, after = [], ""
    while True:
        page = client.get(KB, query_string={"limit": 2, "after": after}).json
        assert page is not None
        seen += [item["slug"] for item in page["knowledge_bases"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == list("abcde")


def client_source_id(settings: Settings) -> int:
    """The id of the only source there is."""
    with open_store(settings) as store:
        return store.sources.all()[0].id


def test_sources_live_and_die(client: FlaskClient, settings: Settings) -> None:
    """A path need not exist yet; a wrong config says which field."""
    client.post(KB, json={"slug": "a"})
    made = client.post(f"{KB}/a/sources", json={"slug": "s", "kind": "markdown_tree", "config": {"path": "/not/there"}})
    assert (made.status_code, made.json["state"]) == (201, "pending")  # type: ignore[index]
    found = _problem(
        client.post(f"{KB}/a/sources", json={"slug": "t", "kind": "ftp", "config": {}}), 422, "INVALID_CONFIGURATION"
    )
    assert "markdown_tree" in found["detail"]
    found = _problem(
        client.patch(f"{KB}/a/sources/s", json={"config": {"git": "ext::sh -c id"}}), 422, "INVALID_CONFIGURATION"
    )
    assert "git" in found["detail"]
    changed = client.patch(f"{KB}/a/sources/s", json={"config": {"path": "/elsewhere"}}).json
    assert changed is not None
    assert changed["config"] == {"path": "/elsewhere"}
    flat = {"kind": "jsonl", "path": "/n.jsonl", "media_type": "text/markdown"}
    assert client.patch(f"{KB}/a/sources/s", json=flat).json["config"] == {  # type: ignore[index]
        "path": "/n.jsonl",
        "media_type": "text/markdown",
    }
    made = client.post(f"{KB}/a/sources", json={"slug": "flat", "kind": "markdown_tree", "path": "/docs"})
    assert made.json["config"] == {"path": "/docs"}  # type: ignore[index]
    assert client.delete(f"{KB}/a/sources/flat").status_code == 200
    assert [item["slug"] for item in client.get(f"{KB}/a/sources").json["sources"]] == ["s"]  # type: ignore[index]
    _problem(client.patch(f"{KB}/a/sources/s", json={"colour": "red"}), 422, "INVALID_CONFIGURATION")
    renamed = client.patch(f"{KB}/a/sources/s", json={"slug": "t"})
    assert "Add the source again" in _problem(renamed, 422, "INVALID_CONFIGURATION")["detail"]
    folder = settings.home / "sources" / str(client_source_id(settings))
    folder.mkdir(parents=True)
    (folder / "kept").touch()
    assert client.delete(f"{KB}/a/sources/s").json["files_removed"] == 1  # type: ignore[index]
    assert not folder.exists()
    gone = _problem(client.get(f"{KB}/a/sources/s"), 404, "NOT_FOUND")
    assert gone["detail"] == "There is no source s in a. There are none."


def test_sources_are_kept_as_asked(client: FlaskClient) -> None:
    """Interval, tags, category and pause are set, changed one by one, and cleared by null (SRC-10)."""
    client.post(KB, json={"slug": "a"})
    given = {"refresh": 900, "tags": ["b", "a"], "category": "guides", "paused": True}
    made = client.post(f"{KB}/a/sources", json={"slug": "s", "kind": "jsonl", "path": "/n.jsonl", **given}).json
    assert made is not None
    kept = {"refresh": "15m", "tags": ["a", "b"], "category": "guides", "paused": True, "next_sync_at": None}
    assert {name: made[name] for name in kept} == kept
    assert made["config"] == {"path": "/n.jsonl"}
    _problem(client.post(f"{KB}/a/syncs", json={"sources": ["s"]}), 409, "SOURCE_PAUSED")
    _problem(client.post(f"{KB}/a/syncs"), 409, "SOURCE_PAUSED")
    changed = client.patch(f"{KB}/a/sources/s", json={"paused": False, "refresh": made["refresh"]}).json
    assert changed is not None
    assert changed == {**made, "paused": False, "next_sync_at": made["created_at"]}
    cleared = client.patch(f"{KB}/a/sources/s", json={"refresh": None, "tags": None, "category": None}).json
    assert cleared == {**made, "refresh": None, "tags": [], "category": "", "paused": False, "next_sync_at": None}
    for wrong in ({"refresh": "1w"}, {"refresh": 59}, {"tags": ["A B"]}, {"category": 7}, {"paused": "maybe"}):
        found = _problem(client.patch(f"{KB}/a/sources/s", json=wrong), 422, "INVALID_INPUT")
        assert found["errors"][0]["field"].startswith(next(iter(wrong)))


def test_deletions_leave_receipts(client: FlaskClient, headwater: Make) -> None:
    """A DELETE returns one, and they are listed, newest first; what is being deleted is shown and left alone."""
    kb = headwater("docs", "notes", "more", files={"docs/a.md": "# A\n\nWords.", "notes/b.md": "# B\n\nKeys."})
    kb.sync()
    receipt = client.delete(f"{KB}/kb/sources/docs").json
    assert receipt is not None
    assert (receipt["kind"], receipt["key"], receipt["files_removed"]) == ("source", "kb/docs", 0)
    assert (receipt["removed"]["documents"], receipt["removed"]["search_entries"]) == (
        1,
        2,
    )  # of its chunk and of its heading
    assert receipt["requested_at"] < receipt["finished_at"]
    assert client.get(f"/api/v1/deletions/{receipt['id']}").json == receipt

    kb.store.deletions.hide_source("kb", "notes")
    shown = client.get(f"{KB}/kb/sources").json
    assert shown is not None
    assert {source["slug"]: source["state"] for source in shown["sources"]} == {"more": "ready", "notes": "deleting"}
    assert client.get(f"{KB}/kb/sources/notes").json["state"] == "deleting"  # type: ignore[index]
    _problem(client.patch(f"{KB}/kb/sources/notes", json={"paused": True}), 409, "CONFLICT")
    _problem(client.post(f"{KB}/kb/syncs", json={"sources": ["notes"]}), 409, "CONFLICT")
    asked = {"query": "keys", "filters": {"sources": ["notes"], "tags": []}}
    _problem(client.post(f"{KB}/kb/search", json=asked), 422, "INVALID_INPUT")
    taken_up = client.delete(f"{KB}/kb/sources/notes").json  # a second request finishes what the first one left
    assert taken_up is not None
    assert taken_up["finished_at"]

    whole = client.delete(f"{KB}/kb").json
    assert whole is not None
    assert (whole["kind"], whole["key"], whole["removed"]["knowledge_bases"]) == ("knowledge_base", "kb", 1)
    first = client.get("/api/v1/deletions", query_string={"limit": 2}).json
    assert first is not None
    assert first == {"deletions": [whole, taken_up], "next": taken_up["id"]}
    rest = client.get("/api/v1/deletions", query_string={"limit": 2, "after": first["next"]}).json
    assert rest == {"deletions": [receipt], "next": None}
    _problem(client.get("/api/v1/deletions/999999"), 404, "NOT_FOUND")
    _problem(client.get("/api/v1/deletions/x"), 422, "INVALID_INPUT")
    _problem(client.delete(f"{KB}/kb/sources/docs"), 404, "NOT_FOUND")


def test_questions_are_answered_and_traced(client: FlaskClient, headwater: Make) -> None:
    """Ask, read again, trace the answer and its chunk."""
    kb = headwater(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute."})
    run, _ = kb.sync_run()
    asked = client.post(f"{KB}/kb/answers", json={"question": "How many litres of water does the pump lift?"})
    assert asked.status_code == 200
    answer = asked.json
    assert answer is not None
    assert {
        "id",
        "question",
        "answer",
        "refused",
        "reason",
        "citations",
        "passages",
        "model",
        "usage",
        "timings_ms",
    } <= set(answer)
    citation = answer["citations"][0]
    assert citation["marker"] == "[1]"
    wanted = {
        "marker",
        "title",
        "uri",
        "chunk_id",
        "document_id",
        "document_version_id",
        "breadcrumb",
        "start",
        "end",
        "score",
    }
    assert wanted <= set(citation)
    assert client.get(f"/api/v1/answers/{answer['id']}").json == {**answer, "created_at": answer["created_at"]}
    lineage = client.get(f"/api/v1/answers/{answer['id']}/lineage").json
    assert lineage is not None
    assert lineage["citations"][0]["run_id"] == run.run_id
    chunk = client.get(f"/api/v1/chunks/{citation['chunk_id']}/lineage").json
    assert chunk is not None
    assert chunk["versions"][0]["run_id"] == run.run_id
    found = client.post(f"{KB}/kb/search", json={"query": "pump", "top_k": 1, "filters": {"sources": ["docs"]}}).json
    assert found is not None
    assert [passage["uri"] for passage in found["passages"]] == ["pump.md"]
    refused = client.post(f"{KB}/kb/answers", json={"question": "Who was Napoleon's tailor?"}).json
    assert refused is not None
    assert (refused["refused"], refused["citations"], bool(refused["reason"])) == (True, [], True)


def test_the_place_that_matched_is_found_by_the_documents_language(client: FlaskClient, headwater: Make) -> None:
    """A German document's words have German forms; one word may be in another form than was asked."""
    talk = "Die Mühle ist alt, und ihr Rad ist aus Eiche. " * 8
    headwater(files={"a.md": f"---\nlanguage: de\n---\n# Mühle\n\n{talk}\n\nDas Haus daneben ist rot.\n"}).sync()
    found: Any = client.post(f"{KB}/kb/search", json={"query": "Häuser", "mode": "keyword"}).json
    shown = found["passages"][0]["excerpt"]
    assert [shown["text"][match["start"] : match["end"]] for match in shown["matches"]] == ["Haus"]


def test_a_search_counts_documents_and_shows_the_place_that_matched(client: FlaskClient, headwater: Make) -> None:
    """Passages of one document stand beneath its best one, by request and by setting (KB-2, RET-6)."""
    talk = "The mill is old, and its wheel is of oak. " * 8
    pump = f"# Pump\n\n{talk}\n\nThe gasket seals it.\n\n## Oil\n\n{talk}\n\nOil the gasket each week.\n"
    headwater(files={"a.md": pump, "b.md": "# Shelf\n\nA gasket lies on it."}).sync()

    def found(**more: Any) -> Any:
        return client.post(f"{KB}/kb/search", json={"query": "gasket", "top_k": 2, **more}).json

    grouped = found()
    assert (grouped["group_by"], [hit["rank"] for hit in grouped["passages"]]) == ("document", [1, 2])
    assert {hit["uri"] for hit in grouped["passages"]} == {"a.md", "b.md"}
    beneath = {hit["uri"]: [(other["uri"], other["rank"]) for other in hit["more"]] for hit in grouped["passages"]}
    assert beneath == {"a.md": [("a.md", 2)], "b.md": []}
    for hit in grouped["passages"]:
        excerpt = hit["excerpt"]
        assert "gasket" in excerpt["text"] == hit["text"][excerpt["start"] : excerpt["end"]]
        assert [excerpt["text"][match["start"] : match["end"]] for match in excerpt["matches"]] == ["gasket"]
    assert len(found(top_k=1)["passages"]) == 1
    flat = found(top_k=3, group_by="passage")
    assert (flat["group_by"], len(flat["passages"]), [hit["more"] for hit in flat["passages"]]) == (
        "passage", 3, [[], [], []],
    )  # fmt: skip


def test_a_search_says_why_and_goes_further(client: FlaskClient, headwater: Make) -> None:
    """Modes, scores, what was dropped, links, neighbours and the context, over HTTP (RET-5, RET-6, RET-8)."""
    text = " ".join(f"The pump lifts water in step {n}, slowly and with care." for n in range(8))
    files = {"a.md": f"# A\n\n{text} See [b](b.md).\n\n## Oil\n\n{text}", "b.md": "# B\n\nSand is dry."}
    kb = headwater(files=files)
    kb.sync()

    def found(**more: Any) -> Any:
        body = {"query": "How does the pump lift water?", "top_k": 1, "group_by": "passage", **more}
        answer = client.post(f"{KB}/kb/search", json=body)
        assert answer.status_code == 200, answer.data
        return answer.json

    plain = found(explain=True)
    best = plain["passages"][0]
    assert all(best["scores"][name] is not None for name in ("text_rank", "vector_rank", "fused", "rerank", "trust"))
    assert (best["text_score"], best["vector_score"]) == (best["scores"]["text"], best["scores"]["vector"])
    assert plain["explanation"]["dropped"][0]["reason"] == "It has rank 2, but 1 were requested."
    assert {term["lexeme"] for term in plain["explanation"]["terms"]} == {"pump", "lift", "water"}
    assert found()["explanation"] is found()["context"] is None
    by_words = found(mode="keyword")["passages"][0]["scores"]
    assert (by_words["vector"], by_words["rerank"], by_words["text_rank"]) == (None, None, 1)
    assert len(found(neighbours=True)["passages"][0]["text"]) > len(best["text"])
    assert any(passage["scores"]["via"] for passage in found(top_k=50, traversal_depth=1)["passages"])
    context = found(context=True)["context"]
    assert best["chunk_id"] in [chunk for part in context["parts"] for chunk in part["chunk_ids"]]
    assert 0 < context["token_count"] <= 4000
    chunk = client.get(f"/api/v1/chunks/{best['chunk_id']}").json
    assert chunk is not None
    assert chunk["tokens"] > 0
    assert 0 < chunk["quality"] <= 1
    both = {"query": "x", "context": True, "neighbours": True}
    _problem(client.post(f"{KB}/kb/search", json=both), 422, "INVALID_INPUT")


def test_a_sync_that_waits_is_joined_and_a_running_one_refused(client: FlaskClient, headwater: Make) -> None:
    """409 only while a live worker is at it; a dead worker's row does not count (API-2)."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    first = client.post(f"{KB}/kb/syncs", json={"sources": ["docs"]})
    assert first.status_code == 202
    sync = client.get(first.headers["Location"]).json
    assert sync is not None
    assert (sync["state"], sync["sources"][0]["state"]) == ("pending", "pending")
    assert client.post(f"{KB}/kb/syncs").headers["Location"] == first.headers["Location"]
    with kb.store.workers.hold_source(kb.source(), None, "run-1"):
        _problem(client.post(f"{KB}/kb/syncs"), 409, "SYNC_ALREADY_RUNNING")
    # That worker died without closing its row: another takes it up, and who asks again is joined to it.
    assert client.post(f"{KB}/kb/syncs").status_code == 202
    states = kb.query("SELECT state FROM sync_sources WHERE run_id = 'run-1'")
    assert [row["state"] for row in states] == ["pending"]  # for another
    _problem(client.post(f"{KB}/kb/syncs", json={"sources": ["none"]}), 404, "NOT_FOUND")
    _problem(client.get("/api/v1/syncs/999999"), 404, "NOT_FOUND")


def test_health_needs_no_model(client: FlaskClient) -> None:
    """Live and ready are 200 over a migrated database."""
    assert client.get("/health/live").status_code == 200
    ready = client.get("/health/ready")
    assert ready.status_code == 200
    assert ready.json["dependencies"]["database"] == "ok"  # type: ignore[index]


def test_not_ready_without_a_database(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 says what is wrong; the process is live all the same."""
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://u:geheim@127.0.0.1:1/x?connect_timeout=1")
    client = create_app(Settings.from_env()).test_client()
    assert client.get("/health/live").status_code == 200
    ready = client.get("/health/ready")
    assert ready.status_code == 503
    assert "geheim" not in ready.text
    _problem(client.get(KB), 503, "DATABASE_UNAVAILABLE")


@pytest.mark.parametrize(
    ("method", "path", "arguments", "status", "code"),
    [
        ("get", "/api/v1/nothing", {}, 404, "NOT_FOUND"),
        ("put", KB, {"json": {}}, 405, "METHOD_NOT_ALLOWED"),
        ("post", KB, {"json": {"slug": "Not a slug"}}, 422, "INVALID_INPUT"),
        ("post", KB, {"json": {"slug": "a", "colour": "red"}}, 422, "INVALID_INPUT"),
        ("post", KB, {"json": {"slug": "a", "settings": {"embedding_model": "gpt"}}}, 422, "UNKNOWN_MODEL"),
        ("post", KB, {"json": {"slug": "a", "settings": {"rerank_model": "gpt"}}}, 422, "UNKNOWN_MODEL"),
        ("post", KB, {"json": {"slug": "a", "settings": {"boosts": [{"factor": 2}]}}}, 422, "INVALID_INPUT"),
        ("post", KB, {"json": {"slug": "a", "settings": {"chunk_max": -1}}}, 422, "INVALID_INPUT"),
        ("post", KB, {"json": [1]}, 422, "INVALID_INPUT"),
        ("post", KB, {"data": "{", "content_type": "application/json"}, 400, "MALFORMED_JSON"),
        ("post", KB, {"data": {"slug": "a"}}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("post", f"{KB}/none/answers", {"json": {"question": "x?"}}, 404, "NOT_FOUND"),
        ("get", "/api/v1/answers/not-an-id", {}, 422, "INVALID_INPUT"),
        ("get", "/health/live", {"headers": {"Host": "evil.example"}}, 403, "HOST_NOT_ALLOWED"),
        ("post", f"{KB}/a/syncs", {"headers": {"Origin": "http://evil.example"}}, 403, "ORIGIN_NOT_ALLOWED"),
        ("post", f"{KB}/a/syncs", {"headers": {"Origin": "null"}}, 403, "ORIGIN_NOT_ALLOWED"),
        ("post", f"{KB}/a/syncs", {"headers": {"Sec-Fetch-Site": "cross-site"}}, 403, "ORIGIN_NOT_ALLOWED"),
        ("post", f"{KB}/a/syncs", {"data": "", "content_type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("get", f"{KB}/a%2Fsources", {}, 404, "NOT_FOUND"),
        ("get", f"{KB}/%00", {}, 422, "INVALID_INPUT"),
        ("post", KB, {"json": {"slug": "a", "name": "\x00"}}, 422, "INVALID_INPUT"),
        ("post", KB, {"data": "x" * 1_100_000, "content_type": "application/json"}, 413, "REQUEST_ENTITY_TOO_LARGE"),
    ],
)
def test_bad_requests_are_problems(
    client: FlaskClient, method: str, path: str, arguments: dict[str, Any], status: int, code: str
) -> None:
    """Each has a stable code and no stack trace (API-1)."""
    _problem(getattr(client, method)(path, **arguments), status, code)


def _validator() -> Any:
    """One that looks for the anchors of OpenAPI's schema once; by default it does so at each of 2,000 references."""
    schema = dict(schema_v31)
    registry = EMPTY_REGISTRY.with_resource(schema["$id"], DRAFT202012.create_resource(schema)).crawl()
    return OpenAPIV31SpecValidator.schema_validator.evolve(_resolver=registry.resolver(schema["$id"]))


def test_openapi_describes_every_route(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A valid 3.1 document with every path, and a page to browse it that needs nothing from elsewhere."""
    document = client.get("/openapi/openapi.json").json
    assert document is not None
    assert document["openapi"].startswith("3.1")
    monkeypatch.setattr(OpenAPIV31SpecValidator, "schema_validator", _validator())
    OpenAPIV31SpecValidator(document).validate()
    paths = {
        rule.rule.replace("<path:", "<").replace("<", "{").replace(">", "}")
        for rule in create_app(Settings.from_env()).url_map.iter_rules()
        if rule.rule.startswith(("/api/", "/health/", "/v1/"))
    }
    assert paths <= set(document["paths"])
    for path, item in document["paths"].items():
        for operation in item.values():
            described = operation["responses"]
            is_openai = path.startswith("/v1/")
            media, shape = (
                ("application/json", "ErrorPayload") if is_openai else ("application/problem+json", "Problem")
            )
            assert {"400", "403", "408", "413", "414", "417", "429", "431", "500"} <= set(described), path
            assert ("422" in described) != is_openai
            for status, response in described.items():
                if int(status) >= 400:
                    assert response["content"][media]["schema"] == {"$ref": f"#/components/schemas/{shape}"}
    ready = document["paths"]["/health/ready"]["get"]["responses"]["503"]["content"]
    assert set(ready) == {"application/json", "application/problem+json"}
    events = document["paths"]["/api/v1/syncs/{id}/events"]["get"]["responses"]["200"]["content"]
    assert set(events) == {"text/event-stream"}
    page = client.get("/openapi/swagger")
    assert page.status_code == 200
    assert "securitySchemes" not in document["components"]  # else it shows "Authorize", though there are no keys
    assert 'src="http' not in page.text
