"""What a page weighs at its first view (UI-1): at most 100 kB in all, as it comes over the network."""

import httpx
import pytest

from tests.browser.web import Web, bytes_counted
from tests.chat_server import MODEL, ChatServer

_MOST, _TURNS = 100_000, 20
_LONG = " ".join(
    f"Pump {number} lifts {number + 3} litres of water per minute, and stops by itself at 9{number} °C [{number}]."
    for number in range(1, 7)
)
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


def test_the_first_view_of_every_page_is_light(kb_web: Web, chat: ChatServer) -> None:
    """Also of a conversation with 20 long turns that cite six passages each."""
    chat.otherwise = "\n\n".join([_LONG, *(f"- {each}." for each in _LONG.split(". ")), _LONG])
    api = httpx.Client(base_url=f"{kb_web.url}/api/v1", timeout=60)
    talk = api.post("/knowledge-bases/kb/conversations", json={}).json()["id"]
    for _ in range(_TURNS):
        asked = {"question": "How many litres of water does the pump lift per minute?", "conversation": talk}
        answer = api.post("/knowledge-bases/kb/answers", json=asked).json()
    print(answer["answer"][:300], answer["refused"], answer.get("reason"), [p["title"] for p in answer["passages"]])
    assert len({one["uri"] for one in answer["citations"]}) >= 4
    token = api.put(f"/conversations/{talk}/share").json()["shared"]
    cited = answer["citations"][0]
    kb, passage = "/kb/kb", f"{cited['document_version_id']}?start={cited['start']}&end={cited['end']}"
    paths = [
        f"{kb}/chat/{talk}", f"{kb}/chat", token, f"{kb}/passages/{passage}", "/", f"{kb}/sources",
        f"{kb}/new-source", f"{kb}/documents", f"{kb}/documents/{cited['document_id']}", f"{kb}/lineage/{answer['id']}",
        f"{kb}/sources/docs", f"{kb}/status", "/login", "/keys", "/audit",
    ]  # fmt: skip
    page, found = kb_web.visit("/favicon.ico"), {}
    for path in paths:
        with bytes_counted(page) as sizes:
            page.goto(path)
            page.wait_for_timeout(200)  # what scripts load
        found[path] = sum(sizes)
    print(found)
    assert not {path: size for path, size in found.items() if size > _MOST}
