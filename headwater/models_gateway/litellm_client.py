"""Calling models through litellm, with retries.

Belongs here: loading litellm, calling with retries, prices and limits. Not here: the requests themselves
(`remote_embedder`, `reply_reader`), what their errors mean and when to retry (`model_failures`). Guarantee: litellm
downloads, logs and shows nothing.
"""

import logging
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from headwater.models_gateway import outcomes
from headwater.models_gateway.local_server import key_for_call
from headwater.models_gateway.model_failures import (
    SYNC,
    TEXT_TOO_LONG,
    Failure,
    RetryPolicy,
    failure_of,
    is_worth_retry,
    note_failure,
    unusable_error,
    wait_before_retry,
)
from headwater.settings import prepare_litellm

Result = TypeVar("Result")

_WARNINGS = ("Items? '.* using the `ReadOnly` qualifier", "Pydantic serializer warnings")
"""Warnings of pydantic about litellm's own types, at first use and for unusual responses."""
_loading = threading.Lock()


def load_litellm() -> ModuleType:
    """Import litellm once, which takes seconds, and make it quiet and leave retries to us."""
    with _loading:
        return _load()


@cache
def _load() -> ModuleType:
    prepare_litellm()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in litellm's own code
        import litellm
    for message in _WARNINGS:
        warnings.filterwarnings("ignore", message, UserWarning)
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    litellm.disable_streaming_logging = True  # else each chunk of a reply is logged by another thread
    litellm.disable_hf_tokenizer_download = True  # it counts tokens of a reply whose server does not
    litellm.utils.update_response_metadata = _no_metadata
    litellm.DEFAULT_MAX_RETRIES = 0  # `max_retries=0` would count as not given
    litellm.request_timeout = SYNC.timeout  # for providers that ignore a call's own timeout
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # failures are raised, and reported without keys
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log a line per request
    module: ModuleType = litellm
    return module


def _no_metadata(*_: Any, **__: Any) -> None:
    """Instead of litellm's price and duration of each reply, which nobody reads and which take 3 ms."""


def warm_up() -> None:
    """Load litellm, and what it would load at its first call; nothing is sent."""
    litellm = load_litellm()
    with suppress(Exception):  # a version in which this fails loads the rest at the first call
        question = [{"role": "user", "content": "-"}]
        list(litellm.completion(model="openai/-", messages=question, mock_response="-", stream=True))
        import openai

        _ = openai.OpenAI(api_key="-").chat.completions  # imports their types


def call(model: str, patience: RetryPolicy, request: Callable[[ModuleType, float], Result]) -> Result:
    """Call a model; temporary failures (an outage, too many requests) are retried with increasing waits.

    Args:
        model: its full name, for messages.
        patience: how often, and how long.
        request: makes the call, given litellm and a timeout in seconds.

    Raises:
        ModelUnavailableError: the call failed; the message names the model and says what to do.
    """
    for attempt in range(1, patience.attempts + 1):
        reply = attempt_call(model, patience.timeout, request)
        if not isinstance(reply, Failure):
            return reply
        failure = reply
        wait = wait_before_retry(attempt, failure)
        if not is_worth_retry(attempt, failure, wait, attempts=patience.attempts, longest_wait=patience.longest_wait):
            break
        time.sleep(wait)
    note_failure(model, failure)
    raise unusable_error(model, failure)  # not chained to litellm's error, which may contain a key


def attempt_call(model: str, timeout: float, request: Callable[[ModuleType, float], Result]) -> Result | Failure:
    """Call a model once; returns why the call failed, if it did.

    Args:
        model: its full name, for messages.
        timeout: seconds.
        request: makes the call, given litellm and the timeout.
    """
    litellm = load_litellm()
    try:
        reply = request(litellm, timeout)
    except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, it is the model that failed
        return failure_of(model, error, waited=timeout, too_long=TEXT_TOO_LONG)
    outcomes.note(model)
    return reply


def own_key(model: str) -> dict[str, str]:
    """The argument with the key of a model that our own server serves; litellm knows the keys of all others."""
    key = key_for_call(model)
    return {} if key is None else {"api_key": key}


def price_per_token(model: str) -> float | None:
    """US dollars per token of input, from litellm's list; None if it is not there."""
    price = _load_model_data(model).get("input_cost_per_token")
    return None if price is None else float(price)


def price_of_reply(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """US dollars of one reply of a chat model, from litellm's list; None if the model is not there."""
    listed = _load_model_data(model)
    prices = listed.get("input_cost_per_token"), listed.get("output_cost_per_token")
    if prices[0] is None or prices[1] is None:
        return None
    return float(prices[0]) * prompt_tokens + float(prices[1]) * completion_tokens


def token_limit(model: str) -> int | None:
    """The most tokens of one text, from litellm's list; None if it is not there."""
    limit = _load_model_data(model).get("max_input_tokens")
    return int(limit) if limit else None


def _load_model_data(model: str) -> Mapping[str, Any]:
    """The data of litellm on a model. Its own functions for this ask Ollama and Hugging Face over the network."""
    provider, _, name = model.partition("/")
    models = load_litellm().model_cost
    data: Mapping[str, Any] = models.get(model) or models.get(name) or {}
    return data if str(data.get("litellm_provider", "")).startswith(provider) else {}
