"""What the chat page shows around an answer (UI-1): passages first, a quote instead, marks, refusals."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.test_chat import CHAT, FILES, QUESTION, ask, choose, last_turn
from tests.browser.web import Web, check_accessible, check_fits, eventually, picture, tab_to
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
    chat.otherwise = Says("The pump lifts forty litres of water per minute.", first_token_delay=60)
    asked(page)
    waiting = page.locator(".turn[data-state=generating]")
    waiting.get_by_text("passages found").wait_for()
    waiting.locator(".found-card").first.wait_for()
    assert waiting.locator("[data-block]").count() == 0
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
    assert page.locator("[data-quote]").count() == 0
    assert turn.get_by_text("Version 2 of 2").is_visible()
    assert turn.get_attribute("data-parent") == first.get_attribute("data-turn")
    assert page.evaluate("document.activeElement.id") == "question"
    picture(page, "faces-quoted-instead")
    page.reload()
    assert page.locator(".turn").count() == 2
    assert "builtin/extractive" in last_turn(page).locator(".cost").inner_text()


def test_the_button_is_gone_with_the_first_word(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """It is there after a reload, too; without a model there is none."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says(
        "The pump lifts forty litres of water per minute. " * 8, first_token_delay=4, tokens_per_second=12
    )
    page = kb_web.visit(CHAT)
    asked(page)
    page.get_by_role("button", name="Quote instead").wait_for()
    page.reload()
    page.get_by_role("button", name="Quote instead").wait_for()
    page.locator(".turn[data-state=generating] [data-block]").first.wait_for()
    assert page.get_by_role("button", name="Quote instead").count() == 0
    assert not page.locator("details.found-first").get_attribute("open")
    last_turn(page)
    choose(kb, answer_model="builtin/extractive")
    plain = kb_web.visit(CHAT)
    plain.evaluate(
        "new MutationObserver(() => { window.had ||= !!document.querySelector('[data-quote]') })"
        ".observe(document.body, {subtree: true, childList: true})"
    )
    ask(plain)
    assert not plain.evaluate("window.had")


@pytest.mark.parametrize("shape", [{}, {"phone": True, "dark": True}])
def test_marks_the_quote_beneath_and_further_passages(
    kb_web: Web, kb: Headwater, chat: ChatServer, shape: dict[str, Any]
) -> None:
    """What no passage supports is underlined and said; a reload and a reader without a script show the same."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = CLAIMS
    page = kb_web.visit(CHAT, **shape)
    turn = ask(page)
    if shape:
        page.reload()
        turn = last_turn(page)
    marked = turn.locator(".unsupported")
    assert "invented in Lisbon" in "".join(marked.all_inner_texts())
    assert marked.first.get_attribute("title") == "No passage supports this"
    assert marked.first.evaluate("e => getComputedStyle(e).textDecorationStyle") == "dotted"
    assert turn.get_by_text("(no passage supports this)").count() == 1
    assert "One sentence of the answer has no support in the passages" in turn.locator(".notes").inner_text()
    further = turn.get_by_role("group", name="Further passage")
    further.locator("a").first.click()
    page.locator(".pane mark").first.wait_for()
    check_accessible(page)
    page.keyboard.press("Escape")
    check_accessible(page)
    check_fits(page)
    turn.scroll_into_view_if_needed()
    picture(page, f"faces-marks{'-phone' if shape else ''}")
    without = kb_web.visit(page.url.removeprefix(kb_web.url), script=False)
    assert without.locator(".unsupported").count() == marked.count()
    assert without.locator(".further-card").count() == turn.locator(".further-card").count()


def test_a_quote_stands_in_for_a_model_that_fails(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The page says why, and that these are the document's words; so does the page of a shared conversation."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says("", ending="error")
    page = kb_web.visit(CHAT)
    turn = ask(page)
    assert turn.locator("[data-degraded]").inner_text().endswith("quote.")
    quoted = turn.get_by_role("group", name="The document’s words")
    assert "forty litres" in quoted.locator("blockquote").inner_text()
    text = turn.locator("[data-answer] > [data-block] > p").first
    small, usual = (one.evaluate(_FONT_SIZE) for one in (quoted.locator("blockquote p").first, text))
    assert small < usual
    check_accessible(page)
    picture(page, "faces-degraded")
    (conversation,) = kb.store.conversations.all(kb.knowledge_base)
    kb.store.conversations.share(conversation.id, "token-of-a-reader")
    reader = kb_web.visit("/shared/token-of-a-reader")
    assert reader.locator("[data-degraded]").is_visible()
    assert reader.get_by_role("group", name="The document’s words").is_visible()
    assert reader.locator("main a:not([href^='#'])").count() == 0
    check_accessible(reader)


def test_a_refusal_leads_to_the_closest_passage(kb_web: Web) -> None:
    """It opens beside the text, like a source."""
    page = kb_web.visit(CHAT)
    turn = ask(page, "Who invented the pump, and in which town was it first sold?")
    assert "do not answer" in turn.inner_text()
    closest = turn.get_by_role("group", name="Closest passage")
    assert closest.locator(".source-title").first.inner_text()
    eventually(lambda: closest.locator("a").count() > 0, page)
    picture(page, "faces-refusal")
    closest.locator("a").first.click()
    page.locator(".pane mark").first.wait_for()
    check_accessible(page)
