"""The state of the models in use, in `/health/ready` and in `headwater doctor` (API-5, OPS-5).

Belongs here: which models are shown, and how. Not here: one model (`unit/test_model_availability`). Guarantee: a server
on loopback that lists models; no model is called.
"""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from flask.testing import FlaskClient
from werkzeug.serving import make_server

from cli import doctor_checks
from cli.processes import supervisor
from headwater.administration import model_states
from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.models_gateway import model_availability, outcomes
from headwater.settings import Settings
from headwater.store.store import Store
from query_api.app import create_app
from tests.ollama_server import OllamaServer, ollama_server

OLLAMA = KnowledgeBaseSettings(embedding_model="builtin/hash", rerank_model="none", answer_model="ollama/qwen3:4b")


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    """An Ollama with the model that answers."""
    outcomes.forget()
    monkeypatch.setattr(model_availability, "TIMEOUT", 0.3)
    with ollama_server() as told:
        told.models = ["qwen3:4b"]
        monkeypatch.setenv("OLLAMA_API_BASE", told.url)
        yield told


@pytest.fixture
def client(settings: Settings, store: Store) -> FlaskClient:
    """The API over a knowledge base that Ollama answers for."""
    create_knowledge_base(store, "kb", settings=OLLAMA)
    return create_app(settings).test_client()


def ready(client: FlaskClient) -> tuple[int, str, dict[str, str]]:
    """The status, the state, and the models with theirs."""
    response = client.get("/health/ready")
    document: Any = response.json
    models = {name: state for name, state in document["dependencies"].items() if " " in name}
    return response.status_code, document["status"], models


def test_ready_names_every_model_in_use(client: FlaskClient, store: Store, ollama: OllamaServer) -> None:
    """By the setting that names it, once, however many knowledge bases use it; `none` is no reranker (API-5)."""
    create_knowledge_base(store, "other", settings=OLLAMA.model_copy(update={"rerank_model": "builtin/lexical"}))
    assert ready(client) == (
        200,
        "ok",
        {
            "answer_model ollama/qwen3:4b": "ok",
            "embedding_model builtin/hash": "ok",
            "rerank_model builtin/lexical": "ok",
            "summary_model builtin/extractive": "ok",
        },
    )


def test_a_model_that_is_down_degrades_the_api(
    client: FlaskClient, ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Still 200, with what to do; asking again within half a minute asks no server (API-5)."""
    ollama.models = []
    status, state, models = ready(client)
    assert (status, state) == (200, "degraded")
    assert models["answer_model ollama/qwen3:4b"].startswith("degraded: Ollama at ")
    assert "`ollama pull qwen3:4b`" in models["answer_model ollama/qwen3:4b"]
    ollama.models = ["qwen3:4b"]
    assert ready(client)[1] == "degraded"
    assert ollama.requests == ["/api/tags"]
    monkeypatch.setattr(model_states, "_MAX_AGE", 0.0)
    assert ready(client)[1] == "ok"


def test_settings_that_cannot_be_read_degrade_the_api(client: FlaskClient, store: Store, ollama: OllamaServer) -> None:
    """The API stays ready, because it is how they are changed; the knowledge base is named (API-5)."""
    with psycopg.connect(store.database.url) as connection:
        connection.execute("""UPDATE knowledge_bases SET settings = '{"top_k": 0}'""")
    response = client.get("/health/ready")
    document: Any = response.json
    assert (response.status_code, document["status"]) == (200, "degraded")
    assert "kb" in document["dependencies"]["models"]


def test_servers_that_hang_take_the_limit_together(
    client: FlaskClient, ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is looked up for ever ends with the others' limit (API-5)."""
    let_go = threading.Event()
    monkeypatch.setattr(model_states, "_LIMIT", 0.2)
    monkeypatch.setattr(model_states, "problem_of", lambda *_: str(let_go.wait(10)))
    try:
        status, state, models = ready(client)
    finally:
        let_go.set()
    assert (status, state) == (200, "degraded")
    assert models["answer_model ollama/qwen3:4b"] == "degraded: Its server did not answer within 0.2 seconds."


def test_up_says_it_at_its_start(client: FlaskClient, ollama: OllamaServer, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr; an API that does not answer adds no line, because then `up` has other things to say."""
    server = make_server("127.0.0.1", 0, client.application, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        ollama.models = []
        supervisor._warn_of_models(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("answer_model ollama/qwen3:4b: Ollama at ")
    supervisor._warn_of_models(f"http://127.0.0.1:{server.server_port}")
    assert capsys.readouterr().err == ""


def test_doctor_says_what_to_do(client: FlaskClient, ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as a warning; commands that need no such model work (OPS-5)."""
    monkeypatch.setattr(doctor_checks, "_CHECKS", {})

    def found() -> list[tuple[str, str]]:
        return [(each["state"], each["detail"]) for each in doctor_checks.examine() if each["name"] == "models"]

    assert found() == [("ok", "nothing is known against builtin/extractive, builtin/hash, ollama/qwen3:4b")]
    ollama.models = []
    ((state, detail),) = found()
    assert state == "warning"
    assert detail.startswith("answer_model ollama/qwen3:4b: Ollama at ")
    assert "headwater models pull ollama/qwen3:4b" in detail
