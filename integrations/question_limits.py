"""How often a person, or everyone in a channel, may ask.

Belongs here: counting within this process. Not here: the API's own limits. Guarantee: whoever keeps to the limit is
never refused; a restart forgets the counts.
"""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

PER_USER = 5
"""Questions of one person within a minute."""
PER_CHANNEL = 20
"""Questions in one channel within a minute."""
_WINDOW = 60.0  # seconds
_MAX_NAMES = 10_000  # then those without a recent question are forgotten


class Limits:
    """The questions of the last minute."""

    def __init__(
        self,
        *,
        per_user: int = PER_USER,
        per_channel: int = PER_CHANNEL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the limits; `clock` is in seconds."""
        self._most = {"user": per_user, "channel": per_channel}
        self._clock = clock
        self._asked: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def ask(self, user: str, channel: str) -> float:
        """Count a question; returns 0, or in how many seconds it may be asked, and then it is not counted."""
        with self._lock:
            now = self._clock()
            if len(self._asked) > _MAX_NAMES:
                self._forget(now)
            names = (("user", user), ("channel", channel))
            waits = [self._wait(name, now) for name in names]
            if not any(waits):
                for name in names:
                    self._asked[name].append(now)
            return max(waits)

    def _wait(self, name: tuple[str, str], now: float) -> float:
        times = self._asked[name]
        while times and times[0] <= now - _WINDOW:
            times.popleft()
        return times[0] + _WINDOW - now if len(times) >= self._most[name[0]] else 0.0

    def _forget(self, now: float) -> None:
        for name in [name for name, times in self._asked.items() if not times or times[-1] <= now - _WINDOW]:
            del self._asked[name]
