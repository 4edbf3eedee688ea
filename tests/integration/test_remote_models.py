"""A knowledge base over a model that a server runs (EMB-1, EMB-2).

Belongs here: whole syncs and questions, outages in the midst of them, what they took. Not here: requests one by one
(`unit/test_remote_models`).
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from headwater.errors import ModelUnavailableError, NoDocumentsError
from headwater.models_gateway import embedder_registry, outcomes
from query_api.app import create_app
from tests.embedding_server import KEY, MODEL, EmbeddingServer, Reply, fails
from tests.support import Headwater

Make = Callable[..., Headwater]
PUMP = "# Pump\n\nThe pump in the cellar lifts water to the roof every morning.\n"
FILES = {"pump.md": PUMP, "wheel.md": "# Wheel\n\nThe wheel turns the mill when the river is high.\n"}


def _many(count: int) -> dict[str, str]:
    return {f"{number:02}.md": f"# Topic {number}\n\nAbout item {number}.\n" for number in range(count)}


def _restart() -> None:
    """Forget what this process has learnt of models, as a new one would."""
    embedder_registry._load_remote.cache_clear()


def _wait_for_failure(noticed: threading.Event) -> None:
    """Wait until a request of the model is known to have failed; the next one that succeeds overwrites that."""
    end = time.monotonic() + 60
    while not noticed.is_set():
        assert time.monotonic() < end
        outcome = outcomes.last_outcome(MODEL)
        if outcome is not None and outcome.problem is not None:
            noticed.set()
        time.sleep(0.02)


def test_a_knowledge_base_is_synced_and_asked(headwater: Make, models: EmbeddingServer) -> None:
    """Like over a built-in model; a second sync sends nothing, in another process neither."""
    kb = headwater(files=FILES, embedding_model=MODEL)
    done = kb.sync()["docs"]
    assert (done.state, done.embedded) == ("ready", 4)
    texts = [f"Pump\n\n{FILES['pump.md'].strip()}", f"Wheel\n\n{FILES['wheel.md'].strip()}"]
    assert sorted(models.texts) == sorted([*texts, "Pump", "Wheel"])  # headings are embedded alone, too (EMB-3)
    _restart()
    models.requests.clear()
    assert kb.sync()["docs"].rows_written == 0
    assert models.requests == []
    answer = kb.ask("What does the pump in the cellar lift?")
    assert "lifts water to the roof" in answer.answer
    assert kb.search("river mill")[0].uri == "wheel.md"
    assert kb.query("SELECT model, dimensions FROM search_indexes") == [{"model": MODEL, "dimensions": 384}]


def test_dimensions_are_the_models_own(headwater: Make, models: EmbeddingServer) -> None:
    """They become known with the first vector; a sync whose texts are already embedded knows them at once."""
    models.dimensions = 48
    kb = headwater(files=FILES, embedding_model=MODEL)
    assert kb.search("pump") == []
    kb.sync()
    _restart()
    assert kb.search("river mill")[0].uri == "wheel.md"
    sent = len(models.texts)
    other = headwater(slug="other", files={"same.md": PUMP}, embedding_model=MODEL)
    other.sync()
    assert len(models.texts) == sent  # the same text is embedded once
    assert other.search("pump")[0].uri == "same.md"
    assert {row["dimensions"] for row in kb.query("SELECT dimensions FROM search_indexes")} == {48}


def test_a_knowledge_base_without_a_vector_answers_nothing(headwater: Make, models: EmbeddingServer) -> None:
    """A first sync that the model did not answer leaves no index that breaks questions."""
    models.otherwise = fails(401)
    kb = headwater(files=FILES, embedding_model=MODEL)
    assert kb.sync()["docs"].state == "failed"
    with pytest.raises(NoDocumentsError, match="the last sync of docs failed"):
        kb.ask("What does the pump lift?")
    models.otherwise = None
    assert kb.sync()["docs"].state == "ready"
    assert not kb.ask("What does the pump in the cellar lift?").refused


def test_an_outage_costs_nothing_that_was_paid_for(headwater: Make, models: EmbeddingServer) -> None:
    """Vectors that were made stay, the sync fails and names the model, and the next one sends only the rest."""
    kb = headwater(files=_many(80), embedding_model=MODEL)
    models.replies = [lambda body: models.vectors_of(body, lambda vector: vector.tolist())] * 2
    models.otherwise = fails(500)
    failed = kb.sync()["docs"]
    assert (failed.state, failed.embedded) == ("failed", 64)
    assert f"The model {MODEL} cannot be used: the server does not answer." in failed.errors[0].message
    assert kb.query("SELECT count(*) AS n FROM embeddings")[0]["n"] == 64
    models.otherwise = None
    models.requests.clear()
    _restart()
    done = kb.sync()["docs"]
    assert (done.state, done.embedded) == ("ready", 96)  # 16 texts, 80 headings
    assert len(models.texts) == 96
    assert len(kb.search("item", top_k=50)) == 50


def test_an_outage_of_one_request_costs_nothing_of_the_others(headwater: Make, models: EmbeddingServer) -> None:
    """Those that are under way when it fails are stored, too: no text is paid for twice."""
    paid: list[str] = []
    failing, beside, noticed = threading.Event(), threading.Event(), threading.Event()
    kb = headwater(files=_many(320), embedding_model=MODEL)

    def reply(body: dict[str, Any]) -> Reply:
        if any("item 210" in text for text in body["input"]):
            failing.set()
            assert beside.wait(60)
            return fails(400, "unsupported")(body)
        if failing.is_set():
            beside.set()
            _wait_for_failure(noticed)
        paid.extend(body["input"])
        return models.vectors_of(body, lambda vector: vector.tolist())

    models.otherwise = reply
    failed = kb.sync()["docs"]
    assert (failed.state, failed.embedded) == ("failed", len(paid))
    assert kb.query("SELECT count(*) AS n FROM embeddings")[0]["n"] == len(paid) < 640
    models.otherwise = None
    models.requests.clear()
    _restart()
    assert kb.sync()["docs"].state == "ready"
    assert len(set(paid + models.texts)) == len(paid + models.texts) == 640
    models.requests.clear()
    assert kb.sync()["docs"].rows_written == 0
    assert models.requests == []


def test_a_short_outage_is_not_noticed(headwater: Make, models: EmbeddingServer) -> None:
    """The sync waits it out."""
    models.replies = [fails(503), fails(429, retry_after="0.1"), fails(500)]
    kb = headwater(files=FILES, embedding_model=MODEL)
    assert kb.sync()["docs"].state == "ready"
    assert len(models.requests) == 4


def test_vanished_documents_go_though_the_model_is_down(headwater: Make, models: EmbeddingServer) -> None:
    """In a process that has never reached the model, and for an index that is yet to be built as well."""
    kb = headwater(files=FILES)
    kb.sync()
    settings = kb.knowledge_base.settings.model_copy(update={"embedding_model": MODEL})
    kb.store.knowledge_bases.update("kb", settings=settings)
    kb.remove("pump.md")
    models.otherwise = fails(500)
    assert kb.sync()["docs"].state == "failed"
    assert [passage.uri for passage in kb.search("pump wheel")] == ["wheel.md"]
    models.otherwise = None
    assert kb.sync()["docs"].state == "ready"
    active = kb.store.search_indexes.active("kb")
    assert active is not None
    assert (active.model, active.dimensions) == (MODEL, 384)
    kb.remove("wheel.md")
    kb.write("new.md", "# New\n\nFresh words.")
    models.otherwise = fails(500)
    _restart()
    assert kb.sync()["docs"].state == "failed"
    models.otherwise = None
    assert kb.search("pump wheel") == []


def test_another_model_under_the_same_name_is_found_out(headwater: Make, models: EmbeddingServer) -> None:
    """Its vectors are neither stored nor searched with, in whichever process."""
    kb = headwater(files=FILES, embedding_model=MODEL)
    kb.sync()
    models.dimensions = 12
    _restart()
    with pytest.raises(ModelUnavailableError, match=r"12 dimensions, but the search index was built with 384"):
        kb.search("pump")
    kb.write("new.md", "# New\n\nFresh words.")
    failed = kb.sync()["docs"]
    assert failed.state == "failed"
    assert "returns vectors of 12 dimensions, but of 384 before" in failed.errors[0].message
    models.dimensions = 384
    _restart()
    assert kb.sync()["docs"].state == "ready"
    assert kb.search("fresh words")[0].uri == "new.md"


def test_the_api_says_that_the_model_is_down(headwater: Make, models: EmbeddingServer) -> None:
    """As a problem, soon, and without the key, though the server repeats it."""
    kb = headwater(files=FILES, embedding_model=MODEL)
    kb.sync()
    models.otherwise = fails(401, f"Incorrect API key provided: {KEY}")
    client: FlaskClient = create_app(kb.settings).test_client()
    found = client.post("/api/v1/knowledge-bases/kb/answers", json={"question": "What does the pump lift?"})
    assert (found.status_code, found.json["code"]) == (503, "MODEL_UNAVAILABLE")  # type: ignore[index]
    assert "refused the key. Check OPENAI_API_KEY" in found.text
    assert KEY not in found.text


@pytest.mark.dagster
def test_the_key_is_in_no_row(headwater: Make, models: EmbeddingServer) -> None:
    """Neither after a good sync nor after one whose error repeats it (SEC-1)."""
    kb = headwater(files=FILES, embedding_model=MODEL)
    kb.sync()
    kb.write("new.md", "# New\n\nFresh words.")
    models.key = "another"
    assert "Incorrect API key provided: Bearer ***" in kb.sync()["docs"].errors[0].message
    dump = kb.dump()
    assert MODEL in dump
    assert KEY not in dump


@pytest.mark.dagster
def test_tokens_and_cost_are_shown(headwater: Make, models: EmbeddingServer) -> None:
    """The cost is that of the texts that were sent; an unknown price is not shown as 0."""
    kb = headwater(files=FILES, embedding_model="openai/text-embedding-3-small")
    kb.sync()
    found = kb.materializations("embeddings")[0].metadata
    assert found["embedded_tokens"].value == 28
    assert found["cost_usd"].value == pytest.approx(28 * 0.02 / 1_000_000)
    unknown = headwater(slug="unknown", files=FILES, embedding_model=MODEL)
    unknown.sync()
    assert unknown.materializations("embeddings")[0].metadata["cost_usd"].value == "unknown"
    free = headwater(slug="free", files=FILES)
    free.sync()
    found = free.materializations("embeddings")[0].metadata
    assert (found["embedded_tokens"].value, found["cost_usd"].value) == (28, 0.0)


def test_ollama_models_work_alike(headwater: Make, models: EmbeddingServer) -> None:
    """A whole knowledge base over Ollama's own route."""
    kb = headwater(files=FILES, embedding_model="ollama/stub")
    kb.sync()
    assert kb.search("river mill")[0].uri == "wheel.md"
    assert {request["path"] for request in models.requests} <= {"/api/embed", "/api/show"}
