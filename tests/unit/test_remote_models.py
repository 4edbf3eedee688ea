"""Embedding models that a server runs (EMB-1).

Belongs here: names, requests, what comes back, and every way to fail, against a real server on loopback. Not here:
whole syncs (`integration/test_remote_models`).
"""

import inspect
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from headwater.errors import ModelUnavailableError, UnknownModelError
from headwater.models_gateway import litellm_client, remote_embedder
from headwater.models_gateway.embedder_registry import MODELS, check_model
from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.models_gateway.litellm_client import price_per_token, token_limit
from headwater.models_gateway.model_failures import QUESTION
from headwater.models_gateway.providers import PROVIDERS
from headwater.models_gateway.remote_embedder import RemoteEmbedder
from headwater.settings import REPOSITORY
from tests.embedding_server import KEY, MODEL, EmbeddingServer, Reply, fails, gives, norm, sleeps

PRICED = "openai/text-embedding-3-small"


@pytest.fixture
def embedder(models: EmbeddingServer) -> RemoteEmbedder:
    """A model of the server's."""
    return RemoteEmbedder(MODEL)


# Names


@pytest.mark.parametrize(
    "model",
    [
        *MODELS,
        "openai/text-embedding-3-small",
        "ollama/nomic-embed-text:v1.5",
        "together_ai/BAAI/bge-base-en-v1.5",
        "bedrock/amazon.titan-embed-text-v2:0",
        "huggingface/sentence-transformers/all-MiniLM-L6-v2",
        "vertex_ai/text-embedding-005",
    ],
)
def test_names_pass(model: str) -> None:
    """Built-in models, and what litellm calls `provider/model`."""
    assert check_model(model) == model


@pytest.mark.parametrize(
    "model",
    [
        "",
        "openai",
        "openai/",
        "/x",
        "opnai/text-embedding-3-small",
        "text-embedding-3-small",
        "builtin/none",
        "groq/llama",
        "openai/a b",
        "openai/a//b",
        "openai/../x",
        "openai/a/../b",
        "openai/x\n",
        f"openai/{'x' * 200}",
        "huggingface/https://example.org/collect",
        "huggingface/http:example.org",
        "huggingface/a/HTTPS:x",
    ],
)
def test_other_names_are_refused(model: str) -> None:
    """The message lists the models there are, and the providers; an address is no name (SEC-1)."""
    with pytest.raises(
        UnknownModelError, match=r"builtin/hash\. Others are fastembed/model, or provider/.*ollama, openai"
    ) as caught:
        check_model(model)
    assert repr(model) in str(caught.value)


def test_providers_are_those_that_litellm_embeds_with() -> None:
    """The list is litellm's own, read off the function that calls them; a copy, because importing litellm is slow."""
    litellm = litellm_client.load_litellm()
    source = inspect.getsource(inspect.unwrap(litellm.embedding))
    branches = re.findall(r"custom_llm_provider (?:==|in) (\([^)]*\)|\"\w+\")", source)
    named = {name for branch in branches for name in re.findall(r'"(\w+)"', branch)}
    assert set(PROVIDERS) == named - {"github_copilot", "infinity", "oobabooga", "triton"}
    assert list(PROVIDERS) == sorted(PROVIDERS)


def test_a_name_is_checked_without_litellm() -> None:
    """`headwater apply` need not wait for seconds."""
    code = "import sys; from headwater.models_gateway.embedder_registry import check_model as c; c('openai/x'); "
    done = subprocess.run(
        [sys.executable, "-c", code + "print('litellm' in sys.modules)"], capture_output=True, cwd=REPOSITORY
    )
    assert done.stdout.strip() == b"False"


# Vectors


def test_vectors_are_of_unit_length_in_the_order_of_the_texts(embedder: RemoteEmbedder) -> None:
    """The server sends them longer, and in another order."""
    texts = [f"text number {number}" for number in range(70)]
    vectors = embedder.embed(texts)
    np.testing.assert_allclose(vectors, HashEmbedder().embed(texts), atol=1e-6)
    np.testing.assert_allclose(norm(vectors), 1, atol=1e-6)
    assert vectors.dtype == np.float32


def test_base64_is_read_too(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """Numbers are asked for, but a server may send bytes."""
    models.replies = [models.base64]
    np.testing.assert_allclose(embedder.embed(["a", "b"]), HashEmbedder().embed(["a", "b"]), atol=1e-6)
    assert [request["encoding_format"] for request in models.requests] == ["float"]


def test_dimensions_are_learnt_from_the_first_vector(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """No request is made to find them."""
    models.dimensions = 128
    assert (embedder.dimensions, models.requests) == (0, [])
    assert embedder.embed(["pump"]).shape == (1, 128)
    assert embedder.dimensions == 128


def test_no_texts_ask_for_nothing(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """Neither does an import."""
    assert len(embedder.embed([])) == 0
    assert list(embedder.embed_counted([])) == []
    assert models.requests == []


def test_requests_are_small_enough_for_every_server(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """By number and by characters; a text over the limit goes alone."""
    long = "word " * 3000
    texts = [*(str(number) for number in range(40)), long, long, long, "x" * 50_000, "end"]
    assert len(embedder.embed(texts)) == len(texts)
    assert models.texts == texts
    assert [len(request["input"]) for request in models.requests] == [32, 10, 1, 1, 1]


@pytest.mark.parametrize("text", ["", "  \n", "\ud800 half"])
def test_any_text_can_be_sent(embedder: RemoteEmbedder, models: EmbeddingServer, text: str) -> None:
    """Servers refuse an empty text and what is not valid UTF-8."""
    assert embedder.embed([text]).shape == (1, 384)
    assert models.texts == ["? half" if "half" in text else "-"]


def test_ollama_is_asked_in_its_own_way(models: EmbeddingServer) -> None:
    """Without a key, over its own route."""
    texts = ["the pump", "the wheel"]
    np.testing.assert_allclose(RemoteEmbedder("ollama/stub").embed(texts), HashEmbedder().embed(texts), atol=1e-6)
    assert models.requests[0]["path"] == "/api/embed"


# Tokens, price and limits


def test_tokens_are_those_that_the_server_counts(models: EmbeddingServer) -> None:
    """Shared out over the texts of a request; the price is from litellm's list."""
    (part,) = RemoteEmbedder(PRICED).embed_counted(["a", "bb", "some longer text"])
    assert sum(part.token_counts) == 21
    assert list(part.token_counts) == sorted(part.token_counts)
    assert part.cost_usd == pytest.approx(21 * 0.02 / 1_000_000)


def test_an_unknown_price_is_not_nothing(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """The cost is then None; tokens are estimated where the server does not count."""
    models.replies = [gives([1.0, 0.0], [0.0, 1.0])]
    (part,) = embedder.embed_counted(["12345678", "1234"])
    assert list(part.token_counts) == [2, 1]
    assert part.cost_usd is None


def test_prices_and_limits_come_from_litellms_list() -> None:
    """By the whole name or the model's own, and only if it is the same provider's."""
    assert price_per_token(PRICED) == pytest.approx(2e-8)
    assert (token_limit(PRICED), token_limit("cohere/embed-english-v3.0")) == (8191, 512)
    for other in (MODEL, "ollama/text-embedding-3-small", "hosted_vllm/x"):
        assert (price_per_token(other), token_limit(other)) == (None, None)


def test_a_text_over_the_limit_is_cut(models: EmbeddingServer) -> None:
    """To the model's tokens where they are known, so that the server does not refuse it; others go as they are."""
    text = "A naïve café. " * 3000
    list(RemoteEmbedder(PRICED).embed_counted([text, "short"]))  # as a sync does, which waits for a busy machine
    encoding = litellm_client.load_litellm().encoding
    *_, cut, short = models.texts  # what is sent again after a time limit is sent whole
    assert text.startswith(cut)
    assert 8180 <= len(encoding.encode(cut)) <= 8191
    assert short == "short"


# What goes wrong


def test_what_passes_is_sat_out(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """Outages and too many requests, in a sync, until it works."""
    models.replies = [fails(429), fails(500), fails(503), fails(502), fails(408)]
    assert sum(len(part.vectors) for part in embedder.embed_counted(["a"])) == 1
    assert len(models.requests) == 6


def test_who_asks_a_question_does_not_wait_long(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """One more try, then the error."""
    models.otherwise = fails(500)
    with pytest.raises(ModelUnavailableError, match=r"openai/stub cannot be used: the server does not answer\. Check"):
        embedder.embed(["a"])
    assert len(models.requests) == 2


def test_there_is_an_end_to_patience(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """A sync gives up after six tries."""
    models.otherwise = fails(503, "overloaded")
    with pytest.raises(ModelUnavailableError, match=r"does not answer.*overloaded"):
        list(embedder.embed_counted(["a"]))
    assert len(models.requests) == 6


@pytest.mark.parametrize("value", ["0.4", "date"])
def test_retry_after_is_honoured(embedder: RemoteEmbedder, models: EmbeddingServer, value: str) -> None:
    """As seconds, or as a time."""
    from email.utils import formatdate

    wait, started = 0.4 if value != "date" else 1.0, time.monotonic()
    if value == "date":
        value = formatdate(time.time() + 2, usegmt=True)  # in whole seconds, so 1 to 2 from now
    models.replies = [fails(429, retry_after=value)]
    list(embedder.embed_counted(["a"]))
    assert wait <= time.monotonic() - started
    assert len(models.requests) == 2


def test_a_long_wait_is_not_waited_for(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """The error says how long the server asks for."""
    models.otherwise = fails(429, retry_after="3600")
    with pytest.raises(ModelUnavailableError, match=r"received too many requests, and asks to wait 3600 seconds"):
        list(embedder.embed_counted(["a"]))
    assert len(models.requests) == 1


def test_a_slow_server_is_tried_again(
    embedder: RemoteEmbedder, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the timeout; then the error names it."""
    monkeypatch.setattr(remote_embedder, "QUESTION", replace(QUESTION, timeout=4.0))  # also for a busy machine
    models.replies = [sleeps(6)]
    assert len(embedder.embed(["a"])) == 1
    monkeypatch.setattr(remote_embedder, "QUESTION", replace(QUESTION, timeout=0.9))
    models.otherwise = sleeps(4)
    with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.9 seconds"):
        embedder.embed(["a"])
    assert len(models.requests) == 4


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (401, "Incorrect API key provided", "refused the key. Check OPENAI_API_KEY"),
        (403, "not yours", "refused the key. Check OPENAI_API_KEY"),
        (404, "The model `stub` does not exist", "does not have this model. Check its name"),
        (400, "This model's maximum context length is 512 tokens", "too long for it. Lower chunk_max"),
        (413, "large", "too long for it. Lower chunk_max"),
        (400, "unsupported", "the request was refused"),
        (429, "You exceeded your quota: insufficient_quota", "quota is exhausted"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(
    embedder: RemoteEmbedder, models: EmbeddingServer, status: int, message: str, expected: str
) -> None:
    """The error names the model, what the server said, and what to do."""
    models.otherwise = fails(status, message)
    with pytest.raises(ModelUnavailableError, match=f"openai/stub cannot be used: .*{re.escape(expected)}") as caught:
        list(embedder.embed_counted(["a"]))
    assert message in str(caught.value)
    assert len(models.requests) == 1


def test_a_model_that_ollama_has_not_pulled_is_named(models: EmbeddingServer) -> None:
    """Its own words say how to get it."""
    models.otherwise = lambda _: (404, {"error": 'model "stub" not found, try pulling it first'}, {})
    with pytest.raises(ModelUnavailableError, match=r"ollama/stub .*does not have this model.*try pulling it first"):
        RemoteEmbedder("ollama/stub").embed(["a"])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (gives([float("nan"), 1.0]), "without a direction"),
        (gives([float("inf"), 1.0]), "without a direction"),
        (gives([0.0, 0.0]), "without a direction"),
        (gives([None, None]), "without a direction"),
        (gives(), "0 vectors for 1 text"),
        (gives([1.0], [1.0]), "2 vectors for 1 text"),
        (gives([]), "without a direction"),
        (gives(["a", "b"]), "something other than vectors"),
        (gives([[1.0], [1.0]]), "1 vector for 1 text"),
        (gives([1.0] * 4001), "4001 dimensions; a search index supports at most 4000"),
        (lambda _: (200, {"hello": 1}, {}), "something other than vectors"),
        (lambda _: (200, {"data": [{"index": 0, "embedding": "!"}]}, {}), "something other than vectors"),
    ],
)
def test_what_is_no_vector_is_refused(
    embedder: RemoteEmbedder, models: EmbeddingServer, reply: Callable[[dict[str, Any]], Reply], expected: str
) -> None:
    """Nothing of it is stored or searched with; the error names the model."""
    models.otherwise = reply
    with pytest.raises(
        ModelUnavailableError, match=f"openai/stub cannot be used: the server answered with .*{expected}"
    ):
        embedder.embed(["a"])


def test_vectors_of_another_length_are_refused(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """Another model is behind the name now."""
    embedder.embed(["a"])
    models.dimensions = 12
    with pytest.raises(ModelUnavailableError, match="12 dimensions, but earlier of 384"):
        embedder.embed(["a"])


def test_what_came_before_an_outage_is_handed_over(embedder: RemoteEmbedder, models: EmbeddingServer) -> None:
    """Part by part, so that it can be kept."""
    models.replies = [lambda body: models.vectors_of(body, lambda vector: vector.tolist())]
    models.otherwise = fails(500)
    parts = embedder.embed_counted([str(number) for number in range(40)])
    assert len(next(parts).vectors) == 32
    with pytest.raises(ModelUnavailableError):
        next(parts)


def test_a_missing_key_is_named(embedder: RemoteEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelUnavailableError, match=r"openai is not set up\. Set OPENAI_API_KEY"):
        embedder.embed(["a"])


def test_a_missing_address_is_named(models: EmbeddingServer) -> None:
    """The message names the address variable of a server that users run themselves."""
    with pytest.raises(ModelUnavailableError, match=r"hosted_vllm is not set up\..*HOSTED_VLLM_API_BASE"):
        RemoteEmbedder("hosted_vllm/x").embed(["a"])


def test_nobody_listens(embedder: RemoteEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection is an outage."""
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailableError, match=r"does not answer.*Connection error"):
        embedder.embed(["a"])


def test_no_error_and_no_log_holds_the_key(
    embedder: RemoteEmbedder,
    models: EmbeddingServer,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Though the server repeats it (SEC-1)."""
    models.key = "another"
    with caplog.at_level("DEBUG"), pytest.raises(ModelUnavailableError, match=r"Incorrect API key.*\*\*\*") as caught:
        embedder.embed(["a"])
    shown = f"{caught.value!r} {caught.value.__cause__!r} {caplog.text} {capfd.readouterr()}"
    assert KEY not in shown
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
