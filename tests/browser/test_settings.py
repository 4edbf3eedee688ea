"""The settings page of a knowledge base (KB-1, KB-2): by mouse, without a script, on a phone."""

import re
from typing import Any

import pytest

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from tests.browser.test_chat import CHAT, FILES, ask
from tests.browser.web import PROBES, Web, check_accessible, check_fits, check_unharmed, expect, follow, picture
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
    follow(page.get_by_role("button", name="Test Answer model"))
    page.get_by_role("status").get_by_text(re.compile(r"Answers in \d+\.\d s: “Ready.”")).wait_for()
    expect(page.get_by_label("Answer model")).to_have_value(MODEL)
    picture(page, "settings-tested")
    chat.otherwise = lambda _: Says("", ending="error")
    follow(page.get_by_role("button", name="Test Answer model"))
    page.locator(".trial.bad").wait_for()
    follow(page.get_by_role("button", name="Review changes"))
    review = page.locator("#review")
    expect(review).to_contain_text("builtin/extractive")
    expect(review).to_contain_text(f"Each answer calls {MODEL}.")
    assert kb.knowledge_base.settings.answer_model == "builtin/extractive"
    check_accessible(page)
    picture(page, "settings-review")
    follow(review.get_by_role("button", name="Save"))
    page.get_by_text("It counts from the next question on.").wait_for()
    assert kb.knowledge_base.settings == KnowledgeBaseSettings(
        **{**kb.knowledge_base.settings.model_dump(), "answer_model": MODEL}
    )
    chat.otherwise = "The pump lifts forty litres of water per minute. [1]"
    turn = ask(kb_web.visit(CHAT))
    expect(turn.locator(".cost")).to_contain_text(MODEL)


@pytest.mark.parametrize("shape", [{"phone": True, "dark": True}, {"script": False}])
def test_what_a_change_costs(kb_web: Web, kb: Headwater, shape: dict[str, Any]) -> None:
    """Texts to embed with another model, dimensions and languages of it; a wrong value keeps the form."""
    page = kb_web.visit(SETTINGS, **shape)
    page.get_by_label("Embedding model", exact=True).fill("builtin/minilm-int8")
    follow(page.get_by_role("button", name="Test Embedding model"))
    page.get_by_text(re.compile(r"Answers in .* s with 384 dimensions. It knows English")).wait_for()
    follow(page.get_by_role("button", name="Review changes").last)
    cost = re.compile(r"The next sync builds a new search index beside the old one and embeds \d+ texts")
    expect(page.locator("#review")).to_contain_text(cost)
    expect(page.locator("#review")).to_contain_text("free")
    if "phone" in shape:
        check_accessible(page)
        check_fits(page)
        picture(page, "settings-cost-phone")
    page.get_by_label("Embedding model", exact=True).fill("builtin/hsh")
    kb_web.expect_problem("422|400")
    follow(page.get_by_role("button", name="Save"))
    page.get_by_role("alert").get_by_text("There is no embedding model").wait_for()
    expect(page.get_by_label("Embedding model", exact=True)).to_have_value("builtin/hsh")
    assert kb.knowledge_base.settings.embedding_model != "builtin/minilm-int8"


def test_a_knowledge_base_is_renamed_and_deleted(kb_web: Web, kb: Headwater) -> None:
    """Name, address and description are texts; deleting asks first."""
    page = kb_web.visit(SETTINGS)
    page.get_by_label("Name", exact=True).fill(PROBES[1])
    page.get_by_label("Address").fill("pumps")
    page.get_by_label("Description").fill(PROBES[0])
    follow(page.get_by_role("button", name="Review changes").last)
    page.get_by_text("The pages move to /kb/pumps").wait_for()
    follow(page.get_by_role("button", name="Save"))
    page.wait_for_url("**/kb/pumps/settings?saved=now")
    check_unharmed(page)
    assert kb.store.knowledge_bases.get("pumps").name == PROBES[1]
    follow(page.get_by_role("link", name=re.compile("Delete")))
    page.get_by_text("It cannot be undone").wait_for()
    check_accessible(page)
    picture(page, "settings-delete")
    follow(page.get_by_role("button", name=re.compile("Delete")))
    page.wait_for_url(f"{kb_web.url}/")
    assert kb.store.knowledge_bases.all(limit=5) == []
