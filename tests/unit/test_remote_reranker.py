"""Reranking models that a server runs (RET-6).

Belongs here: requests, what comes back, and every way to fail, against a real server on loopback. Not here: the
fallback (`test_rerank`), names.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import litellm_client, remote_reranker
from headwater.models_gateway.model_failures import RetryPolicy
from headwater.models_gateway.providers import RERANK_PROVIDERS
from headwater.models_gateway.remote_reranker import RemoteReranker
from headwater.retrieval.reranking.lexical_reranker import apply_reranker
from headwater.retrieval.reranking.reranker_registry import load_reranker
from headwater.settings import Settings
from tests.embedding_server import KEY, EmbeddingServer, Reply, fails, sleeps
from tests.passages import passage

MODEL = "cohere/stub"
TEXTS = ["the wheel turns the mill", "the pump lifts water", "invoices are due"]


@pytest.fixture(autouse=True)
def environment(models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is where litellm looks for those of three providers."""
    for provider in ("COHERE", "HOSTED_VLLM", "HUGGINGFACE"):
        monkeypatch.setenv(f"{provider}_API_BASE", models.url)
        monkeypatch.setenv(f"{provider}_API_KEY", KEY)


@pytest.fixture
def reranker(models: EmbeddingServer) -> RemoteReranker:
    """A model of the server's."""
    return RemoteReranker(MODEL)


def gives(*scores: Any) -> Callable[[dict[str, Any]], Reply]:
    """A response with these pairs of index and score, whatever was requested."""
    results = [{"index": index, "relevance_score": score} for index, score in scores]
    return lambda _: (200, {"id": "1", "results": results}, {})


def test_providers_are_those_that_litellm_reranks_with() -> None:
    """The list is litellm's own, read off the function that calls them; a copy, because importing litellm is slow."""
    litellm = litellm_client.load_litellm()
    source = inspect.getsource(inspect.unwrap(litellm.rerank))
    called = {name.lower() for name in re.findall(r"LlmProviders\.(\w+)", source)}
    configured = set()
    for provider in litellm.LlmProviders:
        config = litellm.utils.ProviderConfigManager.get_provider_rerank_config("m", provider, None, [])
        if type(config) not in (litellm.CohereRerankConfig, litellm.CohereRerankV2Config):
            configured.add(provider.value)
    assert set(RERANK_PROVIDERS) == called | configured
    assert list(RERANK_PROVIDERS) == sorted(RERANK_PROVIDERS)


@pytest.mark.parametrize(
    ("model", "path"),
    [("cohere/stub", "/v2/rerank"), ("hosted_vllm/stub", "/rerank"), ("huggingface/stub", "/rerank")],
)
def test_texts_are_scored_in_their_order(models: EmbeddingServer, model: str, path: str) -> None:
    """The server answers best first; each provider is asked in its own way."""
    scores = RemoteReranker(model).score("What does the pump lift?", TEXTS)
    assert scores[1] == max(scores) > 0
    assert all(0 <= score <= 1 for score in scores)
    (request,) = models.requests
    assert request["path"] == path
    assert request["query"] == "What does the pump lift?"
    assert request.get("documents", request.get("texts")) == TEXTS


def test_no_texts_ask_for_nothing(reranker: RemoteReranker, models: EmbeddingServer) -> None:
    """There is nothing to score."""
    assert reranker.score("x", []) == []
    assert models.requests == []


def test_requests_are_small_enough_for_the_server(models: EmbeddingServer) -> None:
    """By the provider; the scores stay in order."""
    texts = [f"item {number}" for number in range(70)]
    for model, sizes in (("cohere/stub", [70]), ("huggingface/stub", [32, 32, 6])):
        models.requests.clear()
        scores = RemoteReranker(model).score("item 66", texts)
        assert max(range(70), key=scores.__getitem__) == 66
        assert [len(request.get("documents") or request["texts"]) for request in models.requests] == sizes


@pytest.mark.parametrize("text", ["", "  \n", "\ud800 half"])
def test_any_text_can_be_sent(reranker: RemoteReranker, models: EmbeddingServer, text: str) -> None:
    """Servers refuse an empty text and what is not valid UTF-8."""
    assert len(reranker.score(text, [text])) == 1
    assert models.requests[0]["documents"] == ["? half" if "half" in text else "-"]


def test_logits_become_scores(reranker: RemoteReranker, models: EmbeddingServer) -> None:
    """In the same order, between 0 and 1, however large."""
    models.otherwise = gives((0, -9000.0), (1, 3.2), (2, 0.0), (3, 9000.0))
    assert reranker.score("x", ["a", "b", "c", "d"]) == pytest.approx([0, 0.9608, 0.5, 1], abs=1e-4)


def test_what_passes_is_tried_again(reranker: RemoteReranker, models: EmbeddingServer) -> None:
    """Once: someone waits."""
    models.replies = [fails(503)]
    assert len(reranker.score("x", TEXTS)) == 3
    models.otherwise = fails(500)
    with pytest.raises(ModelUnavailableError, match=r"cohere/stub cannot be used: the server does not answer\. Check"):
        reranker.score("x", TEXTS)
    assert len(models.requests) == 4


def test_a_late_answer_is_none(
    reranker: RemoteReranker, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search goes on without it."""
    monkeypatch.setattr(remote_reranker, "PATIENCE", RetryPolicy(attempts=1, timeout=0.2, longest_wait=1))
    models.otherwise = sleeps(1)
    with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.2 seconds"):
        reranker.score("x", TEXTS)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (gives((0, 0.5), (1, 0.4)), "2 scores for 3 texts"),
        (gives((0, 0.5), (1, 0.4), (3, 0.1)), "3 scores for 3 texts"),
        (gives((0, 0.5), (1, 0.4), (1, 0.1)), "3 scores for 3 texts"),
        (gives((0, 0.5), (1, 0.4), (2, float("nan"))), "a score that is not a number"),
        (lambda _: (200, {"id": "1", "results": None}, {}), "something other than scores"),
    ],
)
def test_what_are_no_scores_is_refused(
    reranker: RemoteReranker, models: EmbeddingServer, reply: Callable[[dict[str, Any]], Reply], expected: str
) -> None:
    """The error names the model."""
    models.otherwise = reply
    with pytest.raises(ModelUnavailableError, match=f"cohere/stub cannot be used: the server answered with {expected}"):
        reranker.score("x", TEXTS)


def test_an_answer_of_another_form_is_refused(reranker: RemoteReranker, models: EmbeddingServer) -> None:
    """Whatever litellm makes of it."""
    models.otherwise = lambda _: (200, {"choices": []}, {})
    with pytest.raises(ModelUnavailableError, match="cohere/stub cannot be used"):
        reranker.score("x", TEXTS)


def test_a_missing_key_is_named(reranker: RemoteReranker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent."""
    monkeypatch.delenv("COHERE_API_KEY")
    with pytest.raises(ModelUnavailableError, match=r"cohere is not set up\. Set COHERE_API_KEY"):
        reranker.score("x", TEXTS)


def test_no_error_and_no_log_holds_the_key(
    reranker: RemoteReranker,
    models: EmbeddingServer,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Though the server repeats it (SEC-1)."""
    models.key = "another"
    with (
        caplog.at_level("DEBUG"),
        pytest.raises(ModelUnavailableError, match=r"refused the key.*(?:\*\*\*|REDACTED)") as caught,
    ):
        reranker.score("x", TEXTS)
    shown = f"{caught.value!r} {caught.value.__cause__!r} {caplog.text} {capfd.readouterr()}"
    assert KEY not in shown


def test_passages_are_reranked_by_a_server(models: EmbeddingServer, settings: Settings) -> None:
    """Each is read below its headings; when the server is down, the local order and a note come back."""
    reranker = load_reranker(MODEL, settings)
    assert reranker is not None
    found = [passage(text, uri=text, title="Guide", breadcrumb=("Guide", "Part")) for text in TEXTS]
    done = apply_reranker(reranker, "What does the pump lift?", found, threshold=0.01)
    assert [p.uri for p in done.passages] == [TEXTS[1]]
    assert (len(done.dropped), done.reranker, done.note) == (2, MODEL, None)
    assert models.requests[0]["documents"][0] == f"Guide Part\n\n{TEXTS[0]}"
    models.otherwise = fails(500)
    again = apply_reranker(reranker, "What does the pump lift?", found)
    assert (len(again.passages), again.passages[0].uri, again.reranker) == (3, TEXTS[1], "builtin/lexical")
    assert again.note is not None
    assert again.note.startswith("Not reranked by cohere/stub, but by builtin/lexical. The model cohere/stub cannot be")


@pytest.fixture
def settings(tmp_path: Any) -> Settings:
    """Settings; nothing is read or written there."""
    return Settings(home=tmp_path, cache=tmp_path)
