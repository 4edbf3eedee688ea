"""What the chat page shows around an answer (UI-1): passages first, a quote instead, marks, refusals."""

import re
from threading import Event
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_chat import CHAT, FILES, QUESTION, ask, choose, last_turn
from tests.browser.web import (
    Web,
    check_accessible,
    check_fits,
    eventually,
    expect,
    picture,
    read_attribute,
    tab_to,
)
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Page

CARE = "# Care of pumps\n\nThe pump lifts less water per minute if its filter is dirty. Clean it every week.\n"
CLAIMS = (
    "The pump lifts forty litres of water per minute. It was **invented in Lisbon by Maria Lopes.** "
    "It stops by itself at 90 °C."
)

_FONT_SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"

pytestmark = pytest.mark.synced("docs", files={**FILES, "care.md": CARE})


def asked(page: "Page", question: str = QUESTION) -> None:
    """Ask with the keyboard, and do not wait."""
    page.get_by_label("Question", exact=True).fill(question)
    page.keyboard.press("Enter")


def test_passages_come_first_and_a_quote_if_the_reader_does_not_wait(
    kb_web: Web, kb: Headwater, chat: ChatServer
) -> None:
    """By keyboard: the same question is asked without the model, as another version of the turn after the same one."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = "The pump lifts forty litres of water per minute."
    page = kb_web.visit(CHAT)
    first = ask(page, "What does the pump lift per minute?")
    chat.otherwise = Says("The pump lifts forty litres of water per minute.", holds={0: Event()})
    asked(page)
    waiting = page.locator(".turn[data-state=generating]")
    waiting.get_by_text("passages found").wait_for()
    waiting.locator(".found-card").first.wait_for()
    expect(waiting.locator("[data-block]")).to_have_count(0)
    check_accessible(page)
    picture(page, "faces-waiting")
    waiting.locator(".found-card a").first.click()
    page.locator(".pane mark").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    tab_to(page, "[data-quote]")
    page.keyboard.press("Enter")
    turn = page.locator(".turn[data-model='builtin/extractive'][data-state=done]")
    turn.get_by_text("forty litres").first.wait_for()
    expect(page.locator("[data-quote]")).to_have_count(0)
    expect(turn.get_by_text("Version 2 of 2")).to_be_visible()
    expect(turn).to_have_attribute("data-parent", read_attribute(first, "data-turn"))
    expect(page.locator("#question")).to_be_focused()
    picture(page, "faces-quoted-instead")
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(last_turn(page).locator(".cost")).to_contain_text("builtin/extractive")


def test_the_button_is_gone_with_the_first_word(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """It is there after a reload, too; without a model there is none."""
    choose(kb, answer_model=MODEL)
    begin, end = Event(), Event()
    chat.otherwise = Says("The pump lifts forty litres of water per minute. " * 8, holds={0: begin, 30: end})
    page = kb_web.visit(CHAT)
    asked(page)
    page.get_by_role("button", name="Quote instead").wait_for()
    page.reload()
    page.get_by_role("button", name="Quote instead").wait_for()
    begin.set()
    page.locator(".turn[data-state=generating] [data-block]").first.wait_for()
    expect(page.get_by_role("button", name="Quote instead")).to_have_count(0)
    expect(page.locator("details.found-first")).to_have_js_property("open", False)
    end.set()
    last_turn(page)
    choose(kb, answer_model="builtin/extractive")
    plain = kb_web.visit(CHAT)
    plain.evaluate(
        "new MutationObserver(() => { window.had ||= !!document.querySelector('[data-quote]') })"
        ".observe(document.body, {subtree: true, childList: true})"
    )
    ask(plain)
    eventually(lambda: plain.evaluate("!window.had"), plain)


def test_marks_the_quote_beneath_and_further_passages(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """What no passage supports is underlined and said; a reload and a reader without a script show the same."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = CLAIMS
    page = kb_web.visit(CHAT, phone=True, dark=True)
    ask(page)
    page.reload()
    turn = last_turn(page)
    marked = turn.locator(".unsupported")
    expect(marked.filter(has_text="invented in Lisbon").first).to_be_visible()
    expect(marked.first).to_have_attribute("title", "No passage supports this")
    expect(marked.first).to_have_css("text-decoration-style", "dotted")
    expect(turn.get_by_text("(no passage supports this)")).to_have_count(1)
    expect(turn.locator(".notes")).to_contain_text("One sentence of the answer has no support in the passages")
    further = turn.get_by_role("group", name="Further passage")
    further.locator("a").first.click()
    page.locator(".pane mark").first.wait_for()
    check_accessible(page)
    page.keyboard.press("Escape")
    check_accessible(page)
    check_fits(page)
    turn.scroll_into_view_if_needed()
    picture(page, "faces-marks-phone")
    without = kb_web.visit(page.url.removeprefix(kb_web.url), script=False)
    eventually(lambda: without.locator(".unsupported").count() == marked.count(), page)
    eventually(lambda: without.locator(".further-card").count() == turn.locator(".further-card").count(), page)


def test_a_quote_stands_in_for_a_model_that_fails(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The page says why, and that these are the document's words; so does the page of a shared conversation."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says("", ending="error")
    page = kb_web.visit(CHAT)
    turn = ask(page)
    expect(turn.locator("[data-answer]")).to_contain_text("The model did not answer.")
    expect(turn.locator("[data-degraded]")).to_have_count(0)  # the note says the cause, which is said once
    quoted = turn.get_by_role("group", name="The document’s words")
    expect(quoted.locator("blockquote")).to_contain_text("forty litres")
    small, usual = quoted.locator("blockquote p").first, turn.locator("[data-answer] > [data-block] > p").first
    eventually(lambda: small.evaluate(_FONT_SIZE) < usual.evaluate(_FONT_SIZE), page)
    check_accessible(page)
    picture(page, "faces-degraded")
    expect(turn.locator(".notes")).to_contain_text("The model openai/stub")
    expect(turn.get_by_role("button", name="Try again")).to_have_count(1)
    (conversation,) = kb.store.conversations.all(kb.knowledge_base)
    kb.store.conversations.share(conversation.id, "token-of-a-reader")
    reader = kb_web.visit("/shared/token-of-a-reader")
    expect(reader.locator("[data-degraded]")).to_be_visible()
    expect(reader.locator(".notes")).not_to_contain_text("stub")
    expect(reader.get_by_role("group", name="The document’s words")).to_be_visible()
    expect(reader.locator("main a:not([href^='#'])")).to_have_count(0)
    check_accessible(reader)


def test_a_refusal_leads_to_the_closest_passage(kb_web: Web) -> None:
    """It opens beside the text, like a source."""
    page = kb_web.visit(CHAT)
    turn = ask(page, "Who invented the pump, and in which town was it first sold?")
    expect(turn).to_contain_text("do not answer")
    expect(turn.locator(".cite")).to_have_count(0)
    closest = turn.get_by_role("group", name="Closest passage")
    expect(closest.locator(".source-title").first).to_have_text(re.compile(r"\S"))
    expect(closest.locator("a").first).to_be_visible()
    picture(page, "faces-refusal")
    closest.locator("a").first.click()
    page.locator(".pane mark").first.wait_for()
    expect(page.locator(".pane .passage-title")).to_be_visible()
    check_accessible(page)
