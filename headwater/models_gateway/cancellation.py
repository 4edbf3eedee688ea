"""Ending requests to a model from another thread.

Belongs here: the request of the moment, and that no later one begins. Not here: what a request is (`reply_reader`).
Guarantee: any thread may close, at any time.
"""

import threading
from dataclasses import dataclass, field
from typing import Protocol, TypeVar


class Closable(Protocol):
    """Something that reads, and ends when it is closed."""

    def close(self) -> None:
        """End it; any thread may call this."""
        ...


Reader = TypeVar("Reader", bound=Closable)


@dataclass(kw_only=True, slots=True)
class Cancellation:
    """What another thread closes: the request of the moment, and every later one."""

    is_closed: threading.Event = field(default_factory=threading.Event)
    reader: Closable | None = None

    def close(self) -> None:
        """End the request of the moment."""
        self.is_closed.set()
        if self.reader is not None:
            self.reader.close()

    def watch(self, reader: Reader) -> Reader:
        """Note the request of the moment."""
        self.reader = reader
        if self.is_closed.is_set():
            reader.close()
        return reader
