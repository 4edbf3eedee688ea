"""The shape of channels and events of bots in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.bots import (
    BotChannel,
    BotClaim,
    BotEvent,
    BotEventKind,
    BotEventState,
    BotMode,
    BotPlatform,
)


class BotChannelPayload(BaseModel):
    """A channel that a bot answers in; `channel` is `*` for every channel of the workspace without a row of its own."""

    platform: BotPlatform
    workspace: str
    channel: str
    knowledge_base: str
    mode: BotMode
    is_on: bool
    configured_at: datetime

    @classmethod
    def of(cls, channel: BotChannel) -> "BotChannelPayload":
        """Make it from the kernel's object."""
        return cls.model_validate(channel, from_attributes=True)


class BotChannelList(BaseModel):
    """All channels that are configured."""

    channels: list[BotChannelPayload]

    @classmethod
    def of(cls, found: Sequence[BotChannel]) -> "BotChannelList":
        """Make it from the kernel's objects."""
        return cls(channels=[BotChannelPayload.of(channel) for channel in found])


class BotTurnPayload(BaseModel):
    """An earlier question of a thread, and its answer."""

    question: str
    answer: str


class BotEventPayload(BaseModel):
    """A message that a bot answers, or a test message that it posts.

    `knowledge_base` is null if the channel has none. `question` is empty once the event is `done` or `failed`.
    `messages` are the ids of those that the bot posted. `history` are the earlier turns of the thread, oldest first.
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
    messages: list[str]
    state: BotEventState
    error_code: str | None
    created_at: datetime
    history: list[BotTurnPayload]

    @classmethod
    def of(cls, event: BotEvent) -> "BotEventPayload":
        """Make it from the kernel's object."""
        return cls.model_validate(event, from_attributes=True)


class BotEventList(BaseModel):
    """The events that a bot process got to answer."""

    events: list[BotEventPayload]

    @classmethod
    def of(cls, found: Sequence[BotEvent]) -> "BotEventList":
        """Make it from the kernel's objects."""
        return cls(events=[BotEventPayload.of(event) for event in found])


class BotClaimPayload(BaseModel):
    """Whether the bot answers a message: `claimed` with the event; `taken` if it was claimed before; else `ignored`."""

    outcome: Literal["claimed", "taken", "ignored"]
    event: BotEventPayload | None

    @classmethod
    def of(cls, claim: BotClaim) -> "BotClaimPayload":
        """Make it from the kernel's object."""
        return cls.model_validate(claim, from_attributes=True)
