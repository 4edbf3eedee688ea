"""The bots' page as an administrator meets it (INT-1)."""

import uuid

import httpx
import pytest

from headwater.domain.bots import BotEventChange
from tests.browser.web import Web, check_accessible, check_fits, expect, follow, picture
from tests.support import Headwater

QUESTION = "How many litres of water does the pump lift per minute?"
HOLDER = uuid.UUID(int=7)

pytestmark = pytest.mark.synced(
    "docs", files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
)


def _mention(web: Web, channel: str, name: str) -> None:
    """Somebody mentions the bot, which a process of Slack's bot tells the API."""
    body = {"id": name, "workspace": "T024BE7LD", "channel": channel, "thread": "1", "message": "1",
            "question": QUESTION, "is_mention": True, "holder": str(HOLDER)}  # fmt: skip
    assert httpx.post(f"{web.url}/api/v1/bots/slack/events", json=body).json()["outcome"] == "claimed"


def test_from_a_mention_to_an_answering_channel(kb_web: Web, kb: Headwater) -> None:
    """The channel appears, gets a knowledge base, a test message, is changed, turned off, and removed; audited."""
    events = kb.store.bots
    page = kb_web.visit("/")
    follow(page.get_by_role("link", name="Bots"))
    page.get_by_text("mention it there").wait_for()
    check_accessible(page)
    _mention(kb_web, "C024BE91L", "e1")
    page.reload()
    follow(page.get_by_role("link", name="Give it one"))
    expect(page.get_by_label("Channel", exact=True)).to_have_value("C024BE91L")
    follow(page.get_by_role("button", name="Save"))
    channel = page.get_by_role("list", name="Channels").get_by_role("listitem")
    channel.get_by_text("Answers mentions from kb").wait_for()
    expect(page.get_by_text("Mentioned without")).to_have_count(0)
    answer = kb.ask(QUESTION).id
    _mention(kb_web, "C024BE91L", "e2")
    events.change_event("slack", "e1", HOLDER, BotEventChange(state="failed", error_code="NOT_CONFIGURED"))
    events.change_event("slack", "e2", HOLDER, BotEventChange(state="done", answer_id=answer))
    follow(page.get_by_role("button", name="Send a test message"))
    page.get_by_text("This page says when it has.").wait_for()
    (test,) = events.take_events("slack", HOLDER, has_started=False)
    events.change_event("slack", test.id, HOLDER, BotEventChange(state="done"))
    page.get_by_text("The bot posted a test message in C024BE91L").wait_for()
    channel.get_by_text("Last message just now: answered. 1 message failed in the last seven days.").wait_for()
    check_accessible(page)
    page.goto("/bots")
    picture(page, "page-bots")
    follow(page.get_by_role("link", name="Show the answer"))
    expect(page.locator(".prose")).to_contain_text("forty litres")
    page.go_back()
    follow(page.get_by_role("link", name="Change C024BE91L"))
    page.get_by_label("It answers").select_option("every message")
    follow(page.get_by_role("button", name="Save"))
    channel.get_by_text("Answers every message from kb").wait_for()
    follow(page.get_by_role("button", name="Turn off"))
    channel.get_by_text("Off", exact=True).wait_for()
    assert [(each.channel.mode, each.channel.is_on) for each in events.channel_states()] == [("every_message", False)]
    kb_web.expect_problem(r"status 422|422 \(")
    page.get_by_label("Channel", exact=True).fill("#general")
    page.get_by_label("Workspace or server").fill("T024BE7LD")
    follow(page.get_by_role("button", name="Save"))
    expect(page.get_by_role("alert")).to_contain_text("Copy the id, not the name")
    expect(page.get_by_label("Channel", exact=True)).to_have_value("#general")
    follow(page.get_by_role("button", name="Remove C024BE91L"))
    assert events.channel_states() == []
    noted = [entry.action for entry in kb.store.audit.all(before=None, limit=10)]
    assert noted.count("bot.set") == 3
    assert noted.count("bot.remove") == 1


def test_a_bot_that_does_not_run_is_said(kb_web: Web, kb: Headwater) -> None:
    """Also on a phone, in the dark and without a script; a row for all channels has the state of all of them."""
    kb_web.visit("/bots")
    for channel in ("*", "C1"):
        body = {"knowledge_base": "kb"}
        assert httpx.put(f"{kb_web.url}/api/v1/bots/slack/channels/T1/{channel}", json=body).is_success
    httpx.post(f"{kb_web.url}/api/v1/bots/slack/channels/T1/C1/test")
    kb.query("UPDATE bot_events SET created_at = now() - interval '20 seconds' RETURNING id")
    phone = kb_web.visit("/bots", phone=True, dark=True)
    phone.get_by_text("The bot of Slack does not run").wait_for()
    expect(phone.get_by_text("Nobody has asked here yet.")).to_have_count(1)
    check_accessible(phone)
    check_fits(phone)
    plain = kb_web.visit("/bots", script=False)
    follow(plain.get_by_role("button", name="Remove C1"))
    plain.get_by_text("every other channel of T1").first.wait_for()
    plain.get_by_role("list", name="Channels").get_by_text("in progress").wait_for()
