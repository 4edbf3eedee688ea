"""The bots of Slack and Discord against servers that speak their protocols (INT-1): what people see in a channel.

Belongs here: answers, votes and channels, with the real client libraries. Not here: failures (`test_bots_failing`), how
messages are cut (`unit.test_bot_messages`), the routes alone (`test_bot_routes`).
"""

import re

import pytest

from headwater.administration.bots import request_test_message
from integrations.question_limits import Limits
from tests.aiohttp_server import until
from tests.api_server import api_server
from tests.chat_server import ChatServer
from tests.chatting import BOTH, FILES, QUESTION, WORKSPACES, Chatting, chatting, slowly

__all__ = ["chatting", "slowly"]  # fixtures
pytestmark = pytest.mark.synced(files=FILES)


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
        if chatting.platform == "slack":  # which sends two events for a mention, and again what nobody acknowledged
            until(lambda: len(chatting.server.acknowledged) == 6)
    assert text.startswith("The pump lifts forty litres [1]. It is a good pump.")
    assert re.search(r"\*Sources\*\**\n1, 2\. ", text)  # of the sentence, and of the quote beneath
    assert "…" not in text
    assert [(one["state"], one["question"], len(one["messages"])) for one in chatting.events()] == [("done", "", 1)] * 2
    asked = [request for request in slowly.requests if "Who makes it?" in request.prompt]
    assert "litres" in asked[0].prompt.partition("Answer the question now")[0].rpartition("Who makes it?")[2]


def _in_thread(chatting: Chatting, message: str) -> dict[str, str]:
    return {"thread": message} if chatting.platform == "slack" else {"channel": message}


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
