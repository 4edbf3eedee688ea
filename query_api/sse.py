"""Server-sent events: the format of a stream, and how long it stays open.

Belongs here: writing events, keeping a quiet stream alive, the limits of streams. Not here: the events themselves
(next to their routes, such as `routes.sync_events`), the loop that writes them (`server.stream_loop`). Guarantee: with
our server, a waiting stream has no thread, except those of pages; a stream whose client has gone ends when it next
writes, and frees its place.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

from flask import Response, request

from headwater.errors import RateLimitedError

MIME_TYPE = "text/event-stream"
LAST_SEEN = "Last-Event-Id"
"""The header of a client that reconnects."""
_KEEP_ALIVE = 4.0  # seconds of silence; clients count on a line every 5
_MAX_STREAM_SECONDS = 3600.0  # seconds; then the client reconnects
_RETRY = 2000  # milliseconds until it does
_FULL_FOR = 5  # seconds after which a refused client may try again
_FULL = "Too many answers are being streamed. Try again in a few seconds, or ask without a stream."
_POLL_INTERVAL = 0.02  # seconds, of a thread that waits


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


def _is_never_over() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is new: the reader of the steps waits so many seconds, or less if `is_over` says so."""

    seconds: float
    is_over: Callable[[], bool] = _is_never_over

    def wait(self) -> None:
        """Wait in this thread."""
        deadline = time.monotonic() + self.seconds
        while (seconds := deadline - time.monotonic()) > 0 and not self.is_over():
            time.sleep(min(_POLL_INTERVAL, seconds))


Step = ServerEvent | Comment | Pause | None
"""What a stream is made of; None means that nothing is new although its maker has waited."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What is left of a stream: its lines and pauses, and what to free at its end."""

    lines: Iterator[str | Pause]
    resources: ExitStack

    def close(self) -> None:
        """End it, whether it was read to its end or not; no other thread may be reading it."""
        with self.resources:
            self.lines.close()  # type: ignore[attr-defined]  # it is a generator


class _Later(Protocol):
    """Takes a stream over; the server's loop goes on with it when the response is ready."""

    def __call__(self, stream: Stream) -> None: ...


class Streams:
    """The streams of one kind, of which a limited number stays open."""

    def __init__(
        self, places: int, clock: Callable[[], float] = time.monotonic, within: "Streams | None" = None
    ) -> None:
        """Set how many may stay open, and the clock in seconds; `within` are streams whose places they take, too."""
        self._places = threading.BoundedSemaphore(places)
        self._within = within
        self._clock = clock

    def respond(self, steps: Iterable[Step]) -> Response:
        """Stream steps until they end, or for an hour.

        If too many streams are open, a further one ends after its first event, so its client reconnects soon.

        Args:
            steps: what to send. There must be a step every few seconds, because only then is a stream kept alive, or a
                lost client noticed.
        """
        return _response(self._lines(steps), ExitStack())

    def respond_or_refuse(
        self,
        begin: Callable[[], Iterable[Step]],
        *,
        reconnects: bool = True,
        on_end: Callable[[], object] | None = None,
    ) -> Response:
        """Stream the steps that `begin` returns, as `respond` does; begins nothing if too many streams are open.

        Args:
            begin: begins what is streamed.
            reconnects: whether clients are told when to reconnect; OpenAI's take that line for an event.
            on_end: called when the stream has ended, also if it could not begin.

        Raises:
            RateLimitedError: too many streams are open.
        """
        with self.place() as resources:  # given back once, also if the client leaves before the first step
            if on_end is not None:
                resources.callback(on_end)
            lines = self._write_steps(begin(), reconnects=reconnects)
            return _response(lines, resources.pop_all())

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

    def _lines(self, steps: Iterable[Step]) -> Iterator[str | Pause]:
        stays = self._places.acquire(blocking=False)
        try:
            for count, line in enumerate(self._write_steps(steps)):
                yield line
                if count and not stays:
                    return
        finally:
            if stays:
                self._places.release()

    def _write_steps(self, steps: Iterable[Step], *, reconnects: bool = True) -> Iterator[str | Pause]:
        if reconnects:
            yield f"retry: {_RETRY}\n\n"
        started = last_sent = self._clock()
        for step in steps:
            now = self._clock()
            is_quiet = step is None or isinstance(step, Pause)
            if not is_quiet or now - last_sent > _KEEP_ALIVE:
                last_sent = now
                yield str(Comment(text="ping") if is_quiet else step)
            if now - started > _MAX_STREAM_SECONDS:
                return
            if isinstance(step, Pause):
                yield step


ANSWERS = Streams(1_500)
"""The streams of answers, whatever their form. Beginning an answer is limited elsewhere, and reading one is cheap."""
VISITORS = Streams(1_000, within=ANSWERS)
"""Those of visitors of widgets: anybody may be one, so they leave places for others."""
RELAYS = Streams(24, within=ANSWERS)
"""Replies that are passed on from a model, streamed or whole: each has a thread and a request of its own."""
PAGES = Streams(16)
"""What open pages follow, each in a thread; a page without a place looks again every few seconds."""


def _response(lines: Iterator[str | Pause], resources: ExitStack) -> Response:
    later = getattr(request.environ.get("gunicorn.socket"), "stream_later", None) if request else None
    response = Response(_body(lines, resources, later), mimetype=MIME_TYPE)
    response.call_on_close(resources.close)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy in front must not buffer them
    return response


def _body(lines: Iterator[str | Pause], resources: ExitStack, later: _Later | None) -> Iterator[str]:
    """The lines until the first pause here, the others by the server's loop, if it is ours."""
    with resources:
        for line in lines:
            if not isinstance(line, Pause):
                yield line
            elif later is None:
                line.wait()
            else:
                yield ""  # the server sends the head before it
                later(Stream(lines, resources.pop_all()))
                return
