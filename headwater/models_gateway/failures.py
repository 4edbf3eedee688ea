"""What an error of a model's server means, and what to do about it.

Belongs here: telling failures apart by their status and words. Not here: when to retry (`litellm_client`,
`remote_chat`). Guarantee: pure; no reason repeats a key, and a server's message is shortened.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from headwater.settings import hide_secrets

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
        return Failure(reason=f"{too_long} ({words})")
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
