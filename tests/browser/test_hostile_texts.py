"""Hostile texts wherever people or documents may put a text: 0 run, 0 requests to another host (SEC-1)."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from headwater.administration.keys import create_key
from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.administration.widgets import create_widget
from headwater.domain.access import Scope
from tests.browser.payloads import HARM, PAYLOADS, WATCH, in_path
from tests.browser.web import Web, expect, follow
from tests.chat_server import MODEL, ChatServer
from tests.support import Headwater

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION = "How many litres of water does the pump lift per minute?"
_NAMES = [text for text in PAYLOADS if "/" not in text and "\n" not in text and len(text) < 60]
"""Those that can be the name of a file."""


_CITED = PAYLOADS[11]
"""What the cited sentence contains."""


def _documents() -> Iterator[tuple[str, str]]:
    """A document for each payload, with it as title, category, metadata, heading, text, code and link."""
    for number, text in enumerate(PAYLOADS):
        name = f"{number:02}{_NAMES[number % len(_NAMES)]}.md"
        head = {"title": f"Title {text}", "category": f"a{text.replace('/', '')}", f"key {text}": text}
        body = f"# Heading {text}\n\nPump {number} says: {text}\n\n`{text}`\n\n    {text}\n\n[a]({text}) ![b]({text})\n"
        yield name, f"---\n{json.dumps(head)}\n---\n\n{body}"
    yield "pump.md", f"# Pump manual\n\nThe pump lifts forty litres of water per minute, as `{_CITED}` says.\n"
    yield "all.md", "# All\n\n" + "\n\n".join(f"## {text}\n\nThe crane says {text}" for text in PAYLOADS)
    yield 'broken.md"><img src=x onerror=alert(1)>.md', "\ud800"


FILES = {
    name: text.encode("utf-8", "replace") if "\ud800" not in text else b"\xff\xfe\x00\xd8"
    for name, text in _documents()
}

pytestmark = [pytest.mark.probe, pytest.mark.synced("docs", files=FILES, summary_model="builtin/extractive")]


def _check(page: "Page") -> None:
    page.wait_for_load_state()
    harm = page.evaluate(HARM)
    assert not harm, harm


def _walk(page: "Page", paths: list[str]) -> None:
    for path in paths:
        page.goto(path, wait_until="load")
        _check(page)


def _talk(url: str) -> tuple[str, list[str], str]:
    """A conversation about every payload; returns its id, its answers' ids and the path that shows it to others."""
    api, answers = f"{url}/api/v1", []
    with httpx.Client(base_url=api, timeout=60) as client:
        talk = client.post("/knowledge-bases/kb/conversations", json={}).json()["id"]
        for part in range(-25, len(PAYLOADS), 25):
            question = " ".join([QUESTION, *(PAYLOADS[part : part + 25] if part >= 0 else ())])
            made = client.post("/knowledge-bases/kb/answers", json={"question": question, "conversation": talk})
            assert made.status_code == 200, made.text
            answers.append(made.json()["id"])
            comment = {"vote": "down", "comment": " ".join(PAYLOADS[max(part, 0) : part + 50])[:900]}
            assert client.put(f"/answers/{answers[-1]}/feedback", json=comment).is_success
        assert client.patch(f"/conversations/{talk}", json={"title": PAYLOADS[1] + PAYLOADS[11]}).is_success
        shared = client.put(f"/conversations/{talk}/share").json()
        return talk, answers, "/shared/" + str(shared["shared"]).rpartition("/")[2]


def _ask_bots(url: str) -> None:
    """Bots are mentioned in places with hostile names."""
    for number, text in enumerate(PAYLOADS):
        place = "".join(text.split())[:100].encode("ascii", "ignore").decode() or "x"
        event = {"id": f"e{number}", "workspace": place, "channel": place, "thread": place, "message": place}
        holder = "00000000-0000-0000-0000-000000000001"
        body: dict[str, Any] = {**event, "question": text, "is_mention": True, "holder": holder}
        assert httpx.post(f"{url}/api/v1/bots/slack/events", json=body).status_code == 200


def test_hostile_texts_stay_texts(kb_web: Web, kb: Headwater, chat: ChatServer) -> None:
    """In titles, texts, names, addresses, metadata, questions, answers, comments, errors, places of bots, and forms."""
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 60
    settings = kb.knowledge_base.settings.model_copy(update={"answer_model": MODEL, "trust_floor": 0.0})
    kb.store.knowledge_bases.update("kb", settings=settings)
    for number in range(0, len(PAYLOADS), 4):
        one, two, *_ = PAYLOADS[number : number + 4] * 2
        create_knowledge_base(kb.store, f"x{number}", name=one[:100], description=two)
    chat.otherwise = "The pump lifts forty litres of water per minute [1].\n\n" + "\n\n".join(PAYLOADS)
    talk, answers, shared = _talk(kb_web.url)
    _ask_bots(kb_web.url)
    # Each ends what it stands in: a field of the form, or the element that the widget makes.
    greeting = " ".join([PAYLOADS[6], *PAYLOADS[26:34]])[:300]
    texts = {"label": PAYLOADS[46], "greeting": greeting, "placeholder": PAYLOADS[46]}
    create_widget(kb.store, "kb", "docs", {"origins": ["https://docs.example.com"], **texts})
    documents = {each.uri: each.id for each in kb.store.overviews.all_documents(kb.knowledge_base, limit=200)}
    assert len(documents) == len(FILES) - 1
    nodes = kb.store.summaries.nodes(kb.store.sources.get("kb", "docs"), depth=2, limit=30)
    pages = [f"/kb/kb/documents/{documents[uri]}" for uri in sorted(documents)[::9]]
    pages += [f"/kb/kb/documents/{documents['all.md']}", "/kb/kb/documents", "/kb/kb/documents?source=docs&find=pump"]
    pages += [f"/kb/kb/chat/{talk}", f"/kb/kb/turns/{answers[0]}", f"/kb/kb/turns/{answers[0]}/candidates", shared]
    pages += [f"/kb/kb/lineage/{answer}" for answer in answers]
    pages += [
        "/",
        "/kb/kb/sources",
        "/kb/kb/sources/docs",
        "/kb/kb/sources/docs/edit",
        "/kb/kb/sources/docs/syncs/1",
        "/kb/kb/search?q=pump&group_by=passage&top_k=50",
        "/kb/kb/settings",
        "/kb/kb/settings/delete",
        "/account",
        "/kb/kb/contents?links=1",
        "/kb/kb/status",
        "/kb/kb/widgets",
        "/kb/kb/widgets/docs",
        "/kb/kb/widgets/docs/delete",
        "/bots",
        "/audit",
    ]
    pages += [f"/kb/kb/summaries/{node.id}" for node in nodes[:6]]
    page = kb_web.visit("/favicon.ico")
    page.context.add_init_script(WATCH)
    # What a hostile address names is not there, and forms with hostile values are refused.
    kb_web.expect_problem(r"status 4\d\d: GET .*(?:%|kb/kb)|status 422: POST|status of 4\d\d")
    _walk(page, pages)
    expect(page.locator(".card, .document-row").first).to_be_attached()
    pairs = [" ".join(PAYLOADS[number : number + 2])[:190] for number in range(0, len(PAYLOADS), 2)]
    _walk(page, [f"{path}{in_path(pair)}" for pair, path in zip(pairs, _REFLECTING * 20, strict=False)])
    _read(page, talk, str(documents["all.md"]))
    key = create_key(kb.store, PAYLOADS[11][:100], Scope.ADMIN).text
    create_key(kb.store, PAYLOADS[46][:100], Scope.READ)
    bearer = kb_web.visit("/favicon.ico", headers={"Authorization": f"Bearer {key}"})
    bearer.context.add_init_script(WATCH)
    _walk(bearer, ["/keys", "/audit", "/bots"])


_REFLECTING = (
    "/?find=",
    "/kb/kb/documents?find=",
    "/kb/kb/search?q=",
    "/audit?who=",
    "/kb/kb/chat?documents=",
    "/kb/kb/documents?source=",
    "/kb/kb/contents?source=",
    "/bots?knowledge_base=x&channel=",
    "/login?next=",
    "/kb/kb/new-source?kind=",
    "/kb/kb/sources?receipt=",
    "/kb/kb/sources/",
    "/kb/",
)
"""Addresses that take a text."""


def _read(page: "Page", talk: str, document: str) -> None:
    """What a reader does with scripts: opens citations, chunks and rows, types an address, asks and sees it grow."""
    page.goto(f"/kb/kb/chat/{talk}")
    page.locator(".cite").first.click()
    page.locator(".pane mark", has_text=_CITED).first.wait_for()
    _check(page)
    page.get_by_label("Question", exact=True).fill(" ".join([QUESTION, *PAYLOADS[::3]]))
    page.keyboard.press("Enter")
    page.locator(".turn[data-state=done]").nth(5).locator("[data-foot]").wait_for()
    _check(page)
    page.goto(f"/kb/kb/documents/{document}")
    follow(page.locator(".timeline a").last)
    page.locator(".chunk-text").wait_for()
    _check(page)
    page.goto("/kb/kb/sources")
    page.locator("#source-docs summary").click()
    page.locator("#source-docs .row").first.wait_for()
    _check(page)
    page.locator("#address").fill(f"/{PAYLOADS[26]}")
    page.locator("#address-says", has_text=PAYLOADS[26]).wait_for()
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator("#announcer", has_text=PAYLOADS[26]).wait_for(state="attached")
    _check(page)
    _read_widget(page)
    page.goto("/bots")
    for name in ("workspace", "channel"):
        page.locator(f"#{name}").fill(PAYLOADS[46])
    follow(page.get_by_role("button", name="Save"))
    page.get_by_role("alert").wait_for()
    _check(page)


def _read_widget(page: "Page") -> None:
    """The widget in its preview, with what the form says before it is saved, and with an answer."""
    page.goto("/kb/kb/widgets/docs")
    panel = page.locator("[data-preview=light] headwater-widget")
    panel.get_by_text(PAYLOADS[26]).first.wait_for()
    _check(page)
    page.locator("#greeting").fill(" ".join(PAYLOADS[11:20]))
    panel.get_by_text(PAYLOADS[12]).first.wait_for()
    field = panel.get_by_role("textbox").first
    field.fill(" ".join([QUESTION, *PAYLOADS[1::3]]))
    field.press("Enter")
    panel.locator(".cite").first.click()
    panel.locator(".passage mark").wait_for()
    _check(page)
    panel.get_by_role("button", name="Ask", exact=True).wait_for()  # while an answer is written, nothing else is asked
    field.fill(QUESTION)  # without other words, its answer cites the sentence that has a payload in it
    field.press("Enter")
    panel.locator(".turn").nth(1).locator(".cite").first.click()
    panel.locator(".passage mark").get_by_text(_CITED).wait_for()
    _check(page)
