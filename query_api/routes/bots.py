"""`/api/v1/bots`: where bots answer, and the messages that they take (INT-1).

Belongs here: configuring channels, test messages, and what bots keep here so that they need no database. Not here: the
bots (`integrations`), answers (`answers`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.bots import claim, put_channel, remove_channel, request_test_message
from headwater.domain.access import Scope
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Reply
from query_api.routes.bot_payloads import (
    BotChannelList,
    BotChannelPayload,
    BotClaimPayload,
    BotEventList,
    BotEventPayload,
)
from query_api.routes.bot_requests import (
    BotChannelBody,
    BotChannelPath,
    BotEventBody,
    BotEventChangeBody,
    BotEventPath,
    BotPath,
    BotTakeBody,
)

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
