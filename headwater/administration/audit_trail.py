"""Noting who changed what (API-6).

Belongs here: who acts now, and noting a change. Not here: the table (`headwater.store.access.audit`). Guarantee: a note
written in the block of `audit_transaction` is stored if, and only if, the change is; a note holds no secret.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from headwater.domain.access import Actor
from headwater.store.store import Store

PROCESS = Actor(kind="process", id="headwater")
_actor: ContextVar[Actor] = ContextVar("actor", default=PROCESS)


class Note(Protocol):
    """Notes a change: `note("source.change", "kb/docs", kind="folder")`."""

    def __call__(self, action: str, target: str, /, **details: Any) -> None:
        """Note it."""


def act_as(actor: Actor) -> None:
    """From now on, this thread's changes are those of an actor."""
    _actor.set(actor)


def note(store: Store, action: str, target: str, /, **details: Any) -> None:
    """Note a change that the present actor made.

    Args:
        store: the store.
        action: a noun and a verb, such as `source.delete`.
        target: its name for people, such as `kb/docs`.
        details: more, without secrets and without contents.
    """
    store.audit.add(_actor.get(), action, target, {name: value for name, value in details.items() if value is not None})


@contextmanager
def audit_transaction(store: Store) -> Iterator[Note]:
    """Make a change, and note it in the same transaction."""
    with store.database.together():
        yield lambda action, target, /, **details: note(store, action, target, **details)
