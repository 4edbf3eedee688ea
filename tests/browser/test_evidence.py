"""The chat page says of evidence what the API knows: trust, staleness, why an answer failed (UI-1, UI-4, ANS-2)."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from headwater.administration.deletion import delete_source
from tests.browser.test_chat import CHAT, FILES, QUESTION, ask, choose, last_turn
from tests.browser.web import (
    Web,
    check_accessible,
    check_fits,
    eventually,
    expect,
    follow,
    picture,
    read_attribute,
    read_text,
)
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TOO_LONG = "w" * 4_001
_REFUSAL = "The question has 4,001 characters; at most 4,000 are allowed. Shorten it."
_CHANGED = "Documents were added or changed after this answer."
_CITED = "What this answer cites has changed, or is gone."
_DELETED = "A source that this answer cites was deleted."

pytestmark = pytest.mark.synced("docs", files=FILES)


def _synced(web: Web) -> None:
    httpx.post(f"{web.url}/api/v1/knowledge-bases/kb/syncs", json={}).raise_for_status()
    web.work()


def _main(page: "Page", text: str) -> "Locator":
    """A text of the page itself, which a screen reader may hear as well."""
    return page.locator("main").get_by_text(text)


def test_a_card_shows_the_trust_of_its_passage(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """Not how well the words of the model fit it, which is unknown across languages, though the passage is trusted."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = "Die Pumpe fördert in jeder Minute vierzig Liter Wasser, wie das Handbuch sagt. [1]"
    page = kb_web.visit(CHAT, phone=True, dark=True)
    turn = ask(page)
    answer = httpx.get(f"{kb_web.url}/api/v1/answers/{read_attribute(turn, 'data-turn')}").json()
    first, passages = answer["citations"][0], {one["chunk_id"]: one for one in answer["passages"]}
    trust = passages[first["chunk_id"]]["scores"]["trust"]
    assert (first["score"], first["trust"]) == (0.0, round(trust, 4))
    card = turn.locator(".source-card").first
    expect(card).to_contain_text(f"trust {trust:.2f}")
    expect(card).to_have_attribute("data-trust", "high")
    check_accessible(page)
    check_fits(page)
    picture(page, "evidence-card-phone")


def test_an_open_chat_says_that_an_answer_is_stale(kb_web: Web, kb: Headwater) -> None:
    """Within seconds, without a reload, and why; "Ask again" makes a new version, which holds."""
    page = kb_web.visit(CHAT)
    ask(page)
    kb.write("mill.md", "# Mill\n\nThe mill grinds wheat.\n")
    _synced(kb_web)
    _main(page, _CHANGED).wait_for()
    picture(page, "evidence-changed")
    kb.write("pump.md", FILES["pump.md"].replace("forty", "fifty"))
    _synced(kb_web)
    _main(page, _CITED).wait_for()
    check_accessible(page)
    picture(page, "evidence-stale")
    page.locator("[data-stale]").get_by_role("button", name="Ask again").click()
    turn = last_turn(page)
    turn.get_by_text("Version 2 of 2").wait_for()
    expect(turn).to_contain_text("fifty")
    expect(turn.locator(".stale")).to_have_count(0)
    follow(page.get_by_label("Earlier version"))
    _main(page, _CITED).wait_for()
    delete_source(kb.settings, kb.store, "kb", "docs")
    _main(page, _DELETED).wait_for()
    follow(page.get_by_role("link", name="See what changed"))
    page.get_by_text("This answer may be out of date.").wait_for()


def test_a_question_on_another_page_appears_on_this_one(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """Also while its answer grows, and then its text; a version of an earlier turn changes nothing here."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = "The pump lifts forty litres of water per minute. [1]"
    page = kb_web.visit(CHAT)
    ask(page)
    second = page.context.new_page()
    second.goto(page.url)
    chat.otherwise = Says("Clean the filter every week. [1]", tokens_per_second=20)
    ask(page, "How often is the filter cleaned?")
    there = last_turn(second, "How often is the filter cleaned?")
    there.get_by_text("every week").first.wait_for()
    expect(second.locator(".turn")).to_have_count(2)
    chat.otherwise = "The wheel turns nine times per minute. [1]"
    ask(second, "How often does the wheel turn?")
    last_turn(page, "How often does the wheel turn?")


def test_an_error_is_said_once_with_what_helps(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """In the turn that failed: to try again, or to quote the documents instead; both keep the failed version."""
    choose(kb, answer_model=MODEL, quote_when_model_fails=False)
    chat.otherwise = lambda _: Says("", ending="error")
    kb_web.expect_problem("50[0-9]|503")
    page = kb_web.visit(CHAT)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.keyboard.press("Enter")
    failed = page.locator(".turn[data-state=failed]")
    alert_text = read_text(failed.get_by_role("alert"))
    expect(page.get_by_text(alert_text.split(". ")[1])).to_have_count(1)
    expect(page.locator("[data-error]")).to_be_hidden()
    check_accessible(page)
    picture(page, "evidence-failed")
    failed.get_by_role("button", name="Quote the documents instead").click()
    turn = last_turn(page)
    expect(turn).to_contain_text("forty litres")
    expect(turn.get_by_text("Version 2 of 2")).to_be_visible()
    follow(page.get_by_label("Earlier version"))
    chat.otherwise = "The pump lifts forty litres of water per minute. [1]"
    page.locator(".turn[data-state=failed]").get_by_role("button", name="Try again").click()
    last_turn(page).get_by_text("Version 3 of 3").wait_for()


def test_a_question_that_is_too_long_is_refused_with_its_length(kb_web: Web, kb: Headwater) -> None:
    """Never cut: in the field, in an edit, in an address and in a form without a script."""
    page = kb_web.visit(CHAT)
    field = page.get_by_label("Question", exact=True)
    field.fill(TOO_LONG)
    expect(page.locator("[data-length]")).to_have_text("4,001 of 4,000 characters")
    field.press("Enter")
    page.get_by_role("alert").get_by_text("The question has 4,001 characters").wait_for()
    expect(field).to_have_value(TOO_LONG)
    check_accessible(page)
    picture(page, "evidence-too-long")
    field.fill(QUESTION)
    expect(page.locator("[data-length]")).to_be_hidden()
    page.keyboard.press("Enter")
    turn = last_turn(page)
    expect(page.locator("[data-error]")).to_be_hidden()
    turn.get_by_role("button", name="Edit the question").click()
    edited = turn.locator(".edit-form textarea")
    edited.fill(TOO_LONG)
    turn.get_by_role("button", name="Ask again").click()
    expect(edited).to_have_js_property("validationMessage", _REFUSAL)
    expect(edited).to_have_value(TOO_LONG)
    said = re.compile(r"The question has 4001 characters")
    assert said.search(httpx.get(f"{kb_web.url}{CHAT}", params={"q": TOO_LONG}).text)
    without = kb_web.visit(CHAT, script=False)
    without.get_by_label("Question", exact=True).fill(TOO_LONG)
    kb_web.expect_problem("400|422")
    follow(without.get_by_role("button", name="Ask", exact=True))
    without.get_by_role("alert").get_by_text(said).wait_for()
    expect(without.get_by_label("Question", exact=True)).to_have_value(TOO_LONG)
    assert kb.store.conversations.all(kb.knowledge_base)[0].turn_count == 1


LONG = "\n\n".join(["The pump lifts forty litres of water per minute [1]."] * 60)
CODE = 'Run this: [1]\n\n```python\nprint("forty litres")  # of water\n```\n\nThe pump lifts forty litres of water. [1]'


def test_an_answer_is_read_from_its_question(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """A long answer pushes its question to the top and no further; a button copies code."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says(LONG, tokens_per_second=900)
    page = kb_web.visit(CHAT)
    ask(page)
    chat.otherwise = Says(LONG, tokens_per_second=900)
    last = ask(page, "How often is the filter cleaned?")
    eventually(lambda: 0 <= last.locator(".question").evaluate("e => e.getBoundingClientRect().top") < 60, page)
    picture(page, "reading-top")
    chat.otherwise = CODE
    turn = ask(page, "How is it printed?")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    turn.get_by_role("button", name="Copy the code").click()
    page.get_by_text("Copied").wait_for(state="attached")
    copied = 'print("forty litres")  # of water'
    eventually(lambda: page.evaluate("navigator.clipboard.readText()").strip() == copied, page)
    card = turn.locator(".source-card").first
    expect(card).to_contain_text("pump.md")
    expect(card.locator(".file-type")).to_have_text("md", ignore_case=True)
    check_accessible(page)
    picture(page, "reading-code")


def test_citations_are_links_on_pages_without_a_script(kb_web: Web, kb: Headwater) -> None:
    """From the marker to the source below a shared answer, and to the cited words on the page of the lineage."""
    page = kb_web.visit(CHAT)
    turn = ask(page)
    (conversation,) = kb.store.conversations.all(kb.knowledge_base)
    kb.store.conversations.share(conversation.id, "token-of-a-reader")
    reader = kb_web.visit("/shared/token-of-a-reader", script=False)
    reader.locator(".prose a.cite").first.click()
    expect(reader).to_have_url(re.compile(r"#source-[0-9a-f-]{36}-1$"))
    expect(reader.locator(":target")).to_have_text(re.compile(r"^\[1\] Pump manual"), use_inner_text=True)
    lineage = kb_web.visit(f"/kb/kb/lineage/{read_attribute(turn, 'data-turn')}", script=False)
    lineage.locator(".prose a.cite").first.click()
    expect(lineage.locator(":target blockquote")).to_contain_text("forty litres")
    check_fits(lineage)
    picture(lineage, "lineage-linked")
