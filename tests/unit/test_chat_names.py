"""Names of chat models, and the settings that bound their calls.

Belongs here: names, keys, bounds; no request is made. Not here: replies (`test_chat_models`).
"""

import subprocess
import sys
import threading

import pytest

from headwater.administration.knowledge_bases import check_settings
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import HeadwaterError, UnknownModelError
from headwater.models_gateway.call_limits import CallBounds, NoTurnError, bounds_of
from headwater.models_gateway.chat_registry import EXTRACTIVE, check_answer_model, check_chat_model, load_chat_model
from headwater.models_gateway.litellm_client import load_litellm
from headwater.models_gateway.providers import CHAT_PROVIDERS, KEYS, find_missing_key
from headwater.models_gateway.remote_chat import RemoteChatModel
from headwater.settings import REPOSITORY, Settings

NAMES = ["openai/gpt-4o-mini", "ollama_chat/llama3.2:1b", "anthropic/claude-sonnet-4", "together_ai/meta/llama-3-8b"]


# Names


@pytest.mark.parametrize("model", NAMES)
def test_names_pass(model: str) -> None:
    """What litellm calls `provider/model`, for answers and for small tasks."""
    assert check_chat_model(model) == check_answer_model(model) == model


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("", "no chat model ''"),
        ("gpt-4o", "no chat model 'gpt-4o'"),
        ("opnai/gpt-4o", "Did you mean `openai/gpt-4o`"),
        ("antropic", "Did you mean `anthropic/MODEL`"),
        ("openai/http://example.org/v1", "no chat model"),
        ("voyage/voyage-3", "no chat model"),
        (EXTRACTIVE, "no chat model"),
    ],
)
def test_other_names_are_refused(model: str, words: str) -> None:
    """With the nearest provider, and two examples; an address is no name (SEC-1)."""
    with pytest.raises(UnknownModelError, match=rf"{words}.*such as openai/gpt-4o-mini or ollama/"):
        check_chat_model(model)


def test_an_answer_may_be_made_without_a_chat_model() -> None:
    """`builtin/extractive` quotes; a name like it gets a hint (ANS-4)."""
    assert check_answer_model(EXTRACTIVE) == EXTRACTIVE
    with pytest.raises(UnknownModelError, match="Did you mean `builtin/extractive`"):
        check_answer_model("builtin/extractiv")


@pytest.mark.parametrize(
    "settings", [{"answer_model": "x/y"}, {"answer_fallbacks": (NAMES[0], "x/y")}, {"cheap_model": "x/y"}]
)
def test_every_setting_that_names_a_chat_model_is_checked(settings: dict[str, object]) -> None:
    """When it is written, not when somebody asks (KB-2)."""
    with pytest.raises(UnknownModelError, match="no chat model 'x/y'"):
        check_settings(KnowledgeBaseSettings.model_validate(settings))
    check_settings(KnowledgeBaseSettings(answer_model=NAMES[0], answer_fallbacks=(NAMES[1],), cheap_model=NAMES[2]))


def test_providers_are_some_that_litellm_chats_with() -> None:
    """It knows how to write a chat request for each; a copy, because importing litellm is slow."""
    litellm = load_litellm()
    for provider in CHAT_PROVIDERS:
        known = litellm.LlmProviders(provider)
        config = litellm.ProviderConfigManager.get_provider_chat_config(model="x", provider=known)
        assert hasattr(config, "transform_request"), provider
    assert list(CHAT_PROVIDERS) == sorted(CHAT_PROVIDERS)


def test_keys_are_those_that_litellm_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own check names one of ours for each provider."""
    for variables in KEYS.values():
        for variable in variables:
            monkeypatch.delenv(variable, raising=False)
    for provider, variables in KEYS.items():
        needed = load_litellm().validate_environment(f"{provider}/x")["missing_keys"]
        assert set(needed) & set(variables), provider
        assert find_missing_key(f"{provider}/x") == variables[0]
        monkeypatch.setenv(variables[-1], "secret")
        assert find_missing_key(f"{provider}/x") is None
    assert find_missing_key("ollama_chat/llama3.2") is None


def test_loading_a_model_imports_nothing_heavy() -> None:
    """`headwater apply` and the start of the API need not wait for seconds."""
    code = (
        "import sys; from headwater.models_gateway.chat_registry import load_chat_model as load; "
        "from headwater.settings import Settings; load(['openai/x'], Settings.from_env({})); "
        "print(sorted({'litellm', 'openai', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_a_chain_is_loaded_once() -> None:
    """So every request shares its bounds, and what it learnt about the server."""
    settings = Settings.from_env({})
    assert load_chat_model(NAMES[:2], settings) is load_chat_model(tuple(NAMES[:2]), settings)
    assert load_chat_model(NAMES[:2], settings).model == NAMES[0]
    with pytest.raises(UnknownModelError):
        load_chat_model([NAMES[0], EXTRACTIVE], settings)


def test_the_environment_sets_the_limits_of_time() -> None:
    """A reply begins within a fifth, or a minute; zero means no limit, as for other settings."""

    def limits_for(seconds: int) -> tuple[float, float]:
        return limits_of({"HEADWATER_MODEL_TIME_LIMIT": str(seconds)})

    assert [limits_for(seconds) for seconds in (9, 300, 600)] == [(9, 9), (60, 300), (120, 600)]
    assert (limits_of({}), limits_for(0)[1] >= 86_400) == ((60, 300), True)


# Bounds


def test_calls_beyond_the_bound_wait_for_a_turn() -> None:
    """And get it when another call ends."""
    bounds, held, done = CallBounds(concurrency=1, per_minute=0), threading.Event(), threading.Event()

    def hold() -> None:
        with bounds.turn(0, threading.Event()):
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    with pytest.raises(NoTurnError, match="1 calls of it run already, as many as HEADWATER_MODEL_CONCURRENCY allows"):
        take(bounds, 0.01)
    threading.Timer(0.05, done.set).start()
    take(bounds, 60)
    thread.join(60)


def test_nobody_waits_for_a_turn_of_a_closed_reply() -> None:
    """A cancelled answer does not keep its thread."""
    bounds, closed = CallBounds(concurrency=1, per_minute=0), threading.Event()
    threading.Timer(0.05, closed.set).start()
    with bounds.turn(0, threading.Event()), pytest.raises(NoTurnError), bounds.turn(60, closed):
        pass


def test_a_failed_call_gives_its_turn_back() -> None:
    """However its block ends."""
    bounds = CallBounds(concurrency=1, per_minute=0)
    for _ in range(2):
        with pytest.raises(HeadwaterError), bounds.turn(0, threading.Event()):
            raise HeadwaterError


def test_calls_within_a_minute_are_bounded() -> None:
    """The message says when the next one may begin; after a minute it may."""
    now = [100.0]
    bounds = CallBounds(concurrency=0, per_minute=2, clock=lambda: now[0])
    take(bounds, 0)
    now[0] += 10
    take(bounds, 0)
    with pytest.raises(NoTurnError, match=r"REQUESTS_PER_MINUTE allows\. The next one may begin in 50 seconds"):
        take(bounds, 20)
    now[0] += 50
    take(bounds, 0)


def test_the_bounds_of_a_model_are_shared_and_the_environments() -> None:
    """Two knowledge bases with one model share its server."""
    settings = Settings.from_env({"HEADWATER_MODEL_CONCURRENCY": "3", "HEADWATER_MODEL_REQUESTS_PER_MINUTE": "7"})
    assert (settings.model_concurrency, settings.model_requests_per_minute) == (3, 7)
    assert bounds_of("a/b", 3, 7) is bounds_of("a/b", 3, 7)
    assert bounds_of("a/b", 3, 7) is not bounds_of("a/c", 3, 7)


def limits_of(environ: dict[str, str]) -> tuple[float, float]:
    """The limits of the first token and of the whole reply."""
    model = load_chat_model([NAMES[0]], Settings.from_env(environ))
    assert isinstance(model, RemoteChatModel)
    return model._limits.first_token, model._limits.whole


def take(bounds: CallBounds, wait: float) -> None:
    """Take a turn and give it back."""
    with bounds.turn(wait, threading.Event()):
        pass
