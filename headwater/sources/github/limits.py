"""Limits that GitHub sets on requests.

Belongs here: reading from an answer how long to wait, and how long a sync may wait in all. Not here: requests (`api`).
Guarantee: it waits at least as long as the server says, or not at all.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from headwater.errors import FetchError
from headwater.fetching.http_client import Response

LONGEST = 900.0
"""Seconds that one sync waits in all; a sync that would have to wait longer ends, and the next one goes on."""
_REFUSED = (403, 429)
_UNSAID = 60.0  # seconds if the server does not say how long, as its documentation asks
_LATEST = 4_000_000_000  # seconds since 1970


class LimitReachedError(FetchError):
    """The server accepts no more requests for longer than a sync waits."""


@dataclass(kw_only=True)
class Patience:
    """How long a sync may still wait, in seconds, and what waits."""

    pause: Callable[[float, str], None]
    left: float = LONGEST

    def wait(self, seconds: float, host: str) -> None:
        """Wait as a server says.

        Raises:
            LimitReachedError: it is longer than what is left.
        """
        if seconds > self.left:
            raise LimitReachedError(
                f"{host} accepts no more requests for {_words(seconds)}, which is longer than a sync waits"
                f" ({_words(LONGEST)} in all). What was read is kept, and the next sync goes on from there."
            )
        self.left -= seconds
        self.pause(seconds, f"{host} accepts no more requests until then")


def seconds_to_wait(response: Response, *, is_limited: bool = False) -> float | None:
    """How long to wait before a request is repeated; None if the answer is not about a limit.

    Args:
        response: the answer.
        is_limited: whether its content says that a limit is reached, as GraphQL does with status 200.
    """
    if response.status not in _REFUSED and not is_limited:
        return None
    headers = response.headers
    told = _number(headers.get("retry-after", ""))
    if told is not None:
        return max(told, 1.0)
    reset = _number(headers.get("x-ratelimit-reset", ""))
    if headers.get("x-ratelimit-remaining", "").strip() == "0" and reset is not None:
        return max(reset - _now(headers.get("date", "")), 0.0) + 1.0
    if response.status == _REFUSED[1] or is_limited or b"rate limit" in response.content.lower():
        return _UNSAID
    return None


def _now(date: str) -> float:
    """The server's time, because ours may differ."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return datetime.now(UTC).timestamp()


def _number(text: str) -> float | None:
    plain = text.strip()
    if not (plain.isascii() and plain.isdecimal()):
        return None
    return float(plain) if len(plain) < 12 and int(plain) < _LATEST else math.inf


def _words(seconds: float) -> str:
    if math.isinf(seconds):
        return "a very long time"
    return f"{seconds:.0f} s" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
