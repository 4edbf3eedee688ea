"""What bots work with, whatever their platform.

Belongs here: a message that was received, one that is being answered, a page to show, and what a platform can do. Not
here: any platform. Guarantee: data is frozen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from headwater.domain.bots import BotPlatform
from integrations.dialects import Dialect


@dataclass(frozen=True, kw_only=True, slots=True)
class Received:
    """A message of a person; `id` is the same however often it is delivered."""

    id: str
    workspace: str
    channel: str
    thread: str
    message: str
    user: str
    question: str
    is_mention: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BotEvent:
    """A message that this process answers, as the API keeps it; a test message has no question and no thread."""

    id: str
    is_test: bool
    channel: str
    workspace: str
    thread: str
    message: str
    knowledge_base: str | None
    question: str
    answer_id: UUID | None
    messages: tuple[str, ...]
    history: tuple[Mapping[str, str], ...]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "BotEvent":
        """Read what the API sent."""
        same = ("id", "channel", "workspace", "thread", "message", "knowledge_base", "question")
        return cls(
            **{name: found[name] for name in same},
            is_test=found["kind"] == "test",
            answer_id=UUID(found["answer_id"]) if found["answer_id"] else None,
            messages=tuple(found["messages"]),
            history=tuple(found["history"]),
        )

    @classmethod
    def from_message(cls, message: Received) -> "BotEvent":
        """A message of which the API does not know yet, so that its sender can be told."""
        same = ("id", "channel", "workspace", "thread", "message", "question")
        return cls(
            **{name: getattr(message, name) for name in same},
            is_test=False,
            knowledge_base=None,
            answer_id=None,
            messages=(),
            history=(),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class MessagePage:
    """One message of the bot: sections in the platform's dialect, and the answer that people can vote on below it."""

    sections: tuple[str, ...]
    vote_on: UUID | None = None


class Outlet(Protocol):
    """A platform. Every method may raise PlatformError."""

    platform: BotPlatform
    dialect: Dialect
    interval: float
    """Seconds between two edits of a message."""

    def react(self, event: BotEvent) -> None:
        """Show that the message was seen; doing it twice is no error."""

    def unreact(self, event: BotEvent) -> None:
        """Take that back."""

    def post(self, event: BotEvent, page: MessagePage, number: int) -> str:
        """Post a message in the event's thread; returns its id. `number` tells apart the messages of an event."""

    def edit(self, event: BotEvent, message: str, page: MessagePage) -> None:
        """Replace the contents of a message of the bot."""

    def delete(self, event: BotEvent, message: str) -> None:
        """Delete a message of the bot."""
