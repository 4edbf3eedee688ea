"""Jira (SRC-18): what is touched, how many requests it takes, and servers that misbehave."""

import base64
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import loopback_gate
from tests.jira_stub import JiraStub
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture(params=[True, False], ids=["cloud", "data_center"])
def stub(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[JiraStub]:
    """A server with 230 issues, a text that is attached, and a sound that nobody reads."""
    made = JiraStub(230, is_cloud=request.param)
    made.attach("10003", "501", "Parts list.md", b"# Parts\n\nA brass screw.", "text/markdown")
    made.attach("10003", "502", "sound.wav", b"RIFF", "audio/wav")
    with serve_stub(made):
        prepare(made, monkeypatch)
        yield made


def prepare(stub: JiraStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stub be fetched from, with its secret."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_JIRA", "ann@example.com:token")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_JIRA_HOST", stub.url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: JiraStub, **more: Any) -> dict[str, Any]:
    """The config of a source."""
    edition = "cloud" if stub.is_cloud else "data_center"
    return {"url": f"{stub.url}/browse/ENG-1", "edition": edition, "delay": 0, "credential": "jira", **more}


def fetch(
    stub: JiraStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **more: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("jira", config(stub, **more), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_requests_are_few(stub: JiraStub, tmp_path: Path) -> None:
    """A quiet sync is two; what changed is fetched with them, and what is deleted is asked for and gone (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 231
    assert len(stub.taken()) == 3 + 1
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert len(stub.taken()) == 2
    for number in (4, 5, 200):
        stub.put(str(10_000 + number), f"ENG-{number + 1}", "Sluice stuck", "<p>It opens at nine.</p>")
    del stub.issues["10007"]
    stub.attach("10009", "503", "Screws.md", b"# Screws\n\nA steel screw.", "text/markdown")
    items = list(fetch(stub, tmp_path, known))
    assert sorted(one.uri for one in items if isinstance(one, FetchedDocument)) == sorted(
        [
            *(f"{stub.url}/browse/ENG-{number}" for number in (5, 6, 201, 10)),
            f"{stub.url}/secure/attachment/503/Screws.md",
        ]
    )
    assert len(items) == 231
    assert len(stub.taken()) == 2 + 1 + 1


def test_what_a_list_leaves_out_is_asked_for(stub: JiraStub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed, whether or not a record of the last sync is there."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.hidden = {str(10_000 + number) for number in range(115, 230)}
    stub.taken()
    for folder in (tmp_path, tmp_path / "another"):
        items = list(fetch(stub, folder, known))
        assert (len(items), {type(item) for item in items}) == (231, {UnchangedDocument})
        assert len([path for path in stub.taken() if "/issue/" in path]) == 115
    stub.fault = lambda request: StubReply(status=500) if "/issue/" in request.path else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(stub, tmp_path, known))


def test_an_attachment_that_failed_is_asked_for_again(stub: JiraStub, tmp_path: Path) -> None:
    """Although its issue has not changed."""
    stub.fault = lambda request: StubReply(status=500) if "attachment" in request.path else None
    items = list(fetch(stub, tmp_path))
    assert len([item for item in items if isinstance(item, DocumentProblem)]) == 1
    stub.fault = lambda _: None
    (found,) = as_known(list(fetch(stub, tmp_path, as_known(items)))).values()
    assert "brass" in found.parse().text


def test_ids_come_in_pages(stub: JiraStub, tmp_path: Path) -> None:
    """A server may give fewer than were asked for; one that repeats a page ends the sync."""
    stub.max_results = 50
    assert len(as_known(list(fetch(stub, tmp_path)))) == 231
    if stub.is_cloud:
        stub.fault = lambda _: StubReply(content={"issues": [], "nextPageToken": "same"})
        with pytest.raises(FetchError, match="does not end"):
            list(fetch(stub, tmp_path / "other"))


def test_an_issue_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All comments are read, and each has its own link; what is around the text stands in it."""
    for is_cloud in (True, False):
        stub = JiraStub(is_cloud=is_cloud)
        html = '<h2>Steps</h2><pre><code class="language-python">turn()</code></pre><script>alert(1)</script>'
        stub.put("10000", "ENG-1", "Valve leaks", html, labels=["pump", "urgent"])
        for number in range(7):
            stub.comment("10000", str(900 + number), f"<p>Remark {number}: use the <b>brass</b> screw.</p>")
        with serve_stub(stub):
            prepare(stub, monkeypatch)
            (found,) = as_known(list(fetch(stub, tmp_path / str(is_cloud)))).values()
            assert len(stub.taken()) == 1 + 3
            document = found.parse()
            assert document.text.startswith(
                "# ENG-1: Valve leaks\n\n### Steps\n\n```python\nturn()\n```\n\n## Details\n\n"
                "Bug ENG-1, In Progress. Opened by Ida on 2026-06-01. Priority: High."
                " Labels: pump, urgent. Components: Pumps. Links: blocks ENG-2."
                "\n\n## Comment by Bo on 2026-06-01\n\nRemark 0: use the **brass** screw."
            )
            assert "alert" not in document.text
            assert (document.category, document.metadata["labels"], document.metadata["comments"]) == (
                "Engineering", ["pump", "urgent"], 7,
            )  # fmt: skip
            assert document.references == (f"{stub.url}/browse/ENG-2",)
            comment = "?focusedCommentId={0}#comment-{0}"
            for words, ending in (
                ("turn()", ""),
                ("Remark 0", comment.format(900)),
                ("Remark 6", comment.format(906)),
            ):
                begin = document.text.index(words)
                place = document.places.between(begin, begin + 5, text=document.text)
                assert link_to(document.uri, place) == f"{stub.url}/browse/ENG-1{ending}"


@pytest.mark.dagster
@pytest.mark.parametrize("stub", [True], indirect=True, ids=["cloud"])
def test_a_sync_follows_its_server(headwater: Make, stub: JiraStub, caplog: pytest.LogCaptureFixture) -> None:
    """An issue that is moved keeps its versions under its new key; no secret is in any row or log (SRC-14)."""
    caplog.set_level(logging.DEBUG)
    for number in range(10, 230):
        del stub.issues[str(10_000 + number)]
    kb = headwater()
    settings = config(stub, projects=["ENG", "OPS"])
    kb.store.sources.create(kb.slug, slug="jira", kind="jira", config=settings, settings=SourceSettings())
    done = kb.sync("jira")["jira"]
    assert (done.state, done.added, done.errors) == ("ready", 11, [])
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    stub.put("10004", "OPS-1", "Sluice stuck", "<p>The lever is rusty.</p>")
    stub.comment("10004", "76", "<p>I had a look at it on Friday.</p>")
    stub.comment("10004", "77", "<p>The sluice of the mill opens at nine, if the lever is oiled.</p>")
    done = kb.sync("jira")["jira"]
    assert (done.added, done.removed, done.unchanged, done.errors) == (0, 0, 10, [])
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    assert now[f"{stub.url}/browse/OPS-1"] == ids[f"{stub.url}/browse/ENG-5"]
    place = kb.ask("When does the sluice of the mill open?").citations[0].place
    assert place is not None
    assert (place.label, place.first) == ("comment 77", "?focusedCommentId=77#comment-77")
    for secret in ("ann@example.com", base64.b64encode(b"ann@example.com:token").decode()):
        assert secret not in f"{kb.dump()} {caplog.text}"


def test_a_token_that_ends_in_the_middle_loses_nothing(stub: JiraStub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew."""
    items: list[Found] = []
    stub.fault = lambda _: StubReply(status=401) if len(stub.requests) > 3 else None
    with pytest.raises(SourceError, match=r"does not accept the credential jira.*Renew it. What was read is kept"):
        items.extend(fetch(stub, tmp_path))
    assert len(items) == 201
    stub.fault = lambda _: None
    again = list(fetch(stub, tmp_path, as_known(items)))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == 201
    assert len(again) == 231


def test_a_busy_server_is_waited_for(stub: JiraStub, tmp_path: Path) -> None:
    """As long as it says; nothing is left out."""
    busy = [StubReply(status=429, headers={"Retry-After": "120"}), StubReply(status=503, headers={"Retry-After": "7"})]
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 1 else None
    waits: list[float] = []
    assert len(as_known(list(fetch(stub, tmp_path, waits=waits)))) == 231
    assert sorted(waits) == [7.0, 120.0]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (StubReply(status=403), FetchError, "is not shown to the credential jira"),
        (StubReply(status=400), FetchError, "refuses the request"),
        (StubReply(content=b"<html>"), SourceError, "no JSON of this kind"),
        (StubReply(content={"issues": 3}), SourceError, "no list of issues"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
    ],
)
def test_a_server_that_misbehaves_changes_nothing(
    stub: JiraStub, tmp_path: Path, fault: StubReply, error: type[Exception], message: str
) -> None:
    """Whatever it answers, it is an error of the whole source, without the secret (SEC-1)."""
    stub.fault = lambda _: fault
    with pytest.raises(error, match=message) as caught:
        list(fetch(stub, tmp_path))
    assert "YW5u" not in str(caught.value)


def _sent_to(url: str, request: StubRequest) -> StubReply | None:
    """A redirect of what is attached."""
    return StubReply(status=302, headers={"Location": url}) if "/attachment/" in request.path else None


def test_a_secret_stays_at_its_host(stub: JiraStub, tmp_path: Path) -> None:
    """Attachments may be kept elsewhere, where the secret is not sent; a private address is refused (SEC-1, SRC-14)."""
    with serve_stub(JiraStub()) as other:
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
    with pytest.raises(SourceError, match=r"it is private\. Name a `credential`: e-mail:token"):
        list(fetch(stub, tmp_path, credential=None))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url": "https://mill.atlassian.net"}, "projects: name at least one"),
        ({"url": "https://mill.atlassian.net", "projects": ['A") or (project = "B']}, "must be the key of a project"),
        ({"url": "https://ann:x@mill.atlassian.net/browse/ENG"}, "neither a user name nor a password"),
        ({"url": "ftp://mill/browse/ENG"}, "begins with http"),
    ],
)
def test_a_config_names_projects(values: dict[str, Any], message: str) -> None:
    """And no key can change a query."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config("jira", values)
