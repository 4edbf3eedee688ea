"""Loading a chat model by its name.

Belongs here: names of chat models, and the chain of fallbacks. Not here: calling them (`remote_chat`). Guarantee:
checking a name imports nothing heavy.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from headwater.domain.closed_model import nearest
from headwater.errors import UnknownModelError
from headwater.models_gateway.chat_model import ChatModel
from headwater.models_gateway.model_failures import SYNC
from headwater.models_gateway.providers import CHAT_PROVIDERS, is_provider_model
from headwater.settings import Settings

if TYPE_CHECKING:
    from headwater.models_gateway.call_limits import CallBounds
    from headwater.models_gateway.pass_through import PassThrough
    from headwater.models_gateway.reply_reader import Limits

EXTRACTIVE = "builtin/extractive"
"""The answerer that quotes; it is no chat model, but stands where one can be named."""
RULES = "builtin/rules"
"""What makes questions without a model."""

_SYNC_TURN = 240.0  # seconds that a call for a sync waits for its turn
_DAY = 86_400.0  # seconds; what "no limit" means
_MIN_FIRST_TOKEN_SECONDS = 60.0
_FIRST_TOKEN_SHARE = 0.2  # of the seconds of a whole reply


def check_chat_model(model: str) -> str:
    """Return the name if it can be called; only the first call shows whether the provider has that model.

    Raises:
        UnknownModelError: the name has no provider that is known.
    """
    if not is_provider_model(model, CHAT_PROVIDERS):
        suggestion = nearest(model.partition("/")[0], CHAT_PROVIDERS)
        meant = f" Did you mean `{suggestion}/{model.partition('/')[2] or 'MODEL'}`?" if suggestion else ""
        raise UnknownModelError(
            f"There is no chat model {model!r}.{meant} Chat models are provider/model, with a provider that litellm "
            "knows, such as openai/gpt-4o-mini or ollama/llama3.2:3b."
        )
    return model


def check_answer_model(model: str) -> str:
    """Return the name if it is a chat model or `builtin/extractive`.

    Raises:
        UnknownModelError: it is neither.
    """
    if model == EXTRACTIVE:
        return model
    suggestion = nearest(model, [EXTRACTIVE])
    if suggestion:
        raise UnknownModelError(f"There is no answer model {model!r}. Did you mean `{suggestion}`?")
    return check_chat_model(model)


def check_question_model(model: str) -> str:
    """Return the name if it is a chat model or `builtin/rules`.

    Raises:
        UnknownModelError: it is neither.
    """
    if model == RULES:
        return model
    suggestion = nearest(model, [RULES])
    if suggestion:
        raise UnknownModelError(f"There is no question model {model!r}. Did you mean `{suggestion}`?")
    return check_chat_model(model)


def load_chat_model(models: Sequence[str], settings: Settings, *, is_for_sync: bool = False) -> ChatModel:
    """Return the first model, with the others as fallbacks; the same object for the same arguments.

    Args:
        models: names, the preferred one first; at least one.
        settings: the limits of time, and the bounds of concurrent and frequent calls.
        is_for_sync: whether nobody waits for the reply, so that it may wait longer for its turn and before retries.

    Raises:
        UnknownModelError: a name has no provider that is known.
    """
    return _load(tuple(map(check_chat_model, models)), settings, is_for_sync)


def load_pass_through(models: Sequence[str], settings: Settings) -> "PassThrough":
    """Return the first model, with the others as fallbacks, for requests that are passed on as they are.

    Args:
        models: names, the preferred one first; at least one.
        settings: the limits of time, and the bounds of concurrent and frequent calls.

    Raises:
        UnknownModelError: a name has no provider that is known.
    """
    from headwater.models_gateway.pass_through import PassThrough

    for model in models:
        check_chat_model(model)
    return PassThrough(models, limits=_limits(settings), bounds=_bounds(models, settings))


@cache
def _load(models: tuple[str, ...], settings: Settings, is_for_sync: bool) -> ChatModel:
    from headwater.models_gateway.remote_chat import RemoteChatModel

    limits = _limits(settings)
    if is_for_sync:
        limits = replace(limits, turn=_SYNC_TURN, retry=SYNC.longest_wait, attempts=SYNC.attempts, task=limits.whole)
    return RemoteChatModel(models, limits=limits, bounds=_bounds(models, settings))


def _limits(settings: Settings) -> "Limits":
    from headwater.models_gateway.reply_reader import Limits

    seconds = settings.model_time_limit or _DAY
    return Limits(first_token=min(seconds, max(_MIN_FIRST_TOKEN_SECONDS, seconds * _FIRST_TOKEN_SHARE)), whole=seconds)


def _bounds(models: Sequence[str], settings: Settings) -> "list[CallBounds]":
    from headwater.models_gateway.call_limits import bounds_of

    return [bounds_of(model, settings.model_concurrency, settings.model_requests_per_minute) for model in models]
