"""A bot, whatever its platform.

Belongs here: which messages are answered, by whom, and what waits. Not here: the platform (`slack_bot`, `discord_bot`),
one answer (`event_answer`). Guarantee: a message is acknowledged to the platform only once the API has it; whatever a
process leaves behind, the next one continues.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial

from headwater.domain.bots import MESSAGE_LIMIT
from integrations.answer_messages import notice_page, problem_pages
from integrations.api_client import Api
from integrations.backoff import RetryPolicy, Waiter
from integrations.chat_platform import BotEvent, MessagePage, Outlet, Received
from integrations.errors import ApiProblemError, ApiUnreachableError, PlatformError, StoppedError, name_of
from integrations.event_answer import EventAnswer
from integrations.greetings import wants_answer
from integrations.question_limits import Limits

_log = logging.getLogger("headwater.bots")
_AT_ONCE = 16  # messages that are claimed or answered at the same time; others wait
_POLL = 1.0  # seconds between two looks for test messages
_AWAY = "Headwater does not answer at the moment (API_UNREACHABLE). I will answer as soon as it does."


def nothing() -> None:
    """Acknowledge nothing."""


class Bot:
    """A bot that is connected to its platform."""

    def __init__(
        self,
        api: Api,
        outlet: Outlet,
        *,
        public_url: str,
        limits: Limits | None = None,
        patience: RetryPolicy | None = None,
    ) -> None:
        """Do nothing yet.

        Args:
            api: the API.
            outlet: the platform.
            public_url: the address at which people reach the API.
            limits: how often people may ask.
            patience: how long to wait for the API.
        """
        self.stopping = threading.Event()
        self._api, self._outlet, self._public_url = api, outlet, public_url
        self._limits, self._patience = limits or Limits(), patience or RetryPolicy()
        self._pool = ThreadPoolExecutor(_AT_ONCE, "answer")
        self._lock = threading.Lock()
        self._busy: dict[str, list[Callable[[], None]] | None] = {}
        """Events by id, with who is to be told once the API has them; None if it has."""
        self._poller = threading.Thread(target=self._poll, name="polling", daemon=True)

    def start(self) -> None:
        """Continue what an earlier process left, and look for test messages; a second call does nothing."""
        if self._poller.ident is None:
            self._poller.start()

    def stop(self) -> None:
        """Stop; what is not answered yet stays with the API for the next process."""
        self.stopping.set()
        self._pool.shutdown(cancel_futures=True)
        if self._poller.ident is not None:
            self._poller.join()

    def receive(self, message: Received, acknowledge: Callable[[], None] = nothing) -> None:
        """Take a message; returns at once.

        Args:
            message: the message.
            acknowledge: called once the API has the message, or nobody needs it.
        """
        if not wants_answer(message.question):
            acknowledge()
            return
        shortened = replace(message, question=message.question[:MESSAGE_LIMIT])
        self._begin(message.id, partial(self._claim, shortened), acknowledge)

    def _begin(self, name: str, work: Callable[[], None], acknowledge: Callable[[], None] | None = None) -> None:
        """Do something for an event in a thread, unless one is doing so.

        A message may come again meanwhile: Slack sends two events for a mention. Each is acknowledged.
        """
        with self._lock:
            if self.stopping.is_set():
                return
            if name not in self._busy:
                self._busy[name] = [acknowledge] if acknowledge else None
                self._pool.submit(self._run_guarded, name, work)
                return
            waiting = self._busy[name]
            if waiting is not None and acknowledge:
                waiting.append(acknowledge)
                return
        if acknowledge:
            acknowledge()

    def _run_guarded(self, name: str, work: Callable[[], None]) -> None:
        try:
            work()
        except StoppedError:
            _log.info("event %s is left to another process", name)
        except (ApiUnreachableError, ApiProblemError, PlatformError) as error:
            _log.warning("event %s: %s", name, error)
        except Exception:  # noqa: BLE001 - a thread of the pool would end without a word
            _log.exception("event %s", name)
        finally:
            with self._lock:
                self._busy.pop(name, None)

    def _acknowledge(self, name: str) -> None:
        with self._lock:
            waiting, self._busy[name] = self._busy.get(name), None
        for acknowledge in waiting or ():
            acknowledge()

    def _claim(self, message: Received) -> None:
        unclaimed = BotEvent.from_message(message)
        waiter = self._waiter(unclaimed if message.is_mention else None)
        try:
            outcome, event = waiter.run(lambda: self._api.claim(message))
        except (ApiUnreachableError, ApiProblemError) as error:
            if message.is_mention:
                self._say(unclaimed, problem_pages(self._outlet.dialect, str(error), name_of(error))[0])
            raise
        self._acknowledge(message.id)
        _log.info("event %s: %s", message.id, outcome)
        if event is not None:
            wait = self._limits.ask(message.user, message.channel)
            refusal = (f"Too many questions. Please ask again in {wait:.0f} seconds.", "RATE_LIMITED") if wait else None
            self._answer(event, waiter, refusal)
        elif outcome == "ignored" and waiter.has_said:
            self._outlet.unreact(unclaimed)

    def _answer(self, event: BotEvent, waiter: Waiter, refusal: tuple[str, str] | None = None) -> None:
        EventAnswer(self._api, self._outlet, event, waiter, public_url=self._public_url).run(refusal)

    def _waiter(self, event: BotEvent | None) -> Waiter:
        """Who waits for an event; nobody is told of one that perhaps wants no answer."""
        say = nothing if event is None else partial(self._say_away, event)
        return Waiter(patience=self._patience, stopping=self.stopping, say=say)

    def _say_away(self, event: BotEvent) -> None:
        with suppress(PlatformError):
            self._outlet.react(event)
            self._outlet.post(event, notice_page(self._outlet.dialect, _AWAY), -1)

    def _say(self, event: BotEvent, page: MessagePage) -> None:
        with suppress(PlatformError):
            self._outlet.post(event, page, -2)
            self._outlet.unreact(event)

    def _poll(self) -> None:
        has_started, was_away = True, False
        while not self.stopping.is_set():
            try:
                for event in self._api.take(has_started=has_started):
                    self._begin(event.id, partial(self._answer, event, self._waiter(None if event.is_test else event)))
                has_started = was_away = False
            except (ApiUnreachableError, ApiProblemError) as error:
                if not was_away:
                    _log.warning("the API: %s", error)
                was_away = True
            self.stopping.wait(_POLL)
