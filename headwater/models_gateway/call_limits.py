"""How many calls of one model this process makes.

Belongs here: counting calls, and waiting for a turn. Not here: what a call is. Guarantee: a turn is given back when its
block ends, however it ends; nobody waits longer than told.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

_MINUTE = 60.0
_LOOK = 0.1  # seconds between two looks at whether anybody still waits


class NoTurnError(Exception):
    """No turn came in time; the message says which bound was reached."""


class CallBounds:
    """At most so many calls at the same time, and so many begun within a minute."""

    def __init__(self, *, concurrency: int, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Take both bounds; 0 means no bound."""
        self._concurrency = concurrency
        self._per_minute = per_minute
        self._clock = clock
        self._running = 0
        self._begun: deque[float] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, longest_wait: float, closed: threading.Event) -> Iterator[None]:
        """Wait for a turn, and hold it for the length of the block.

        Args:
            longest_wait: seconds.
            closed: ends the wait when it is set, within a tenth of a second.

        Raises:
            NoTurnError: no turn comes within that time, or nobody waits any more.
        """
        self._begin(longest_wait, closed)
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def _begin(self, longest_wait: float, closed: threading.Event) -> None:
        end = self._clock() + longest_wait
        with self._changed:
            while self._concurrency and self._running >= self._concurrency:
                seconds_left = end - self._clock()
                if seconds_left <= 0 or closed.is_set():
                    raise NoTurnError(
                        f"{self._concurrency} calls of it run already, as many as HEADWATER_MODEL_CONCURRENCY allows."
                    )
                self._changed.wait(min(seconds_left, _LOOK))
            wait = self._wait_for_minute()
            if wait and self._clock() + wait > end:
                raise NoTurnError(
                    f"{self._per_minute} calls of it began within a minute, as many as "
                    f"HEADWATER_MODEL_REQUESTS_PER_MINUTE allows. The next one may begin in {wait:.0f} seconds."
                )
            self._running += 1
            begins_at = self._clock() + wait
            if self._per_minute:
                self._begun.append(begins_at)
        if closed.wait(wait) and wait:  # it makes no call, so the next one may begin then
            with self._changed, suppress(ValueError):
                self._begun.remove(begins_at)

    def _wait_for_minute(self) -> float:
        """Seconds until one more call may begin; 0 without a bound."""
        if not self._per_minute:
            return 0.0
        now = self._clock()
        while self._begun and self._begun[0] <= now - _MINUTE:
            self._begun.popleft()
        if len(self._begun) < self._per_minute:
            return 0.0
        return self._begun[len(self._begun) - self._per_minute] + _MINUTE - now


@cache
def bounds_of(model: str, concurrency: int, per_minute: int) -> CallBounds:  # noqa: ARG001 - one object for each model
    """The bounds of one model, shared by everyone in this process who calls it."""
    return CallBounds(concurrency=concurrency, per_minute=per_minute)
