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

    def get(self, key: Hashable, compute: Callable[[], _T], *, since: float, error_seconds: float = 0.0) -> _T:
        """A result that somebody began to compute at a time or later, by the process's clock; else computes it.

        Of several threads one computes, and the others wait for it; what `compute` raises, they get, too.

        Args:
            key: the result's.
            compute: makes it.
            since: the oldest time that the reader accepts.
            error_seconds: how old an error may be. While a database does not answer, each look may take seconds.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._cleared > _KEPT_SECONDS:
                self._cleared = now
                self._results = {name: result for name, result in self._results.items() if result.is_needed(now)}
            result = self._results.setdefault(key, _Result())
            result.used = now
        with result.lock:
            if not result.serves(since, now - error_seconds):
                result.renew(compute)
            elif result.error is not None:
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

    def serves(self, since: float, failed_since: float) -> bool:
        """Whether it is new enough: a value by the time at which it was begun, an error by that of its end."""
        return self.began >= since if self.error is None else self.failed >= failed_since

    def renew(self, compute: Callable[[], Any]) -> None:
        """Compute it again; what `compute` raises is kept for other readers, too."""
        began = time.monotonic()
        try:
            self.value, self.error = compute(), None
            self.began = began
        except Exception as error:
            self.error, self.failed = error, time.monotonic()
            raise

    def is_needed(self, now: float) -> bool:
        return now - self.used < _KEPT_SECONDS or self.lock.locked()
