"""Waiting for an API that is away or busy.

Belongs here: when to try again, and when to say something. Not here: what is tried. Guarantee: a wait ends at once when
the process stops; what went well resets the patience.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from integrations.errors import ApiProblemError, ApiUnreachableError, PlatformError, StoppedError

_FIRST = 0.5  # seconds
_MAX_PAUSE_SECONDS = 5.0  # seconds between two attempts at an API that is away
_MAX_RETRY_AFTER_SECONDS = 60.0  # seconds that a Retry-After is believed

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How long a bot waits, in seconds."""

    gives_up: float = 600.0
    """Then the question is answered with an error."""
    says_so: float = 3.0
    """Then people are told that it waits."""


@dataclass
class Waiter:
    """Repeats what fails for the moment, for one event.

    Args:
        patience: how long.
        stopping: set when the process ends.
        say: told once, when the API has been away for a while.
    """

    patience: RetryPolicy
    stopping: threading.Event
    say: Callable[[], None]
    _since: float | None = field(default=None, init=False)
    _pause: float = field(default=_FIRST, init=False)
    has_said: bool = field(default=False, init=False)
    """Whether people were told."""

    def run(self, action: Callable[[], T]) -> T:
        """Do something until it succeeds.

        Raises:
            ApiUnreachableError: the API stays away.
            ApiProblemError: it refuses for good, or for too long.
            PlatformError: the platform does.
            StoppedError: the process ends.
        """
        while True:
            if self.stopping.is_set():
                raise StoppedError
            try:
                result = action()
            except (ApiUnreachableError, ApiProblemError, PlatformError) as error:
                self._wait(error)
            else:
                self.reset()
                return result

    def reset(self) -> None:
        """Count from the beginning again."""
        self._since, self._pause = None, _FIRST

    def _wait(self, error: ApiUnreachableError | ApiProblemError | PlatformError) -> None:
        """Wait until the next attempt; raises the error if there is none."""
        is_away = isinstance(error, ApiUnreachableError)
        asked_for = error.retry_after
        is_passing = is_away or asked_for is not None or (isinstance(error, PlatformError) and error.is_passing)
        now = time.monotonic()
        self._since = self._since or now
        if not is_passing or now - self._since > self.patience.gives_up:
            raise error
        if is_away and not self.has_said and now - self._since >= self.patience.says_so:
            self.has_said = True
            self.say()
        pause = self._pause if asked_for is None else min(max(asked_for, 0.1), _MAX_RETRY_AFTER_SECONDS)
        self._pause = min(self._pause * 2, _MAX_PAUSE_SECONDS)
        self.stopping.wait(pause)
