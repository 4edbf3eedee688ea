"""The search page (RET-8): passages with their scores and why, and what is done with them."""

import re
from typing import Any

import pytest

from tests.browser.test_chat import FILES, last_turn
from tests.browser.web import (
    PROBES,
    Web,
    check_accessible,
    check_fits,
    check_unharmed,
    enter,
    expect,
    follow,
    picture,
    tab_to,
)
from tests.support import Headwater

SEARCH = "/kb/kb/search"

pytestmark = pytest.mark.synced("docs", files={**FILES, "probe.md": f"# {PROBES[1]}\n\nThe pump is red. {PROBES[0]}\n"})


@pytest.mark.parametrize("shape", [{}, {"phone": True, "dark": True, "script": False}])
def test_a_search_shows_why(kb_web: Web, shape: dict[str, Any]) -> None:
    """Ranks and scores by words and meaning, the trust, the words of the query in the index."""
    page = kb_web.visit(SEARCH, **shape)
    page.get_by_label("Words or a question").fill("How many litres does the pump lift?")
    enter(page)
    page.wait_for_url("**/search?q=*")
    hit = page.locator(".hit").first
    expect(hit).to_contain_text("Pump manual")
    expect(hit.locator("mark").first).to_have_text(re.compile("^(pump|lifts|litres)$", re.IGNORECASE))
    hit.locator("summary", has_text="Why it is here").first.click()
    for name in ("Words (BM25)", "rank 1", "Meaning (cosine)", "Fused", "Reranker", "Trust"):
        expect(hit.locator(".scores").first).to_contain_text(name)
    expect(page.get_by_role("group", name="Table of words")).to_contain_text("litr")
    check_unharmed(page)
    check_fits(page)
    if "script" not in shape:
        check_accessible(page)
        picture(page, "search")
    page.goto(f"{SEARCH}?q=pump&mode=keyword&group_by=passage&top_k=1")
    expect(page.locator(".hit")).to_have_count(1)
    kb_web.expect_problem("422|400")
    page.goto(f"{SEARCH}?q=pump&mode=smell")
    page.get_by_role("alert").wait_for()


def test_ask_with_these(kb_web: Web) -> None:
    """The question is asked of the chosen documents alone, by keyboard; the page says so, and can ask all."""
    page = kb_web.visit(f"{SEARCH}?q=How+often+does+it+turn+per+minute%3F&group_by=document")
    wheel = page.locator(".hit", has_text="Wheel manual")
    wheel.get_by_label("Choose Wheel manual").check()
    tab_to(page, ".with-these .button.primary", most=80)
    enter(page)
    turn = last_turn(page, "How often does it turn")
    expect(turn).to_contain_text("nine times")
    expect(turn.locator(".source-title").first).to_have_text("Wheel manual")
    expect(turn.locator(".source-title").filter(has_not_text="Wheel manual")).to_have_count(0)
    page.get_by_text("Asks 1 document that you chose.").wait_for()
    check_accessible(page)
    picture(page, "search-asked")
    page.get_by_text("Filters and options (1)").wait_for()


def test_a_golden_question_is_made_of_a_search(kb_web: Web, kb: Headwater) -> None:
    """Of the query and the chosen documents; without one the page says what is missing."""
    page = kb_web.visit(f"{SEARCH}?q=How+many+litres+does+the+pump+lift%3F")
    kb_web.expect_problem("422|400")
    follow(page.get_by_role("button", name="Make a golden question"))
    page.get_by_role("alert").get_by_text("Choose the documents").wait_for()
    page.get_by_label("Choose Pump manual").check()
    follow(page.get_by_role("button", name="Make a golden question"))
    page.get_by_role("status").get_by_text("It is a golden question now").wait_for()
    check_accessible(page)
    (kept,) = kb.store.evaluations.golden_questions(kb.knowledge_base)
    assert kept.question == "How many litres does the pump lift?"
    assert [one.uri for one in kept.relevant] == ["pump.md"]
