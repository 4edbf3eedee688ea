"""The bot in Slack, over Socket Mode: it needs no public address.

Belongs here: Slack's events, buttons and messages. Not here: what is answered (`bot`, `event_answer`), mrkdwn
(`dialects`). Guarantee: an event is acknowledged only once the API has it, so Slack delivers again what a killed
process had not passed on; messages of bots are ignored.
"""

import logging
import math
import re
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.error import URLError
from uuid import UUID

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.builtin_handlers import ConnectionErrorRetryHandler, RateLimitErrorRetryHandler
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from headwater.domain.bots import BotPlatform
from headwater.domain.conversations import Vote
from headwater.domain.slack_markup import SUBTYPES_OF_PEOPLE, replace_marks, unescape
from headwater.errors import HeadwaterError, InvalidConfigurationError
from headwater.settings import Settings
from integrations.api_client import Api
from integrations.backoff import RetryPolicy, Waiter
from integrations.bot import Bot, nothing
from integrations.chat_platform import BotEvent, MessagePage, Received
from integrations.dialects import SLACK
from integrations.errors import PlatformError, StoppedError
from integrations.question_limits import Limits

_log = logging.getLogger("headwater.bots")
_REACTION = "eyes"
_RETRIES = 5  # after a 429, each after the time that Slack asks for
_FALLBACK = 300  # characters of the text that notifications show
_HARMLESS = ("already_reacted", "no_reaction", "message_not_found")
_PASSING = ("ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout")
_VOTES: Mapping[str, tuple[Vote, str]] = {
    "headwater_up": ("up", "👍 Helpful"),
    "headwater_down": ("down", "👎 Not helpful"),
}


class SlackOutlet:
    """Messages and reactions in Slack."""

    platform: BotPlatform = "slack"
    dialect = SLACK
    interval = 2.0  # Slack allows about 50 edits a minute

    def __init__(self, client: WebClient) -> None:
        self._client = client

    def react(self, event: BotEvent) -> None:
        """Add 👀."""
        _call_slack(lambda: self._client.reactions_add(channel=event.channel, timestamp=event.message, name=_REACTION))

    def unreact(self, event: BotEvent) -> None:
        """Remove 👀."""
        _call_slack(
            lambda: self._client.reactions_remove(channel=event.channel, timestamp=event.message, name=_REACTION)
        )

    def post(self, event: BotEvent, page: MessagePage, number: int) -> str:  # noqa: ARG002 - Slack cannot tell repeats apart
        """Post in the thread; a test message in the channel."""
        post = partial(self._client.chat_postMessage, unfurl_links=False, unfurl_media=False)
        thread = event.thread or None
        response = _call_slack(
            lambda: post(channel=event.channel, thread_ts=thread, text=_fallback(page), blocks=_blocks(page))
        )
        return str(response["ts"])

    def edit(self, event: BotEvent, message: str, page: MessagePage) -> None:
        """Replace a message."""
        _call_slack(
            lambda: self._client.chat_update(
                channel=event.channel, ts=message, text=_fallback(page), blocks=_blocks(page)
            )
        )

    def delete(self, event: BotEvent, message: str) -> None:
        """Delete a message."""
        _call_slack(lambda: self._client.chat_delete(channel=event.channel, ts=message))


def _call_slack(call: Callable[[], Any]) -> Any:
    """What Slack answered; its errors are told apart by whether they pass."""
    try:
        return call()
    except SlackApiError as error:
        name = str(error.response.get("error", "unknown"))
        if name in _HARMLESS:
            return {}
        is_passing = name in _PASSING or error.response.status_code >= 500
        raise PlatformError(f"SLACK_{name.upper()}", f"Slack refused: {name}.", is_passing=is_passing) from error
    except (SlackClientError, URLError, OSError) as error:
        raise PlatformError("SLACK_UNREACHABLE", "Slack does not answer.", is_passing=True) from error


def _blocks(page: MessagePage) -> list[dict[str, Any]]:
    """Sections, shown as a whole; below an answer the buttons to vote."""
    blocks: list[dict[str, Any]] = [
        {"type": "section", "expand": True, "text": {"type": "mrkdwn", "text": text, "verbatim": True}}
        for text in page.sections
    ]
    if page.vote_on is not None:
        buttons = [
            {"type": "button", "action_id": name, "value": str(page.vote_on),
             "text": {"type": "plain_text", "text": label, "emoji": True}}
            for name, (_, label) in _VOTES.items()
        ]  # fmt: skip
        blocks.append({"type": "actions", "elements": buttons})
    return blocks


def _fallback(page: MessagePage) -> str:
    """The beginning, without cutting an escaped character or a link apart."""
    text = page.sections[0][:_FALLBACK]
    return re.sub(r"(?:&\w{0,4}|<[^<>]*)$", "", text) or "…"


def plain_text(text: str, me: str) -> str:
    """What a person wrote, without the mention of the bot and without Slack's escapes."""

    def write(target: str, label: str) -> str:
        if target == f"@{me}":
            return " "
        return label or (target.strip("!") if target.startswith(("@", "#", "!")) else target)

    words = unescape(replace_marks(text, write))
    return " ".join(words.split()) if "\n" not in words else words.strip()


def parse_message(payload: Mapping[str, Any], me: str) -> Received | None:
    """The message in an event of Slack; None if it is no person's.

    Args:
        payload: the event's envelope.
        me: the bot's user id.
    """
    event = payload.get("event", {})
    is_told = event.get("type") == "app_mention" or (
        event.get("type") == "message" and (not event.get("subtype") or event["subtype"] in SUBTYPES_OF_PEOPLE)
    )
    user, moment, channel = event.get("user"), event.get("ts"), event.get("channel")
    if not is_told or event.get("bot_id") or not (user and moment and channel) or user == me:
        return None
    text = event.get("text") or ""
    return Received(
        id=f"{channel}:{moment}",  # a mention comes as two events with different ids
        workspace=str(payload.get("team_id") or event.get("team")),
        channel=channel,
        thread=event.get("thread_ts") or moment,
        message=moment,
        user=user,
        question=plain_text(text, me),
        is_mention=f"<@{me}" in text or event.get("channel_type") == "im",
    )


class SlackBot:
    """A bot that is connected to Slack."""

    def __init__(
        self, settings: Settings, api: Api, *, limits: Limits | None = None, patience: RetryPolicy | None = None
    ) -> None:
        """Connect to nothing yet.

        Raises:
            InvalidConfigurationError: a token is missing.
        """
        if not (settings.slack_bot_token and settings.slack_app_token):
            raise InvalidConfigurationError(
                "The bot of Slack needs HEADWATER_SLACK_BOT_TOKEN (xoxb-…) and HEADWATER_SLACK_APP_TOKEN (xapp-…)."
            )
        retries = [ConnectionErrorRetryHandler(), RateLimitErrorRetryHandler(max_retry_count=_RETRIES)]
        self._web = WebClient(
            token=settings.slack_bot_token, base_url=f"{settings.slack_api_url}/", retry_handlers=retries
        )
        self._socket = SocketModeClient(app_token=settings.slack_app_token, web_client=self._web)
        self._api = api
        self._bot = Bot(api, SlackOutlet(self._web), public_url=settings.api_url, limits=limits, patience=patience)
        self._me = ""

    def run(self, stopping: threading.Event) -> None:
        """Answer until the event is set, and wait for Slack while it is away.

        Raises:
            PlatformError: Slack does not accept a token.
        """
        waiter = Waiter(patience=RetryPolicy(gives_up=math.inf), stopping=stopping, say=nothing)
        try:
            self._me = str(waiter.run(lambda: _call_slack(self._web.auth_test))["user_id"])
            self._socket.socket_mode_request_listeners.append(self._listen)
            waiter.run(lambda: _call_slack(self._socket.connect))
            self._bot.start()
            _log.info("connected to Slack as %s", self._me)
            stopping.wait()
        except StoppedError:
            pass  # somebody stopped the bot while it waited for Slack
        finally:
            self._bot.stop()
            self._socket.close()

    def _listen(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        def acknowledge() -> None:
            client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

        if request.type == "events_api":
            message = parse_message(request.payload, self._me)
            if message is not None:
                self._bot.receive(message, acknowledge)
                return
        acknowledge()
        if request.type == "interactive" and request.payload.get("type") == "block_actions":
            self._vote(request.payload)

    def _vote(self, payload: Mapping[str, Any]) -> None:
        for action in payload.get("actions", []):
            if action.get("action_id") not in _VOTES:
                continue
            try:
                self._api.vote(UUID(str(action.get("value"))), _VOTES[action["action_id"]][0])
                words = "Thank you for your feedback."
            except (HeadwaterError, ValueError):
                words = "Your vote could not be stored. Please try again later."
            thank = partial(
                self._web.chat_postEphemeral,
                channel=payload["channel"]["id"],
                user=payload["user"]["id"],
                text=words,
                thread_ts=payload.get("message", {}).get("thread_ts"),
            )
            _call_slack(thank)
