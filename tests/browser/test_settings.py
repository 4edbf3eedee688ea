"""The settings page of a knowledge base (KB-1, KB-2): by mouse, without a script, on a phone."""

import re
from typing import Any

import pytest

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from tests.browser.test_chat import CHAT, FILES, ask
from tests.browser.web import PROBES, Web, check_accessible, check_fits, check_unharmed, picture
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

SETTINGS = "/kb/kb/settings"

pytestmark = pytest.mark.synced("docs", files=FILES)


def test_answers_come_from_a_chat_model_after_a_test_and_a_review(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """The test says how long a reply took; nothing is saved before the page has said what changes."""
    chat.otherwise = "Ready."
    page = kb_web.visit(SETTINGS)
    check_accessible(page)
    picture(page, "settings")
    page.get_by_label("Answer model").fill(MODEL)
    page.get_by_role("button", name="Test Answer model").click()
    page.get_by_role("status").get_by_text(re.compile(r"Answers in \d+\.\d s: “Ready.”")).wait_for()
    assert page.get_by_label("Answer model").input_value() == MODEL
    picture(page, "settings-tested")
    chat.otherwise = lambda _: Says("", ending="error")
    page.get_by_role("button", name="Test Answer model").click()
    page.locator(".trial.bad").wait_for()
    page.get_by_role("button", name="Review changes").click()
    review = page.locator("#review")
    assert "builtin/extractive" in review.inner_text()
    assert f"Each answer calls {MODEL}." in review.inner_text()
    assert kb.knowledge_base.settings.answer_model == "builtin/extractive"
    check_accessible(page)
    picture(page, "settings-review")
    review.get_by_role("button", name="Save").click()
    page.get_by_text("It counts from the next question on.").wait_for()
    assert kb.knowledge_base.settings == KnowledgeBaseSettings(
        **{**kb.knowledge_base.settings.model_dump(), "answer_model": MODEL}
    )
    chat.otherwise = "The pump lifts forty litres of water per minute. [1]"
    turn = ask(kb_web.visit(CHAT))
    assert MODEL in turn.locator(".cost").inner_text()


@pytest.mark.parametrize("shape", [{"phone": True, "dark": True}, {"script": False}])
def test_what_a_change_costs(kb_web: Web, kb: Headwater, shape: dict[str, Any]) -> None:
    """Texts to embed with another model, dimensions and languages of it; a wrong value keeps the form."""
    page = kb_web.visit(SETTINGS, **shape)
    page.get_by_label("Embedding model", exact=True).fill("builtin/minilm-int8")
    page.get_by_role("button", name="Test Embedding model").click()
    page.get_by_text(re.compile(r"Answers in .* s with 384 dimensions. It knows English")).wait_for()
    page.get_by_role("button", name="Review changes").last.click()
    said = page.locator("#review").inner_text()
    assert re.search(r"The next sync builds a new search index beside the old one and embeds \d+ texts", said)
    assert "free" in said
    if "phone" in shape:
        check_accessible(page)
        check_fits(page)
        picture(page, "settings-cost-phone")
    page.get_by_label("Embedding model", exact=True).fill("builtin/hsh")
    kb_web.expect_problem("422|400")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").get_by_text("There is no embedding model").wait_for()
    assert page.get_by_label("Embedding model", exact=True).input_value() == "builtin/hsh"
    assert kb.knowledge_base.settings.embedding_model != "builtin/minilm-int8"


def test_a_knowledge_base_is_renamed_and_deleted(kb_web: Web, kb: Headwater) -> None:
    """Name, address and description are texts; deleting asks first."""
    page = kb_web.visit(SETTINGS)
    page.get_by_label("Name", exact=True).fill(PROBES[1])
    page.get_by_label("Address").fill("pumps")
    page.get_by_label("Description").fill(PROBES[0])
    page.get_by_role("button", name="Review changes").last.click()
    page.get_by_text("The pages move to /kb/pumps").wait_for()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/kb/pumps/settings?saved=now")
    check_unharmed(page)
    assert kb.store.knowledge_bases.get("pumps").name == PROBES[1]
    page.get_by_role("link", name=re.compile("Delete")).click()
    page.get_by_text("It cannot be undone").wait_for()
    check_accessible(page)
    picture(page, "settings-delete")
    page.get_by_role("button", name=re.compile("Delete")).click()
    page.wait_for_url(f"{kb_web.url}/")
    assert kb.store.knowledge_bases.all(limit=5) == []
