"""What bots do when something is away, busy or killed (INT-1).

Belongs here: the bots of Slack and Discord with the real client libraries. Not here: what goes well (`test_bots`).
"""

import signal

import pytest

from integrations.backoff import RetryPolicy
from tests.aiohttp_server import until
from tests.api_server import api_server
from tests.chat_server import ChatServer
from tests.chatting import BOTH, FILES, Chatting, chatting, slowly
from tests.support import free_port

__all__ = ["chatting", "slowly"]  # fixtures
pytestmark = pytest.mark.synced(files=FILES)


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
    assert text.count("It is a good pump.") == 10
    assert len(chatting.kb.query("SELECT FROM answers")) == len(slowly.requests) == 2


@BOTH
def test_an_api_that_is_away_is_waited_for(chatting: Chatting) -> None:
    """One message says so, and then the answer comes; a bot that stops meanwhile loses nothing."""
    chatting.allow()
    port = free_port()
    with chatting.bot(f"http://127.0.0.1:{port}", patience=RetryPolicy(says_so=0.3)):
        message = chatting.ask()
        until(lambda: chatting.server.text(message))
        with api_server(chatting.kb.settings, port):
            notice, answer = chatting.answered(message).split("\n---\n")
    assert "API_UNREACHABLE" in notice
    assert "forty litres" in answer
    assert chatting.server.reactions[-1] == ("remove", message)


@BOTH
def test_what_was_missed_is_answered_although_the_api_comes_after_the_bot(chatting: Chatting) -> None:
    """Messages that nobody saw wait for the API; a channel that wants every message gets that, too."""
    chatting.allow(mode="every_message")
    port = free_port()
    missed = chatting.ask()
    with (
        chatting.bot(f"http://127.0.0.1:{port}", patience=RetryPolicy(says_so=600)),
        api_server(chatting.kb.settings, port),
    ):
        assert "forty litres" in chatting.answered(missed)
        if chatting.platform == "discord":
            until(lambda: chatting.server.intents & 1 << 15)  # the message content


@BOTH
def test_an_api_that_stays_away_ends_in_an_error(chatting: Chatting) -> None:
    """With a code, and without the reaction."""
    with chatting.bot(f"http://127.0.0.1:{free_port()}", patience=RetryPolicy(says_so=60, gives_up=0.3)):
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
def test_a_knowledge_base_that_is_deleted_meanwhile_is_named(chatting: Chatting, slowly: ChatServer) -> None:
    """Asking again would not help, so nobody is told to."""
    chatting.allow()
    with api_server(chatting.kb.settings) as api, chatting.bot(api.url):
        message = chatting.ask()
        until(lambda: chatting.server.text(message))
        chatting.kb.delete()
        text = chatting.answered(message)
    assert "(NOT_FOUND)" in text
    assert "ask again" not in text
