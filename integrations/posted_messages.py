"""The messages in which an event is answered.

Belongs here: posting, editing and deleting them as the answer grows. Not here: what they say (`answer_messages`).
Guarantee: only what differs is sent; the API knows each message, so that another process continues them.
"""

from collections.abc import Sequence
from functools import partial

from integrations.api_client import Api
from integrations.backoff import Waiter
from integrations.chat_platform import BotEvent, MessagePage, Outlet


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
