"""Handing items from one thread to another in batches (ANS-3).

Belongs here: which items are taken together, and when. Not here: the replies that use it (`test_chat_models`).
"""

import threading

import pytest

from headwater.models_gateway import reply_reader
from headwater.models_gateway.reply_reader import Handover

LONG = 60.0  # seconds, which no test waits


def test_the_first_item_is_taken_at_once() -> None:
    """A reader waits for nothing when the answer begins."""
    items: Handover[str] = Handover()
    items.put("The")
    assert items.take(LONG) == ["The"]


def test_items_that_came_meanwhile_are_taken_together() -> None:
    """In the order in which they came, each once."""
    items: Handover[str] = Handover()
    items.put("The")
    assert items.take(LONG) == ["The"]
    items.put(" pump")
    items.put(" stops.")
    assert items.take(LONG) == [" pump", " stops."]
    assert items.take(0.0) == []


def test_an_urgent_item_ends_the_wait_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a reply is passed on at once, with the text before it."""
    monkeypatch.setattr(reply_reader, "PACE", LONG)
    items: Handover[str] = Handover()
    items.put("The")
    assert items.take(LONG) == ["The"]
    items.put(" pump")
    threading.Timer(0.01, lambda: items.put("END", is_urgent=True)).start()
    assert items.take(LONG) == [" pump", "END"]


def test_an_item_after_a_pause_is_taken_at_once() -> None:
    """Whoever waits with nothing to do is woken by the first item."""
    items: Handover[str] = Handover()
    items.put("The")
    assert items.take(LONG) == ["The"]
    threading.Timer(2 * reply_reader.PACE, lambda: items.put(" pump")).start()
    assert items.take(LONG) == [" pump"]
