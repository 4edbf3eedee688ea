"""`/api/v1/bots`: where bots answer, and the messages that they take (INT-1).

Belongs here: configuring channels, test messages, what bots keep here so that they need no database, and the shapes of
these requests. Not here: the bots (`integrations`), answers (`answers`), responses (`bot_payloads`).
"""

from typing import Annotated, Literal
from uuid import UUID

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field, StringConstraints

from headwater.administration.bots import claim, put_channel, remove_channel, request_test_message
from headwater.domain.access import Scope
from headwater.domain.bots import MESSAGE_LIMIT, BotEventChange, BotMode, BotPlatform, NewBotEvent
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Body, Reply
from query_api.routes.bot_payloads import (
    BotChannelList,
    BotChannelPayload,
    BotClaimPayload,
    BotEventList,
    BotEventPayload,
)

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


routes = APIBlueprint(
    "bots", __name__, url_prefix="/api/v1/bots", abp_tags=[Tag(name="Bots")], abp_responses={"404": Problem}
)


@routes.get("/channels", responses={"200": BotChannelList})
@allow(Scope.BOT, about="server")
def list_channels() -> Reply:
    """List the channels that bots answer in, by platform, workspace and channel."""
    return BotChannelList.of(store().bots.channels()).model_dump(mode="json")


@routes.put("/<platform>/channels/<workspace>/<channel>", responses={"200": BotChannelPayload})
@allow(Scope.ADMIN, about="server")
def put_one_channel(path: BotChannelPath, body: BotChannelBody) -> Reply:
    """Let a bot answer in a channel, or with `*` in every channel of a workspace; replaces what was configured."""
    put = put_channel(store(), **path.model_dump(), **body.model_dump())
    return BotChannelPayload.of(put).model_dump(mode="json")


@routes.delete("/<platform>/channels/<workspace>/<channel>", responses={"200": BotChannelPayload})
@allow(Scope.ADMIN, about="server")
def delete_channel(path: BotChannelPath) -> Reply:
    """Let a bot no longer answer in a channel, and return what was configured."""
    return BotChannelPayload.of(remove_channel(store(), **path.model_dump())).model_dump(mode="json")


@routes.post("/<platform>/channels/<workspace>/<channel>/test", responses={"202": BotEventPayload})
@allow(Scope.ADMIN, about="server")
def create_test_message(path: BotChannelPath) -> Reply:
    """Let the running bot post a test message in a channel; read its event to see whether it did."""
    return BotEventPayload.of(request_test_message(store(), **path.model_dump())).model_dump(mode="json"), 202


@routes.get("/<platform>/events/<id>", responses={"200": BotEventPayload})
@allow(Scope.BOT, about="server")
def get_event(path: BotEventPath) -> Reply:
    """Read what a bot made of a message, or of a request for a test message."""
    return BotEventPayload.of(store().bots.event(path.platform, path.id)).model_dump(mode="json")


@routes.post("/<platform>/events", responses={"200": BotClaimPayload})
@allow(Scope.BOT, about="server")
def claim_event(path: BotPath, body: BotEventBody) -> Reply:
    """Claim a message for a bot process; each is claimed once, so it gets one answer."""
    claimed = claim(store(), body.to_event(path.platform), body.holder)
    return BotClaimPayload.of(claimed).model_dump(mode="json")


@routes.post("/<platform>/events/take", responses={"200": BotEventList})
@allow(Scope.BOT, about="server")
def take_events(path: BotPath, body: BotTakeBody) -> Reply:
    """Get the events that wait for a bot process; one that has just started continues those of its predecessor."""
    events = store().bots.take_events(path.platform, body.holder, has_started=body.has_started)
    return BotEventList.of(events).model_dump(mode="json")


@routes.patch("/<platform>/events/<id>", responses={"200": BotEventPayload})
@allow(Scope.BOT, about="server")  # events hold the questions of people
def change_event(path: BotEventPath, body: BotEventChangeBody) -> Reply:
    """Note what a bot did for an event; 409 if another process has taken it over."""
    event = store().bots.change_event(path.platform, path.id, body.holder, body.to_change())
    return BotEventPayload.of(event).model_dump(mode="json")
