"""Server-sent events: the format of a stream, and how long it stays open.

Belongs here: writing events, keeping a quiet stream alive, the limits of streams. Not here: the events themselves
(next to their routes, such as `routes.sync_events`). Guarantee: streams leave threads for other requests; a stream
whose client has gone ends when it next writes, and frees its place.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from flask import Response

_KEEP_ALIVE = 15.0  # seconds of silence; a proxy may close a longer one
_LONGEST = 3600.0  # seconds; then the client reconnects
_RETRY = 2000  # milliseconds until it does


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A message to the client; `data` is one line."""

    name: str
    data: str

    def __str__(self) -> str:
        return f"event: {self.name}\ndata: {self.data}\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A line for a person who reads the raw stream; clients ignore it."""

    text: str

    def __str__(self) -> str:
        return f": {self.text}\n\n"


class Streams:
    """The streams of one kind; a limited number stays open, each in a thread of the server."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Set how many may stay open, and the clock in seconds."""
        self._places = threading.BoundedSemaphore(places)
        self._clock = clock

    def respond(self, steps: Iterable[Event | Comment | None]) -> Response:
        """Stream steps until they end, or for an hour.

        If too many streams are open, a further one ends after its first event, so its client reconnects soon.

        Args:
            steps: what to send; None means nothing new. There must be a step every few seconds, because only then is a
                stream kept alive, or a lost client noticed.
        """
        response = Response(self._lines(steps), mimetype="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"  # a proxy in front must not buffer them
        return response

    def _lines(self, steps: Iterable[Event | Comment | None]) -> Iterator[str]:
        yield f"retry: {_RETRY}\n\n"
        stays = self._places.acquire(blocking=False)
        try:
            for line in self._written(steps):
                yield line
                if not stays:
                    return
        finally:
            if stays:
                self._places.release()

    def _written(self, steps: Iterable[Event | Comment | None]) -> Iterator[str]:
        started = said = self._clock()
        for step in steps:
            now = self._clock()
            if step is not None or now - said > _KEEP_ALIVE:
                said = now
                yield str(step or Comment(text="still here"))
            if now - started > _LONGEST:
                return
