"""Handing what one thread reads to another one that uses it, several items at a time.

Belongs here: when the waiting thread wakes up. Not here: what is handed over. Guarantee: every item is taken once, in
order; the first one, one that comes after a pause, and an urgent one are taken at once, any other within `PACE`.

A model of 50 tokens a second would wake the thread of its answer 50 times, and that one the thread of each reader. With
20 answers at once, they would leave the other threads too little of Python's one lock.
"""

import threading
import time
from typing import Generic, TypeVar

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
