"""Calling models through litellm: with retries, and with errors that say what to do.

Belongs here: loading litellm, retrying, telling failures apart, prices and limits. Not here: the requests
themselves (`remote`). Guarantee: litellm downloads, logs and shows nothing; no message repeats a key.
"""

import logging
import random
import re
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from headwater.errors import ModelUnavailableError
from headwater.settings import hide_secrets, prepare_litellm

Result = TypeVar("Result")

_FIRST_WAIT = 0.5  # seconds; doubled each time
_WORDS = 300  # characters of a server's message that are repeated
_WARNINGS = ("Items? '.* using the `ReadOnly` qualifier", "Pydantic serializer warnings")
"""Warnings of pydantic about litellm's own types, at first use and for unusual responses."""
_NOT_SET_UP = re.compile(r"api[ _]?(?:key|base)|credential", re.IGNORECASE)
_TOO_LONG = re.compile(r"context length|context window|too (?:long|large|many tokens)", re.IGNORECASE)
_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long to retry a model that does not answer; times in seconds."""

    attempts: int
    timeout: float
    """The timeout of one attempt."""
    longest_wait: float
    """The longest wait between attempts; if the server asks for more, the call fails at once."""


QUESTION = Patience(attempts=2, timeout=15, longest_wait=2)
"""For a person who waits for the answer."""
SYNC = Patience(attempts=6, timeout=60, longest_wait=60)
"""For a sync: waiting out half a minute of outage pays off, because the next sync may be a day away."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failure:
    """Why a call failed, and whether a retry may succeed; `wait` is what the server asks for, in seconds."""

    reason: str
    is_passing: bool = False
    wait: float = 0.0


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
    litellm.DEFAULT_MAX_RETRIES = 0  # `max_retries=0` would count as not given
    litellm.request_timeout = SYNC.timeout  # for providers that ignore a call's own timeout
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # failures are raised, and reported without keys
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log a line per request
    module: ModuleType = litellm
    return module


def call(model: str, patience: Patience, request: Callable[[ModuleType, float], Result]) -> Result:
    """Call a model; temporary failures (an outage, too many requests) are retried with increasing waits.

    Args:
        model: its full name, for messages.
        patience: how often, and how long.
        request: makes the call, given litellm and a timeout in seconds.

    Raises:
        ModelUnavailableError: the call failed; the message names the model and says what to do.
    """
    litellm = load_litellm()
    for attempt in range(1, patience.attempts + 1):
        try:
            return request(litellm, patience.timeout)
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, it is the model that failed
            failure = _failure(model, error, patience)
        wait = max(failure.wait, _FIRST_WAIT * 2 ** (attempt - 1) * random.uniform(0.5, 1))  # noqa: S311 - jitter
        if not failure.is_passing or wait > patience.longest_wait or attempt == patience.attempts:
            break
        time.sleep(wait)
    # Not chained to litellm's error, which may contain a key.
    raise ModelUnavailableError(f"The model {model} cannot be used: {failure.reason}")


def price_per_token(model: str) -> float | None:
    """US dollars per token of input, from litellm's list; None if it is not there."""
    price = _listed(model).get("input_cost_per_token")
    return None if price is None else float(price)


def token_limit(model: str) -> int | None:
    """The most tokens of one text, from litellm's list; None if it is not there."""
    limit = _listed(model).get("max_input_tokens")
    return int(limit) if limit else None


def _listed(model: str) -> Mapping[str, Any]:
    """The data of litellm on a model. Its own functions for this ask Ollama and Hugging Face over the network."""
    provider, _, name = model.partition("/")
    models = load_litellm().model_cost
    found: Mapping[str, Any] = models.get(model) or models.get(name) or {}
    return found if str(found.get("litellm_provider", "")).startswith(provider) else {}


def _failure(model: str, error: Exception, patience: Patience) -> _Failure:
    status = getattr(error, "status_code", None)
    headers = getattr(error, "litellm_response_headers", None)
    words = _words(error)
    provider = model.partition("/")[0]
    if headers is None and _NOT_SET_UP.search(words):
        return _Failure(
            reason=f"{provider} is not set up. Set {provider.upper()}_API_KEY (or {provider.upper()}_API_BASE, if you "
            "run the server yourself) in the environment of this command and of `headwater up`, and start both again."
        )
    if isinstance(error, ImportError):
        return _Failure(reason=f"a package that litellm needs for {provider} is not installed. ({words})")
    if status in (401, 403):
        return _Failure(reason=f"the server refused the key. Check {provider.upper()}_API_KEY, and restart. ({words})")
    if status == 404:
        return _Failure(
            reason=f"the server does not have this model. Check its name and the server's address. ({words})"
        )
    if status == 413 or re.search(
        r"context length|context window|too (?:long|large|many tokens)", words, re.IGNORECASE
    ):
        return _Failure(reason=f"a text is too long for it. Lower chunk_max, or choose another model. ({words})")
    if status == 429 and "insufficient_quota" in words:
        return _Failure(reason=f"the quota is exhausted. Raise it with {provider}, then sync again. ({words})")
    if status in (408, 504) or "timed out" in words.lower():
        return _Failure(reason=f"no answer within {patience.timeout:g} seconds. Try again later.", is_passing=True)
    if status == 429 or (isinstance(status, int) and status >= 500):
        wait = _retry_after(headers or {})
        trouble = "received too many requests" if status == 429 else "does not answer"
        asked = f", and asks to wait {wait:g} seconds" if wait else ""
        reason = f"the server {trouble}{asked}. Check that it is up, or try again later. ({words})"
        return _Failure(reason=reason, is_passing=True, wait=wait)
    return _Failure(reason=f"the request was refused. ({words})")


def _words(error: Exception) -> str:
    """The server's message, without the names of litellm's classes and without keys."""
    said = str(error).partition("Traceback (most recent call last)")[0]  # litellm includes its own in messages
    text = " ".join(hide_secrets(said or type(error).__name__).split())
    text = re.sub(r"^(?:litellm\.\w+: )?(?:\w+Error: )?(?:\w+Exception - )?", "", text)
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a server asks to wait, given as a number or as a time; 0 if it gives none."""
    value = str(headers.get("retry-after") or "").strip()
    with suppress(ValueError):
        return max(float(value), 0.0)
    try:
        return max((parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):  # not a date, or one without a zone
        return 0.0
