"""How the last call of each model ended, in this process.

Belongs here: noting it, and telling it to the health check. Not here: what a failure means (`model_failures`).
Guarantee: a note never fails and never waits; a request that was wrong in itself, such as a text that is too long, is
not noted.
"""

import time
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The end of a call; `problem` says why it failed and what to do, None if it worked."""

    noted_at: float
    """Seconds of the monotonic clock."""
    problem: str | None

    @property
    def age(self) -> float:
        """Seconds since then."""
        return time.monotonic() - self.noted_at


_last: dict[str, Outcome] = {}


def note(model: str, problem: str | None = None) -> None:
    """Note how a call of a model ended."""
    _last[model] = Outcome(noted_at=time.monotonic(), problem=problem)


def last_outcome(model: str) -> Outcome | None:
    """How the last call of a model ended; None before the first."""
    return _last.get(model)


def forget() -> None:
    """Forget every call, as in a new process."""
    _last.clear()
