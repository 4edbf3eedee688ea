"""Reading a model's chunks in a thread of its own.

Belongs here: the thread, and waiting for it with a time limit. Not here: the model (`headwater.models_gateway`).
Guarantee: taking chunks never blocks, so a stream is kept alive and a lost client is noticed; once the relay is closed,
the model's request ends.
"""

import logging
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.errors import HeadwaterError
from headwater.models_gateway.cancellation import Cancellation
from query_api.problems import UNEXPECTED

Chunk = dict[str, Any]
_log = logging.getLogger("headwater.api")


class Relay:
    """The chunks of one reply."""

    def __init__(self, read: Callable[[Cancellation], Iterable[Chunk]]) -> None:
        """Begin to read.

        Args:
            read: yields the chunks; whoever closes what it is given ends it.
        """
        self._closing = Cancellation()
        self._items: queue.SimpleQueue[Chunk | HeadwaterError | None] = queue.SimpleQueue()
        self._begun: list[Chunk | HeadwaterError | None] = []
        threading.Thread(target=self._read, args=(read,), name="passing on a reply", daemon=True).start()

    def wait(self, patience: float) -> None:
        """Wait for the first chunk.

        Raises:
            HeadwaterError: there is none, because the model failed.
        """
        try:
            first = self._items.get(timeout=patience)
        except queue.Empty:
            return
        if isinstance(first, HeadwaterError):
            raise first
        self._begun.append(first)

    def has_news(self) -> bool:
        """Whether there is a chunk, or the end."""
        return bool(self._begun) or not self._items.empty()

    def chunks(self) -> Iterator[Chunk | None]:
        """Yield the chunks; None when there is none yet, so the reader must wait until it asks again.

        Raises:
            HeadwaterError: the model failed.
        """
        while True:
            try:
                item = self._begun.pop() if self._begun else self._items.get_nowait()
            except queue.Empty:
                yield None
                continue
            if isinstance(item, HeadwaterError):
                raise item
            if item is None:
                return
            yield item

    def close(self) -> None:
        """End the model's request; any thread may call this."""
        self._closing.close()

    def _read(self, read: Callable[[Cancellation], Iterable[Chunk]]) -> None:
        try:
            for chunk in read(self._closing):
                self._items.put(chunk)
        except HeadwaterError as error:
            self._items.put(error)
        except Exception:  # noqa: BLE001 - a reader waits, whatever failed
            _log.exception("a reply could not be passed on")
            self._items.put(HeadwaterError(UNEXPECTED))
        else:
            self._items.put(None)
