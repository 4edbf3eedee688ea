"""Results that many readers want at the same time, each computed once.

Belongs here: sharing. Not here: what is computed, and who may read it (`answer_access`). Guarantee: a thousand readers
of one answer cost one look at its rights a second; a result is never older than its reader accepts; after an error
nobody tries again for a second.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_KEPT_SECONDS = 5.0  # after the last use
_FAILED_SECONDS = 1.0  # a database that does not answer costs each look seconds
_T = TypeVar("_T")


class SharedResults:
    """The results of a process."""

    def __init__(self) -> None:
        self._results: dict[Hashable, _Result] = {}
        self._lock = threading.Lock()
        self._cleared = time.monotonic()

    def get(self, key: Hashable, compute: Callable[[], _T], *, since: float) -> _T:
        """A result that somebody began to compute at a time or later, by the process's clock; else computes it.

        Of several threads one computes, and the others wait for it; what `compute` raises, they get, too.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._cleared > _KEPT_SECONDS:
                self._cleared = now
                self._results = {name: result for name, result in self._results.items() if result.is_needed(now)}
            result = self._results.setdefault(key, _Result())
            result.used = now
        with result.lock:
            if not result.serves(now, since):
                result.renew(compute)
            if result.error is not None:
                raise result.error.with_traceback(None)  # else the traceback would grow with each reader
            value: _T = result.value
            return value


class _Result:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.began = self.failed = float("-inf")
        self.used = 0.0
        self.value: Any = None
        self.error: Exception | None = None

    def serves(self, asked: float, since: float) -> bool:
        """Whether it is new enough, or an error that somebody has just got; at a time."""
        return self.began >= since if self.error is None else self.failed >= asked - _FAILED_SECONDS

    def renew(self, compute: Callable[[], Any]) -> None:
        """Compute it again."""
        began = time.monotonic()
        try:
            self.value, self.error = compute(), None
            self.began = began
        except Exception as error:  # noqa: BLE001 - `get` raises it
            self.error, self.failed = error, time.monotonic()

    def is_needed(self, now: float) -> bool:
        return now - self.used < _KEPT_SECONDS or self.lock.locked()
