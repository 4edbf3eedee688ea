"""Shapes of requests about bots.

Belongs here: their bodies and paths. Not here: responses (`routes.bot_payloads`). Guarantee: as for all requests,
unknown fields are refused.
"""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from headwater.domain.bots import MESSAGE_LIMIT, BotEventChange, BotMode, BotPlatform, NewBotEvent
from query_api.request_shapes import Body

BotId = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[!-~]+$")]
_MAX_MESSAGES = 100


class BotPath(BaseModel):
    """A platform."""

    platform: BotPlatform


class BotChannelPath(BotPath):
    """A channel of a workspace."""

    workspace: str
    channel: str


class BotEventPath(BotPath):
    """An event by the id that the bot gave it."""

    id: str


class BotChannelBody(Body):
    """What a channel is answered from, and which of its messages: `mention`, or `every_message`."""

    knowledge_base: str
    mode: BotMode = "mention"
    is_on: bool = True


class BotEventBody(Body):
    """A message to claim: `thread` is where its answer belongs, `holder` the bot process that will answer it."""

    id: BotId
    workspace: BotId
    channel: BotId
    thread: BotId
    message: BotId
    question: str = Field(max_length=MESSAGE_LIMIT)
    is_mention: bool
    holder: UUID

    def to_event(self, platform: BotPlatform) -> NewBotEvent:
        """The same for the kernel."""
        return NewBotEvent(platform=platform, **self.model_dump(exclude={"holder"}))


class BotTakeBody(Body):
    """A bot process that asks for work; `has_started` is true the first time, when it continues its predecessor's."""

    holder: UUID
    has_started: bool = False


class BotEventChangeBody(Body):
    """What a bot did for an event that it holds; fields that are not given stay. It cannot be opened again."""

    holder: UUID
    answer_id: UUID | None = None
    messages: list[BotId] | None = Field(default=None, max_length=_MAX_MESSAGES)
    state: Literal["done", "failed"] | None = None
    error_code: BotId | None = None

    def to_change(self) -> BotEventChange:
        """The same for the kernel."""
        messages = None if self.messages is None else tuple(self.messages)
        return BotEventChange(answer_id=self.answer_id, messages=messages, state=self.state, error_code=self.error_code)
