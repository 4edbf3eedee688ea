"""Bots in chat platforms: where they answer, and what they were asked.

Belongs here: these classes, their fields and their limits. Not here: the bots themselves (`integrations`), rows
(`headwater.store.work.bots`). Guarantee: nothing here does input or output.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from headwater.domain.answers import Turn

BotPlatform = Literal["slack", "discord"]
BotMode = Literal["mention", "every_message"]
BotEventState = Literal["open", "done", "failed"]
BotEventKind = Literal["question", "test"]

EVERY_CHANNEL = "*"
"""The channel that stands for all channels of a workspace that are not configured themselves."""
MAX_TURNS = 10
"""Earlier questions of a thread that go along with the next one."""
MESSAGE_LIMIT = 8_000
"""Characters of a message that are kept until it is answered; more is no question anyway."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BotChannel:
    """A channel whose messages are answered from a knowledge base.

    `workspace` is Slack's workspace or Discord's server, `channel` may be `EVERY_CHANNEL`. `configured_at` is when
    it was last changed.
    """

    platform: BotPlatform
    workspace: str
    channel: str
    knowledge_base: str
    mode: BotMode
    is_on: bool
    configured_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class BotChannelState:
    """How a configured channel is doing; what is said of its last event is None if nobody has asked yet.

    `failed_count` counts the events of the last seven days that failed.
    """

    channel: BotChannel
    last_event_at: datetime | None
    last_state: BotEventState | None
    last_error_code: str | None
    failed_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class UnknownChannel:
    """A channel where somebody mentioned the bot, though it has no knowledge base."""

    platform: BotPlatform
    workspace: str
    channel: str
    mentioned_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class NewBotEvent:
    """A message that a bot received; `thread` is where the answer belongs."""

    platform: BotPlatform
    id: str
    workspace: str
    channel: str
    thread: str
    message: str
    question: str
    is_mention: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BotEvent:
    """A message that a bot answers, or a test message that it posts.

    `knowledge_base` is None if the channel has none. `messages` are the ids of those that the bot posted, in order.
    `history` are the earlier turns of the thread, oldest first.
    """

    platform: BotPlatform
    id: str
    kind: BotEventKind
    workspace: str
    channel: str
    thread: str
    message: str
    knowledge_base: str | None
    question: str
    answer_id: UUID | None
    messages: tuple[str, ...]
    state: BotEventState
    error_code: str | None
    created_at: datetime
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class BotEventChange:
    """What a bot learned about an event; None leaves a field as it is."""

    answer_id: UUID | None = None
    messages: tuple[str, ...] | None = None
    state: BotEventState | None = None
    error_code: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BotClaim:
    """Whether a bot answers a message.

    `claimed` means that it does, `taken` that the message was claimed before, `ignored` that nobody wants an answer
    in this channel. Only `claimed` comes with the event.
    """

    outcome: Literal["claimed", "taken", "ignored"]
    event: BotEvent | None = None
