"""The search page (RET-8): passages with their scores and why, and what is done with them."""

from typing import Any

import pytest

from tests.browser.test_chat import FILES, last_turn
from tests.browser.web import PROBES, Web, check_accessible, check_fits, check_unharmed, picture, tab_to
from tests.support import Headwater

SEARCH = "/kb/kb/search"

pytestmark = pytest.mark.synced("docs", files={**FILES, "probe.md": f"# {PROBES[1]}\n\nThe pump is red. {PROBES[0]}\n"})


@pytest.mark.parametrize("shape", [{}, {"phone": True, "dark": True, "script": False}])
def test_a_search_shows_why(kb_web: Web, shape: dict[str, Any]) -> None:
    """Ranks and scores by words and meaning, the trust, the words of the query in the index."""
    page = kb_web.visit(SEARCH, **shape)
    page.get_by_label("Words or a question").fill("How many litres does the pump lift?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=*")
    hit = page.locator(".hit").first
    assert "Pump manual" in hit.inner_text()
    assert hit.locator("mark").first.inner_text().lower() in ("pump", "lifts", "litres")
    hit.locator("summary", has_text="Why it is here").first.click()
    said = hit.locator(".scores").first.inner_text()
    assert all(name in said for name in ("Words (BM25)", "rank 1", "Meaning (cosine)", "Fused", "Reranker", "Trust"))
    assert "litr" in page.get_by_role("group", name="Table of words").inner_text()
    check_unharmed(page)
    check_fits(page)
    if "script" not in shape:
        check_accessible(page)
        picture(page, "search")
    page.goto(f"{SEARCH}?q=pump&mode=keyword&group_by=passage&top_k=1")
    assert page.locator(".hit").count() == 1
    kb_web.expect_problem("422|400")
    page.goto(f"{SEARCH}?q=pump&mode=smell")
    page.get_by_role("alert").wait_for()


def test_ask_with_these(kb_web: Web) -> None:
    """The question is asked of the chosen documents alone, by keyboard; the page says so, and can ask all."""
    page = kb_web.visit(f"{SEARCH}?q=How+often+does+it+turn+per+minute%3F&group_by=document")
    wheel = page.locator(".hit", has_text="Wheel manual")
    wheel.get_by_label("Choose Wheel manual").check()
    tab_to(page, ".with-these .button.primary", most=80)
    page.keyboard.press("Enter")
    turn = last_turn(page, "How often does it turn")
    assert "nine times" in turn.inner_text()
    assert {one.inner_text() for one in turn.locator(".source-title").all()} == {"Wheel manual"}
    page.get_by_text("Asks 1 document that you chose.").wait_for()
    check_accessible(page)
    picture(page, "search-asked")
    page.get_by_text("Settings (1 changed)").wait_for()


def test_a_golden_question_is_made_of_a_search(kb_web: Web, kb: Headwater) -> None:
    """Of the query and the chosen documents; without one the page says what is missing."""
    page = kb_web.visit(f"{SEARCH}?q=How+many+litres+does+the+pump+lift%3F")
    kb_web.expect_problem("422|400")
    page.get_by_role("button", name="Make a golden question").click()
    page.get_by_role("alert").get_by_text("Choose the documents").wait_for()
    page.get_by_label("Choose Pump manual").check()
    page.get_by_role("button", name="Make a golden question").click()
    page.get_by_role("status").get_by_text("It is a golden question now").wait_for()
    check_accessible(page)
    (kept,) = kb.store.evaluations.golden_questions(kb.knowledge_base)
    assert kept.question == "How many litres does the pump lift?"
    assert [one.uri for one in kept.relevant] == ["pump.md"]
