"""Messages, threads, buttons and reactions in Discord.

Belongs here: what the bot writes. Not here: what it receives (`discord_bot`). Guarantee: a message may notify nobody; a
message that is sent again within minutes, because its response was lost, is not posted again.
"""

import asyncio
import hashlib
from collections.abc import Coroutine
from typing import Any, TypeVar

import aiohttp
import discord

from headwater.domain.bots import BotPlatform
from headwater.domain.conversations import Vote
from integrations.chat_platform import BotEvent, MessagePage
from integrations.dialects import DISCORD
from integrations.errors import PlatformError, StoppedError

BUTTONS = "headwater"
"""What the ids of the bot's buttons begin with, before the vote and the answer's id."""
VOTES: tuple[tuple[Vote, str], ...] = (("up", "👍"), ("down", "👎"))
NOBODY = discord.AllowedMentions.none()
_REACTION = "👀"
_NAME = 90  # characters of a thread's name, of 100
_PATIENCE = 90.0  # seconds that Discord may take, with the waits that it asks for
_HAS_THREAD = 160004
_HARMLESS = (10008, 10014)  # the message or the reaction is gone
T = TypeVar("T")


class DiscordOutlet:
    """Messages and reactions in Discord, from threads that are not the client's."""

    platform: BotPlatform = "discord"
    dialect = DISCORD
    interval = 1.5

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._threads: set[str] = set()

    def react(self, event: BotEvent) -> None:
        """Add 👀."""
        self._await_result(self._message(event).add_reaction(_REACTION))

    def unreact(self, event: BotEvent) -> None:
        """Remove 👀."""
        if self._client.user is not None:
            self._await_result(self._message(event).remove_reaction(_REACTION, self._client.user))

    def post(self, event: BotEvent, page: MessagePage, number: int) -> str:
        """Post in the thread, which begins with the first message; a repeat within minutes posts nothing again."""
        once = hashlib.sha256(f"{event.id}:{number}".encode()).hexdigest()[:24]
        sent = self._await_result(self._post(event, page, once))
        return str(sent.id if sent else event.message)

    def edit(self, event: BotEvent, message: str, page: MessagePage) -> None:
        """Replace a message."""
        self._await_result(self._edit(event, message, page))

    def delete(self, event: BotEvent, message: str) -> None:
        """Delete a message."""
        self._await_result(self._thread(event).get_partial_message(int(message)).delete())

    async def _post(self, event: BotEvent, page: MessagePage, once: str) -> discord.Message:
        if event.thread == event.message and event.thread and event.thread not in self._threads:
            await self._begin_thread(event)
            self._threads.add(event.thread)
        view = _buttons(page)
        options: dict[str, Any] = {"view": view} if view else {}
        return await self._thread(event).send(
            _content(page), nonce=once, suppress_embeds=True, allowed_mentions=NOBODY, **options
        )

    async def _edit(self, event: BotEvent, message: str, page: MessagePage) -> None:
        partial_message = self._thread(event).get_partial_message(int(message))
        await partial_message.edit(content=_content(page), view=_buttons(page), allowed_mentions=NOBODY)

    async def _begin_thread(self, event: BotEvent) -> None:
        """A thread has the id of the message that it begins with."""
        name = " ".join(event.question.split())[:_NAME] or "Answer"
        try:
            await self._message(event).create_thread(name=name, auto_archive_duration=1440)
        except discord.HTTPException as error:
            if error.code != _HAS_THREAD:
                raise

    def _message(self, event: BotEvent) -> discord.PartialMessage:
        channel = event.channel if event.thread in ("", event.message) else event.thread
        return self._place(event, channel).get_partial_message(int(event.message))

    def _thread(self, event: BotEvent) -> discord.PartialMessageable:
        return self._place(event, event.thread or event.channel)

    def _place(self, event: BotEvent, channel: str) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(int(channel), guild_id=int(event.workspace))

    def _await_result(self, doing: Coroutine[Any, Any, T]) -> T | None:
        """What Discord answered; None if that does not matter any more."""
        if self._client.is_closed():
            doing.close()
            raise StoppedError
        try:
            return asyncio.run_coroutine_threadsafe(doing, self._client.loop).result(_PATIENCE)
        except discord.HTTPException as error:
            if error.code in _HARMLESS:
                return None
            name = f"DISCORD_{error.code or error.status}"
            raise PlatformError(name, f"Discord refused: {error.text}", is_passing=error.status >= 500) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise PlatformError("DISCORD_UNREACHABLE", "Discord does not answer.", is_passing=True) from error
        except (RuntimeError, asyncio.CancelledError) as error:  # the client was closed meanwhile
            raise StoppedError from error


def _content(page: MessagePage) -> str:
    return "\n\n".join(page.sections)


def _buttons(page: MessagePage) -> discord.ui.View | None:
    """Buttons that another process may handle too, so this one does not wait for them: `vote` gets every press."""
    if page.vote_on is None:
        return None
    view = discord.ui.View(timeout=None)
    for vote, label in VOTES:
        view.add_item(discord.ui.Button(label=label, custom_id=f"{BUTTONS}:{vote}:{page.vote_on}"))
    view.stop()
    return view
