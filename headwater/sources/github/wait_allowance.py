"""Limits that GitHub sets on requests.

Belongs here: reading from an answer how long to wait. Not here: requests (`api`), how long a sync may wait in all
(`headwater.fetching.patience`). Guarantee: never less than the server says.
"""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from headwater.fetching.http_client import Response

_REFUSED = (403, 429)
_UNSAID = 60.0  # seconds if the server does not say how long, as its documentation asks
_LATEST = 4_000_000_000  # seconds since 1970


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
