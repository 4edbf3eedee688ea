"""Notion (SRC-19): what is touched, how many requests it takes, and servers that misbehave."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, SourceError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.notion.enhanced_markdown import to_markdown
from headwater.sources.source_context import SourceContext
from tests.hostile_server import loopback_gate
from tests.json_stub import StubReply, serve_stub
from tests.notion_stub import NotionStub, hex_of, id_of
from tests.support import Headwater

Make = Callable[..., Headwater]
WEB = "https://www.notion.so"
CONTENT = """# Oil the valve {color="red"}
Turn it <mention-date start="2026-06-01"/> with <mention-user url="user://1">Ida</mention-user>.
<callout icon="💡" color="gray_bg">
\tIt is **hot**.
\t```python
\tturn(valve) # <callout>
\t```
</callout>
<details>
<summary>More</summary>
\tThe spare key hangs behind the door.
\t- Oil
\t\t- Linseed
</details>
See <page url="https://www.notion.so/Valve-1-0000000000000001000000000000000a">Valve 1</page>.
![A picture](https://files.example.com/a.png?X-Amz-Signature={signature})
<file src="https://files.example.com/a.pdf?X-Amz-Signature={signature}">plan.pdf</file>
<table header-row="true">
\t<tr>
\t\t<td>Part</td>
\t\t<td>Size</td>
\t</tr>
\t<tr>
\t\t<td>Screw</td>
\t\t<td>4 | 5</td>
\t</tr>
</table>
## Oil the valve
Again.
<empty-block/>"""


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[NotionStub]:
    """A workspace with 110 pages, a row of a data source that the search does not find, a text and a sound."""
    made = NotionStub(110)
    made.put(2000, "Big pump", "It pumps.", is_row=True)
    made.hidden.add(id_of(2000))
    made.attach(1003, 9001, "Parts.md", b"# Parts\n\nA brass screw.")
    made.attach(1003, 9002, "sound.wav", b"RIFF")
    with serve_stub(made):
        monkeypatch.setenv("HEADWATER_CREDENTIAL_NOTION", "ntn_secret")
        monkeypatch.setenv("HEADWATER_CREDENTIAL_NOTION_HOST", made.url.partition("://")[2])
        monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
        yield made


def config(stub: NotionStub, **more: Any) -> dict[str, Any]:
    """The config of a source."""
    return {"endpoint": stub.url, "delay": 0, "credential": "notion", **more}


def fetch(
    stub: NotionStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **more: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("notion", config(stub, **more), context).fetch()


def shrink(stub: NotionStub) -> None:
    """Leave ten pages, where more would only take time."""
    for number in range(1010, 1110):
        del stub.pages[id_of(number)]


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_requests_are_few(stub: NotionStub, tmp_path: Path) -> None:
    """A quiet sync is two; what changed is fetched with two each, and what is in the trash is gone (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 112
    assert len(stub.taken()) == 2 + 2 + 2 * 111 + 1 + 1
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert len(stub.taken()) == 2
    for number in (1004, 1005, 1100):
        stub.put(number, f"Sluice {number}", "The sluice opens at nine.")
    stub.attach(1009, 9003, "Screws.md", b"# Screws\n\nA steel screw.")
    stub.trash(1007)
    items = list(fetch(stub, tmp_path, known))
    assert {one.uri for one in items if isinstance(one, FetchedDocument)} == {
        *(f"{WEB}/{hex_of(number)}" for number in (1004, 1005, 1009, 1100)),
        f"{WEB}/{hex_of(1009)}#{hex_of(9003)}/Screws.md",
    }
    assert len(items) == 112
    assert len(stub.taken()) == 2 + 2 + 2 * 4 + 1 + 1


def test_what_a_list_leaves_out_is_asked_for(stub: NotionStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it is missing but there: nothing is removed; without a record of the last sync, all is read again."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.hidden |= {id_of(number) for number in range(1055, 1110)}
    del stub.pages[id_of(1060)]
    stub.taken()
    with monkeypatch.context() as daily:
        daily.setattr("headwater.sources.item_list._DAY", -1.0)
        items = list(fetch(stub, tmp_path, known))
    assert (len(items), {type(item) for item in items}) == (111, {UnchangedDocument})
    assert len([path for path in stub.taken() if "GET /v1/pages/" in path]) == 55
    items = list(fetch(stub, tmp_path / "another", known))
    assert (len(items), {type(item) for item in items}) == (111, {FetchedDocument, UnchangedDocument})
    stub.fault = lambda request: StubReply(status=500) if request.method == "GET" else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(stub, tmp_path / "third", known))


def test_a_page_that_has_just_changed_is_read_again(
    stub: NotionStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times are rounded to the minute; an unchanged text has the same fingerprint, whatever its files' signatures."""
    monkeypatch.setattr("headwater.sources.notion.connector._SETTLED_SECONDS", 10**10)
    shrink(stub)
    stub.put(1000, "Valve 0", CONTENT)
    first = as_known(list(fetch(stub, tmp_path)))
    second = as_known(list(fetch(stub, tmp_path, first)))
    assert {uri: one.fingerprint for uri, one in second.items()} == {
        uri: one.fingerprint for uri, one in first.items() if "#" not in uri
    }


def test_a_page_is_written_whole(stub: NotionStub, tmp_path: Path) -> None:
    """Notion's own marks are gone and their words stay; properties are words; a place opens at its heading."""
    shrink(stub)
    option = {"id": "1", "name": "care", "color": "red"}
    stub.put(
        2001, "Manual", CONTENT, is_row=True,
        Tags={"id": "a", "type": "multi_select", "multi_select": [option, {**option, "name": "pump"}]},
        Due={"id": "b", "type": "date", "date": {"start": "2026-06-02", "end": None, "time_zone": None}},
    )  # fmt: skip
    stub.pieces[id_of(2001)] = [id_of(7)]
    stub.markdown[id_of(7)] = "The rest of a large page."
    found = as_known(list(fetch(stub, tmp_path)))[f"{WEB}/{hex_of(2001)}"].parse()
    for expected in (
        "# Manual\n\n- Tags: care, pump\n- Due: 2026-06-02\n\n## Oil the valve\n\nTurn it 2026-06-01 with Ida.",
        "It is **hot**.\n\n```python\nturn(valve) # <callout>\n```", "**More**\n\nThe spare key hangs behind the door.",
        "- Oil\n    - Linseed", "See [Valve 1](https://www.notion.so/Valve-1-0000000000000001000000000000000a).",
        "A picture\n\nplan.pdf", "| Part | Size |\n| --- | --- |\n| Screw | 4 \\| 5 |", "The rest of a large page.",
    ):  # fmt: skip
        assert expected in found.text
    assert "X-Amz" not in found.text
    assert (found.category, found.metadata["labels"], found.metadata["author"]) == (
        "Pumps",
        ["care", "pump"],
        "Ida Holm",
    )
    assert found.references == (f"{WEB}/0000000000000001000000000000000a",)
    for words, block in (("hot", 200100), ("Again", 200101)):
        begin = found.text.index(words)
        place = found.places.between(begin, begin + 3, text=found.text)
        assert link_to(found.uri, place) == f"{WEB}/Manual-{hex_of(2001)}#{hex_of(block)}"


@pytest.mark.dagster
def test_a_sync_follows_its_server(headwater: Make, stub: NotionStub, caplog: pytest.LogCaptureFixture) -> None:
    """A page is renamed and stays the same document; no secret and no signature is in any row or log (SRC-14)."""
    caplog.set_level(logging.DEBUG)
    shrink(stub)
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="notion", kind="notion", config=config(stub), settings=SourceSettings())
    done = kb.sync("notion")["notion"]
    assert (done.state, done.added, done.errors) == ("ready", 12, [])
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    stub.put(1004, "Sluice", "# Opening\nThe sluice of the mill opens at nine.")
    done = kb.sync("notion")["notion"]
    assert (done.added, done.removed, done.unchanged, done.errors) == (0, 0, 11, [])
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    assert now == ids
    place = kb.ask("When does the sluice of the mill open?").citations[0].place
    assert place is not None
    assert (place.first, place.label) == (f"#{hex_of(100400)}", "")
    for secret in ("ntn_secret", "X-Amz-Signature"):
        assert secret not in f"{kb.dump()} {caplog.text}"


def test_a_secret_that_ends_in_the_middle_loses_nothing(stub: NotionStub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew."""
    items: list[Found] = []
    stub.fault = lambda _: StubReply(status=401) if len(stub.requests) > 106 else None
    with pytest.raises(SourceError, match=r"does not accept the credential notion.*Renew it. What was read is kept"):
        items.extend(fetch(stub, tmp_path))
    assert len(items) == 51
    stub.fault = lambda _: None
    again = list(fetch(stub, tmp_path, as_known(items)))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == 51


def test_a_busy_server_is_waited_for(stub: NotionStub, tmp_path: Path) -> None:
    """As long as it says; nothing is left out."""
    busy = [StubReply(status=429, headers={"Retry-After": "120"}), StubReply(status=429, headers={"Retry-After": "7"})]
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 1 else None
    waits: list[float] = []
    assert len(as_known(list(fetch(stub, tmp_path, waits=waits)))) == 112
    assert sorted(waits) == [7.0, 120.0]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (StubReply(status=403), FetchError, "is not shown to the credential notion"),
        (StubReply(status=400), FetchError, "refuses the request"),
        (StubReply(content=b"<html>"), SourceError, "no JSON of this kind"),
        (StubReply(content={"object": "error"}), SourceError, "something that is no list"),
        (StubReply(content={"results": [], "has_more": True, "next_cursor": "a"}), FetchError, "does not end"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
    ],
)
def test_a_server_that_misbehaves_changes_nothing(
    stub: NotionStub, tmp_path: Path, fault: StubReply, error: type[Exception], message: str
) -> None:
    """Whatever it answers, it is an error of the whole source, without the secret (SEC-1)."""
    stub.fault = lambda _: fault
    with pytest.raises(error, match=message) as caught:
        list(fetch(stub, tmp_path))
    assert "ntn_secret" not in str(caught.value)


def test_files_are_fetched_without_the_secret(stub: NotionStub, tmp_path: Path) -> None:
    """From wherever they are, but from no private address; their signed address is in no message (SEC-1, SRC-14)."""
    shrink(stub)
    items = as_known(list(fetch(stub, tmp_path)))
    assert "brass" in next(one for name, one in items.items() if "Parts" in name).parse().text
    stub.fault = lambda request: StubReply(status=404) if "/files/" in request.path else None
    failed = as_known(list(fetch(stub, tmp_path / "failed")))
    assert not any("Parts" in name for name in failed)
    stub.fault, fault = lambda _: None, stub.fault
    assert any("Parts" in name for name in as_known(list(fetch(stub, tmp_path / "failed", failed))))
    stub.fault = fault
    for storage, message in (
        ("", "Parts.md could not be fetched (404)"),
        ("http://10.0.0.1", "Parts.md is at an address that may not be fetched"),
    ):
        stub.storage = storage
        problem = next(one for one in fetch(stub, tmp_path / f"at {len(storage)}") if isinstance(one, DocumentProblem))
        assert message in problem.message
        assert "X-Amz" not in problem.message
    with serve_stub(NotionStub()) as other:
        other.fault = lambda _: StubReply(content=b"# Stored elsewhere")
        stub.storage = other.url.replace("127.0.0.1", "site.test")
        assert any("Parts" in name for name in as_known(list(fetch(stub, tmp_path / "elsewhere"))))
        assert ["authorization" in request.headers for request in other.requests] == [False]
    with pytest.raises(SourceError, match=r"the secret of an integration alone\. Name a `credential`"):
        list(fetch(stub, tmp_path, credential=None))


@pytest.mark.parametrize(
    ("before", "repeated", "count", "after"),
    [
        ("<table>", "<tr><td>", 50_000, ""), ("", "<mention-date start=", 50_000, ""), ("", "\t", 200_000, "words"),
        ("", "{color=", 50_000, ""), ("", "![", 100_000, ""), ("", "<callout>\n", 50_000, "words"),
        ("", "<page url=\"", 50_000, ""), ("", "https://a?", 50_000, ""), ("", " ", 200_000, "{"),
        ("", "```\n", 50_001, ""),
    ],
)  # fmt: skip
def test_hostile_markdown_takes_no_longer_than_other(before: str, repeated: str, count: int, after: str) -> None:
    """The work is linear, whatever is never closed (SEC-1)."""
    text = before + repeated * count + after
    assert len(to_markdown(text, below=1)) <= len(text) * 6
