"""Results that many readers want at the same time, each computed once.

Belongs here: sharing. Not here: what is computed, and who may read it (`answer_access`). Guarantee: a thousand readers
of one answer cost one look at its rights a second; a result is never older than its reader accepts.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_KEPT_SECONDS = 5.0  # after the last use
_T = TypeVar("_T")


class SharedResults:
    """The results of a process."""

    def __init__(self) -> None:
        self._results: dict[Hashable, _Result] = {}
        self._lock = threading.Lock()
        self._cleared = time.monotonic()

    def get(self, key: Hashable, compute: Callable[[], _T], *, since: float) -> _T:
        """A result that somebody began to compute at a time or later, by the process's clock; else computes it.

        Of several threads one computes, and the others wait for it. What `compute` raises is not kept.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._cleared > _KEPT_SECONDS:
                self._cleared = now
                self._results = {name: result for name, result in self._results.items() if result.is_needed(now)}
            result = self._results.setdefault(key, _Result())
            result.used = now
        with result.lock:
            if result.began < since:
                began = time.monotonic()
                result.value = compute()
                result.began = began
            value: _T = result.value
            return value


class _Result:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.began = float("-inf")
        self.used = 0.0
        self.value: Any = None

    def is_needed(self, now: float) -> bool:
        return now - self.used < _KEPT_SECONDS or self.lock.locked()
