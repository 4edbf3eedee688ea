"""A reply that any thread may close.

Belongs here: ending the request of the moment, and the iteration. Not here: what is read (`reply_reader`,
`remote_chat`). Guarantee: whoever waits for the next piece of a closed reply stops waiting at once.
"""

import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from headwater.models_gateway.chat import Ended, Piece
from headwater.models_gateway.reply_reader import ReplyReader


@dataclass(kw_only=True, slots=True)
class Closing:
    """What another thread closes: the request of the moment, and every later one."""

    is_closed: threading.Event = field(default_factory=threading.Event)
    reader: ReplyReader | None = None

    def close(self) -> None:
        """End the request of the moment."""
        self.is_closed.set()
        if self.reader is not None:
            self.reader.close()

    def watch(self, reader: ReplyReader) -> ReplyReader:
        """Note the request of the moment."""
        self.reader = reader
        if self.is_closed.is_set():
            reader.close()
        return reader


class ClosableStream:
    """A reply as it comes; any thread may close it."""

    def __init__(self, closing: Closing, items: Generator[Piece | Ended, None, None]) -> None:
        self._closing = closing
        self._items = items

    def __iter__(self) -> Iterator[Piece | Ended]:
        return self

    def __next__(self) -> Piece | Ended:
        return next(self._items)

    def close(self) -> None:
        """End the request, and the iteration."""
        self._closing.close()
        with suppress(ValueError):  # another thread waits in it, and ends it now
            self._items.close()
