"""The chat page (UI-1, UI-5): asking by mouse, by keyboard and without a script; answers, citations, conversations."""

import re
from threading import Event
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.browser.web import (
    PROBES,
    Web,
    bytes_counted,
    check_accessible,
    check_fits,
    check_unharmed,
    eventually,
    expect,
    follow,
    read_attribute,
    read_value,
    tab_to,
)
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

FILES = {
    "pump.md": (
        "# Pump manual\n\nBefore you start, read this manual.\n\n## Operation\n\nThe pump lifts **forty litres** of "
        "water per minute. It stops by itself at 90 °C.\n\n## Care\n\nClean the filter every week, and oil the axle in "
        "spring.\n"
    ),
    "wheel.md": "# Wheel manual\n\nThe wheel measures three metres across, and turns nine times per minute.\n",
}
QUESTION = "How many litres of water does the pump lift per minute?"
CHAT = "/kb/kb/chat"
LONG = " ".join(f"The pump lifts forty litres of water per minute [1], said {number} times." for number in range(40))

pytestmark = pytest.mark.synced("docs", files=FILES)


def ask(page: "Page", question: str = QUESTION) -> "Locator":
    """Ask with the keyboard, and wait for the complete answer; returns its turn."""
    page.get_by_label("Question", exact=True).fill(question)
    page.keyboard.press("Enter")
    return last_turn(page, question)


def last_turn(page: "Page", question: str = QUESTION) -> "Locator":
    """The last turn, once its answer is complete."""
    turn = page.locator(".turn[data-state=done]").filter(has_text=question).last
    turn.locator("[data-foot]").wait_for()
    return turn


def choose(kb: Headwater, **settings: Any) -> None:
    """Change settings of the knowledge base."""
    chosen = kb.knowledge_base.settings.model_copy(update=settings)
    kb.store.knowledge_bases.update("kb", settings=chosen)


def test_from_the_home_page_to_a_passage_and_back_by_mouse(kb_web: Web) -> None:
    """The marker and the card open the passage beside the text, with the cited words marked; a vote is kept."""
    page = kb_web.visit("/")
    page.get_by_placeholder("Ask kb a question").fill(QUESTION)
    follow(page.get_by_role("button", name="Ask kb"))
    turn = last_turn(page)
    expect(turn.locator("[data-answer]")).to_contain_text("forty litres")
    expect(page).to_have_url(re.compile(r"/kb/kb/chat/[0-9a-f-]{36}$"))
    turn.get_by_role("button", name="Citation 1").click()
    pane = page.get_by_role("complementary", name="Cited passage")
    pane.locator(".passage-head").get_by_role("heading", name="Pump manual").wait_for()
    expect(pane.locator("mark").filter(has_text="forty litres").first).to_be_visible()
    expect(pane).to_contain_text("Clean the filter")
    check_accessible(page)
    pane.get_by_role("button", name="Close the passage").click()
    turn.locator(".source-card a").click()
    pane.locator(".passage-head").get_by_role("heading", name="Pump manual").wait_for()
    turn.get_by_text("All retrieved passages").click()
    turn.locator(".found li").first.wait_for()
    turn.get_by_role("button", name="Bad answer").click()
    turn.get_by_label("What is wrong with it?").fill("The unit is missing.")
    turn.get_by_role("button", name="Send").click()
    turn.get_by_text("Your comment is saved").wait_for()
    page.reload()
    expect(last_turn(page).get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_title(f"{QUESTION} – kb")


def test_by_keyboard_alone(kb_web: Web) -> None:
    """`/` to the field, Enter to ask, `]` to the citation, Escape back; an Enter of an input method does not ask."""
    page = kb_web.visit(CHAT)
    page.keyboard.press("Tab")
    page.locator("body").press("/")
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "ぽんぷ", "selectionStart": 3, "selectionEnd": 3})
    session.send(
        "Input.dispatchKeyEvent", {"type": "keyDown", "key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    )
    page.wait_for_timeout(200)
    expect(page.locator(".turn")).to_have_count(0)
    page.get_by_label("Question", exact=True).fill("")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    last_turn(page)
    tab_to(page, ".conversation a, .conversation button, .conversation summary")
    page.keyboard.press("]")
    page.locator(".pane mark").first.wait_for()
    expect(page.locator(".pane :focus")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".cite:focus")).to_be_visible()
    page.keyboard.press("?")
    page.get_by_role("heading", name="Keyboard shortcuts").wait_for()
    check_accessible(page)
    page.keyboard.press("Escape")


def test_an_answer_grows_is_stopped_and_goes_on_after_a_reload(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The page follows the end until the reader scrolls up; a reload and a second tab show the same answer."""
    choose(kb, answer_model=MODEL)
    go_on = Event()
    chat.otherwise = Says(LONG, holds={70: go_on})
    page = kb_web.visit(CHAT)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text("said 3 times").wait_for()
    page.get_by_role("button", name="Stop").click()
    stopped = page.locator(".turn[data-state=cancelled]")
    stopped.get_by_text("You stopped this answer.").wait_for()
    expect(stopped).not_to_contain_text("said 39 times")
    stopped.get_by_role("button", name="Try again").click()
    page.get_by_text("said 2 times").wait_for()
    second = page.context.new_page()
    second.goto(page.url)
    page.reload()
    go_on.set()
    page.get_by_text("said 39 times").wait_for()
    cited = last_turn(page).locator(".cite")
    expect(cited.first).to_be_visible()
    for tab in (page, second):
        tab.get_by_text("said 39 times").wait_for()
        expect(last_turn(tab).get_by_text("Version 2 of 2")).to_be_visible()
    # The numbers of the reply itself stand in no passage, so both show the same citations.
    eventually(lambda: second.locator(".cite").count() == page.locator(".cite").count() == cited.count(), page)
    follow(page.get_by_label("Earlier version"))
    page.get_by_text("You stopped this answer.").wait_for()


def test_an_answer_is_stopped_before_the_server_says_anything(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """As soon as it has an id; the reader need not click again."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says(LONG, tokens_per_second=20)
    page = kb_web.visit(CHAT)
    held: list[Route] = []
    page.route("**/knowledge-bases/kb/answers", lambda route: held.append(route))  # noqa: PLW0108 - it wants attributes
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    eventually(lambda: bool(held), page)
    held[0].continue_()
    page.locator(".turn[data-state=cancelled]").get_by_text("You stopped this answer.").wait_for()


_BELOW = "document.documentElement.scrollHeight - innerHeight - scrollY"


def test_a_reader_who_scrolls_up_stays_there(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The question stays in sight until a button leads to the end; the complete answer does not make the page jump."""
    choose(kb, answer_model=MODEL)
    go_on = Event()
    text = "\n\n".join([*[LONG[:600]] * 8, "The eighth is said.", *[LONG[:600]] * 4])
    chat.otherwise = Says(text, holds={len(text.partition("The eighth")[0].split()) + 6: go_on})
    page = kb_web.visit(CHAT, phone=True)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("The eighth is said.").wait_for()
    latest = page.get_by_role("button", name="Jump to latest")
    latest.wait_for()
    eventually(lambda: page.locator(".question").evaluate("e => e.getBoundingClientRect().top") >= 0, page)
    latest.click()
    eventually(lambda: page.evaluate(_BELOW) < 1, page)
    page.mouse.wheel(0, -200)
    eventually(lambda: page.evaluate(_BELOW) > 199, page)
    before = page.evaluate("scrollY")
    go_on.set()
    last_turn(page)
    eventually(lambda: abs(page.evaluate("scrollY") - before) < 60, page)
    page.get_by_role("button", name="Jump to latest").click()
    eventually(lambda: page.evaluate(_BELOW) < 5, page)
    check_accessible(page)
    check_fits(page)


def test_conversations_are_edited_found_renamed_shared_and_deleted(kb_web: Web) -> None:
    """An edited question is another version; who has the link reads, and nothing more."""
    page = kb_web.visit(CHAT)
    ask(page)
    turn = ask(page, "How often is the filter cleaned?")
    turn.get_by_role("button", name="Edit the question").click()
    turn.locator(".edit-form textarea").fill("When is the axle oiled?")
    page.get_by_role("button", name="Ask again").click()
    expect(last_turn(page, "When is the axle oiled?").get_by_text("Version 2 of 2")).to_be_visible()
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Share a link").click()
    link = read_value(page.get_by_role("textbox", name="Link"))
    check_accessible(page)
    page.get_by_role("button", name="Done").click()
    reader = kb_web.visit(link.removeprefix(kb_web.url))
    expect(reader.get_by_role("main")).to_contain_text("forty litres")
    expect(reader.locator("main textarea, main button, main a:not([href^='#'])")).to_have_count(0)
    check_accessible(reader)
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title of the conversation").fill("Pumps")
    page.keyboard.press("Enter")
    page.get_by_role("link", name=re.compile("Pumps")).wait_for()
    page.get_by_label("Find in conversations").fill("nothing like it")
    page.get_by_text("Nothing found.").wait_for()
    page.get_by_label("Find in conversations").fill("axle")
    page.get_by_role("link", name=re.compile("Pumps")).wait_for()
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url(f"{kb_web.url}{CHAT}")
    kb_web.expect_problem("404")
    assert httpx.get(link).status_code == 404


def test_a_question_in_the_address_is_asked_unless_another_site_wrote_it(kb_web: Web) -> None:
    """`?q=` of an address that was typed is asked at once; where another site leads here, the reader presses Enter."""
    address = f"{CHAT}?q=How+many+litres+of+water+does+the+pump+lift+per+minute%3F"
    last_turn(kb_web.visit(address))
    for before, asks in ((f"{kb_web.url}/", "true"), ("https://evil.example/", "false"), (None, "false")):
        headers = {"Referer": before} if before else {}  # all that a browser says over http from another machine
        assert f"asks&#34;: {asks}" in httpx.get(kb_web.url + address, headers=headers).text
    page = kb_web.visit("/favicon.ico")
    page.goto("about:blank")
    page.set_content(f'<a href="{kb_web.url}{address}">Free litres</a>')
    page.get_by_text("Free litres").click()
    page.wait_for_url("**/chat?q=*")
    expect(page.locator("html")).to_have_class("scripted")
    expect(page.get_by_label("Question", exact=True)).to_have_value(QUESTION)
    expect(page.locator(".turn")).to_have_count(0)
    page.get_by_label("Question", exact=True).press("Enter")
    last_turn(page)


def test_settings_of_a_question(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The model, the passages and the kind of search count for the next question, and stay chosen on a reload."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = "The pump lifts forty litres [1]."
    page = kb_web.visit(CHAT)
    page.locator("[data-settings-said]").click()
    page.get_by_label("Model").select_option("builtin/extractive")
    page.get_by_label("Find passages by").select_option("words only")
    page.get_by_label("Passages to use").fill("1")
    check_accessible(page)
    page.keyboard.press("Escape")
    turn = ask(page)
    expect(turn.locator(".cost")).to_contain_text("builtin/extractive")
    assert not chat.requests
    page.reload()
    page.get_by_text("Filters and options (3)").wait_for()


def test_without_a_script_and_without_stored_questions(kb_web: Web, kb: Headwater) -> None:
    """The form asks, and the passage is a page; a knowledge base that stores no questions still answers follow-ups."""
    page = kb_web.visit(CHAT, script=False)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    follow(page.get_by_role("button", name="Ask", exact=True))
    expect(page.locator(".answer")).to_contain_text("forty litres")
    page.get_by_label("Question", exact=True).fill("How often is the filter cleaned?")
    follow(page.get_by_role("button", name="Ask", exact=True))
    expect(page.locator(".turn")).to_have_count(2)
    follow(page.locator(".source-card a").first)
    expect(page.locator("mark").filter(has_text="forty litres").first).to_be_visible()
    choose(kb, store_questions=False)
    private = kb_web.visit(CHAT)
    ask(private)
    ask(private, "How often is the filter cleaned?")
    expect(private.locator(".turn")).to_have_count(2)
    expect(private).to_have_url(f"{kb_web.url}{CHAT}")


def test_probes_in_answers_and_documents_do_nothing(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """What a model, a question or a title says is text (SEC-1)."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = (
        " ".join(PROBES) + " [a](javascript:window.hit=1) The pump lifts forty litres of water per minute [1]."
    )
    page = kb_web.visit(CHAT)
    page.get_by_label("Question", exact=True).fill(f"{QUESTION} {PROBES[1]}")
    page.keyboard.press("Enter")
    last_turn(page)
    page.reload()
    last_turn(page)
    check_unharmed(page)
    expect(page.locator("[data-answer] a, [data-answer] img, [data-answer] script")).to_have_count(0)


def test_the_page_fits_and_is_light(kb_web: Web) -> None:
    """On a phone in the dark with less motion; its first view has at most 100 kB."""
    page = kb_web.visit("/favicon.ico", phone=True, dark=True, reduced=True)
    with bytes_counted(page) as sizes:
        page.goto(CHAT, wait_until="networkidle")
    assert sum(sizes) <= 100_000
    check_accessible(page)
    ask(page)
    page.locator(".cite").first.click()
    page.locator(".pane mark").first.wait_for()
    check_accessible(page)
    check_fits(page)
    page.goto(read_attribute(page.locator(".source-card a").first, "href"))
    expect(page.locator("h1")).to_have_text("Pump manual")
    check_accessible(page)
    check_fits(page)


def test_the_conversations_stay_in_sight(kb_web: Web) -> None:
    """The list beside a long conversation stays where it is while the reader scrolls."""
    page = kb_web.visit(CHAT)
    page.set_viewport_size({"width": 1280, "height": 500})
    for question in (QUESTION, "How often is the filter cleaned?", "When is the axle oiled?"):
        ask(page, question)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    eventually(lambda: page.evaluate("scrollY") > 200, page)
    start = page.get_by_role("link", name="New conversation")
    eventually(lambda: start.evaluate("e => e.getBoundingClientRect().top") >= 0, page)
