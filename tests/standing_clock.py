"""A clock for time limits that goes on only while a test's own code hangs.

Belongs here: that clock. Not here: what hangs. Guarantee: what a busy machine needs for everything else counts as no
time, so a limit is exceeded by what hangs, and by nothing else.
"""

import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest

_STEP = 0.05  # seconds


class StandingClock:
    """The clock of `headwater.syncing.interruption`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = 0.0
        self._lock = threading.Lock()
        monkeypatch.setattr("headwater.syncing.interruption.time", SimpleNamespace(monotonic=lambda: self._now))

    def hang(self, is_over: Callable[[float], bool] | None = None, *, seconds: float = 60.0) -> None:
        """Let time pass.

        Args:
            is_over: is called repeatedly with the seconds that it may wait, and ends this when it returns true.
            seconds: how much time passes at most.
        """
        wait = is_over or threading.Event().wait
        end = self._now + seconds
        while self._now < end and not wait(_STEP):
            with self._lock:
                self._now += _STEP
