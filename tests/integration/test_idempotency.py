"""A repeated POST gets the first response, and does nothing a second time (API-1)."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from headwater.administration.housekeeping import tidy
from headwater.settings import Settings
from headwater.store.work.idempotent_responses import KEPT, StoredResponseStore
from query_api.app import create_app
from query_api.guards.idempotency import takes_key
from query_api.guards.route_facts import facts_of
from tests.support import Headwater

Make = Callable[..., Headwater]
KB = "/api/v1/knowledge-bases"
WITHOUT_KEY = {
    "knowledge_bases.search_knowledge_base", "openai.create_context",  # they change nothing
    "openai.create_chat_completion", "mcp.handle_message",  # their clients know no key
    "keys.create_key", "keys.rotate_key",  # their response holds a secret, which is not kept
    "widget.ask", "widget.begin", "widget.cancel", "widget.search",  # what a visitor asks may be asked again
}  # fmt: skip
QUESTION = {"question": "How many litres does the pump lift?", "fresh": True}

pytestmark = pytest.mark.synced(files={"a.md": "# Pump\n\nThe pump lifts forty litres of water per minute."})


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def post(client: FlaskClient, path: str, body: Any, key: str = "k1") -> Any:
    """Send a POST with a key."""
    return client.post(f"{KB}{path}", json=body, headers={"Idempotency-Key": key})


def count(kb: Headwater, table: str) -> int:
    """How many rows a table has."""
    return int(kb.query(f"SELECT count(*) AS n FROM {table}")[0]["n"])


def test_every_post_that_creates_something_takes_a_key(settings: Settings) -> None:
    """It is described, and a malformed one is refused before anything else; a new route takes it by itself."""
    app = create_app(settings)
    client, document = app.test_client(), app.api_doc
    posts = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    without = {rule.endpoint for rule in posts if not takes_key(app, rule)}
    forms = {rule.endpoint for rule in posts if facts_of(app, rule.endpoint).body == "form"}
    assert without - forms == WITHOUT_KEY
    assert len(posts) > 6
    for rule in posts:
        if rule.endpoint in without:
            continue
        path = rule.rule.replace("<", "{").replace(">", "}")
        headers = [one["name"] for one in document["paths"][path]["post"]["parameters"] if one["in"] == "header"]
        assert headers == ["Idempotency-Key"]
        refused = client.post(rule.rule.replace("<id>", "1").replace("<kb>", "kb"), headers={"Idempotency-Key": "a b"})
        assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "Idempotency-Key")  # type: ignore[index]


def test_a_repeat_gets_the_first_response(kb: Headwater, client: FlaskClient) -> None:
    """Status, body and Location, with a header that says so; the order of the fields does not matter."""
    first = post(client, "", {"slug": "new", "name": "New"})
    again = post(client, "", {"name": "New", "slug": "new"})
    assert (first.status_code, again.status_code, again.json) == (201, 201, first.json)
    assert again.headers["Location"] == first.headers["Location"] == f"{KB}/new"
    assert again.content_type == first.content_type
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")
    other = post(client, "", {"slug": "new", "name": "New"}, key="k2")
    assert (other.status_code, other.json["code"]) == (409, "ALREADY_EXISTS")


def test_a_question_is_asked_once(kb: Headwater, client: FlaskClient) -> None:
    """Asking costs; the answer has the same id."""
    first, again = (post(client, "/kb/answers", QUESTION).json for _ in range(2))
    assert again == first
    assert count(kb, "answers") == 1
    assert post(client, "/kb/answers", QUESTION, key="k2").json["id"] != first["id"]


def test_another_request_with_the_same_key_is_refused(kb: Headwater, client: FlaskClient) -> None:
    """Another body, or another address; on another route a key is another one."""
    post(client, "/kb/answers", QUESTION)
    post(client, "", {"slug": "second"}, key="made")
    for path, body in (("/kb/answers", {"question": "Why?"}), ("/second/answers", QUESTION)):
        refused = post(client, path, body)
        assert (refused.status_code, refused.json["code"]) == (409, "IDEMPOTENCY_KEY_USED")
    assert post(client, "/kb/syncs", {}).status_code == 202
    assert count(kb, "answers") == 1


def test_a_request_that_failed_can_be_sent_again(kb: Headwater, client: FlaskClient) -> None:
    """With the same key, corrected or not: only success is kept."""
    assert post(client, "", {"slug": "No slug"}).status_code == 422
    assert post(client, "", {"slug": "kb"}).status_code == 409
    assert post(client, "/none/answers", QUESTION).status_code == 404
    assert post(client, "/none/answers", QUESTION, key="k3").status_code == 404
    assert post(client, "", {"slug": "right"}).status_code == 201
    assert count(kb, "kept_responses") == 1


def test_a_repeat_while_the_first_runs_has_to_wait(
    kb: Headwater, client: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """409 with Retry-After; the question is asked once."""
    begun, go_on, first = threading.Event(), threading.Event(), []
    get = StoredResponseStore.get

    def slow(store: StoredResponseStore, scope: str, key: str) -> Any:
        begun.set()
        go_on.wait(30)
        return get(store, scope, key)

    with monkeypatch.context() as patch:
        patch.setattr(StoredResponseStore, "get", slow)
        other = create_app(settings).test_client()
        thread = threading.Thread(target=lambda: first.append(post(other, "/kb/answers", QUESTION)))
        thread.start()
        begun.wait(30)
        refused = post(client, "/kb/answers", QUESTION)
        go_on.set()
        thread.join(30)
    assert (refused.status_code, refused.json["code"]) == (409, "REQUEST_STILL_RUNNING")
    assert int(refused.headers["Retry-After"]) > 0
    assert post(client, "/kb/answers", QUESTION).json == first[0].json
    assert count(kb, "answers") == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "schlüssel", "a\tb"])
def test_a_key_is_short_and_visible(client: FlaskClient, key: str) -> None:
    """1 to 255 visible ASCII characters."""
    refused = post(client, "", {"slug": "a"}, key=key)
    assert (refused.status_code, refused.json["code"]) == (422, "INVALID_INPUT")
    assert client.get(f"{KB}/a").status_code == 404
    assert post(client, "", {"slug": "a"}, key="x" * 255).status_code == 201


def test_responses_are_kept_for_a_day(kb: Headwater, client: FlaskClient) -> None:
    """Then the key is free, and housekeeping removes them."""
    first = post(client, "/kb/answers", QUESTION).json
    assert tidy(kb.store, kb.settings).kept_responses == 0
    kb.query("UPDATE kept_responses SET created_at = created_at - %s RETURNING 1", KEPT)
    assert post(client, "/kb/answers", QUESTION).json["id"] != first["id"]
    assert count(kb, "kept_responses") == 1
    kb.query("UPDATE kept_responses SET created_at = created_at - %s RETURNING 1", KEPT)
    assert tidy(kb.store, kb.settings).kept_responses == 1


@pytest.mark.parametrize("slugs", [("docs",), ()], ids=["source", "knowledge_base"])
def test_no_response_outlives_what_it_quotes(kb: Headwater, client: FlaskClient, slugs: tuple[str, ...]) -> None:
    """Deleting a source, or the knowledge base, forgets the answers that came from it (KB-1, SRC-12)."""
    post(client, "/kb/answers", QUESTION)
    kb.delete(*slugs)
    assert count(kb, "kept_responses") == 0
