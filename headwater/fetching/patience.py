"""How long one sync waits for servers that accept no more requests for now.

Belongs here: the time that a sync may wait in all, and the error when that is over. Not here: when a server asks to
wait (`politeness`; GitHub's own way, `sources.github.wait_allowance`), waiting itself (the sync). Guarantee: it waits
at least as long as the server says, or not at all.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from headwater.errors import FetchError

MAX_WAIT_SECONDS = 900.0
"""Seconds that one sync waits in all; a sync that would have to wait longer ends, and the next one goes on."""


class LimitReachedError(FetchError):
    """The server accepts no more requests for longer than a sync waits."""


@dataclass(kw_only=True)
class Patience:
    """How long a sync may still wait, in seconds, and what waits."""

    pause: Callable[[float, str], None]
    left: float = MAX_WAIT_SECONDS

    @classmethod
    def of(cls, pause: Callable[[float, str], None], time_limit: float) -> "Patience":
        """That of a sync which may take so many seconds, 0 for any: it waits for at most half of them."""
        return cls(pause=pause, left=min(MAX_WAIT_SECONDS, time_limit / 2) if time_limit else MAX_WAIT_SECONDS)

    def wait(self, seconds: float, host: str, *, reason: str = "") -> None:
        """Wait as a server says, or for a reason of its own.

        Raises:
            LimitReachedError: it is longer than what is left.
        """
        if seconds > self.left:
            raise LimitReachedError(
                f"{host} accepts no more requests for {_words(seconds)}, which is longer than a sync waits"
                f" ({_words(MAX_WAIT_SECONDS)} in all). What was read is kept, and the next sync goes on from there."
            )
        self.left -= seconds
        self.pause(seconds, reason or f"{host} accepts no more requests until then")


def _words(seconds: float) -> str:
    if math.isinf(seconds):
        return "a very long time"
    return f"{seconds:.0f} s" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
