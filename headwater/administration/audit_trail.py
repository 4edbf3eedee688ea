"""Noting who changed what (API-6).

Belongs here: who acts now, and noting a change. Not here: the table (`headwater.store.access.audit`). Guarantee: a note
written in the block of `audit_transaction` is stored if, and only if, the change is; a note holds no secret.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from headwater.domain.access import Actor
from headwater.store.store import Store

PROCESS = Actor(kind="process", id="headwater")


class _Present(threading.local):
    """The actor of each thread. No `ContextVar`: Python 3.11 can crash when one is set while garbage is collected."""

    actor = PROCESS


_present = _Present()


class Note(Protocol):
    """Notes a change: `note("source.change", "kb/docs", kind="folder")`."""

    def __call__(self, action: str, target: str, /, **details: Any) -> None:
        """Note it."""


def act_as(actor: Actor) -> None:
    """From now on, this thread's changes are those of an actor."""
    _present.actor = actor


def note(store: Store, action: str, target: str, /, **details: Any) -> None:
    """Note a change that the present actor made.

    Args:
        store: the store.
        action: a noun and a verb, such as `source.delete`.
        target: its name for people, such as `kb/docs`.
        details: more, without secrets and without contents.
    """
    details_with_values = {name: value for name, value in details.items() if value is not None}
    store.audit.add(_present.actor, action, target, details_with_values)


@contextmanager
def audit_transaction(store: Store) -> Iterator[Note]:
    """Make a change, and note it in the same transaction."""
    with store.database.together():
        yield lambda action, target, /, **details: note(store, action, target, **details)
