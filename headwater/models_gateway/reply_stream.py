"""A reply that any thread may close.

Belongs here: ending the iteration. Not here: ending the request (`cancellation`), what is read (`reply_reader`,
`remote_chat`). Guarantee: whoever waits for the next piece of a closed reply stops waiting at once.
"""

from collections.abc import Generator, Iterator
from contextlib import suppress

from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.chat_model import Ended, ReplyDelta


class ClosableStream:
    """A reply as it comes; any thread may close it."""

    def __init__(self, closing: Cancellation, items: Generator[ReplyDelta | Ended, None, None]) -> None:
        self._closing = closing
        self._items = items

    def __iter__(self) -> Iterator[ReplyDelta | Ended]:
        return self

    def __next__(self) -> ReplyDelta | Ended:
        return next(self._items)

    def close(self) -> None:
        """End the request, and the iteration."""
        self._closing.close()
        with suppress(ValueError):  # another thread waits in it, and ends it now
            self._items.close()
