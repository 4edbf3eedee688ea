"""Whether a model can be used, without calling it (API-5).

Belongs here: what is looked at for each kind of model, and getting models from Ollama. Not here: which models are in
use, and how it is shown (`integration/test_model_states`). Guarantee: real servers on loopback; no model is called.
"""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.models import models as models_command
from headwater.errors import GenerationFailedError, ModelUnavailableError
from headwater.models_gateway import cross_encoder, litellm_client, minilm, model_availability, model_failures, outcomes
from headwater.models_gateway.chat_model import Message
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.models_gateway.model_availability import problem_of
from headwater.models_gateway.model_failures import QUESTION
from headwater.settings import Settings
from tests.chat_server import ChatServer, Says
from tests.embedding_server import EmbeddingServer
from tests.ollama_server import OllamaServer, ollama_server
from tests.support import free_port


@pytest.fixture(autouse=True)
def _no_calls_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(model_availability, "TIMEOUT", 0.3)
    outcomes.forget()
    yield
    outcomes.forget()


@pytest.fixture
def where(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, cache=tmp_path)


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    """An Ollama without models, where litellm looks for it."""
    with ollama_server() as told:
        monkeypatch.setenv("OLLAMA_API_BASE", told.url)
        yield told


# Models on this machine


def test_built_in_models_need_their_weights(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without files has no problem; one whose package is missing says how to install it."""
    assert problem_of("builtin/hash", "embedding", where) is None
    assert problem_of("builtin/extractive", None, where) is None
    for model in (minilm, cross_encoder):
        monkeypatch.setattr(model, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    assert minilm.INSTALL in str(problem_of("builtin/minilm-int8", "embedding", where))
    assert cross_encoder.INSTALL in str(problem_of("builtin/cross-encoder", "reranking", where))


def test_files_of_fastembed_are_looked_for(where: Settings) -> None:
    """The model is not loaded; what is missing is said with the command that gets it."""
    pytest.importorskip("fastembed", reason="the extra fastembed is not installed")
    model = "fastembed/Xenova/ms-marco-MiniLM-L-6-v2"
    assert f"Run `headwater models pull {model}`" in str(problem_of(model, "reranking", where))
    (where.models_folder / "Xenova" / "ms-marco-MiniLM-L-6-v2" / "onnx").mkdir(parents=True)
    (where.models_folder / "Xenova" / "ms-marco-MiniLM-L-6-v2" / "onnx" / "model.onnx").touch()
    assert problem_of(model, "reranking", where) is None


# Ollama


def test_ollama_is_asked_which_models_it_has(where: Settings, ollama: OllamaServer) -> None:
    """Without a tag, a name means the latest; what is missing is said with the command that gets it."""
    ollama.models = ["qwen3:4b", "bge-m3:latest"]
    assert problem_of("ollama/qwen3:4b", None, where) is None
    assert problem_of("ollama_chat/bge-m3", None, where) is None
    assert "Run `ollama pull qwen3`, or `headwater models pull ollama/qwen3`" in str(
        problem_of("ollama/qwen3", None, where)
    )
    assert set(ollama.requests) == {"/api/tags"}


def test_an_ollama_that_is_down_is_named(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its address, and how to start it."""
    monkeypatch.setenv("OLLAMA_API_BASE", f"http://127.0.0.1:{free_port()}/")
    said = str(problem_of("ollama/qwen3", None, where))
    assert "does not answer" in said
    assert "`ollama serve`" in said


def test_ollama_gets_a_model_on_command(ollama: OllamaServer) -> None:
    """`headwater models pull` shows each step once; a second pull changes nothing."""
    ollama.in_registry = ["qwen3:latest"]
    done = CliRunner().invoke(models_command, ["pull", "ollama/qwen3"])
    assert (done.exit_code, done.stdout) == (0, f"ollama/qwen3 is there, in {ollama.url}.\n")
    assert done.stderr.splitlines() == [
        "pulling manifest", "pulling 6a0746a1ec1a", "verifying sha256 digest", "success",
    ]  # fmt: skip
    assert ollama.models == ["qwen3:latest"]


def test_a_pull_that_fails_says_why(ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that Ollama's library does not have, a download that breaks off, a server that is down, another name."""

    def failed(model: str) -> str:
        done = CliRunner().invoke(models_command, ["pull", model])
        assert done.exit_code != 0
        return done.stderr

    assert "Ollama cannot get nothing: pull model manifest: file does not exist" in failed("ollama/nothing")
    ollama.in_registry, ollama.breaks_off = ["qwen3:4b"], True
    assert "broke off while it was getting qwen3:4b" in failed("ollama_chat/qwen3:4b")
    monkeypatch.setenv("OLLAMA_API_BASE", f"http://127.0.0.1:{free_port()}")
    assert "did not get qwen3" in failed("ollama/qwen3")
    assert "openai/gpt-5 cannot be downloaded" in failed("openai/gpt-5")


# Servers that speak OpenAI's API


def test_a_server_of_your_own_is_asked_for_its_models(
    where: Settings, chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is up, or it is named with what is wrong; no completion is made."""
    assert problem_of("openai/stub", None, where) is None
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", f"http://127.0.0.1:{free_port()}/v1")
    assert "does not answer" in str(problem_of("hosted_vllm/stub", None, where))
    assert chat.requests == []


def test_a_server_that_lists_no_models_can_be_used(where: Settings, models: EmbeddingServer) -> None:
    """Some servers know only the requests that are needed: this one replies 501."""
    assert problem_of("openai/stub", "embedding", where) is None
    assert models.requests == []


def test_no_password_of_an_address_is_shown(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may ask for the API's health need not know it."""
    address = f"http://user:geheim@127.0.0.1:{free_port()}"
    monkeypatch.setenv("OLLAMA_API_BASE", address)
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", f"{address}/v1")
    for model in ("ollama/qwen3", "hosted_vllm/stub"):
        said = str(problem_of(model, None, where))
        assert " at http://127.0.0.1:" in said
        assert "geheim" not in said


def test_an_ollama_that_fails_shows_no_password(
    where: Settings, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when it answers with an error status nor when its address is none; a pull says what to check, too."""
    monkeypatch.setenv("OLLAMA_API_BASE", models.url.replace("//", "//user:geheim@"))
    said = str(problem_of("ollama/qwen3", None, where))
    assert "501" in said
    assert "geheim" not in said
    monkeypatch.setenv("OLLAMA_API_BASE", "http://user:geheim@127.0.0.1:port")
    done = CliRunner().invoke(models_command, ["pull", "ollama/qwen3"])
    assert done.exit_code == 1
    for said in (str(problem_of("ollama/qwen3", None, where)), done.stderr):
        assert "OLLAMA_API_BASE" in said
        assert "geheim" not in said


def test_a_server_that_hangs_takes_no_longer_than_the_limit(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts the connection and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        said = str(problem_of("openai/stub", None, where))
    assert "does not answer (timed out)" in said
    assert "sk-0123456789" not in said


def test_a_missing_key_is_named(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any request."""
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    assert problem_of("mistral/mistral-small", None, where) == "MISTRAL_API_KEY is not set in the environment."
    monkeypatch.setenv("MISTRAL_API_KEY", "secret-secret")
    assert problem_of("mistral/mistral-small", None, where) is None


# The last call


def test_the_last_call_decides_for_a_minute(where: Settings, chat: ChatServer) -> None:
    """A reply that broke off counts against the model until a call succeeds, though the server lists its models."""
    model = load_chat_model(["openai/stub"], where)
    messages = [Message(role="user", content="Say something.")]
    chat.replies = [Says("Water is", ending="breaks")]
    with pytest.raises(GenerationFailedError):
        list(model.stream(messages, max_tokens=50))
    assert "the connection to it broke" in str(problem_of("openai/stub", None, where))
    chat.replies = ["Water is wet."]
    list(model.stream(messages, max_tokens=50))
    assert problem_of("openai/stub", None, where) is None


def test_a_failure_counts_only_for_a_while(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that nobody can look at for nothing has a problem for ten minutes after a call that failed."""
    monkeypatch.setenv("MISTRAL_API_KEY", "secret-secret")

    def refuse(*_: object) -> None:
        raise RuntimeError("the server is on fire")

    monkeypatch.setattr(model_failures, "_FIRST_WAIT", 0.01)
    with pytest.raises(ModelUnavailableError):
        litellm_client.call("mistral/mistral-embed", QUESTION, refuse)
    assert "on fire" in str(problem_of("mistral/mistral-embed", "embedding", where))
    monkeypatch.setattr(model_availability, "_RECENT", 0.0)
    monkeypatch.setattr(model_availability, "_FRESH", 0.0)
    assert problem_of("mistral/mistral-embed", "embedding", where) is None


def test_a_text_that_is_too_long_says_nothing_of_the_model(where: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next text may fit."""
    monkeypatch.setenv("MISTRAL_API_KEY", "secret-secret")

    def refuse(*_: object) -> None:
        raise RuntimeError("maximum context length exceeded")

    with pytest.raises(ModelUnavailableError):
        litellm_client.call("mistral/mistral-embed", QUESTION, refuse)
    assert problem_of("mistral/mistral-embed", "embedding", where) is None
