"""What a page weighs at its first view (UI-1): at most 100 kB in all, as it comes over the network."""

import gzip
import re

import httpx
import pytest

from headwater.settings import REPOSITORY
from query_api.app import create_app
from tests.browser.web import Web, bytes_counted
from tests.chat_server import MODEL, ChatServer
from tests.support import Headwater

_MOST, _TURNS, _LISTED = 100_000, 20, 30
_WORDS = re.findall(r"\w+", (REPOSITORY / "docs" / "sources.md").read_text(encoding="utf-8"))
_SAID = 250  # words of an answer
_PARTS = ("valve", "wheel", "axle", "filter", "seal", "gauge")

pytestmark = pytest.mark.synced(
    "docs",
    files={
        f"pump{number}.md": (
            f"# Manual of pump {number}\n\n## Operation\n\nPump {number} lifts {number + 3} litres of water per minute,"
            f" and stops by itself at 9{number} °C. Clean the {part} of the pump every week.\n"
        )
        for number, part in enumerate(_PARTS, 1)
    },
    answer_model=MODEL,
)


def test_pages_and_their_files_are_compressed_and_nothing_else_is(kb: Headwater) -> None:
    """For browsers that ask for it; a file that the browser has is not sent again; a stream comes as it is made."""
    client = create_app(kb.settings).test_client()
    files = re.findall(r"/static/[^\"]+", client.get("/kb/kb/chat").text)
    for path in ("/kb/kb/chat", next(file for file in files if file.endswith(".css"))):
        plain, gzipped = client.get(path), client.get(path, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(gzipped.data) == plain.data
        assert gzipped.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    for encoding in ("gzip", "identity"):
        first = client.get(path, headers={"Accept-Encoding": encoding})
        again = client.get(path, headers={"Accept-Encoding": encoding, "If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    for path in ("/api/v1/knowledge-bases", "/kb/kb/source-events"):
        with client.get(path, headers={"Accept-Encoding": "gzip, br"}) as response:
            assert "Content-Encoding" not in response.headers


def test_the_first_view_of_every_page_is_light(kb_web: Web, chat: ChatServer) -> None:
    """Also of a conversation with 20 long turns that cite five passages each, beside a list of 30 others."""
    chat.otherwise = lambda _: _long(len(chat.requests))
    with httpx.Client(base_url=f"{kb_web.url}/api/v1", timeout=60) as api:
        paths = _pages(api)
    page, found = kb_web.visit("/favicon.ico"), {}
    for path in paths:
        with bytes_counted(page) as sizes:
            page.goto(path)
        found[path] = sum(sizes)
    assert not {path: size for path, size in found.items() if size > _MOST}


def test_what_scripts_load_is_counted(kb_web: Web) -> None:
    """However long it takes; a stream of events has no end to wait for."""
    page = kb_web.visit("/favicon.ico")
    with bytes_counted(page) as sizes:
        page.evaluate("""() => { fetch("/kb/kb/source-events"); fetch("/api/v1/knowledge-bases/kb"); }""")
    assert len(sizes) == 1


def _long(number: int) -> str:
    """An answer of 250 words, unlike all others, with a citation in each of its sentences."""
    words = _WORDS[number * _SAID : (number + 1) * _SAID]
    sentences = [" ".join(words[at : at + 20]) for at in range(0, _SAID, 20)]
    return "\n\n".join(f"{sentence} [{1 + at % 5}]." for at, sentence in enumerate(sentences))


def _pages(api: httpx.Client) -> list[str]:
    """Ask twenty times in one conversation; returns the addresses of all pages."""
    talk = api.post("/knowledge-bases/kb/conversations", json={}).json()["id"]
    for number in range(_LISTED):
        api.post("/knowledge-bases/kb/conversations", json={"title": " ".join(_WORDS[-5 * number :][:5]) or "Pumps"})
    for _ in range(_TURNS):
        asked = {"question": "How many litres of water does the pump lift per minute?", "conversation": talk}
        answer = api.post("/knowledge-bases/kb/answers", json=asked).json()
    assert answer["citations"]
    assert answer["further"]
    token = api.put(f"/conversations/{talk}/share").json()["shared"]
    cited = answer["citations"][0]
    kb, passage = "/kb/kb", f"{cited['document_version_id']}?start={cited['start']}&end={cited['end']}"
    return [
        f"{kb}/chat/{talk}", f"{kb}/chat", token, f"{kb}/passages/{passage}", "/", f"{kb}/sources",
        f"{kb}/new-source", f"{kb}/documents", f"{kb}/documents/{cited['document_id']}", f"{kb}/lineage/{answer['id']}",
        f"{kb}/sources/docs", f"{kb}/sources/docs/edit", f"{kb}/search?q=pump", f"{kb}/settings", f"{kb}/status",
        "/login", "/keys", "/audit",
    ]  # fmt: skip
