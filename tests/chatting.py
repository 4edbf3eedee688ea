"""A platform with a channel, a person in it, and the bot: what tests of bots share (INT-1).

Belongs here: running the bot, and what people do. Not here: the platforms (`slack_server`, `discord_server`).
Guarantee: no bot outlives its block.
"""

import re
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from headwater.administration.bots import put_channel
from headwater.administration.knowledge_bases import change_knowledge_base
from headwater.domain.bots import BotMode, BotPlatform
from headwater.settings import REPOSITORY, Settings
from integrations.api_client import Api
from tests import discord_server as discord
from tests import slack_server as slack
from tests.aiohttp_server import until
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute. <!channel> @everyone must know.\n",
    "valve.md": "# Valve\n\nThe valve closes at ninety degrees.\n",
}
QUESTION = "How many litres of water does the pump lift per minute?"
SLOW = Says("The pump lifts forty litres [1]. " + "It is a good pump. " * 10, tokens_per_second=40)
WORKSPACES = {"slack": (slack.TEAM, slack.CHANNEL), "discord": (discord.GUILD, discord.CHANNEL)}
BOTH = pytest.mark.parametrize("chatting", ["slack", "discord"], indirect=True)


@dataclass(frozen=True, kw_only=True)
class Chatting:
    """A platform with a channel in which a bot may answer."""

    platform: BotPlatform
    server: Any
    me: str
    settings: Settings
    kb: Headwater

    def ask(self, text: str = QUESTION, **more: Any) -> str:
        """A person mentions the bot; returns the message."""
        message: str = self.server.say(f"<@{self.me}> {text}", **more)
        return message

    def answered(self, message: str) -> str:
        """Wait for the answer to a message; returns what its thread says."""
        until(lambda: self.server.is_answered(message))
        text: str = self.server.text(message)
        return text

    def allow(self, *, mode: BotMode = "mention", is_on: bool = True) -> None:
        """Configure the channel."""
        workspace, channel = WORKSPACES[self.platform]
        put_channel(self.kb.store, self.platform, workspace, channel, "kb", mode=mode, is_on=is_on)

    def posts(self) -> int:
        """How many messages the bot tried to post."""
        calls = [call[:2] for call in self.server.calls]
        return sum(call[0] == "chat.postMessage" or call == ("POST", _place_of(call)) for call in calls)

    def events(self) -> list[dict[str, Any]]:
        """The rows of the messages that were taken, oldest first."""
        return self.kb.query("SELECT * FROM bot_events ORDER BY created_at")

    @contextmanager
    def bot(self, url: str, **more: Any) -> Iterator[None]:
        """Run the bot in a thread for the length of a block, connected."""
        stopping, ends = threading.Event(), list[BaseException]()

        def run() -> None:
            try:
                with closing(Api(url, platform=self.platform, holder=uuid.uuid4())) as api:
                    _kind(self.platform)(self.settings, api, **more).run(stopping)
            except BaseException as error:  # noqa: BLE001 - shown by the test's thread
                ends.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            until(lambda: self.server.sockets or ends)
            yield
        finally:
            stopping.set()
            thread.join(0.2)
            self.server.hang_up()  # Slack's client would wait for it for three seconds
            thread.join()
        assert not ends, ends

    @contextmanager
    def process(self, url: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Run the bot as a user does, for the length of a block, connected."""
        command = [sys.executable, "-m", "cli.main", "bot", self.platform, "--url", url]
        with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL) as process:
            try:
                until(lambda: self.server.sockets or process.poll() is not None)
                yield process
            finally:
                process.kill()
        until(lambda: not self.server.sockets)


def _kind(platform: BotPlatform) -> Any:
    """Imported late: every process collects every test, and few run these."""
    if platform == "slack":
        from integrations.slack_bot import SlackBot

        return SlackBot
    from integrations.discord_bot import DiscordBot

    return DiscordBot


def _place_of(call: tuple[Any, ...]) -> str:
    return call[1] if isinstance(call[1], str) and re.fullmatch(r"channels/\d+/messages", call[1]) else ""


@pytest.fixture
def chatting(kb: Headwater, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Chatting]:
    """A platform on loopback, with tokens in the environment; no channel is configured yet."""
    if request.param == "slack":
        monkeypatch.setenv("HEADWATER_SLACK_BOT_TOKEN", slack.BOT_TOKEN)
        monkeypatch.setenv("HEADWATER_SLACK_APP_TOKEN", slack.APP_TOKEN)
        with slack.slack_server() as told:
            monkeypatch.setenv("HEADWATER_SLACK_API_URL", told.url)
            yield Chatting(platform="slack", server=told, me=slack.BOT, settings=_told(kb), kb=kb)
    else:
        monkeypatch.setenv("HEADWATER_DISCORD_TOKEN", discord.TOKEN)
        with discord.discord_server() as server:
            monkeypatch.setenv("HEADWATER_DISCORD_API_URL", server.url)
            yield Chatting(platform="discord", server=server, me=discord.BOT, settings=_told(kb), kb=kb)


def _told(kb: Headwater) -> Settings:
    own = Settings.from_env()
    return replace(own, home=kb.settings.home, cache=kb.settings.cache)


@pytest.fixture
def slowly(kb: Headwater, chat: ChatServer) -> ChatServer:
    """A model that takes some seconds for an answer."""
    change_knowledge_base(kb.store, "kb", settings={"answer_model": MODEL})
    chat.otherwise = SLOW
    return chat
