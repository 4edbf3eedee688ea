"""The errors of questions are distinct, and each says what to do (ANS-7)."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from headwater.models_gateway import embedder_registry, minilm
from headwater.settings import Settings
from query_api.app import create_app
from tests.chat_server import MODEL, ChatServer, Says, refuses
from tests.support import Headwater

KB = "/api/v1/knowledge-bases"
LIFTS = "How many litres of water does the pump lift per minute?"
FILES = {
    "docs/pump.md": "# Pump manual\n\nThe pump lifts forty litres of water per minute.\n",
    "notes/keys.md": "# Keys\n\nThe spare keys hang in the north shed.\n",
}

pytestmark = pytest.mark.synced("docs", "notes", files=FILES)


@pytest.fixture
def client(kb: Headwater, settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def problem(client: FlaskClient, status: int, code: str, kb: str = "kb", question: str = LIFTS, **more: Any) -> Any:
    """The response to a question that is an error."""
    response = client.post(f"{KB}/{kb}/answers", json={"question": question, **more})
    assert (response.status_code, response.content_type) == (status, "application/problem+json"), response.text
    assert response.json is not None
    assert response.json["code"] == code
    return response


def detail(response: Any) -> str:
    """What a person reads."""
    return str(response.json["detail"])


def test_a_knowledge_base_without_documents_says_why(kb: Headwater, client: FlaskClient) -> None:
    """No sources, no sync yet, a failed sync, empty sources: each with what to do; nothing is stored."""
    client.post(KB, json={"slug": "new", "settings": {"embedding_model": "builtin/hash"}})
    assert detail(problem(client, 409, "NO_DOCUMENTS", "new")) == (
        "new has no sources, so there is nothing to answer from. Add one: `headwater add new ADDRESS`."
    )
    folder = kb.folder / "empty"
    folder.mkdir()
    kb.store.sources.create("new", slug="files", kind="markdown_tree", config={"path": str(folder)})
    assert detail(problem(client, 409, "NO_DOCUMENTS", "new")) == (
        "new has no documents to answer from, because its sources were not synced yet. Run `headwater sync new`."
    )
    kb.query("UPDATE sources SET error = 'The folder is gone.' WHERE slug = 'files' RETURNING id")
    failed = detail(problem(client, 409, "NO_DOCUMENTS", "new"))
    assert "the last sync of files failed: The folder is gone. When that is corrected, run" in failed
    kb.query("UPDATE sources SET error = NULL, synced_at = now() WHERE slug = 'files' RETURNING id")
    assert "its sources are empty" in detail(problem(client, 409, "NO_DOCUMENTS", "new"))
    assert kb.query("SELECT id FROM answers") == []


def test_filters_that_select_nothing_are_no_documents(client: FlaskClient) -> None:
    """It names the wrong value; a past time without documents names the time; words that no document has, refuse."""
    wrong = problem(client, 409, "NO_DOCUMENTS", filters={"documents": ["nothing.md"]})
    assert detail(wrong) == "No document of kb matches the filters. Widen or drop them."
    tagged = problem(client, 409, "NO_DOCUMENTS", filters={"tags": ["handbok"]})
    assert "There is no tag `handbok` here." in detail(tagged)
    past = problem(client, 409, "NO_DOCUMENTS", as_of="1999-01-01")
    assert detail(past) == "kb showed readers no documents as of 1999-01-01T00:00:00+00:00."
    assert "Retry-After" not in past.headers


def test_a_first_sync_that_has_not_ended_says_how_far_it_is(kb: Headwater, client: FlaskClient) -> None:
    """The problem has Retry-After; the documents of other sources are answered from meanwhile."""
    kb.store.sources.create("kb", slug="more", kind="markdown_tree", config={"path": str(kb.folder / "more")})
    source = kb.source("more")
    kb.store.syncs.request(kb.knowledge_base.id, [source], "api")
    only: dict[str, Any] = {"filters": {"sources": ["more"]}}
    waiting = problem(client, 409, "PROCESSING_INCOMPLETE", **only)
    assert waiting.headers["Retry-After"] == "10"
    assert detail(waiting) == (
        "kb has no documents to answer from yet: source more is waiting for its sync, which Dagster's sensor"
        " `requested_syncs` starts. Ask again when the first sync has ended; `headwater syncs kb` shows how far it is."
    )
    kb.query("UPDATE sync_sources SET state = 'syncing' WHERE source_id = %s RETURNING id", source.id)
    assert "more is waiting" in detail(problem(client, 409, "PROCESSING_INCOMPLETE", **only)), "its process is gone"
    with kb.store.database.session_lock(f"source:{source.id}"):
        assert "source more is being listed" in detail(problem(client, 409, "PROCESSING_INCOMPLETE", **only))
        counts = "documents_done = 3, documents_total = 40"
        kb.query(f"UPDATE sync_sources SET {counts} WHERE source_id = %s RETURNING id", source.id)
        assert "(3 of 40 documents)" in detail(problem(client, 409, "PROCESSING_INCOMPLETE", **only))
    assert not client.post(f"{KB}/kb/answers", json={"question": LIFTS}).json["refused"]  # type: ignore[index]


def test_nothing_relevant_is_a_polite_answer(client: FlaskClient) -> None:
    """Not an error: the documents are there, and the reason has a stable name."""
    answer = client.post(f"{KB}/kb/answers", json={"question": "What is the capital of France?"})
    assert answer.status_code == 200
    assert answer.json is not None
    assert (answer.json["refused"], answer.json["reason"]) == (True, "nothing_relevant")


def test_wrong_questions_are_the_askers_errors(client: FlaskClient) -> None:
    """Too long, empty, with an unknown source: three messages, two codes."""
    long = problem(client, 422, "QUESTION_TOO_LONG", question="why " * 1100)
    assert "The question has 4399 characters; at most 4000 are allowed." in detail(long)
    assert detail(problem(client, 422, "INVALID_INPUT", question=" ")) == "The question is empty. Write a question."
    assert "nowhere" in detail(problem(client, 422, "INVALID_INPUT", filters={"sources": ["nowhere"]}))


def test_a_model_that_is_not_available_says_so(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored answer is still served without the model; a new one needs it."""
    answered = client.post(f"{KB}/kb/answers", json={"question": LIFTS}).json
    assert answered is not None
    monkeypatch.setattr(minilm, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    embedder_registry._load_local.cache_clear()  # the answer has loaded it to compare fragments
    kb.query("UPDATE search_indexes SET model = 'builtin/minilm-int8' RETURNING id")
    assert client.post(f"{KB}/kb/answers", json={"question": LIFTS}).json["id"] == answered["id"]  # type: ignore[index]
    assert detail(problem(client, 503, "MODEL_UNAVAILABLE", question="Where do the keys hang?"))


def test_the_failures_of_a_chat_model_are_distinct(kb: Headwater, client: FlaskClient, chat: ChatServer) -> None:
    """Not available, broken off and rate limited, each with the model's name and the reason; none is an answer."""
    client.patch(f"{KB}/kb", json={"settings": {"answer_model": MODEL, "quote_when_model_fails": False}})
    chat.otherwise = refuses(401)
    assert f"{MODEL} cannot be used: the server refused the key" in detail(problem(client, 503, "MODEL_UNAVAILABLE"))
    chat.otherwise = Says("The pump lifts 40 litres [1]. It", ending="breaks")
    assert MODEL in detail(problem(client, 502, "GENERATION_FAILED"))
    chat.otherwise = refuses(429, retry_after="120")
    limited = problem(client, 429, "RATE_LIMITED")
    assert (limited.headers["Retry-After"], MODEL in detail(limited)) == ("120", True)
    assert kb.query("SELECT id FROM answers WHERE state = 'done'") == []
