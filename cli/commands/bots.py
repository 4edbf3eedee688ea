"""The commands `bot …`, which run a bot, and `bots …`, which say where bots answer (INT-1).

Belongs here: their arguments, and their results as text. Not here: the checks (`headwater.administration.bots`), bots
(`integrations`). Guarantee: as for every command (`main`).
"""

import sys
import time
from collections.abc import Mapping
from typing import Any, Literal

import click

from cli.output import emit, json_option, note, reports_errors

Platform = Literal["slack", "discord"]
Mode = Literal["mention", "every_message"]
_PLATFORMS = click.Choice(["slack", "discord"])
_WAIT = 20.0  # seconds for a bot to post a test message
_LOOK = 0.25  # seconds between two looks


@click.group()
def bots() -> None:
    """Say in which channels bots answer, and from which knowledge base."""


@bots.command("list")
@json_option
@reports_errors
def list_bots(as_json: bool) -> None:
    """List the channels that bots answer in."""
    from cli.environment import environment
    from query_api.routes.bot_payloads import BotChannelList

    with environment() as env:
        payload = BotChannelList.of(env.store.bots.channels()).model_dump(mode="json")
    lines = [_line(channel) for channel in payload["channels"]]
    words = "\n".join(lines) or "No bot answers anywhere. `headwater bots set` gives a channel a knowledge base."
    emit(payload, as_json=as_json, text=words)


@bots.command("set")
@click.argument("platform", type=_PLATFORMS)
@click.argument("workspace")
@click.argument("channel")
@click.argument("knowledge_base")
@click.option(
    "--mode",
    type=click.Choice(["mention", "every_message"]),
    default="mention",
    show_default=True,
    help="Which messages are questions.",
)
@click.option("--off", is_flag=True, help="Keep it, but do not answer.")
@json_option
@reports_errors
def set_channel(
    platform: Platform, workspace: str, channel: str, knowledge_base: str, mode: Mode, off: bool, as_json: bool
) -> None:
    """Answer in a CHANNEL of a WORKSPACE, or with `*` in all of its channels, from a knowledge base."""
    from cli.environment import environment
    from headwater.administration.bots import put_channel
    from query_api.routes.bot_payloads import BotChannelPayload

    with environment() as env:
        put = put_channel(env.store, platform, workspace, channel, knowledge_base, mode=mode, is_on=not off)
    payload = BotChannelPayload.of(put).model_dump(mode="json")
    emit(payload, as_json=as_json, text=_line(payload))
    if platform == "discord" and mode == "every_message":
        note("Turn on the message content intent in Discord's developer portal, and restart the bot.")


@bots.command()
@click.argument("platform", type=_PLATFORMS)
@click.argument("workspace")
@click.argument("channel")
@json_option
@reports_errors
def remove(platform: Platform, workspace: str, channel: str, as_json: bool) -> None:
    """Stop answering in a channel."""
    from cli.environment import environment
    from headwater.administration.bots import remove_channel
    from query_api.routes.bot_payloads import BotChannelPayload

    with environment() as env:
        removed = remove_channel(env.store, platform, workspace, channel)
    payload = BotChannelPayload.of(removed).model_dump(mode="json")
    emit(payload, as_json=as_json, text=f"Removed: {_line(payload)}")


@bots.command()
@click.argument("platform", type=_PLATFORMS)
@click.argument("workspace")
@click.argument("channel")
@json_option
@reports_errors
def test(platform: Platform, workspace: str, channel: str, as_json: bool) -> None:
    """Let the running bot post a test message in a channel, and say whether it did."""
    from cli.environment import environment
    from headwater.administration.bots import request_test_message
    from query_api.routes.bot_payloads import BotEventPayload

    with environment() as env:
        event = request_test_message(env.store, platform, workspace, channel)
        deadline = time.monotonic() + _WAIT
        while event.state == "open" and time.monotonic() < deadline:
            time.sleep(_LOOK)
            event = env.store.bots.event(platform, event.id)
    words = {
        "done": f"The bot posted a test message in {channel}.",
        "failed": f"The bot could not post in {channel}: {event.error_code}. Is it a member of the channel?",
        "open": f"No bot posted a message yet. Is `headwater bot {platform}` running? The log says more.",
    }
    emit(BotEventPayload.of(event).model_dump(mode="json"), as_json=as_json, text=words[event.state])
    if event.state != "done":
        sys.exit(1)


def _line(row: Mapping[str, Any]) -> str:
    channel = "every other channel" if row["channel"] == "*" else row["channel"]
    state = "" if row["is_on"] else ", off"
    return f"{row['platform']}  {row['workspace']}  {channel}  {row['knowledge_base']}  ({row['mode']}{state})"
