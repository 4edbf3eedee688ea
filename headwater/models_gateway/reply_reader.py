"""Reading one reply of a chat model as it comes.

Belongs here: the thread that reads, handing what it reads to the one that uses it, deadlines, noticing that a stream
was cut. Not here: retries and fallbacks (`remote_chat`), why a reply is given up (`model_failures`). Guarantee: a
server that says nothing holds nobody longer than the limits; every text is handed over once, in order; a reply without
a reason to end is an error, whatever litellm makes of it (except Gemini's, whose every chunk litellm gives one).

litellm presents a stream that ends without a finish reason as complete, before 1.109 always and later for some
providers, but its stream object knows better. Where that object wraps the stream of OpenAI's client, the inner stream
is read, as the JSON that the server sent. A chunk takes 0.07 ms of processor time so, 0.17 as OpenAI's object, and 0.65
as litellm's. A model of 50 tokens a second would wake the thread of its answer 50 times, and that one the thread of
each reader: with 20 answers at once, they would leave the other threads too little of Python's one lock.
"""

import inspect
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx

from headwater.models_gateway.model_failures import (
    CUT,
    EMPTY,
    WITHHELD,
    Failure,
    explain_break,
    explain_pause,
    explain_silence,
    explain_slowness,
)

Item = TypeVar("Item")

PACE = 0.05
"""The least time in seconds between two takings: 20 a second look continuous to a person."""


class Handover(Generic[Item]):
    """What one thread puts and one other takes."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._changed = threading.Condition()
        self._is_awaited = False  # the other thread has nothing to do
        self._is_urgent = False
        self._next = 0.0  # when the next items may be taken, unless one is urgent

    def put(self, item: Item, *, is_urgent: bool = False) -> None:
        """Add an item; any thread may call this."""
        with self._changed:
            self._items.append(item)
            self._is_urgent = self._is_urgent or is_urgent
            if is_urgent or self._is_awaited:
                self._changed.notify()

    def take(self, patience: float) -> list[Item]:
        """Wait for items, and return all that are there; none if none comes in time.

        Args:
            patience: the longest wait in seconds.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_urgent, min(patience, self._next - time.monotonic()))
            self._is_awaited = True
            self._changed.wait_for(lambda: bool(self._items), patience)
            self._is_awaited = self._is_urgent = False
            self._next = time.monotonic() + PACE
            items, self._items = self._items, []
            return items


_THOUGHTS = ("reasoning_content", "reasoning")
_CUT_BY_LENGTH = ("length", "max_tokens")


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How long a chat model may take, in seconds."""

    connect: float = 5.0
    first_token: float = 60.0
    between_tokens: float = 30.0
    whole: float = 300.0
    """For the whole reply, with retries and fallbacks."""
    task: float = 30.0
    """For a small task, instead of `whole`, if somebody waits for the answer that comes after it."""
    is_task: bool = False
    """Whether the reply is for such a task, so that no setting raises the limit."""
    turn: float = 10.0
    """The longest wait for a turn, if too many calls of the model run."""
    retry: float = 5.0
    """The longest wait before a retry; if the server asks for more, the next model is called."""
    attempts: int = 2
    """Attempts of one model, if the first one fails in a way that passes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """The end of a complete reply; token counts are 0 if nobody counted."""

    is_cut: bool
    prompt_tokens: int
    completion_tokens: int


class ReplyFailedError(Exception):
    """The reply broke off, or is of no use."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class ReplyReader:
    """One request. A thread of its own reads, so that neither a deadline nor `close` waits for the server."""

    def __init__(self, open_stream: Callable[[], Any]) -> None:
        """Send the request.

        Args:
            open_stream: makes the request; returns litellm's stream of chunks.
        """
        self._open_stream = open_stream
        self._items: Handover[str | End | Exception | None] = Handover()
        self._stream: Any = None
        self._usage: Any = None
        self._finish_reason: str | None = None
        self._has_text = False
        self._is_closed = False
        self._lock = threading.Lock()  # of `_stream`: a connection that went back to its pool must not be closed
        threading.Thread(target=self._read, name="model-reply", daemon=True).start()

    def texts(self, limits: Limits, deadline: float) -> Iterator[str | End]:
        """Texts as they come, several tokens each, and the end; stops without an end once the reader is closed.

        Args:
            limits: for the first token and between tokens.
            deadline: of the whole reply, a time of `time.monotonic`.

        Raises:
            ReplyFailedError: a limit is reached, or the reply is cut, empty or withheld.
            Exception: whatever litellm raises.
        """
        allowed, slow = limits.first_token, explain_silence(limits.first_token)
        while True:
            seconds_left = deadline - time.monotonic()
            items = self._items.take(max(0.0, min(allowed, seconds_left)))
            if self._is_closed:
                return
            if not items:
                raise ReplyFailedError(
                    slow if allowed <= seconds_left else explain_slowness(limits.whole, is_task=limits.is_task)
                )
            allowed, slow = limits.between_tokens, explain_pause(limits.between_tokens)
            if text := "".join(item for item in items if isinstance(item, str)):
                yield text
            match items[-1]:
                case Exception() as error:
                    raise error
                case End() as end:
                    yield end
                    return

    def close(self) -> None:
        """End the request; any thread may call this, also while another one waits in `texts`."""
        self._is_closed = True
        self._items.put(None, is_urgent=True)
        with self._lock:
            _hang_up(self._stream)

    def _read(self) -> None:
        last: End | Exception
        try:
            last = self._read_all()
        except Exception as error:  # noqa: BLE001 - the caller tells what it means
            last = error
        with self._lock:
            stream, self._stream = self._stream, None
        with suppress(Exception):
            _response_of(stream).close()
        self._items.put(last, is_urgent=True)

    def _read_all(self) -> End:
        stream = self._open_stream()
        with self._lock:
            self._stream = stream
            if self._is_closed:  # while the request was sent
                _hang_up(stream)
        chunk_stream = stream.completion_stream
        if type(chunk_stream).__module__.partition(".")[0] != "openai":
            self._take_all(stream)
            return self._end(stream.received_finish_reason or stream.intermittent_finish_reason)
        chunk_stream._cast_to = object  # noqa: SLF001 - the JSON itself; a client that has no such attribute gives objects
        try:
            self._take_all(chunk_stream)
        except Exception as error:  # noqa: BLE001 - httpx's, openai's, or of JSON that is none
            raise ReplyFailedError(explain_break(error)) from None
        return self._end(self._finish_reason)

    def _take_all(self, chunks: Iterable[Any]) -> None:
        for chunk in chunks:
            if self._is_closed:
                return
            self._usage = _part(chunk, "usage") or self._usage
            if choices := _part(chunk, "choices"):
                self._take(choices[0])

    def _take(self, choice: Any) -> None:
        """Pass on a chunk's text; a thought of the model is passed on as an empty text, a sign of life."""
        self._finish_reason = _part(choice, "finish_reason") or self._finish_reason
        delta = _part(choice, "delta")
        text = _part(delta, "content") or ""
        self._has_text = self._has_text or bool(text)
        if text or any(_part(delta, name) for name in _THOUGHTS):
            self._items.put(text)

    def _end(self, finish_reason: str | None) -> End:
        """The end of the reply.

        Args:
            finish_reason: as the server gave it, never litellm's assumption.
        """
        if finish_reason is None:
            raise ReplyFailedError(CUT)
        if self._finish_reason == "content_filter":
            raise ReplyFailedError(WITHHELD)
        if not self._has_text:
            raise ReplyFailedError(EMPTY)
        return End(
            is_cut=self._finish_reason in _CUT_BY_LENGTH,
            prompt_tokens=int(_part(self._usage, "prompt_tokens") or 0),
            completion_tokens=int(_part(self._usage, "completion_tokens") or 0),
        )


def _part(whole: Any, name: str) -> Any:
    """A part of a chunk, which is JSON or an object of litellm's; None if it has none."""
    return whole.get(name) if isinstance(whole, dict) else getattr(whole, name, None)


def _response_of(stream: Any) -> httpx.Response:
    """The response under a stream of litellm's, which keeps it itself or in the generator of its lines.

    Raises:
        Exception: it is not there, because all is read, or the provider's code does not use httpx.
    """
    chunk_stream = stream.completion_stream
    response = getattr(chunk_stream, "response", None) or getattr(
        chunk_stream, "http_response", None
    )  # OpenAI's, litellm's ≥ 1.109
    if response is None:
        response = inspect.getgeneratorlocals(chunk_stream.streaming_response)["self"]
    if not isinstance(response, httpx.Response):
        raise TypeError
    return response


def _hang_up(stream: Any) -> None:
    """Close the connection under a stream that a thread may be reading; other providers' requests end by timeout."""
    with suppress(Exception):
        connection = _response_of(stream).extensions["network_stream"]
        # Of the plain class: an encrypted socket would forget its state, which the reading thread still uses.
        socket.socket.shutdown(connection.get_extra_info("socket"), socket.SHUT_RDWR)
