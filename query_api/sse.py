"""Server-sent events: the format of a stream, and how long it stays open.

Belongs here: writing events, keeping a quiet stream alive, the limits of streams. Not here: the events themselves
(next to their routes, such as `routes.sync_events`). Guarantee: streams leave threads for other requests; a stream
whose client has gone ends when it next writes, and frees its place.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from flask import Response

from headwater.errors import RateLimitedError

MIME_TYPE = "text/event-stream"
LAST_SEEN = "Last-Event-Id"
"""The header of a client that reconnects."""
_KEEP_ALIVE = 4.0  # seconds of silence; clients count on a line every 5
_MAX_STREAM_SECONDS = 3600.0  # seconds; then the client reconnects
_RETRY = 2000  # milliseconds until it does
_FULL_FOR = 5  # seconds after which a refused client may try again
_FULL = "Too many answers are being streamed. Try again in a few seconds, or ask without a stream."


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerEvent:
    """A message to the client; `data` is one line. A client that reconnects names the last `id` it saw.

    Without a name it is a line of data alone, as OpenAI's API sends it.
    """

    name: str
    data: str
    id: int | None = None

    def __str__(self) -> str:
        numbered = "" if self.id is None else f"id: {self.id}\n"
        event_line = f"event: {self.name}\n" if self.name else ""
        return f"{numbered}{event_line}data: {self.data}\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A line for a person who reads the raw stream; clients ignore it."""

    text: str

    def __str__(self) -> str:
        return f": {self.text}\n\n"


class Streams:
    """The streams of one kind; a limited number stays open, each in a thread of the server."""

    def __init__(
        self, places: int, clock: Callable[[], float] = time.monotonic, within: "Streams | None" = None
    ) -> None:
        """Set how many may stay open, and the clock in seconds; `within` are streams whose places they take, too."""
        self._places = threading.BoundedSemaphore(places)
        self._within = within
        self._clock = clock

    def respond(self, steps: Iterable[ServerEvent | Comment | None]) -> Response:
        """Stream steps until they end, or for an hour.

        If too many streams are open, a further one ends after its first event, so its client reconnects soon.

        Args:
            steps: what to send; None means nothing new. There must be a step every few seconds, because only then is a
                stream kept alive, or a lost client noticed.
        """
        return _response(self._lines(steps))

    def respond_or_refuse(
        self, begin: Callable[[], Iterable[ServerEvent | Comment | None]], *, reconnects: bool = True
    ) -> Response:
        """Stream the steps that `begin` returns, as `respond` does; begins nothing if too many streams are open.

        Args:
            begin: begins what is streamed.
            reconnects: whether clients are told when to reconnect; OpenAI's take that line for an event.

        Raises:
            RateLimitedError: too many streams are open.
        """
        free = self.place()  # given back once, whether the steps end or the client leaves before the first one
        try:
            response = _response(_free_afterwards(self._write_steps(begin(), reconnects=reconnects), free))
        except BaseException:
            free.close()
            raise
        response.call_on_close(free.close)
        return response

    def place(self) -> ExitStack:
        """Take a place, which is free again when the stack is closed.

        Raises:
            RateLimitedError: too many streams are open.
        """
        if not self._places.acquire(blocking=False):
            raise RateLimitedError(_FULL, retry_after=_FULL_FOR)
        free = ExitStack()
        free.callback(self._places.release)
        if self._within is not None:
            try:
                free.enter_context(self._within.place())
            except RateLimitedError:
                free.close()
                raise
        return free

    def _lines(self, steps: Iterable[ServerEvent | Comment | None]) -> Iterator[str]:
        stays = self._places.acquire(blocking=False)
        try:
            for count, line in enumerate(self._write_steps(steps)):
                yield line
                if count and not stays:
                    return
        finally:
            if stays:
                self._places.release()

    def _write_steps(self, steps: Iterable[ServerEvent | Comment | None], *, reconnects: bool = True) -> Iterator[str]:
        if reconnects:
            yield f"retry: {_RETRY}\n\n"
        started = last_sent = self._clock()
        for step in steps:
            now = self._clock()
            if step is not None or now - last_sent > _KEEP_ALIVE:
                last_sent = now
                yield str(step or Comment(text="ping"))
            if now - started > _MAX_STREAM_SECONDS:
                return


ANSWERS = Streams(24)
"""The streams of answers, whatever their form; replies that are passed on from a model take a place too."""
VISITORS = Streams(16, within=ANSWERS)
"""Those of visitors of widgets: anybody may be one, so they leave places for others."""
PAGES = Streams(16)
"""What open pages follow; a page without a place looks again every few seconds."""


def _free_afterwards(lines: Iterator[str], free: ExitStack) -> Iterator[str]:
    with free:
        yield from lines


def _response(lines: Iterator[str]) -> Response:
    response = Response(lines, mimetype=MIME_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy in front must not buffer them
    return response
