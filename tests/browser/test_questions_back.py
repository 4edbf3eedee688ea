"""A question back on the chat page (RET-4, UI-1)."""

import pytest

from tests.browser.test_chat import CHAT, ask
from tests.browser.web import Web, check_accessible, check_fits, expect
from tests.integration.test_clarification import FILES, FIRST, NEXT, WITH_SUBJECT

pytestmark = pytest.mark.synced("docs", files=FILES)


def test_a_reader_chooses_what_a_turn_means(kb_web: Web) -> None:
    """Both questions are buttons below the answer that asks; the chosen one is asked as the next turn."""
    page = kb_web.visit(CHAT)
    ask(page, FIRST)
    asked = ask(page, NEXT)
    expect(asked.locator("[data-answer]")).to_have_text(f"Do you mean “{NEXT}” or “{WITH_SUBJECT}”?")
    choices = asked.get_by_role("group", name="What the question may mean")
    expect(choices.get_by_role("button")).to_have_text([NEXT, WITH_SUBJECT])
    check_accessible(page)
    check_fits(page)
    choices.get_by_text(WITH_SUBJECT).click()
    turn = page.locator(".turn[data-state=done]").nth(2)
    turn.locator("[data-foot]").wait_for()
    expect(turn.locator("[data-answer]")).to_contain_text("To start the tram")
