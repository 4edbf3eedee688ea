"""The widget on a page of another site (INT-2): by mouse, by keyboard, under a strict policy; and its own page."""

import re
from collections.abc import Iterator
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from headwater.administration.widgets import change_widget, create_widget
from headwater.domain.widgets import Widget
from tests.browser.sites import Site, serving_site
from tests.browser.web import (
    PROBES,
    Web,
    check_accessible,
    check_fits,
    eventually,
    expect,
    follow,
    picture,
)
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Page

FILES = {
    "pump.md": (
        "# Pump manual\n\nBefore you start, read this manual.\n\n## Operation\n\nThe pump lifts **forty litres** of "
        "water per minute. It stops by itself at 90 °C.\n\n## Care\n\nClean the filter every week, and oil the axle in "
        "spring.\n"
    ),
    "odd.md": f"# Odd {PROBES[1]}\n\nThe zebra runs {PROBES[0]} at forty miles per hour.\n",
    "wheel.md": "# Wheel manual\n\nThe wheel measures three metres across, and turns nine times per minute.\n",
}
QUESTION = "How many litres of water does the pump lift per minute?"
LONG = " ".join(f"The pump lifts forty litres of water per minute [1], said {number} times." for number in range(40))

pytestmark = pytest.mark.synced("docs", files=FILES)


@pytest.fixture
def site(kb_web: Web, kb: Headwater) -> Iterator[Site]:
    """A site with a widget of `kb`, and the server of the widget under a name of its own."""
    with serving_site() as served:
        served.kb = kb_web.url.replace("127.0.0.1", "kb.localhost")
        served.widget = make(kb, served).id
        kb_web.expect_problem(f"^to another host: ({served.url}|{served.other_url}|{served.kb})/")
        yield served


def make(kb: Headwater, site: Site, **settings: Any) -> Widget:
    """A widget for the site alone."""
    return create_widget(kb.store, "kb", "docs", {"origins": [site.url], "widget_per_minute": 1000, **settings})


def opened(page: "Page") -> "Page":
    """Open the widget."""
    page.get_by_role("button", name="Ask a question").click()
    page.get_by_role("dialog", name="Ask a question").wait_for()
    page.locator("headwater-widget").evaluate(_STANDS)
    return page


_STANDS = """host => Promise.all(host.shadowRoot.getAnimations()
    .filter(each => each.effect.getTiming().iterations !== Infinity).map(each => each.finished)).then(() => true)"""


def ask(page: "Page", question: str = QUESTION) -> None:
    """Ask with the keyboard, and wait for the complete answer, after which the next question may be asked."""
    send = page.locator("headwater-widget").get_by_role("button", name="Ask", exact=True)
    send.wait_for()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator("headwater-widget .turn").filter(has_text=question).last.locator(".votes").wait_for()
    send.wait_for()


def choose(kb: Headwater, **settings: Any) -> None:
    """Change settings of the knowledge base."""
    chosen = kb.knowledge_base.settings.model_copy(update=settings)
    kb.store.knowledge_bases.update("kb", settings=chosen)


def test_a_visitor_asks_by_mouse_under_the_strictest_policy(kb_web: Web, site: Site, kb: Headwater) -> None:
    """The answer cites; a marker shows the passage; a vote is kept; the next page of the tab shows the conversation."""
    page = opened(kb_web.visit(f"{site.url}/"))
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    turn = page.locator("headwater-widget .turn").last
    turn.locator(".votes").wait_for()
    expect(turn.locator(".answer")).to_contain_text("forty litres")
    turn.locator(".answer .cite").first.click()
    expect(turn.locator(".passage mark")).to_contain_text("forty litres")
    page.get_by_role("button", name="Bad answer").click()
    page.get_by_label("What is wrong with it?").fill("The unit is missing.")
    turn.get_by_role("button", name="Send").click()
    eventually(
        lambda: [one.comment for one in kb.store.feedback.all(kb.knowledge_base)] == ["The unit is missing."], page
    )
    check_accessible(page)
    page.get_by_role("button", name="Close").click()
    page.goto(f"{site.url}/two?theme=dark")
    expect(opened(page).locator("headwater-widget .answer")).to_contain_text("forty litres")
    check_accessible(page)


def test_a_picture_cannot_take_the_place_of_the_tag(kb_web: Web, site: Site) -> None:
    """A name in the page's texts would else say where the panel is loaded from: then there is no widget."""
    kb_web.expect_problem(f"^failed: GET {site.other_url}/: csp$")
    kb_web.expect_problem("Content Security Policy")
    page = kb_web.visit(f"{site.url}/?before=other")
    page.locator("headwater-widget").wait_for(state="attached")
    page.goto(f"{site.url}/?before=currentScript", wait_until="load")  # the script of the tag has run by then
    expect(page.locator("headwater-widget")).to_have_count(0)


def test_a_visitor_asks_by_keyboard_alone(kb_web: Web, site: Site) -> None:
    """Tab, Enter, a question; Enter of an input method does not ask; Tab stays inside; Escape gives the focus back."""
    page = kb_web.visit(f"{site.url}/")
    page.locator("headwater-widget[data-ready]").wait_for(state="attached")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "ぽんぷ", "selectionStart": 3, "selectionEnd": 3})
    session.send(
        "Input.dispatchKeyEvent", {"type": "keyDown", "key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    )
    expect(page.locator("headwater-widget .turn")).to_have_count(0)  # one would be there before the key's event ends
    page.get_by_label("Your question").fill("")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator("headwater-widget .votes").wait_for()
    expect(page.locator("headwater-widget [role=status]")).to_contain_text("Answer complete, 1 source")
    for _ in range(12):
        page.keyboard.press("Tab")
        eventually(lambda: page.evaluate(_IS_INSIDE), page)
    page.get_by_role("button", name="Good answer").press("Enter")
    page.get_by_text("Thank you.").wait_for()
    page.keyboard.press("Escape")
    eventually(lambda: page.evaluate(_FOCUS) == "open", page)


_IS_INSIDE = "document.activeElement.matches('headwater-widget, body')"  # body: the browser's own
_FOCUS = "document.activeElement.shadowRoot?.activeElement?.className"


def test_an_answer_grows_is_stopped_and_followed_up(kb_web: Web, site: Site, kb: Headwater, chat: ChatServer) -> None:
    """The text grows; Stop ends it; a change of page attaches again; the next question knows the one before."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = Says(LONG, holds={70: Event()})
    page = opened(kb_web.visit(f"{site.url}/"))
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text("said 1 times").wait_for()
    page.goto(f"{site.url}/two")
    opened(page).get_by_text("said 3 times").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    expect(page.locator("headwater-widget .answer")).not_to_contain_text("said 39 times")
    chat.otherwise = "The pump lifts forty litres of water per minute [1]."
    ask(page, "How much does the pump lift?")
    ask(page, "And per hour?")
    last = kb.query("SELECT search_text FROM answers WHERE question = 'And per hour?'")[0]["search_text"]
    assert "pump" in last
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("headwater-widget .turn")).to_have_count(0)


def test_a_page_that_is_not_listed_has_no_widget(kb_web: Web, site: Site, kb: Headwater) -> None:
    """Neither a button nor a token; nor once the widget is switched off, or its origin removed while it is open."""
    kb_web.expect_problem("^(console|failed|status).*")
    page = kb_web.visit(f"{site.other_url}/")
    eventually(lambda: any("CORS policy" in problem for problem in kb_web.problems), page)
    expect(page.locator("headwater-widget button")).to_have_count(0)
    page = opened(kb_web.visit(f"{site.url}/"))
    ask(page)
    change_widget(kb.store, "kb", "docs", {"origins": ["https://elsewhere.example"]})
    page.get_by_label("Your question").fill("What about the wheel?")
    page.keyboard.press("Enter")
    page.locator(".bad", has_text="The assistant cannot be reached.").wait_for()  # a screen reader hears it as well
    expect(page.get_by_label("Your question")).to_have_value("What about the wheel?")


def test_over_budget_it_says_so_and_searches(kb_web: Web, site: Site, kb: Headwater) -> None:
    """The question after the last one of the day gets search results; titles and texts run nothing."""
    kb_web.expect_problem("429")
    change_widget(kb.store, "kb", "docs", {"questions_per_day": 1})
    page = opened(kb_web.visit(f"{site.url}/", phone=True))
    ask(page, "How fast does the zebra run?")
    page.locator("headwater-widget .answer .cite").first.click()
    page.get_by_label("Your question").fill("zebra miles per hour")
    page.keyboard.press("Enter")
    page.locator(".bad", has_text="All questions of today are used up.").wait_for()
    page.locator("headwater-widget .results li").first.wait_for()
    expect(page.locator("headwater-widget .results")).to_contain_text("zebra")
    eventually(lambda: page.evaluate("window.hit === undefined"), page)
    check_accessible(page)
    check_fits(page)
    picture(page, "widget-over-budget")


def test_how_it_looks(kb_web: Web, site: Site, kb: Headwater) -> None:
    """Light, dark, on a phone, from right to left, as part of the page; nobody has to move anything to read it."""
    site.is_plain = False
    page = kb_web.visit(f"{site.url}/")
    page.locator("headwater-widget[data-ready]").wait_for(state="attached")
    picture(page, "widget-button")
    ask(opened(page))
    page.locator("headwater-widget .answer .cite").first.click()
    picture(page, "widget-panel")
    page = kb_web.visit(f"{site.url}/?accent=%23d9480f", dark=True)
    ask(opened(page))
    picture(page, "widget-dark")
    check_accessible(page)
    page = kb_web.visit(f"{site.url}/", phone=True)
    ask(opened(page))
    picture(page, "widget-phone")
    check_fits(page)
    page = kb_web.visit(f"{site.url}/?dir=rtl&position=bottom-left", reduced=True)
    ask(opened(page))
    picture(page, "widget-rtl")
    check_fits(page)
    page = kb_web.visit(f"{site.url}/?mode=inline&target=%23here")
    ask(page)
    picture(page, "widget-inline")
    check_accessible(page)


def test_an_administrator_makes_a_widget_and_sees_it(kb_web: Web) -> None:
    """The form makes it; the preview shows settings before they are saved, and answers; deleting asks first."""
    page = kb_web.visit("/kb/kb/chat")
    follow(page.get_by_role("link", name="Widgets"))
    page.get_by_label("Name").fill("docs")
    page.get_by_label("Sites that may use it").fill("https://docs.example.com/guide\nhttps://*.example.org")
    follow(page.get_by_role("button", name="Make the widget"))
    page.get_by_role("heading", name="Preview").wait_for()
    expect(page.locator("#snippet")).to_contain_text(re.compile(r'data-headwater-widget="wdg_[a-z0-9]{16}"'))
    expect(page.locator("headwater-widget[data-ready]")).to_have_count(3)
    page.get_by_label("Label of the button").fill("Ask the pump")
    page.get_by_label("Greeting").fill("Hello there.")
    page.get_by_label("Accent").fill("#8e24aa")
    page.locator("[data-preview=static] button", has_text="Ask the pump").wait_for()
    dark = page.locator("[data-preview=dark]")
    dark.get_by_text("Hello there.").wait_for()
    dark.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    dark.locator(".votes").wait_for()
    check_accessible(page)
    check_fits(page)
    picture(page, "widget-page")
    follow(page.get_by_role("button", name="Save"))
    page.get_by_text("1 of 500 questions").wait_for()
    expect(page.get_by_label("Label of the button")).to_have_value("Ask the pump")
    page.get_by_label("Sites that may use it").fill("*")
    kb_web.expect_problem("status 422|422")
    follow(page.get_by_role("button", name="Save"))
    page.get_by_text("would let every site use the widget").wait_for()
    follow(page.get_by_role("link", name="Delete"))
    follow(page.get_by_role("button", name="Delete docs"))
    page.get_by_role("heading", name="New widget").wait_for()
    assert kb_web.store.widgets.all("kb") == []


def test_marks_and_further_passages_and_the_documents_words(
    kb_web: Web, site: Site, kb: Headwater, chat: ChatServer
) -> None:
    """As on the chat page, also on the next page of the tab; the server marks, and the panel counts."""
    choose(kb, answer_model=MODEL)
    chat.otherwise = "The pump lifts forty litres of water per minute. It was **invented in Lisbon by Maria Lopes.**"
    page = opened(kb_web.visit(f"{site.url}/"))
    ask(page)
    for _ in range(2):
        turn = page.locator("headwater-widget .turn").last
        turn.locator(".votes").wait_for()
        expect(turn.locator(".unsupported").filter(has_text="invented in Lisbon").first).to_be_visible()
        expect(turn.get_by_text("(no passage supports this)").first).to_be_attached()
        expect(turn.get_by_text(re.compile("supported by no passage"))).to_be_visible()
        expect(turn.get_by_role("heading", name="Further")).to_be_visible()
        check_accessible(page)
        picture(page, "faces-widget")
        page.goto(f"{site.url}/two")
        opened(page)
    chat.otherwise = Says("", ending="error")
    ask(page, "How many litres of water does the pump lift in a minute?")
    quoted = page.locator("headwater-widget .turn").last.get_by_role("group", name="The document’s words")
    expect(quoted).to_contain_text("forty litres")
    picture(page, "faces-widget-quote")
    check_accessible(page)
    check_fits(page)
