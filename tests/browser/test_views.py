"""The pages of documents, of lineage and of the status (UI-3, UI-4)."""

import re
from typing import TYPE_CHECKING
from uuid import UUID

import httpx
import pytest

from headwater.administration.knowledge_bases import create_named
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.evaluation.evaluator import evaluate_and_record
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
    picture,
    reach,
)
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Page

_CARE = "\n\n".join(f"## Part {number}\n\n{'Clean this part with soft soap every week. ' * 6}" for number in range(12))
FILES = {
    "pump.md": f"# Pump manual\n\nThe pump lifts forty litres of water per minute.\n\n{_CARE}\n",
    "hostile.md": f'---\ntitle: "{PROBES[1]} {PROBES[3]}"\n---\n\n# {PROBES[0]}\n\nThe crane lifts nine tonnes.\n',
}
QUESTION = "How many litres of water does the pump lift per minute?"

pytestmark = pytest.mark.synced("docs", files=FILES, summary_model="builtin/extractive")


_ATTRIBUTES = "(elements, name) => elements.map(element => element.getAttribute(name))"


def _look(web: Web, path: str, name: str) -> None:
    """Every way of looking at a page: on a phone in the dark without a script, and its first view in bytes."""
    phone = web.visit(path, phone=True, dark=True, script=False)
    picture(phone, f"{name}-phone")
    light = web.visit("/favicon.ico", phone=True, dark=True)
    with bytes_counted(light) as sizes:
        light.goto(path, wait_until="networkidle")
    assert sum(sizes) <= 100_000
    check_accessible(light)
    check_fits(light)


def _tab(page: "Page", name: str) -> None:
    follow(page.locator(".tabs").get_by_role("link", name=name))


def test_a_document_beside_its_chunks_with_its_versions(kb_web: Web, kb: Headwater) -> None:
    """From the list to a chunk, to what changed, and to the notice that the document is gone."""
    kb.write("pump.md", FILES["pump.md"].replace("forty", "fifty"))
    _sync(kb_web, kb)
    page = kb_web.visit("/kb/kb/sources")
    _tab(page, "Documents")
    expect(page.locator(".document-row")).to_have_count(2)
    check_accessible(page)
    check_unharmed(page)
    picture(page, "page-documents")
    page.get_by_label("Title or address").fill("PUMP man")
    follow(page.get_by_role("button", name="Show"))
    follow(page.get_by_role("link", name="Pump manual"))
    chunks = page.locator(".timeline a")
    chunks.nth(1).wait_for()
    follow(page.get_by_role("link", name="First chunk"))
    expect(page.locator(".chunk-text")).to_contain_text("fifty litres")
    expect(page.locator(".document-text mark").filter(has_text="fifty litres").first).to_be_visible()
    follow(page.get_by_role("link", name="Next"))
    expect(page.locator(".timeline a[aria-current] title")).to_have_text(re.compile("^Chunk 2,"))
    follow(chunks.last)
    page.get_by_role("heading", name=re.compile(r"^Chunk (\d+) of \1$")).wait_for()
    check_accessible(page)
    picture(page, "page-document")
    follow(page.get_by_role("link", name="What changed in version 2"))
    expect(page.locator(".diff-line.added")).to_contain_text("fifty")
    expect(page.locator(".diff-line.removed")).to_contain_text("forty")
    check_accessible(page)
    follow(page.get_by_role("link", name="Version 1", exact=True))
    page.get_by_text("This is not the live version.").wait_for()
    _look(kb_web, page.url.removeprefix(kb_web.url), "page-document")
    _look(kb_web, "/kb/kb/documents", "page-documents")
    kb.remove("pump.md")
    _sync(kb_web, kb)
    page.reload()
    page.get_by_text("This document was removed from its source").wait_for()
    create_named(kb.store, "Other", description="")
    document = page.url.split("/")[-1].split("?")[0]
    answer = kb.ask(QUESTION).id
    for path in (f"documents/{document}", f"lineage/{answer}"):
        assert httpx.get(f"{kb_web.url}/kb/kb/{path}").status_code == 200
        assert httpx.get(f"{kb_web.url}/kb/other/{path}").status_code == 404
    for odd in ("documents?after=x&find=%01&source=%F0", f"documents/{document}?version=x&chunk=x&diff"):
        assert httpx.get(f"{kb_web.url}/kb/kb/{odd}").status_code == 200
    kb_web.expect_problem("404")
    expect(kb_web.visit(f"/kb/kb/documents/{UUID(int=1)}").get_by_role("main")).to_contain_text("no document")


def test_the_lineage_of_an_answer(kb_web: Web, kb: Headwater) -> None:
    """Each box leads on, and the list says the same; titles that would run are text."""
    crane, pump = kb.ask("How many tonnes does the crane lift?"), kb.ask(QUESTION)
    page = kb_web.visit(f"/kb/kb/lineage/{pump.id}")
    check_accessible(page)
    picture(page, "page-lineage")
    boxes = page.locator(".lineage a")
    linked = set(page.locator(".lineage-list a").evaluate_all(_ATTRIBUTES, "href"))
    targets, labels = (boxes.evaluate_all(_ATTRIBUTES, name) for name in ("href", "aria-label"))
    assert set(targets) <= linked | {"#answer"}
    kinds = {label.split(":")[0] for label in labels if label}
    assert kinds == {"Answer", "Citation", "Chunk", "Version", "Source", "Run"}
    follow(boxes.and_(page.get_by_label(re.compile("^Chunk:"))).first)
    expect(page.locator(".chunk-text")).to_contain_text("forty litres")
    hostile = kb_web.visit(f"/kb/kb/lineage/{crane.id}")
    assert crane.citations
    check_unharmed(hostile)
    follow(hostile.locator(".lineage-list a").nth(2))
    hostile.locator(".timeline").wait_for()
    check_unharmed(hostile)
    _look(kb_web, f"/kb/kb/lineage/{pump.id}", "page-lineage")
    kb.delete("docs")
    page.goto(f"/kb/kb/lineage/{pump.id}")
    page.get_by_text("This answer may be out of date.").wait_for()
    page.get_by_text("The source was deleted, and the text with it.").first.wait_for()
    expect(page.locator(".lineage a[href*='/documents/']")).to_have_count(0)


def test_the_status_of_a_knowledge_base(kb_web: Web, kb: Headwater) -> None:
    """The index with its gate, evaluations as lines and as a table, syncs, costs and questions."""
    kb.ask("Who won the football match in Lisbon?")
    kb.ask(f"{QUESTION} {PROBES[0]}")
    uri = kb.store.overviews.all_documents(kb.knowledge_base, text="pump")[0].uri
    golden = GoldenQuestion(question=QUESTION, relevant=(RelevantDocument(uri=uri),))
    kb.store.evaluations.put_golden_questions("kb", [golden], "added")
    evaluate_and_record(kb.store, kb.settings, kb.knowledge_base)
    page = kb_web.visit("/kb/kb/documents")
    _tab(page, "Status")
    check_accessible(page)
    check_unharmed(page)
    picture(page, "page-status")
    expect(page.locator(".plot").nth(1)).to_be_attached()
    expect(page.get_by_text("Active", exact=True)).to_be_visible()
    refused = page.locator(".documents").filter(has_text="football").first
    follow(refused.get_by_role("link").first)
    page.get_by_text("This answer was refused").wait_for()
    check_accessible(page)
    _look(kb_web, "/kb/kb/status", "page-status")


def test_the_contents_of_a_knowledge_base(kb_web: Web, kb: Headwater) -> None:
    """Summaries lead to their chunks, links that are dead to where they stand; hostile titles are text."""
    kb.write("care.md", "# Care\n\nSee the [pump](pump.md) and the [wheel](wheel.md).\n")
    _sync(kb_web, kb)
    page = kb_web.visit("/kb/kb/documents")
    _tab(page, "Contents")
    check_accessible(page)
    check_unharmed(page)
    kb.remove("hostile.md")  # it is not for the picture
    _sync(kb_web, kb)
    follow(page.get_by_role("link", name="Count the links"))
    page.locator(".tree summary").nth(1).click()
    page.evaluate("scrollTo(0, 0)")
    picture(page, "page-contents")
    dead = page.get_by_role("list", name="Dead links").get_by_role("listitem")
    expect(dead).to_contain_text("wheel.md")
    page.get_by_text("Drawing", exact=True).click()
    eventually(lambda: page.locator(".tree-frame img").evaluate("image => image.naturalWidth") > 300, page)
    pump = page.locator(".tree summary").filter(has_text="Pump manual")
    reach(pump, page.locator(".tree details:not([open]) > summary").locator("visible=true").first.click)
    pump.click()
    follow(page.get_by_role("link", name=re.compile("Pump manual$")).first)
    page.get_by_role("heading", name="How it was made").wait_for()
    check_accessible(page)
    chunk = page.get_by_role("link", name=re.compile("^Chunk "))
    reach(chunk, lambda: follow(page.locator(".document-row a").first))
    follow(chunk.first)
    expect(page.locator(".chunk-text")).to_contain_text("forty litres")
    create_named(kb.store, "Other", description="")
    node = kb.store.summaries.nodes(kb.source(), depth=0, limit=1)[0].id
    assert httpx.get(f"{kb_web.url}/kb/kb/summaries/{node}").status_code == 200
    assert httpx.get(f"{kb_web.url}/kb/other/summaries/{node}").status_code == 404
    assert httpx.get(f"{kb_web.url}/kb/kb/contents?source=nothing").status_code == 404
    _look(kb_web, "/kb/kb/contents?source=docs", "page-contents")
    _look(kb_web, f"/kb/kb/summaries/{node}", "page-summary")
    empty = kb_web.visit("/kb/other/contents")
    empty.get_by_text("There are no summaries.").wait_for()
    check_accessible(empty)


def test_the_page_of_a_source_follows_its_sync(kb_web: Web, kb: Headwater) -> None:
    """State, documents and what was left out change without a reload; the focus stays; a deletion leads away."""
    page = kb_web.visit("/kb/kb/sources/docs")
    page.get_by_role("button", name="Reindex").focus()
    before = page.evaluate("performance.timeOrigin")
    kb.write("late.md", "# Late\n\nThis came later.\n")
    kb.write("broken.md", b"\xff\xfe\x00\xd8")
    kb.store.syncs.request(kb.knowledge_base.id, kb.store.sources.all("kb"), "api")
    page.get_by_text("Queued").first.wait_for()
    kb_web.work()
    page.locator(".row[data-name='late.md'][data-state=ready]").wait_for()
    page.locator(".row[data-name='broken.md'][data-state=failed]").wait_for()
    page.locator("#source .badge[data-state=ready]").first.wait_for()
    page.get_by_text("1 document could not be read.").wait_for()
    eventually(lambda: page.evaluate("performance.timeOrigin") == before, page)
    expect(page.locator("body :focus")).to_be_visible()
    check_accessible(page)
    picture(page, "page-source")
    phone = kb_web.visit("/kb/kb/sources/docs", phone=True, dark=True)  # it never rests: it listens to events
    check_accessible(phone)
    check_fits(phone)
    plain = kb_web.visit("/kb/kb/sources/docs", phone=True, dark=True, script=False)
    picture(plain, "page-source-phone")
    for other in (phone, plain):  # without a script the page loads itself again, and would find no source
        other.context.close()
    kb_web.expect_problem("404")  # it may look at its documents once more before it hears of the deletion
    kb.delete("docs")
    page.wait_for_url("**/kb/kb/sources")


def _sync(web: Web, kb: Headwater) -> None:
    """Sync as a request of the page does it."""
    kb.store.syncs.request(kb.knowledge_base.id, kb.store.sources.all("kb"), "api")
    web.work()
