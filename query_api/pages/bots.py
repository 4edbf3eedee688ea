"""`/bots`: where bots answer, and how they are doing (INT-1).

Belongs here: the page and its forms. Not here: the checks (`headwater.administration.bots`), bots (`integrations`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from flask import Blueprint, Response, request

from headwater.administration.bots import put_channel, remove_channel, request_test_message
from headwater.domain.access import Scope
from headwater.domain.bots import BotEvent, BotMode, BotPlatform
from headwater.errors import HeadwaterError, InvalidInputError, NotFoundError
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.forms import field, go_to
from query_api.pages.page_renderer import render

routes = Blueprint("bots_page", __name__)

_EVENTS, _UNKNOWN = 20, 10  # rows
_MAX_ID_CHARS = 100  # characters of an id in an address


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """The channel that a form is about."""

    platform: BotPlatform
    workspace: str
    channel: str


@routes.get("/bots")
@allow(Scope.ADMIN, about="server")
def show_bots() -> Response:
    """List the channels of bots; with `platform`, `workspace` and `channel`, the form is filled in for that one."""
    return _page()


@routes.post("/bots")
@allow(Scope.ADMIN, about="server", body="form")
def change() -> Response:
    """Set, turn on or off, test or remove a channel, as the pressed button says."""
    try:
        action = _ACTIONS.get(field("do"))
        if action is None:
            raise InvalidInputError("The form does not say what to do. Press a button on the page.")
        return go_to(action(_read_choice()))
    except HeadwaterError as error:
        return _page(error)


def _read_choice() -> Chosen:
    if field("platform") not in get_args(BotPlatform):
        raise InvalidInputError("Choose a platform: slack or discord.")
    platform = cast("BotPlatform", field("platform"))
    return Chosen(platform=platform, workspace=field("workspace"), channel=field("channel"))


def _set(choice: Chosen) -> str:
    if field("mode") not in get_args(BotMode):
        raise InvalidInputError("Choose which messages are answered: mention or every_message.")
    mode = cast("BotMode", field("mode"))
    put_channel(store(), choice.platform, choice.workspace, choice.channel, field("knowledge_base"), mode=mode)
    return "/bots"


def _turn(choice: Chosen, *, is_on: bool) -> str:
    channel = store().bots.channel(choice.platform, choice.workspace, choice.channel)
    put_channel(
        store(),
        choice.platform,
        choice.workspace,
        choice.channel,
        channel.knowledge_base,
        mode=channel.mode,
        is_on=is_on,
    )
    return "/bots"


def _test(choice: Chosen) -> str:
    event = request_test_message(store(), choice.platform, choice.workspace, choice.channel)
    return f"/bots?test={event.platform}/{event.id}"


def _remove(choice: Chosen) -> str:
    remove_channel(store(), choice.platform, choice.workspace, choice.channel)
    return "/bots"


_ACTIONS: Mapping[str, Callable[[Chosen], str]] = {
    "set": _set,
    "on": lambda choice: _turn(choice, is_on=True),
    "off": lambda choice: _turn(choice, is_on=False),
    "test": _test,
    "remove": _remove,
}
"""The values of the buttons' field `do`; a function returns the address to go on at."""


def _page(error: HeadwaterError | None = None) -> Response:
    bots, bot_settings = store().bots, settings()
    prefilled = request.form if error else request.args
    return render(
        "bots.html",
        status=error.http_status if error else 200,
        channels=bots.channel_states(),
        unknown=bots.unknown_channels(limit=_UNKNOWN),
        events=bots.newest_events(limit=_EVENTS),
        idle=bots.idle_platforms(),
        has_token={
            "slack": bool(bot_settings.slack_bot_token and bot_settings.slack_app_token),
            "discord": bool(bot_settings.discord_token),
        },
        knowledge_bases=store().knowledge_bases.all(limit=1_000),
        given={name: prefilled.get(name, "")[:_MAX_ID_CHARS].replace("\0", "") for name in _FIELDS},
        tested=_test_channel(request.args.get("test", "")),
        error=str(error) if error else "",
    )


_FIELDS = ("platform", "workspace", "channel", "knowledge_base", "mode")
"""The fields of the form."""


def _test_channel(name: str) -> BotEvent | None:
    """The test message that an address names."""
    platform, _, event_id = name.partition("/")
    if platform not in get_args(BotPlatform):
        return None
    try:
        event = store().bots.event(cast("BotPlatform", platform), event_id[:_MAX_ID_CHARS])
    except NotFoundError:
        return None
    return event if event.kind == "test" else None
