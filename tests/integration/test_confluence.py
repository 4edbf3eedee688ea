"""Confluence (SRC-17): what is touched, how many requests it takes, and servers that misbehave."""

import base64
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, HeadwaterError, SourceError
from headwater.sources.confluence.storage import read_storage
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.confluence_stub import ConfluenceStub
from tests.hostile_server import loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.support import Headwater

Make = Callable[..., Headwater]
STORAGE = """
<h2>Oil the valve</h2><p>Turn it&nbsp;twice.</p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">python</ac:parameter>
<ac:plain-text-body><![CDATA[turn(valve, times=2) # <b>]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="warning"><ac:rich-text-body><p>It is hot.</p></ac:rich-text-body></ac:structured-macro>
<ac:structured-macro ac:name="toc" />
<ac:task-list><ac:task>
<ac:task-status>complete</ac:task-status><ac:task-body>Oil</ac:task-body></ac:task></ac:task-list>
<p>See <ac:link><ri:page ri:content-title="Valve 1" />
<ac:plain-text-link-body><![CDATA[the other]]></ac:plain-text-link-body></ac:link>.</p>
<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">More</ac:parameter>
<ac:rich-text-body><h2>Oil the valve</h2><p>Again.</p></ac:rich-text-body></ac:structured-macro>
"""


@pytest.fixture(params=[True, False], ids=["cloud", "data_center"])
def stub(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ConfluenceStub]:
    """A server with 230 pages, a text that is attached, and a picture that nobody reads."""
    made = ConfluenceStub(230, is_cloud=request.param)
    made.attach("att1", "1003", "Parts list.md", b"# Parts\n\nA brass screw.", "text/markdown")
    made.attach("att2", "1003", "sound.wav", b"RIFF", "audio/wav")
    with serve_stub(made):
        prepare(made, monkeypatch)
        yield made


def prepare(stub: ConfluenceStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stub be fetched from, with its secret."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", "ann@example.com:token")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI_HOST", stub.url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: ConfluenceStub, **more: Any) -> dict[str, Any]:
    """The config of a source."""
    edition = "cloud" if stub.is_cloud else "data_center"
    base = {
        "url": f"{stub.url}{stub.context}/spaces/ENG/overview",
        "edition": edition,
        "delay": 0,
        "credential": "wiki",
    }
    return {**base, **more}


def fetch(
    stub: ConfluenceStub,
    folder: Path,
    known: dict[str, Any] | None = None,
    waits: list[float] | None = None,
    **more: Any,
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("confluence", config(stub, **more), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def uri(stub: ConfluenceStub, number: int) -> str:
    """The URI of a page."""
    return f"{stub.url}{stub.context}/pages/viewpage.action?pageId={number}"


def test_requests_are_few(stub: ConfluenceStub, tmp_path: Path) -> None:
    """A quiet sync is two, one in Data Center; what changed is fetched, and what is deleted is asked for (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 231
    assert len(stub.taken()) == 3 + 10 + 1
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    quiet = 2 if stub.is_cloud else 1
    assert len(stub.taken()) == quiet
    for number in (1004, 1005, 1200):
        stub.put(str(number), f"Valve {number}", "<p>The sluice opens at nine.</p>")
    stub.attach("att1", "1003", "Parts list.md", b"# Parts\n\nA steel screw.", "text/markdown")
    items = list(fetch(stub, tmp_path, known))
    assert sorted(one.uri for one in items if isinstance(one, FetchedDocument)) == sorted(
        [
            *(uri(stub, number) for number in (1004, 1005, 1200)),
            f"{stub.url}{stub.context}/download/attachments/1003/Parts%20list.md",
        ]
    )
    assert len(items) == 231
    assert len(stub.taken()) == quiet + 1 + 1 + 1
    stub.trash("1003")
    assert len(list(fetch(stub, tmp_path, known | as_known(items)))) == (229 if stub.is_cloud else 231)
    assert len(stub.taken()) == (4 if stub.is_cloud else 1)


def test_what_a_list_leaves_out_is_asked_for(
    stub: ConfluenceStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Daily, all is listed: half of it is missing but there, two pages and an attachment are gone (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    del stub.items["1007"], stub.items["1008"], stub.items["att1"]
    stub.hidden = {str(number) for number in range(1100, 1230)}
    monkeypatch.setattr("headwater.sources.item_list._DAY", -1.0)
    stub.taken()
    items = list(fetch(stub, tmp_path, known))
    assert {type(item) for item in items} == {UnchangedDocument}
    assert len(items) == 228
    assert len([path for path in stub.taken() if "search" not in path]) == 130 + 3 + (2 if stub.is_cloud else 0)
    stub.fault = lambda request: StubReply(status=500) if "search" not in request.path else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(stub, tmp_path / "another", known))
    assert len(stub.taken()) == 1 + 3 * 4, "each is asked for again up to three times"


def test_a_page_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code keeps its language, links lead to documents, and a place of the text opens at its heading."""
    for is_cloud, ending in ((True, "#Oil-the-valve"), (False, "#Manual-Oilthevalve")):
        stub = ConfluenceStub(2, is_cloud=is_cloud)
        stub.put("9", "Manual", STORAGE, labels=("public", "care"))
        with serve_stub(stub):
            prepare(stub, monkeypatch)
            items = as_known(list(fetch(stub, tmp_path / str(is_cloud))))
            found = items[uri(stub, 9)].parse()
            for expected in (
                "# Manual\n\nLabels: care, public.\n\n### Oil the valve", "```python\nturn(valve, times=2) # <b>\n```",
                "> **Warning**", "> It is hot.", "- [x] Oil", "**More**",
                f"[the other]({stub.context}/pages/viewpage.action?pageId=1001)",
            ):  # fmt: skip
                assert expected in found.text
            assert found.references == (uri(stub, 1001),)
            assert (found.category, found.metadata["labels"], found.metadata["author"]) == (
                "Engineering", ["care", "public"], "Ida Holm",
            )  # fmt: skip
            begin = found.text.index("twice")
            place = found.places.between(begin, begin + 5, text=found.text)
            web = f"{stub.url}{stub.context}/spaces/ENG/pages/9/Manual"
            assert link_to(found.uri, place) == f"{web}{ending}"
            begin = found.text.index("Again")
            assert link_to(found.uri, found.places.between(begin, begin + 5, text=found.text)) == f"{web}{ending}.1"


@pytest.mark.dagster
@pytest.mark.parametrize("stub", [True], indirect=True, ids=["cloud"])
def test_a_sync_follows_its_server(headwater: Make, stub: ConfluenceStub, caplog: pytest.LogCaptureFixture) -> None:
    """A page and an attachment are renamed and stay the same documents; no secret is in any row or log (SRC-14)."""
    caplog.set_level(logging.DEBUG)
    for number in range(1010, 1230):
        del stub.items[str(number)]
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="wiki", kind="confluence", config=config(stub), settings=SourceSettings())
    done = kb.sync("wiki")["wiki"]
    assert (done.state, done.added, done.errors) == ("ready", 11, [])
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    stub.put("1004", "Sluice", "<h2>Opening</h2><p>The sluice of the mill opens at nine.</p>")
    stub.attach("att1", "1003", "Screws.md", b"# Screws\n\nA titanium screw.", "text/markdown")
    done = kb.sync("wiki")["wiki"]
    assert (done.added, done.removed, done.unchanged, done.errors) == (0, 0, 9, [])
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    assert (
        now[f"{stub.url}{stub.context}/download/attachments/1003/Screws.md"]
        == ids[f"{stub.url}{stub.context}/download/attachments/1003/Parts%20list.md"]
    )
    answer = kb.ask("When does the sluice of the mill open?")
    place = answer.citations[0].place
    assert place is not None
    assert (answer.citations[0].uri, place.label[:1]) == (uri(stub, 1004), "§")
    for secret in ("ann@example.com", base64.b64encode(b"ann@example.com:token").decode()):
        assert secret not in f"{kb.dump()} {caplog.text}"


def test_a_token_that_ends_in_the_middle_loses_nothing(stub: ConfluenceStub, tmp_path: Path) -> None:
    """What was read stays and is not fetched again; the error says what to renew."""
    items: list[Found] = []
    stub.fault = lambda _: StubReply(status=401) if len(stub.requests) > 6 else None
    with pytest.raises(SourceError, match=r"does not accept the credential wiki.*Renew it. What was read is kept"):
        items.extend(fetch(stub, tmp_path))
    assert len(items) == 75
    stub.fault = lambda _: None
    stub.taken()
    again = list(fetch(stub, tmp_path, as_known(items)))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == 75
    assert len(stub.taken()) == 3 + 7 + 1


def test_a_busy_server_is_waited_for(stub: ConfluenceStub, tmp_path: Path) -> None:
    """As long as it says; nothing is left out."""
    busy = [StubReply(status=429, headers={"Retry-After": "120"}), StubReply(status=503, headers={"Retry-After": "7"})]
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 2 else None
    waits: list[float] = []
    assert len(as_known(list(fetch(stub, tmp_path, waits=waits)))) == 231
    assert sorted(waits) == [7.0, 120.0]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (StubReply(status=403), FetchError, "is not shown to the credential wiki"),
        (StubReply(status=400), FetchError, "refuses the request"),
        (StubReply(content=[1]), SourceError, "no JSON of this kind"),
        (StubReply(content=b"<html>"), SourceError, "no JSON of this kind"),
        (StubReply(content={"results": 3}), SourceError, "no list of pages"),
        (StubReply(content={"results": [3, {"id": 1}], "_links": {"next": "x?cursor=1"}}), FetchError, "does not end"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
        (StubReply(content=json.dumps({"results": [], "x": "y" * 51_000_000}).encode()), HeadwaterError, "larger than"),
    ],
)  # fmt: skip
def test_a_server_that_misbehaves_changes_nothing(
    stub: ConfluenceStub, tmp_path: Path, fault: StubReply, error: type[Exception], message: str
) -> None:
    """Whatever it answers, it is an error of the whole source, without the secret (SEC-1)."""
    stub.fault = lambda _: fault
    with pytest.raises(error, match=message) as caught:
        list(fetch(stub, tmp_path))
    assert "YW5u" not in str(caught.value)


def test_a_secret_stays_at_its_host(stub: ConfluenceStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attachments may be kept elsewhere, where the secret is not sent; a private address is refused (SEC-1, SRC-14)."""
    with serve_stub(ConfluenceStub()) as other:
        elsewhere = f"{other.url.replace('127.0.0.1', 'site.test')}/file"
        other.fault = lambda _: StubReply(content=b"# Stored elsewhere", headers={"Content-Type": "text/markdown"})
        stub.fault = lambda request: _sent_to(elsewhere, request)
        items = as_known(list(fetch(stub, tmp_path)))
        assert "Stored elsewhere" in next(one for name, one in items.items() if "Parts" in name).parse().text
        assert ["authorization" in request.headers for request in other.requests] == [False]
        other.fault = lambda _: StubReply(content=b"<!doctype html><html>Sign in</html>")
        problem = next(item for item in fetch(stub, tmp_path / "new") if isinstance(item, DocumentProblem))
        assert "perhaps one to sign in" in problem.message
    stub.fault = lambda request: _sent_to("http://169.254.169.254/x", request)
    problem = next(one for one in fetch(stub, tmp_path / "other") if isinstance(one, DocumentProblem))
    assert "169.254.169.254 is refused" in problem.message
    with pytest.raises(SourceError, match=r"is not for evil\.example\.com"):
        list(fetch(stub, tmp_path, url="https://evil.example.com/wiki"))
    monkeypatch.delenv("HEADWATER_CREDENTIAL_WIKI")
    with pytest.raises(SourceError, match="There is no credential wiki"):
        list(fetch(stub, tmp_path))
    with pytest.raises(SourceError, match=r"it is private\. Name a `credential`: e-mail:token"):
        list(fetch(stub, tmp_path, credential=None))


def _sent_to(url: str, request: StubRequest) -> StubReply | None:
    """A redirect of what is attached."""
    return StubReply(status=302, headers={"Location": url}) if "download" in request.path else None


@pytest.mark.parametrize(
    "storage",
    [
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><p>&b;words</p>',
        "<p>words" * 50, "<ac:link>words", "&undefined; words",
        '<p>words</p><script>alert(1)</script><img src="file:///etc/passwd" onerror="x()"/>',
        "<!ENTITY a 'b'>" + "".join(f"<!ENTITY x{n} '&x{n + 1};&x{n + 1};'>" for n in range(30)) + "<p>words &x0;</p>",
    ],
)  # fmt: skip
def test_hostile_storage_costs_nothing(storage: str) -> None:
    """It gives its words; no file is read, no entity grows (SEC-1)."""
    text, _ = read_storage(storage, "https://wiki.example.com/x", web="https://wiki.example.com", space="ENG")
    assert "words" in text
    assert "root:" not in text
    assert "alert" not in text
    assert len(text) < 1_000
