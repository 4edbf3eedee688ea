"""The bots of Slack and Discord against servers that speak their protocols (INT-1).

Belongs here: what people see in a channel, with the real client libraries. Not here: how messages are cut
(`unit.test_bot_messages`), the routes alone (`test_bot_routes`).
"""

import re
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from headwater.administration.bots import put_channel, request_test_message
from headwater.administration.knowledge_bases import change_knowledge_base
from headwater.domain.bots import BotMode, BotPlatform
from headwater.settings import REPOSITORY, Settings
from integrations.api import Api
from integrations.limits import Limits
from integrations.waiting import Patience
from tests import discord_server as discord
from tests import slack_server as slack
from tests.aiohttp_server import until
from tests.api_server import api_server
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater, free_port

FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute. <!channel> @everyone must know.\n",
    "valve.md": "# Valve\n\nThe valve closes at ninety degrees.\n",
}
QUESTION = "How many litres of water does the pump lift per minute?"
SLOW = Says("The pump lifts forty litres [1]. " + "It is a good pump. " * 20, tokens_per_second=40)
WORKSPACES = {"slack": (slack.TEAM, slack.CHANNEL), "discord": (discord.GUILD, discord.CHANNEL)}

pytestmark = pytest.mark.synced(files=FILES)
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


@BOTH
def test_a_mention_is_answered_in_a_thread_with_sources(chatting: Chatting, slowly: ChatServer) -> None:
    """Seen at once, answered while the model writes, once, and then without the reaction; others are left alone."""
    chatting.allow()
    with api_server(chatting.kb.settings) as api, chatting.bot(api.url):
        chatting.server.say("Nobody asked the bot.")
        chatting.ask("hello!")
        message = chatting.ask()
        growing = until(lambda: chatting.server.text(message))
        assert chatting.server.reactions == [("add", message)]
        assert growing.endswith("…")
        assert growing.startswith("The pump lifts forty litres [1]")
        again = {"moment": message} if chatting.platform == "slack" else {"again": message}
        chatting.ask(**again)
        text = chatting.answered(message)
        chatting.ask(**again)
        slowly.otherwise = "The documents name no maker [1]."
        second = chatting.ask("Who makes it?", **_in_thread(chatting, message))
        until(lambda: chatting.server.is_answered(second))
        assert text == chatting.server.text(message).partition("\n---\n")[0]
    assert text.startswith("The pump lifts forty litres [1]. It is a good pump.")
    assert re.search(r"\*Sources\*\**\n1\. ", text)
    assert "…" not in text
    assert [(one["state"], one["question"], len(one["messages"])) for one in chatting.events()] == [("done", "", 1)] * 2
    asked = [request for request in slowly.requests if "Who makes it?" in request.prompt]
    assert "litres" in asked[0].prompt.partition("Answer the question now")[0].rpartition("Who makes it?")[2]


def _in_thread(chatting: Chatting, message: str) -> dict[str, str]:
    return {"thread": message} if chatting.platform == "slack" else {"channel": message}


@BOTH
def test_a_killed_bot_is_continued_by_the_next(chatting: Chatting, slowly: ChatServer) -> None:
    """In the middle of an answer: the same answer goes on in the same message, and nothing is asked twice."""
    chatting.allow()
    with api_server(chatting.kb.settings) as api:
        with chatting.process(api.url) as process:
            message = chatting.ask()
            growing = until(lambda: chatting.server.text(message))
            until(lambda: chatting.events()[0]["messages"])
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert growing.endswith("…")
        slowly.otherwise = "The valve closes at ninety degrees [1]."
        missed = chatting.ask("When does the valve close?")  # nobody runs who could see it
        with chatting.bot(api.url):
            text = chatting.answered(message)
            assert "The valve closes" in chatting.answered(missed)
    assert "\n---\n" not in text
    assert text.count("It is a good pump.") == 20
    assert len(chatting.kb.query("SELECT FROM answers")) == len(slowly.requests) == 2


@BOTH
def test_an_api_that_is_away_is_waited_for(chatting: Chatting) -> None:
    """One message says so, and then the answer comes; a bot that stops meanwhile loses nothing."""
    chatting.allow()
    port = free_port()
    with chatting.bot(f"http://127.0.0.1:{port}", patience=Patience(says_so=0.3)):
        message = chatting.ask()
        until(lambda: chatting.server.text(message))
        with api_server(chatting.kb.settings, port):
            notice, answer = chatting.answered(message).split("\n---\n")
    assert "API_UNREACHABLE" in notice
    assert "forty litres" in answer
    assert chatting.server.reactions[-1] == ("remove", message)


@BOTH
def test_an_api_that_stays_away_ends_in_an_error(chatting: Chatting) -> None:
    """With a code, and without the reaction."""
    with chatting.bot(f"http://127.0.0.1:{free_port()}", patience=Patience(says_so=60, gives_up=0.3)):
        assert "(API_UNREACHABLE)" in chatting.answered(chatting.ask())


@BOTH
def test_a_platform_that_is_busy_is_waited_for(chatting: Chatting) -> None:
    """A post that got 429 is sent again after the time that was asked for."""
    chatting.allow()
    post = "chat.postMessage" if chatting.platform == "slack" else "/messages"
    chatting.server.limited.append((post, "1"))
    with api_server(chatting.kb.settings) as api, chatting.bot(api.url):
        assert "forty litres" in chatting.answered(chatting.ask())
    assert chatting.posts() == 2
    assert not chatting.server.limited


@BOTH
def test_nobody_is_notified_by_what_a_document_says(chatting: Chatting) -> None:
    """Nor by a question that is repeated in an error."""
    chatting.allow()
    with api_server(chatting.kb.settings) as api, chatting.bot(api.url):
        text = chatting.answered(chatting.ask("Who must know of the pump that lifts forty litres?"))
    if chatting.platform == "slack":
        assert "&lt;!channel&gt;" in text
        assert "<!" not in str(chatting.server.messages)
    else:
        assert "@everyone" not in text
        sent = [data for method, path, data in chatting.server.calls if path.endswith("messages") and method == "POST"]
        assert all(data["allowed_mentions"] == {"parse": []} and data["flags"] == 4 for data in sent)


@BOTH
def test_votes_are_stored_as_feedback(chatting: Chatting) -> None:
    """By the buttons below an answer; whoever pressed one is thanked."""
    chatting.allow()
    with api_server(chatting.kb.settings) as api, chatting.bot(api.url):
        chatting.answered(chatting.ask())
        (shown,) = chatting.server.messages
        chatting.server.press(shown, "headwater_down" if chatting.platform == "slack" else "down")
        until(lambda: chatting.kb.query("SELECT FROM feedback WHERE vote = 'down'"))
        if chatting.platform == "discord":
            assert until(lambda: chatting.server.thanked) == ["Thank you for your feedback."]
        else:
            until(lambda: [data for method, data in chatting.server.calls if method == "chat.postEphemeral"])


@BOTH
def test_a_channel_decides_what_is_answered(chatting: Chatting) -> None:
    """Without a knowledge base people learn how it gets one; then mentions, every message, or nothing is answered."""
    workspace, channel = WORKSPACES[chatting.platform]
    with api_server(chatting.kb.settings) as api:
        with chatting.bot(api.url):
            text = chatting.answered(chatting.ask())
            assert f"headwater bots set {chatting.platform} {workspace} {channel} KNOWLEDGE_BASE" in text
            assert "(NOT_CONFIGURED)" in text
            chatting.allow(is_on=False)
            silent = chatting.ask()
            until(lambda: api.answered.count(f"/api/v1/bots/{chatting.platform}/events") == 2)
        chatting.allow(mode="every_message")
        with chatting.bot(api.url, limits=Limits(per_user=1)):
            kind = {"type": "message"} if chatting.platform == "slack" else {}
            assert "forty litres" in chatting.answered(chatting.server.say(QUESTION, **kind))
            assert "(RATE_LIMITED)" in chatting.answered(chatting.server.say(QUESTION, **kind))
            test = request_test_message(chatting.kb.store, chatting.platform, workspace, channel)
            until(lambda: chatting.kb.store.bots.event(chatting.platform, test.id).state == "done")
    said = [str(one) for one in chatting.server.messages.values()]
    assert sum("questions here are answered from `kb`" in one for one in said) == 1
    assert ("add", silent) not in chatting.server.reactions
    assert {one["state"] for one in chatting.events()} == {"done", "failed"}
    if chatting.platform == "discord":
        assert chatting.server.intents & 1 << 15  # the message content, which mentions do not need
