"""The cited page of a PDF as a picture beside the text (UI-1)."""

import json
import re
from pathlib import Path

import httpx

from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.administration.sources import add_source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from tests.browser.test_chat import QUESTION, ask
from tests.browser.web import Web, check_accessible, check_fits, expect, picture, read_attribute
from tests.pdf_files import paragraph, pdf
from tests.slide_files import slides

_PUMP = pdf(
    paragraph(72, 720, "Manual of the pump", size=22) + paragraph(72, 680, "Read it before you start.", size=12),
    paragraph(72, 720, "Operation", size=18)
    + paragraph(72, 690, "The pump lifts forty litres of water per minute.\nIt stops by itself at 90 degrees.", size=12)
    + paragraph(72, 640, "Clean the filter every week, and oil the axle in spring.", size=12),
)


def test_a_citation_shows_its_page(web: Web) -> None:
    """In the panel and on a page of its own; the panel opens at its top, with the title before the picture and text."""
    create_knowledge_base(web.store, "pumps", settings=KnowledgeBaseSettings(embedding_model="builtin/hash"))
    with httpx.Client(base_url=f"{web.url}/api/v1/knowledge-bases/pumps", timeout=60) as api:
        api.post("/sources", json={"slug": "files", "kind": "files"}).raise_for_status()
        api.put("/sources/files/files/pump.pdf", content=_PUMP).raise_for_status()
        api.post("/syncs", json={}).raise_for_status()
    web.work()
    page = web.visit("/kb/pumps/chat", phone=True, dark=True)
    turn = ask(page, QUESTION)
    turn.locator(".cite").first.click()
    shown = page.locator(".pane .page-picture img")
    expect(shown).to_have_js_property("naturalWidth", 1000)
    expect(shown).to_have_attribute("alt", re.compile(r"p\. 2"))
    expect(page.locator(".pane")).to_have_js_property("scrollTop", 0)
    check_accessible(page)
    check_fits(page)
    picture(page, "page-picture-phone")
    address = f"{web.url}{read_attribute(shown, 'src')}"
    first = httpx.get(address)
    assert (first.headers["Content-Type"], len(first.content) < 30_000) == ("image/png", True)
    again = httpx.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    page.goto(read_attribute(page.locator(".source-card a").first, "href"))
    expect(page.locator(".page-picture img")).to_have_js_property("naturalWidth", 1000)
    check_accessible(page)
    picture(page, "page-picture-alone-phone")
    web.expect_problem("404")
    assert httpx.get(address.replace("start=", "start=x")).status_code == 422


def test_a_citation_shows_its_slide(web: Web) -> None:
    """Drawn from what it says, which the page says; the passage is marked on it."""
    create_knowledge_base(web.store, "pumps", settings=KnowledgeBaseSettings(embedding_model="builtin/hash"))
    with httpx.Client(base_url=f"{web.url}/api/v1/knowledge-bases/pumps", timeout=60) as api:
        api.post("/sources", json={"slug": "files", "kind": "files"}).raise_for_status()
        api.put("/sources/files/files/pump.pptx", content=slides()).raise_for_status()
        api.post("/syncs", json={}).raise_for_status()
    web.work()
    page = web.visit("/kb/pumps/chat")
    ask(page, QUESTION).locator(".cite").first.click()
    shown = page.locator(".pane .page-picture")
    expect(shown.locator("img")).to_have_js_property("naturalWidth", 1000)
    expect(shown).to_contain_text("Drawn from the texts")
    check_accessible(page)
    picture(page, "slide-picture")


def test_a_citation_of_a_video_opens_at_the_second_that_answers(web: Web, tmp_path: Path) -> None:
    """The card and the panel say the same one, though the passage begins earlier; the card says that it is a video."""
    cues = ["Welcome to the film about the turbine.", "The turbine starts when the sluice is half open.", "It is fast."]
    text = "\n\n".join(cues)
    marks = [[text.index(cue), second] for cue, second in zip(cues, (0, 40, 80), strict=True)]
    film = {"uri": "https://films.example/turbine", "text": text, "title": "Turbine", "media_type": "text/plain"}
    line = json.dumps(film | {"places": {"kind": "second", "marks": marks}})
    (tmp_path / "films.jsonl").write_text(line, encoding="utf-8")
    create_knowledge_base(web.store, "films", settings=KnowledgeBaseSettings(embedding_model="builtin/hash"))
    add_source(web.store, "films", "films", kind="jsonl", config={"path": str(tmp_path / "films.jsonl")})
    httpx.post(f"{web.url}/api/v1/knowledge-bases/films/syncs", json={}, timeout=60).raise_for_status()
    web.work()
    turn = ask(web.visit("/kb/films/chat"), "When does the turbine start?")
    card = turn.locator(".source-open").first
    expect(card).to_contain_text("00:40")
    expect(card.locator(".file-type")).to_have_text("video")
    for opener in (turn.locator(".cite").first, card):
        opener.click()
        watch = turn.page.get_by_role("link", name="Watch at 00:40")
        expect(watch).to_have_attribute("href", re.compile(r"40$"))
        turn.page.keyboard.press("Escape")
