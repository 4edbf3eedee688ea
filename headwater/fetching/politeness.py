"""Waiting, so that servers are not burdened.

Belongs here: the delay between requests to a host, and how long to wait before a request is repeated. Not here:
requests (`http_client`). Guarantee: no wait is longer than its bound, whatever a server asks for.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from headwater.fetching.patience import Patience

BUSY = (429, 503)
_FAILING = (500, 502, 504)
BUSY_OR_FAILING = (*BUSY, *_FAILING)
"""For services: they, or gateways before them, answer these while something behind them is away for a moment. The
pages of a website may fail for ever."""
_PAUSES = (0.5, 2.0)  # seconds before the second and the third try
_FAILURE_PAUSES = (1.0, 4.0, 16.0)  # seconds before a request is repeated that a server failed to answer
_MAX_FAILURES = 20  # repeats of such requests in one sync: each document of a server may fail for ever
_MAX_WAIT_SECONDS = 60.0  # seconds, without a patience; a server that asks for more is left alone until the next sync


@dataclass(kw_only=True)
class Politeness:
    """When the next request may be sent."""

    delay: float = 0.0
    """Seconds between two requests to one host."""
    busy: tuple[int, ...] = BUSY
    """Statuses after which a request is repeated."""
    patience: Patience | None = None
    """That of the sync, which then waits as long as a server says."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _failures: int = field(default=0, repr=False)
    _ended: dict[str, float] = field(default_factory=dict, repr=False)

    def wait_for(self, host: str) -> float:
        """Wait until a request to a host may be sent; returns the seconds."""
        ended = self._ended.get(host)
        pause = 0.0 if ended is None else max(ended + self.delay - self.clock(), 0.0)
        self._wait(pause)
        return pause

    def note(self, host: str) -> None:
        """Note that a request to a host has ended."""
        self._ended[host] = self.clock()

    def wait_after(self, status: int, attempt: int, host: str, retry_after: str) -> bool:
        """Wait before a request is repeated, if a status asks for it; the arguments are those of `wait_before_retry`.

        Raises:
            LimitReachedError: the server asks for longer than the sync waits.
        """
        if status not in self.busy:
            return False
        if status in _FAILING and self.patience is not None:
            return self._wait_after_failure(attempt, host, self.patience)
        return self.wait_before_retry(attempt, host, retry_after)

    def wait_before_retry(self, attempt: int, host: str = "", retry_after: str = "") -> bool:
        """Wait before a request is repeated.

        Args:
            attempt: how many tries there were.
            host: the host that said when to repeat it.
            retry_after: the header of that name, if the server sent one.

        Returns:
            Whether to repeat it; if not, nothing was waited for.

        Raises:
            LimitReachedError: the server asks for longer than the sync waits.
        """
        seconds = read_retry_after(retry_after)
        if seconds and self.patience is not None:
            self.patience.wait(max(seconds, _PAUSES[0]), host)
            return True
        if attempt > len(_PAUSES):
            return False
        pause = max(seconds, _PAUSES[attempt - 1])
        if pause > _MAX_WAIT_SECONDS:
            return False
        self._wait(pause)
        return True

    def _wait_after_failure(self, attempt: int, host: str, patience: Patience) -> bool:
        """Wait longer each time; False if it is too often, or longer than the sync waits."""
        pause = _FAILURE_PAUSES[attempt - 1] if attempt <= len(_FAILURE_PAUSES) else math.inf
        if pause > patience.left or self._failures == _MAX_FAILURES:
            return False
        self._failures += 1
        patience.wait(pause, host, reason=f"{host} could not answer, and is asked again then")
        return True

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.sleep(seconds)


def read_retry_after(retry_after: str) -> float:
    """How long a server asks to wait, given as seconds or as a date; 0 if it cannot be read."""
    text = retry_after.strip()
    if text.isdecimal() and text.isascii():
        return float(text) if len(text) < 10 else math.inf
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    zoned_moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max((zoned_moment - datetime.now(UTC)).total_seconds(), 0.0)
