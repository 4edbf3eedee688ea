"""What happens when a model fails.

Belongs here: what an error means, when the call is repeated, what is noted for the health check, the error of a whole
chain, and the code of an answer that the model did not write. Not here: making calls (`litellm_client`, `remote_chat`),
the words of the quote in its place (`answering.stand_in`). Guarantee: no reason repeats a key, and a server's message
is shortened.

    a call fails in a way that passes    it is made again, as `RetryPolicy` or the limits of the reply say
    it fails for good                    the next model of the chain is called; after the last, `chain_error`
    a reply breaks off in front of       nothing is asked again: `break_error`
    a reader
    then, of one of `MODEL_ERRORS`:
      an answer                          shows the best quote instead, marked with `find_degradation`
      a question is read                 by rules alone (`answering.question_model`)
      a search                           goes on without concepts, or with the lexical reranker (`retrieval`)
      a stage of a sync                  fails, and with it what builds on it (`syncing.stage_failures`)
      a reply of no use in a sync        is replaced, and counted (`syncing.stage_failures`)
"""

import random
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from headwater.domain.answers import Degraded
from headwater.errors import GenerationFailedError, HeadwaterError, ModelUnavailableError, RateLimitedError
from headwater.models_gateway import outcomes
from headwater.settings import hide_secrets

MODEL_ERRORS = (ModelUnavailableError, RateLimitedError, GenerationFailedError)
"""What calling a chat model may raise; callers that can do without the model catch these."""
TEXT_TOO_LONG = "a text is too long for it. Lower chunk_max, or choose another model."
QUESTION_TOO_LONG = (
    "the question and its passages are too long for it. Lower `context_tokens` or `answer_tokens`, or choose a model "
    "with a longer context."
)
_FIRST_WAIT = 0.5  # seconds; doubled each time
_WORDS = 300  # characters of a server's message that are repeated
_NOT_SET_UP = re.compile(r"api[ _]?(?:key|base)|credential", re.IGNORECASE)
_TOO_LONG = re.compile(r"context length|context window|too (?:long|large|many tokens)", re.IGNORECASE)
_LITELLMS_OWN = re.compile(r"Traceback \(most recent call last\)|Original exception:", re.IGNORECASE)
"""Where the server's message ends, and litellm repeats it or adds its own stack."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Why a call failed, and whether a retry may succeed."""

    reason: str
    """A clause and what to do: it follows the model's name and a colon."""
    kind: Literal["unavailable", "rate limited", "unusable"] = "unavailable"
    """`unusable`: the model replied, but its reply is empty or withheld."""
    is_passing: bool = False
    wait: float = 0.0
    """Seconds that the server asks to wait."""
    is_slow: bool = False
    """Whether the server may well be up, but no reply came in time."""
    is_too_long: bool = False
    """Whether the request was too long: that says nothing about the server."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How long to retry a model that does not answer; times in seconds."""

    attempts: int
    timeout: float
    """The timeout of one attempt."""
    longest_wait: float
    """The longest wait between attempts; if the server asks for more, the call fails at once."""
    limited_attempts: int = 0
    """Attempts, if more, of a sync whose requests a server refuses as too many without saying for how long."""


QUESTION = RetryPolicy(attempts=2, timeout=15, longest_wait=2)
"""For a person who waits for the answer."""
SYNC = RetryPolicy(attempts=6, timeout=60, longest_wait=60, limited_attempts=9)
"""For a sync: waiting out half a minute of outage pays off, because the next sync may be a day away. Providers count
requests by the minute: 9 attempts wait longer than one."""

CUT = Failure(reason="the server ended the stream before the reply was complete. Try again.", is_passing=True)
EMPTY = Failure(
    reason="its reply was empty. Ask in other words, or choose another model.", kind="unusable", is_passing=True
)
WITHHELD = Failure(reason="the provider's content filter withheld the reply. Choose another model.", kind="unusable")


def is_worth_retry(attempt: int, failure: Failure, wait: float, *, attempts: int, longest_wait: float) -> bool:
    """Whether a call is made again after `wait` seconds.

    Args:
        attempt: how many there were.
        failure: of the last one.
        wait: as `wait_before_retry` gives it.
        attempts: how many there may be.
        longest_wait: seconds.
    """
    return failure.is_passing and wait <= longest_wait and attempt < attempts


def wait_before_retry(attempt: int, failure: Failure) -> float:
    """Seconds until the next attempt: doubled each time, with jitter, and at least what the server asks for."""
    wait: float = _FIRST_WAIT * 2 ** (attempt - 1) * random.uniform(0.5, 1)  # noqa: S311 - jitter
    return max(failure.wait, wait)


def note_failure(model: str, failure: Failure) -> None:
    """Note a failed call for the health check, unless the request or the reply was at fault and not the server."""
    if failure.kind != "unusable" and not failure.is_too_long:
        outcomes.note(model, failure.reason)


def unusable_error(model: str, failure: Failure) -> ModelUnavailableError:
    """The error of a model that failed for good."""
    return ModelUnavailableError(f"The model {model} cannot be used: {failure.reason}")


def break_error(model: str, failure: Failure, length: int | None = None) -> GenerationFailedError:
    """The error of a reply that broke off when its reader had seen some of it.

    Args:
        model: its name.
        failure: why.
        length: how many characters had come, if it is known.
    """
    place = "" if length is None else f" after {length} characters"
    return GenerationFailedError(f"The model {model} broke off its reply{place}: {failure.reason}")


def chain_error(failures: Sequence[tuple[str, Failure]]) -> HeadwaterError:
    """The error of a chain of which no model replied."""
    kinds = {failure.kind for _, failure in failures}
    if len(failures) == 1:
        text = str(unusable_error(*failures[0]))
    else:
        reasons = " ".join(f"{model}: {failure.reason}" for model, failure in failures)
        text = f"None of {len(failures)} models can be used. {reasons}"
    if "rate limited" in kinds:
        waits = [failure.wait for _, failure in failures if failure.wait]
        return RateLimitedError(text, retry_after=min(waits, default=None))
    if "unusable" in kinds:
        return GenerationFailedError(text)
    unavailable = ModelUnavailableError(text)
    unavailable.is_slow = any(failure.is_slow for _, failure in failures)
    return unavailable


def find_degradation(error: Exception) -> Degraded:
    """The code of an answer that the model should have written, by the error of the model."""
    if isinstance(error, GenerationFailedError):
        return "broke_off"
    is_slow = isinstance(error, ModelUnavailableError) and error.is_slow
    return "too_slow" if is_slow else "model_unavailable"


def explain_missing_key(variable: str) -> Failure:
    """Why a model whose key is missing cannot be called, and what to do."""
    return Failure(
        reason=f"{variable} is not set. Set it in the environment of this command and of `headwater up`, to any word "
        "if your own server needs no key, and start both again."
    )


def explain_crowd(error: Exception) -> Failure:
    """Why a call got no turn beside the others of this process."""
    return Failure(reason=f"{error} Try again soon.", kind="rate limited")


def explain_silence(seconds: float) -> Failure:
    """Why a reply that did not begin within a limit is given up."""
    return Failure(
        reason=f"it said nothing within {seconds:g} seconds. Check that its server is up and not overloaded, or raise "
        "HEADWATER_MODEL_TIME_LIMIT, of which it has a fifth for its first word.",
        is_slow=True,
    )


def explain_pause(seconds: float) -> Failure:
    """Why a reply that had begun and then stood still is given up."""
    return Failure(reason=f"it said nothing more for {seconds:g} seconds. Check that its server is up, and try again.")


def explain_slowness(seconds: float, *, is_task: bool) -> Failure:
    """Why a reply that takes too long as a whole is given up.

    Args:
        seconds: its limit.
        is_task: whether no setting raises the limit.
    """
    may_raise = "" if is_task else ", lower `answer_tokens`, or raise HEADWATER_MODEL_TIME_LIMIT"
    return Failure(
        reason=f"the reply took longer than {seconds:g} seconds. Choose a faster model{may_raise}.", is_slow=True
    )


def failure_of(model: str, error: Exception, *, waited: float, too_long: str) -> Failure:
    """Tell why a call failed.

    Args:
        model: its full name, for what to do.
        error: whatever litellm or a provider's code raised.
        waited: seconds, for a timeout.
        too_long: what to say and do if the server finds the text too long.
    """
    status = getattr(error, "status_code", None)
    headers = getattr(error, "litellm_response_headers", None)
    words = words_of(error)
    provider = model.partition("/")[0]
    if headers is None and _NOT_SET_UP.search(words):
        return Failure(
            reason=f"{provider} is not set up. Set {provider.upper()}_API_KEY (or {provider.upper()}_API_BASE, if you "
            "run the server yourself) in the environment of this command and of `headwater up`, and start both again."
        )
    if isinstance(error, ImportError):
        return Failure(reason=f"a package that litellm needs for {provider} is not installed. ({words})")
    if status in (401, 403):
        return Failure(reason=f"the server refused the key. Check {provider.upper()}_API_KEY, and restart. ({words})")
    if status == 404:
        return Failure(
            reason=f"the server does not have this model. Check its name and the server's address. ({words})"
        )
    if status == 413 or _TOO_LONG.search(words):
        return Failure(reason=f"{too_long} ({words})", is_too_long=True)
    if status == 429 and "insufficient_quota" in words:
        return Failure(reason=f"the quota is exhausted. Raise it with {provider}, then try again. ({words})")
    if status in (408, 504) or "timed out" in words.lower():
        return Failure(reason=f"no answer within {waited:g} seconds. Try again later.", is_passing=True, is_slow=True)
    if status == 429 or (isinstance(status, int) and status >= 500):
        return _busy(status == 429, _retry_after(headers or {}), words)
    return Failure(reason=f"the request was refused. ({words})")


def explain_break(error: Exception) -> Failure:
    """Tell why a reply that had begun well broke off."""
    reason = f"the server failed, or the connection to it broke. Try again. ({words_of(error)})"
    return Failure(reason=reason, is_passing=True)


def _busy(is_rate_limit: bool, wait: float, words: str) -> Failure:
    wait_text = f", and asks to wait {wait:g} seconds" if wait else ""
    if is_rate_limit:
        reason = (
            f"the server received too many requests{wait_text}. Try again later, or raise your limit there. ({words})"
        )
        return Failure(kind="rate limited", reason=reason, is_passing=True, wait=wait)
    reason = f"the server does not answer{wait_text}. Check that it is up, or try again later. ({words})"
    return Failure(reason=reason, is_passing=True, wait=wait)


def words_of(error: Exception) -> str:
    """The server's message, shortened, without the names of litellm's classes and without keys."""
    message = _LITELLMS_OWN.split(str(error))[0]
    text = " ".join(hide_secrets(message or type(error).__name__).split())
    text = re.sub(r"^(?:litellm\.\w+: )*(?:\w+Error: )*(?:\w+Exception - )?", "", text)
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
