"""Answering one event.

Belongs here: asking the API, posting and editing messages while the answer grows, and its end: an answer, a refusal, or
an error with a code. Not here: receiving messages (`bot`), what they say (`answer_messages`). Guarantee: only what
differs is sent; an event ends with a message and without the reaction, unless the process is stopped or killed; then
the next process continues with the same answer and the same messages, which the API knows.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from integrations.answer_messages import answer_pages, notice_page, problem_pages, split_partial_answer
from integrations.api_client import Api, Stream, problem_of
from integrations.backoff import Waiter
from integrations.chat_platform import BotEvent, MessagePage, Outlet
from integrations.errors import ApiProblemError, ApiUnreachableError, PlatformError, StoppedError

_log = logging.getLogger("headwater.bots")
_ATTEMPTS = 2  # an answer that was interrupted is asked for once more
_BEGINNING = 40  # characters of the first text that is shown; notifications quote it
_LOST = ("ANSWER_INTERRUPTED", "CONFLICT")
_INTERRUPTED = "The answer was interrupted. Please ask again."


class EventAnswer:
    """The answer to one event."""

    def __init__(self, api: Api, outlet: Outlet, event: BotEvent, waiter: Waiter, *, public_url: str) -> None:
        self._api, self._outlet, self._event, self._waiter = api, outlet, event, waiter
        self._public_url = public_url
        self._shown = PostedMessages(api, outlet, event, waiter)
        self._text = self._location = ""

    def run(self, refusal: tuple[str, str] | None = None) -> None:
        """Answer; with a refusal, its words and its code, say that instead.

        Raises:
            StoppedError: the process ends, or another process answers now.
        """
        if not self._event.is_test:
            _tolerate(lambda: self._outlet.react(self._event))
        try:
            pages, code = self._pages(refusal)
            self._shown.show(pages)
        except PlatformError as error:
            _log.warning("event %s: %s (%s)", self._event.id, error, error.name)
            code = error.name
        self._finish(code)
        if not self._event.is_test:
            _tolerate(lambda: self._outlet.unreact(self._event))

    def _pages(self, refusal: tuple[str, str] | None) -> tuple[list[MessagePage], str | None]:
        """What to show, and the code of what went wrong."""
        event, dialect = self._event, self._outlet.dialect
        if refusal is not None:
            return problem_pages(dialect, *refusal), refusal[1]
        if event.is_test:
            message = f"Test message: questions here are answered from `{event.knowledge_base}`."
            return [notice_page(dialect, message)], None
        if event.knowledge_base is None:
            return [notice_page(dialect, self._advice())], "NOT_CONFIGURED"
        try:
            return answer_pages(dialect, self._answer(), self._public_url), None
        except ApiProblemError as error:
            detail = _INTERRUPTED if self._is_lost(error) else str(error)
            code = "ANSWER_INTERRUPTED" if self._is_lost(error) else error.name
            return problem_pages(dialect, detail, code, after=self._text), code
        except ApiUnreachableError as error:
            detail = "Headwater does not answer. Please ask again later."
            return problem_pages(dialect, detail, error.code, after=self._text), error.code

    def _advice(self) -> str:
        event = self._event
        command = f"headwater bots set {self._outlet.platform} {event.workspace} {event.channel} KNOWLEDGE_BASE"
        words = "⚠️ This channel has no knowledge base (NOT_CONFIGURED). An administrator can give it one:"
        return f"{words}\n\n```\n{command}\n```"

    def _answer(self) -> dict[str, Any]:
        """The complete answer, as the API sends it."""
        location = f"/api/v1/answers/{self._event.answer_id}/events" if self._event.answer_id else ""
        for attempt in range(_ATTEMPTS):
            try:
                return self._follow(location, attempt)
            except ApiProblemError as error:
                if not self._is_lost(error) or attempt == _ATTEMPTS - 1:
                    raise
            self._text, location = "", ""
        raise AssertionError("the last attempt returns or raises")

    def _is_lost(self, error: ApiProblemError) -> bool:
        """Whether the answer broke off, or is gone; without an answer, the knowledge base is not found."""
        return error.name in _LOST or (error.name == "NOT_FOUND" and self._location != "")

    def _follow(self, location: str, attempt: int) -> dict[str, Any]:
        """Ask, or follow an answer that was asked for before, until it is complete."""
        self._text, self._location, self._last, self._next = "", location, 0, 0.0
        answer = None
        while answer is None:
            answer = self._waiter.run(lambda: self._once(attempt))
        return answer

    def _open_stream(self, attempt: int) -> AbstractContextManager[Stream]:
        if self._location:
            return self._api.follow(self._location, self._last)
        return self._api.ask(self._event, attempt)

    def _once(self, attempt: int) -> dict[str, Any] | None:
        """Read one stream; None if it ended before the answer did."""
        has_begun = False
        with self._open_stream(attempt) as stream:
            if stream.location != self._location:
                self._location = stream.location
                self._api.note(self._event, answer_id=self._location.split("/")[-2])
            for event in stream.events:
                if self._waiter.stopping.is_set():
                    raise StoppedError
                self._waiter.reset()
                has_begun = has_begun or event.name != "ping"  # a page of a proxy has no event
                self._last = max(self._last, event.id)
                if event.name == "delta":
                    self._text += event.data["text"]
                elif event.name == "done":
                    complete: dict[str, Any] = event.data
                    return complete
                elif event.name == "error":
                    raise problem_of(event.data)
                self._grow()
        if not has_begun:
            raise ApiUnreachableError
        return None

    def _grow(self) -> None:
        """Show the text so far, at most as often as the platform allows."""
        if len(self._text) >= _BEGINNING and time.monotonic() >= self._next:
            self._shown.show(split_partial_answer(self._outlet.dialect, self._text))
            self._next = time.monotonic() + self._outlet.interval

    def _finish(self, code: str | None) -> None:
        change = {"state": "failed" if code else "done", "error_code": code}
        self._waiter.run(lambda: self._api.note(self._event, **change))


def _tolerate(action: Any) -> None:
    """Do what the answer does not need; a bot without the permission still answers."""
    try:
        action()
    except PlatformError as error:
        _log.warning("a reaction failed: %s (%s)", error, error.name)


class PostedMessages:
    """The messages of one event."""

    def __init__(self, api: Api, outlet: Outlet, event: BotEvent, waiter: Waiter) -> None:
        self._api, self._outlet, self._event, self._waiter = api, outlet, event, waiter
        self._messages: list[tuple[str, MessagePage | None]] = [(message, None) for message in event.messages]

    def show(self, pages: Sequence[MessagePage]) -> None:
        """Make the messages these pages.

        Raises:
            PlatformError: the platform refuses for good.
            StoppedError: the process ends.
        """
        for index, page in enumerate(pages):
            if index >= len(self._messages):
                self._messages.append((self._post(page, index), page))
                self._note()
            elif self._messages[index][1] != page:
                message = self._messages[index][0]
                self._waiter.run(partial(self._outlet.edit, self._event, message, page))
                self._messages[index] = (message, page)
        surplus = [message for message, _ in self._messages[len(pages) :]]
        for message in surplus:
            self._waiter.run(partial(self._outlet.delete, self._event, message))
        if surplus:
            del self._messages[len(pages) :]
            self._note()

    def _post(self, page: MessagePage, number: int) -> str:
        return self._waiter.run(lambda: self._outlet.post(self._event, page, number))

    def _note(self) -> None:
        messages = [message for message, _ in self._messages]
        self._waiter.run(lambda: self._api.note(self._event, messages=messages))
