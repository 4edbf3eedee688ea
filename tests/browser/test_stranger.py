"""Ten tasks of somebody who has never seen it, without documentation: on a phone, in the dark (UI-1 to UI-5).

Belongs here: each task by what the pages themselves say. Not here: details of a page (its own tests). Guarantee: every
page on the way fits, is accessible, and loads nothing from elsewhere.
"""

from typing import TYPE_CHECKING

import pytest

from headwater.administration.deletion import delete_source
from headwater.administration.sources import add_source
from tests.browser.test_chat import CHAT, FILES, ask
from tests.browser.web import Web, check_accessible, check_fits, enter, eventually, expect, follow, picture
from tests.chat_server import MODEL, ChatServer
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Page

_TABLE = "| Part | Weight |\n|---|---|\n" + "".join(f"| Spare part {number} | {number} kg |\n" for number in range(80))
_CODE = (
    "# Controller\n\nThe controller opens the valve so:\n\n"
    "```python\ndef open_valve(angle):\n    return angle * 2  # degrees\n```\n"
)

pytestmark = pytest.mark.synced("docs", files={**FILES, "parts.md": f"# Parts\n\n{_TABLE}", "code.md": _CODE})


def _look(page: "Page", name: str) -> None:
    check_accessible(page)
    check_fits(page)
    picture(page, f"stranger-{name}")


def test_ten_tasks_on_a_phone_in_the_dark(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """Ask, see why, find, share, pin, a chat model, a schedule, who deleted it, the language, the account."""
    add_source(kb.store, "kb", "old", kind="files", config={})
    delete_source(kb.settings, kb.store, "kb", "old")
    page = kb_web.visit("/", phone=True, dark=True)
    _look(page, "home")

    # 1. Ask, and see where the answer comes from.
    page.get_by_placeholder("Ask kb a question").fill("How does the controller open the valve?")
    enter(page)
    turn = page.locator(".turn[data-state=done]")
    turn.locator("[data-foot]").wait_for()
    expect(turn.locator(".code-keyword").first).to_have_text("def")
    _look(page, "answer")
    turn.locator(".source-open").first.click()
    page.locator(".pane .code-keyword").first.wait_for()
    _look(page, "passage")
    page.get_by_role("button", name="Close the passage").click()

    # 2. Why is it trusted as it is?
    follow(turn.get_by_role("link", name="Sources & lineage"))
    page.get_by_role("heading", name="Where it comes from").wait_for()
    _look(page, "lineage")
    follow(page.get_by_role("link", name="Back to the conversation"))

    # 3. A row far down in a long table stands below the names of its columns.
    row = ask(page, "How much does spare part 71 weigh?")
    row.locator(".source-open").first.click()
    page.locator(".pane table mark").first.wait_for()
    expect(page.locator(".pane th").first).to_have_text("Part")
    _look(page, "table")
    page.get_by_role("button", name="Close the passage").click()

    # 4. Pin the conversation, then rename it, in the list.
    page.get_by_role("button", name="Conversations").click()
    page.locator(".row-menu summary").first.click()
    _look(page, "history")
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("heading", name="Pinned").wait_for()
    page.locator(".row-menu summary").first.click()
    page.get_by_role("button", name="Rename").last.click()
    page.get_by_label("Title of the conversation").fill("Valves")
    page.keyboard.press("Enter")
    page.locator(".history .cut", has_text="Valves").wait_for()

    # 5. Answers shall come from a chat model.
    page.goto(CHAT)
    follow(page.get_by_role("link", name="Settings"))
    page.get_by_label("Answer model").fill(MODEL)
    _look(page, "settings")
    chat.otherwise = "Ready."
    follow(page.get_by_role("button", name="Test Answer model"))
    page.get_by_text("Answers in").wait_for()
    follow(page.get_by_role("button", name="Review changes").last)
    follow(page.locator("#review").get_by_role("button", name="Save"))
    page.get_by_text("It counts from the next question on.").wait_for()

    # 6. Sync every night.
    follow(page.get_by_role("link", name="Sources", exact=True))
    _look(page, "sources")
    follow(page.get_by_role("link", name="Edit docs"))
    page.get_by_label("Sync at").fill("0 3 * * *")
    _look(page, "edit-source")
    follow(page.get_by_role("button", name="Save", exact=True))
    page.get_by_text("daily at 03:00").first.wait_for()

    # 7. Find something by its words.
    follow(page.get_by_role("link", name="Search", exact=True))
    page.get_by_label("Words or a question").fill("oil the axle")
    enter(page)
    page.get_by_text("Pump manual").first.wait_for()
    _look(page, "search")

    # 8. Who deleted the source?
    page.get_by_label("Menu").click()
    _look(page, "menu")
    follow(page.get_by_role("link", name="Audit"))
    page.get_by_label("What", exact=True).select_option("source.delete")
    follow(page.get_by_role("button", name="Show"))
    page.get_by_text("kb/old").first.wait_for()
    _look(page, "audit")

    # 9. Read it in German; 10. who am I?
    follow(page.get_by_role("button", name="Deutsch"))
    page.get_by_role("heading", name="Protokoll").wait_for()
    page.get_by_label("Menü").click()
    follow(page.get_by_role("link", name="Konto"))
    page.get_by_role("heading", name="Wer Sie sind").wait_for()
    _look(page, "account-german")
    page.goto(CHAT)
    eventually(lambda: "Heute" in page.content() or "Angeheftet" in page.content(), page)
    page.get_by_role("button", name="Farben").click()
    _look(page, "chat-german")


def test_what_a_stranger_sees_on_a_desk(kb_web: Web) -> None:
    """The same pages with light colours, in German from the browser's own setting."""
    page = kb_web.visit("/", language="de-AT")
    _look(page, "desk-home")
    page.goto(CHAT)
    page.get_by_label("Frage", exact=True).fill("How does the controller open the valve?")
    page.keyboard.press("Enter")
    turn = page.locator(".turn[data-state=done]")
    turn.locator("[data-foot]").wait_for()
    turn.locator(".source-open").first.click()
    page.locator(".pane .passage-title").wait_for()
    _look(page, "desk-chat")
    for name in ("sources", "sources/docs", "documents", "contents", "status", "settings", "search?q=pump"):
        page.goto(f"/kb/kb/{name}")
        _look(page, f"desk-{name.partition('?')[0].replace('/', '-')}")
