"""The bot in Discord, over its gateway.

Belongs here: what the bot receives. Not here: what it writes (`discord_outlet`), what is answered (`bot`,
`event_answer`). Guarantee: messages of bots are ignored; messages of the last minutes that were written while no
process ran are answered once one runs again.
"""

import asyncio
import json
import logging
import threading
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from headwater.errors import HeadwaterError, InvalidConfigurationError
from headwater.settings import Settings
from integrations.api_client import Api
from integrations.backoff import RetryPolicy
from integrations.bot import Bot
from integrations.chat_platform import Received
from integrations.discord_outlet import BUTTONS, NOBODY, VOTES, DiscordOutlet
from integrations.errors import ApiUnreachableError, PlatformError
from integrations.question_limits import Limits

_log = logging.getLogger("headwater.bots")
_MISSED = timedelta(minutes=15)
_MAX_MISSED = 50  # messages of a channel
_RETRY = 10.0  # seconds until Discord is tried again
_RETRY_API = 1.0  # seconds until the API is asked for the channels again
_LOOK = 0.2  # seconds between two looks whether the process ends


def parse_message(message: discord.Message, me: discord.ClientUser) -> Received | None:
    """A message of a person in a server; None if it is another's."""
    if message.author.bot or message.webhook_id or message.guild is None:
        return None
    if message.type not in (discord.MessageType.default, discord.MessageType.reply):
        return None
    thread = message.channel if isinstance(message.channel, discord.Thread) else None
    text = message.content.replace(f"<@{me.id}>", " ").replace(f"<@!{me.id}>", " ")
    return Received(
        id=str(message.id),
        workspace=str(message.guild.id),
        channel=str(thread.parent_id if thread else message.channel.id),
        thread=str(thread.id if thread else message.id),
        message=str(message.id),
        user=str(message.author.id),
        question=text.strip(),
        is_mention=me in message.mentions,
    )


class _Client(discord.Client):
    """Passes on what Discord says."""

    def __init__(self, intents: discord.Intents, bot: "DiscordBot") -> None:
        super().__init__(intents=intents, max_messages=None, allowed_mentions=NOBODY)
        self._told = bot

    async def on_ready(self) -> None:
        """The connection stands, or is a new one after a break."""
        _log.info("connected to Discord as %s", self.user)
        await self._told.catch_up()

    async def on_message(self, message: discord.Message) -> None:
        """Somebody wrote something."""
        self._told.receive(message)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Somebody pressed a button."""
        await self._told.vote(interaction)


class DiscordBot:
    """A bot that is connected to Discord."""

    def __init__(
        self, settings: Settings, api: Api, *, limits: Limits | None = None, patience: RetryPolicy | None = None
    ) -> None:
        """Connect to nothing yet.

        Raises:
            InvalidConfigurationError: the token is missing.
        """
        if not settings.discord_token:
            raise InvalidConfigurationError("The bot of Discord needs HEADWATER_DISCORD_TOKEN.")
        self._settings, self._api = settings, api
        self._limits, self._patience = limits, patience
        self._client, self._bot = self._make_client()

    def _make_client(self) -> tuple[discord.Client, Bot]:
        """A client, which can connect once, and the bot that works with it."""
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = True
        # Messages without a mention have a text only with this intent, which the bot's owner must turn on.
        intents.message_content = self._reads_everything()
        client = _Client(intents, self)
        bot = Bot(
            self._api,
            DiscordOutlet(client),
            public_url=self._settings.api_url,
            limits=self._limits,
            patience=self._patience,
        )
        return client, bot

    def run(self, stopping: threading.Event) -> None:
        """Answer until the event is set, and wait for Discord while it is away.

        Raises:
            PlatformError: Discord does not accept the token or the intents.
        """
        while not stopping.is_set():
            try:
                _use_address(self._settings.discord_api_url)
                asyncio.run(self._run(stopping))
            except discord.LoginFailure as error:
                words = "Discord does not accept the token. Copy it again to HEADWATER_DISCORD_TOKEN."
                raise PlatformError("DISCORD_TOKEN", words) from error
            except discord.PrivilegedIntentsRequired as error:
                words = (
                    "A channel has the mode every_message. Turn on the message content intent in Discord's developer"
                    " portal, or choose the mode mention."
                )
                raise PlatformError("DISCORD_INTENT", words) from error
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                _log.warning("Discord cannot be reached (%s); trying again", type(error).__name__)
                stopping.wait(_RETRY)
            if not stopping.is_set():
                self._client, self._bot = self._make_client()

    async def _run(self, stopping: threading.Event) -> None:
        running = asyncio.create_task(self._client.start(self._settings.discord_token or ""))
        waiting = asyncio.create_task(_until(stopping))
        try:
            await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
        finally:
            waiting.cancel()
            await asyncio.to_thread(self._bot.stop)
            await self._client.close()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(running, return_exceptions=True)

    def receive(self, message: discord.Message) -> None:
        """Pass a message on."""
        received = parse_message(message, self._client.user) if self._client.user else None
        if received is not None:
            self._bot.receive(received)

    async def catch_up(self) -> None:
        """Continue earlier work, and read what was written while no process ran; each message is answered once."""
        self._bot.start()
        channels = await self._channels()
        if any(_wants_everything(channel) for channel in channels) and not self._client.intents.message_content:
            _log.info("a channel wants an answer to every message: connecting again with the intent for that")
            await self._client.close()
            return
        for channel in channels:
            if channel["is_on"] and channel["channel"].isdecimal():
                since = datetime.fromisoformat(channel["configured_at"])
                await self._read(int(channel["workspace"]), int(channel["channel"]), since)

    async def _channels(self) -> list[dict[str, Any]]:
        """The configured channels, once the API says which; none if it refuses for good."""
        while not self._client.is_closed():
            try:
                return await asyncio.to_thread(self._api.channels)
            except HeadwaterError as error:
                if not isinstance(error, ApiUnreachableError) and error.retry_after is None:
                    _log.warning("the API does not name the channels: %s", error)
                    return []
                await asyncio.sleep(_RETRY_API)
        return []

    async def _read(self, guild_id: int, channel_id: int, since: datetime) -> None:
        guild = self._client.get_guild(guild_id)
        threads = [thread.id for thread in guild.threads if thread.parent_id == channel_id] if guild else []
        earliest = max(since, datetime.now(UTC) - _MISSED)  # what was written before was not meant for the bot
        for place in (channel_id, *threads):
            try:
                messageable = self._client.get_partial_messageable(place, guild_id=guild_id)
                async for message in messageable.history(after=earliest, limit=_MAX_MISSED):
                    self.receive(message)
            except discord.HTTPException as error:
                _log.warning("cannot read what was missed in %s: %s", place, error.text)

    async def vote(self, interaction: discord.Interaction) -> None:
        """Store a vote, and thank the person alone."""
        data: Mapping[str, Any] = interaction.data or {}
        name = str(data.get("custom_id", ""))
        prefix, _, arguments = name.partition(":")
        vote_name, _, answer_id = arguments.partition(":")
        vote = next((vote for vote, _ in VOTES if vote == vote_name), None)
        if prefix != BUTTONS or vote is None:
            return
        try:
            await asyncio.to_thread(self._api.vote, UUID(answer_id), vote)
            words = "Thank you for your feedback."
        except (HeadwaterError, ValueError):
            words = "Your vote could not be stored. Please try again later."
        await interaction.response.send_message(words, ephemeral=True)

    def _reads_everything(self) -> bool:
        """Whether a channel wants an answer to every message; no, if the API does not say: `catch_up` asks again."""
        try:
            return any(_wants_everything(channel) for channel in self._api.channels())
        except HeadwaterError:
            return False


def _wants_everything(channel: Mapping[str, Any]) -> bool:
    return bool(channel["is_on"]) and channel["mode"] == "every_message"


async def _until(stopping: threading.Event) -> None:
    while not stopping.is_set():
        await asyncio.sleep(_LOOK)


def _use_address(address: str) -> None:
    """Use another address than Discord's own, such as a proxy's, for its REST API and the gateway that this names."""
    if address == Settings.default("discord_api_url"):
        return
    Route.BASE = address
    with urllib.request.urlopen(f"{address}/gateway", timeout=10) as response:  # noqa: S310 - from the settings
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(json.load(response)["url"])
