"""Server-sent events: the form of a stream, and how long it stays open.

Belongs here: writing events, keeping a quiet stream alive, the limits of streams. Not here: which events there are
(beside their routes, such as `routes.sync_events`). Guarantee: streams leave threads for everyone else; a stream that
its client left ends at the next thing it writes, and frees its place.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from flask import Response

_KEEP_ALIVE = 15.0  # seconds of silence that a proxy may not stand
_LONGEST = 3600.0  # seconds; the client connects again
_RETRY = 2000  # milliseconds after which it does


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """What a client is told; `data` is one line."""

    name: str
    data: str

    def __str__(self) -> str:
        return f"event: {self.name}\ndata: {self.data}\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """What a person reads who follows a stream by eye; clients skip it."""

    text: str

    def __str__(self) -> str:
        return f": {self.text}\n\n"


class Streams:
    """The streams of one kind: as many stay open as there are places, each in a thread of the server."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Say how many may stay open, and by which clock of seconds."""
        self._places = threading.BoundedSemaphore(places)
        self._clock = clock

    def respond(self, steps: Iterable[Event | Comment | None]) -> Response:
        """Stream steps until they end, or for an hour.

        While too many streams are open, a further one ends with its first event, so its client asks again soon.

        Args:
            steps: what to tell; None is nothing new. Some step must come every few seconds, since only then is a stream
                kept alive, or seen to have been left.
        """
        response = Response(self._lines(steps), mimetype="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"  # a proxy in front must not collect them
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
