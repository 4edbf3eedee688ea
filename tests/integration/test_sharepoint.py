"""SharePoint (SRC-27): what is touched, how many requests it takes, and servers that misbehave."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.sharepoint.config import SharePointConfig
from headwater.sources.source_context import SourceContext
from tests.graph_stub import CLIENT, DRIVE, LIBRARY, SECRET, SITE, TENANT, GraphStub
from tests.hostile_server import Names, loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.office_files import xlsx_file
from tests.support import Headwater

Make = Callable[..., Headwater]
MANUALS = f"{LIBRARY}/Manuals"
_DELTA = f"GET /v1.0/drives/{DRIVE}/root/delta"
_TOKEN = f"POST /{TENANT}/oauth2/v2.0/token"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphStub]:
    """A library with 200 files in ten folders."""
    with serve_stub(GraphStub(200)) as running:
        assert isinstance(running, GraphStub)
        prepare(running, monkeypatch)
        yield running


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphStub]:
    """A library without files."""
    with serve_stub(GraphStub()) as running:
        assert isinstance(running, GraphStub)
        prepare(running, monkeypatch)
        yield running


def prepare(stub: GraphStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stub be fetched from, with the secret of an app."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL", SECRET)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL_HOST", stub.url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1,localhost")


def config(stub: GraphStub, **fields: Any) -> dict[str, Any]:
    """The config of a source."""
    app = {"client_id": CLIENT, "credential": "mill", "endpoint": stub.url}
    return {"url": MANUALS, **app, **fields}


def fetch(
    stub: GraphStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **fields: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("sharepoint", config(stub, **fields), context).fetch()


def _gate() -> UrlGuard:
    return loopback_gate(Names({"localhost": ("127.0.0.1",)}), allow="127.0.0.1,localhost")


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def names_of(items: Any) -> list[str]:
    """The paths of URIs below the folder, in order."""
    return sorted(uri.removeprefix(f"{MANUALS}/") for uri in items)


def test_requests_are_few(stub: GraphStub, tmp_path: Path) -> None:
    """Of 1,000 files: a quiet sync is one request and the token; only what changed is fetched (SRC-27)."""
    stub.add_valves(200, 1_000)
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 1_000
    requests = stub.taken()
    assert len([request for request in requests if request.endswith("/delta")]) == 6, "1,011 items, 200 in a list"
    assert len(requests) == 1 + 4 + 6 + 2 * 1_000, "token, site, lists, and two for each file: it is redirected"
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert [request.partition("?")[0] for request in stub.taken()] == [_TOKEN, _DELTA]
    for number in (1, 2, 21):
        stub.put(f"Manuals/{number % 10}/{number}.md", b"# Sluice\n\nIt opens at nine.")
    stub.delete("Manuals/3/3.md")
    stub.move("Manuals/4/4.md", "Manuals/5/new name.md")
    stub.move("Manuals/6/6.md", "Elsewhere/6.md")
    stub.put("Manuals/7/7.md", stub.contents[stub.find("Manuals/7/7.md")], description="Only about it")
    items = list(fetch(stub, tmp_path, known))
    fetched = as_known(items)
    assert names_of(fetched) == ["1/1.md", "1/21.md", "2/2.md", "5/new%20name.md"]
    assert fetched[f"{MANUALS}/5/new%20name.md"].renamed_from == f"{MANUALS}/4/4.md"
    assert names_of(known.keys() - {item.uri for item in items}) == ["3/3.md", "4/4.md", "6/6.md"]
    assert len(items) == 998
    assert len(stub.taken()) == 1 + 1 + 2 * 4
    stored = {item.uri: fetched.get(item.uri, known.get(item.uri)) for item in items}
    assert {type(item) for item in fetch(stub, tmp_path, stored)} == {UnchangedDocument}


def test_what_a_list_leaves_out_is_asked_for(stub: GraphStub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed, with or without a record of the last sync (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.hidden = {*list(stub.contents)[::2], stub.find("Manuals/2"), stub.find("Manuals/3")}
    stub.put("Manuals/2/2.md", b"# Sluice")
    stub.put("Manuals/3/3.md", b"# Hidden, and new")
    stub.taken()
    items = list(fetch(stub, tmp_path / "another", known))
    assert names_of(as_known(items)) == ["2/2.md", "3/3.md"]
    assert len(items) == 200
    asked = [request for request in stub.taken() if "/items/" in request and not request.endswith("/content")]
    assert len(asked) == 100 + 2
    stub.fault = lambda request: StubReply(status=500) if "/items/" in request.path else None
    with pytest.raises(FetchError, match=r"3 items of mill.sharepoint.com in a row could not be fetched"):
        list(fetch(stub, tmp_path / "third", known))


def test_files_of_a_folder_that_is_not_shown_stay(small: GraphStub, tmp_path: Path) -> None:
    """A list names them, but nobody says where they are: what is stored of them stays as it was (SRC-23)."""
    for name in ("a.md", "b.md"):
        small.put(f"Manuals/Deep/{name}", f"# {name}".encode())
    known = as_known(list(fetch(small, tmp_path)))
    folder = small.find("Manuals/Deep")
    small.hidden = {folder}
    small.put("Manuals/Deep/a.md", b"# Changed")
    small.put("Manuals/Deep/new.md", b"# New")
    small.fault = lambda request: StubReply(status=403) if request.path.endswith(f"/items/{folder}") else None
    items = list(fetch(small, tmp_path / "another", known))
    assert {item.uri for item in items} == known.keys()
    assert {type(item) for item in items} == {UnchangedDocument}
    small.fault = lambda _: None
    fetched = as_known(list(fetch(small, tmp_path / "another", known)))
    assert names_of(fetched) == ["Deep/a.md", "Deep/new.md"]


def test_a_link_that_no_longer_counts_starts_again(stub: GraphStub, tmp_path: Path) -> None:
    """With the whole list; what was deleted meanwhile is asked for, and nothing is read again (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.delete("Manuals/3/3.md")
    stub.oldest_change = len(stub.changes)
    stub.taken()
    items = list(fetch(stub, tmp_path, known))
    assert {type(item) for item in items} == {UnchangedDocument}
    assert names_of(known.keys() - {item.uri for item in items}) == ["3/3.md"]
    assert len(stub.taken()) == 1 + 1 + 2 + 1, "token, the refused link, the lists, the file that is gone"
    refusal = StubReply(status=400, content={"error": {"code": "invalidRequest"}})
    stub.fault = lambda request: refusal if "token" in request.fields else None
    known = {item.uri: known[item.uri] for item in items}
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert len(stub.taken()) == 1 + 1 + 2
    stub.fault = lambda request: refusal if request.path.endswith("/delta") else None
    with pytest.raises(FetchError, match="refuses the request"):
        list(fetch(stub, tmp_path, known))


def test_a_folder_that_moves_takes_its_files_along(stub: GraphStub, tmp_path: Path) -> None:
    """Although the list of changes names only the folder; and a deleted folder takes them away (SRC-27)."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.move("Manuals/4", "Manuals/Four & more")
    stub.delete("Manuals/5")
    stub.move("Manuals/6", "Elsewhere")
    stub.taken()
    items = list(fetch(stub, tmp_path, known))
    fetched = as_known(items)
    assert len(fetched) == 20
    assert {document.renamed_from for document in fetched.values()} == {uri for uri in known if "/Manuals/4/" in uri}
    assert f"{MANUALS}/Four%20%26%20more/4.md" in fetched
    assert len(items) == 160
    requests = stub.taken()
    assert len(requests) == 1 + 1 + 1 + 2 * 20, "one list of all instead of a request for each file"
    stored = {item.uri: fetched.get(item.uri, known.get(item.uri)) for item in items}
    assert {type(item) for item in fetch(stub, tmp_path, stored)} == {UnchangedDocument}
    assert len(stub.taken()) == 1 + 1
    stub.move("Elsewhere", "Manuals/6")
    assert len(as_known(list(fetch(stub, tmp_path, stored)))) == 20


def test_a_site_is_read_whole(small: GraphStub, tmp_path: Path) -> None:
    """All libraries and the pages; drafts and what nobody reads are left out and counted (SRC-27)."""
    small.put("Plan.docx", b"not really", webUrl=f"{SITE}/_layouts/15/Doc.aspx?sourcedoc=%7B1%7D&file=Plan.docx")
    small.put("Pump 100%.md", b"# Pump\n\nThe pump lifts forty litres.")
    small.put("film.mp4", b"\0\0\0\x18ftypmp42")
    small.put(".NET/x.md", b"# Runtime")
    notebook = small.put("Notes", b"")
    del small.items[notebook]["file"]
    small.items[notebook]["package"] = {"type": "oneNote"}
    home = small.write_page("Oil & lever.aspx", "Oil", "<h2>Lever</h2><p>Oil the lever of the sluice weekly.</p>")
    small.write_page("Draft.aspx", "Draft", "<p>Nobody may see this.</p>", level="draft")
    context = SourceContext(folder=tmp_path / "own", gate=_gate())
    connector = open_connector("sharepoint", config(small, url=f"{SITE}/SitePages/Home.aspx"), context)
    items = list(connector.fetch())
    known = as_known(items)
    assert sorted(known) == [
        f"{LIBRARY}/.NET/x.md",
        f"{LIBRARY}/Plan.docx",
        f"{LIBRARY}/Pump%20100%25.md",
        f"{SITE}/SitePages/Oil%20%26%20lever.aspx",
    ]
    lines = {line.message for line in connector.skipped.lines()}
    assert {line.partition(":")[0] for line in lines} >= {"1 .mp4 file", "1 .one file"}
    page = known[f"{SITE}/SitePages/Oil%20%26%20lever.aspx"].parse()
    assert (page.title, page.metadata["authors"]) == ("Oil", ["Bo Ask"])
    assert "## Lever\n\nOil the lever of the sluice weekly." in page.text
    assert "Nobody may" not in page.text
    document = known[f"{LIBRARY}/Pump%20100%25.md"].parse()
    assert document.metadata["authors"] == ["Ida Ek", "Bo Ask"]
    small.write_page("Oil & lever.aspx", "Oil", "<p>Changed, but not published.</p>", level="draft")
    again = list(fetch(small, tmp_path, known, url=SITE))
    assert [type(item) for item in again] == [UnchangedDocument] * 4
    small.write_page("Oil & lever.aspx", "Oil", "<p>Changed.</p>")
    small.pages[home]["webUrl"] = f"{SITE}/SitePages/Oil.aspx"
    (changed,) = as_known(list(fetch(small, tmp_path, known, url=SITE))).values()
    assert (changed.uri, changed.renamed_from) == (
        f"{SITE}/SitePages/Oil.aspx",
        f"{SITE}/SitePages/Oil%20%26%20lever.aspx",
    )
    small.hidden = {home}
    assert len(list(fetch(small, tmp_path, known, url=SITE))) == 4, "the page is asked for"
    del small.pages[home]
    assert len(list(fetch(small, tmp_path, known, url=SITE))) == 3


def test_a_page_has_an_address_at_its_site(small: GraphStub, tmp_path: Path) -> None:
    """Whatever host the server names; it is not taken for one that is gone (SRC-23)."""
    home = small.write_page("Oil.aspx", "Oil", "<p>Oil the lever.</p>")
    url, elsewhere = small.pages[home]["webUrl"], "https://intranet.mill.example/sites/Team/SitePages/Oil.aspx"
    known = as_known(list(fetch(small, tmp_path, url=SITE)))
    for address in (elsewhere, "", f"{SITE.replace('Team', 'team')}/sitepages/Oil.aspx"):
        small.pages[home]["webUrl"] = address
        assert [type(item) for item in fetch(small, tmp_path, known, url=SITE)] == [UnchangedDocument]
    small.pages[home]["webUrl"] = elsewhere
    assert list(as_known(list(fetch(small, tmp_path / "another", url=SITE)))) == [url]
    small.pages[home]["webUrl"] = f"{SITE.replace('Team', 'team')}/sitepages/Oil.aspx"
    known = as_known(list(fetch(small, tmp_path / "third", url=SITE)))
    small.hidden = {home}
    assert [item.uri for item in fetch(small, tmp_path / "third", known, url=SITE)] == list(known), "it is asked for"
    small.fault = lambda request: StubReply(status=403) if request.path.endswith("sitePage") else None
    kinds = [type(item) for item in fetch(small, tmp_path / "third", known, url=SITE)]
    assert kinds == [DocumentProblem, UnchangedDocument]


def test_a_library_without_files_to_read_is_not_listed_each_time(small: GraphStub, tmp_path: Path) -> None:
    """Nothing is stored of it, and nothing has to be; in a full sync of others, all is listed."""
    for number in range(401):
        small.put(f"Manuals/film {number}.mp4", b"\0\0\0\x18ftypmp42")
    assert list(fetch(small, tmp_path)) == []
    small.taken()
    assert list(fetch(small, tmp_path)) == []
    assert small.taken() == [_TOKEN, _DELTA]
    small.put("Manuals/a.md", b"# A")
    for count in (1, 3):
        assert len(as_known(list(fetch(small, tmp_path)))) == 1
        assert small.taken().count(_DELTA) == count


def test_a_page_to_sign_in_is_no_file(small: GraphStub, tmp_path: Path) -> None:
    """What stood there stays; a file that is a web page is one, as its name or its size says (SEC-1)."""
    page = b"<!DOCTYPE html><html><body>Sign in to your account</body></html>"
    for name in ("a.md", "b.txt", "c.docx", "Read me"):
        small.put(f"Manuals/{name}", b"# The valve drips.")
    for name in ("page.html", "copy.txt"):
        small.put(f"Manuals/{name}", page)
    small.fault = lambda request: StubReply(content=page) if request.path.startswith("/download/") else None
    items = list(fetch(small, tmp_path))
    assert names_of(as_known(items)) == ["copy.txt", "page.html"]
    problems = [item for item in items if isinstance(item, DocumentProblem)]
    assert names_of(item.uri for item in problems) == ["a.md", "b.txt", "c.docx"]
    assert all("perhaps one to sign in" in item.message for item in problems)


def test_an_app_that_is_refused_in_the_middle_loses_nothing(stub: GraphStub, tmp_path: Path) -> None:
    """What was read stays, the error says what to renew, and the next sync goes on; a busy server is waited for."""

    def revoke(_: StubRequest) -> None:
        if len(stub.requests) > 160:
            stub.tokens.clear()
            stub.secret = "another"

    stub.fault = revoke
    items: list[Found] = []
    message = r"does not accept the credential mill \(401 invalid_client\).*Renew it.*What was read is kept"
    with pytest.raises(SourceError, match=message) as caught:
        items.extend(fetch(stub, tmp_path))
    assert SECRET not in str(caught.value)
    assert len(items) > 60
    stub.secret = SECRET
    busy = [StubReply(status=429, headers={"Retry-After": "120"}), StubReply(status=503, headers={"Retry-After": "7"})]
    stub.taken()
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 9 else None
    waits: list[float] = []
    again = list(fetch(stub, tmp_path, as_known(items), waits))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == len(items)
    assert (len(again), sorted(waits)) == (200, [7.0, 120.0])
    assert len([request for request in stub.taken() if "/download/" in request]) == 200 - len(items)
    stub.fault = lambda _: StubReply(status=429, headers={"Retry-After": "4000"})
    with pytest.raises(LimitReachedError, match=r"accepts no more requests for 67 minutes.*the next sync goes on"):
        list(fetch(stub, tmp_path, as_known(items)))


def test_a_token_that_ends_is_replaced(stub: GraphStub, tmp_path: Path) -> None:
    """The sync does not notice (SRC-27)."""

    def end(_: StubRequest) -> None:
        if len(stub.requests) in (100, 180):
            stub.tokens.clear()

    stub.fault = end
    assert len(as_known(list(fetch(stub, tmp_path)))) == 200
    assert len([request for request in stub.taken() if request == _TOKEN]) == 3


def test_each_secret_goes_to_its_own_host(small: GraphStub, tmp_path: Path) -> None:
    """The client secret to the login host, the token to the interface, neither to the host of files (SRC-14)."""
    small.put("Manuals/a.md", b"# A")
    list(fetch(small, tmp_path))
    for request in small.requests:
        is_login, is_file = request.path.endswith("/token"), request.path.startswith("/download/")
        assert ("authorization" in request.headers) == (not is_login and not is_file)
        assert (SECRET in repr(request)) == is_login
        assert is_file == request.headers["host"].startswith("localhost")
    small.requests.clear()
    for endpoint, login in (
        ("https://graph.microsoft.com", "login.microsoftonline.com"),
        ("https://graph.microsoft.us/", "login.microsoftonline.us"),
        ("https://graph.example.org", "graph.example.org"),
    ):
        with pytest.raises(SourceError, match=f"The credential mill is not for {re.escape(login)}"):
            list(fetch(small, tmp_path, endpoint=endpoint))
    assert small.requests == []


def test_a_library_that_is_refused_stops_nothing(small: GraphStub, tmp_path: Path) -> None:
    """It is one problem until it is shown again; what is stored of it stays, and the others are read (SRC-14)."""
    small.put("a.md", b"# Valve\n\nIt drips.")
    small.libraries["b!Other"] = f"{SITE}/Other"
    small.fault = lambda request: StubReply(status=403) if "Other/root/delta" in request.path else None
    for _ in range(2):
        items = list(fetch(small, tmp_path, url=SITE, pages=False))
        assert list(as_known(items)) == [f"{LIBRARY}/a.md"]
        assert [item.uri for item in items if isinstance(item, DocumentProblem)] == [f"{SITE}/Other/"]
    small.fault = lambda request: StubReply(status=403) if "Other/root" in request.path else None
    expire(tmp_path)
    for folder in (tmp_path, tmp_path / "another"):  # asked for anew, and for the first time
        items = list(fetch(small, folder, url=SITE, pages=False))
        assert list(as_known(items)) == [f"{LIBRARY}/a.md"]
        assert [item.uri for item in items if isinstance(item, DocumentProblem)] == [f"{SITE}/Other/"]
    (tmp_path / "own" / "site.json").unlink()
    del small.libraries["b!Other"]
    assert len(list(fetch(small, tmp_path, url=SITE, pages=False))) == 1
    small.fault = lambda request: StubReply(status=403) if request.path.endswith("sitePage") else None
    (_, problem) = fetch(small, tmp_path, url=SITE)
    assert (type(problem), problem.uri) == (DocumentProblem, f"{SITE}/SitePages/")


def test_a_library_that_a_list_leaves_out_is_asked_for(small: GraphStub, tmp_path: Path) -> None:
    """It is read as before, and gone only if the server says so (SRC-23)."""
    small.put("a.md", b"# Valve\n\nIt drips.")
    known = as_known(list(fetch(small, tmp_path, url=SITE)))
    expire(tmp_path)
    small.fault = lambda request: StubReply(content={"value": []}) if request.path.endswith("/drives") else None
    assert {type(item) for item in fetch(small, tmp_path, known, url=SITE)} == {UnchangedDocument}
    expire(tmp_path)
    small.libraries.clear()
    assert list(fetch(small, tmp_path, known, url=SITE)) == []


def expire(folder: Path) -> None:
    """Let a day pass since the records were written."""
    for path in (folder / "own").glob("*.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "listed": 0}))


def test_a_file_that_fails_stays_as_it_was(small: GraphStub, tmp_path: Path) -> None:
    """Also one that moved; the next sync finds its move again, although the list of changes is over (SRC-23)."""
    for name in ("a.md", "b.md", "c.md"):
        small.put(f"Manuals/{name}", f"# {name}".encode())
    known = as_known(list(fetch(small, tmp_path)))
    small.put("Manuals/a.md", b"# Sluice")
    small.move("Manuals/b.md", "Manuals/d.md")
    small.fault = lambda request: StubReply(status=500) if request.path.endswith("/content") else None
    items = list(fetch(small, tmp_path, known))
    assert names_of(item.uri for item in items if isinstance(item, DocumentProblem)) == ["a.md", "d.md"]
    assert names_of(item.uri for item in items if isinstance(item, UnchangedDocument)) == ["b.md", "c.md"]
    for status in (401, 403, 404, 500):
        reply = StubReply(status=status)
        small.fault = lambda request, reply=reply: reply if request.path.startswith("/download/") else None  # type: ignore[misc]
        items = list(fetch(small, tmp_path, known))
        assert len([item for item in items if isinstance(item, DocumentProblem)]) == 2, "that host does not decide"
    small.fault = lambda request: StubReply(status=403) if request.path.endswith("/content") else None
    problems = [item for item in fetch(small, tmp_path, known) if isinstance(item, DocumentProblem)]
    assert all("may not be read" in problem.message for problem in problems)
    elsewhere = StubReply(status=302, headers={"Location": "http://10.0.0.1/x?tempauth=v1"})
    small.fault = lambda request: elsewhere if request.path.startswith("/download/") else None
    problems = [item for item in fetch(small, tmp_path, known) if isinstance(item, DocumentProblem)]
    assert {problem.code for problem in problems} == {"FETCH_REFUSED"}
    damaged = StubReply(content=b"# A", headers={"Content-Encoding": "gzip"})
    small.fault = lambda request: damaged if request.path.startswith("/download/") else None
    problems = [item for item in fetch(small, tmp_path, known) if isinstance(item, DocumentProblem)]
    assert all("localhost" in problem.message for problem in problems)
    assert not any("tempauth" in problem.message for problem in problems), "with which anybody can read the file"
    small.fault = lambda _: None
    fetched = as_known(list(fetch(small, tmp_path, known)))
    assert names_of(fetched) == ["a.md", "d.md"]
    assert fetched[f"{MANUALS}/d.md"].renamed_from == f"{MANUALS}/b.md"


_ENTRY = {"id": "01X", "name": "a.md", "file": {}, "parentReference": {"id": "01Y"}}


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (StubReply(content={"value": 7}), SourceError, "answers something that is no list"),
        (StubReply(content=b"<html>"), SourceError, "no JSON"),
        (StubReply(content={"value": []}), FetchError, "has no end"),
        (StubReply(content={"value": [], "@odata.nextLink": "https://evil.test"}), FetchError, "goes on elsewhere"),
        (StubReply(content={"value": [], "@odata.deltaLink": "//evil.test"}), FetchError, "goes on elsewhere"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
        (StubReply(status=403), FetchError, "is not shown to the credential mill"),
        (StubReply(status=404), SourceError, "is no longer there"),
        (StubReply(status=500), FetchError, "answers 500"),
    ],
)  # fmt: skip
def test_a_server_that_misbehaves_changes_nothing(
    small: GraphStub, tmp_path: Path, reply: StubReply, error: type[Exception], message: str
) -> None:
    """Whatever its list answers, it is an error of the whole source, without a secret (SEC-1)."""
    small.put("Manuals/a.md", b"# A")
    small.fault = lambda request: reply if request.path.endswith("/delta") else None
    with pytest.raises(error, match=message) as caught:
        list(fetch(small, tmp_path))
    assert SECRET not in str(caught.value)
    assert not any(token in str(caught.value) for token in small.tokens)


def test_a_list_that_does_not_end_ends(small: GraphStub, tmp_path: Path) -> None:
    """A link that leads back to itself is an error; so are more files than `items` (SEC-1)."""
    small.put("Manuals/a.md", b"# A")
    small.put("Manuals/b.md", b"# B")
    again = {"value": [], "@odata.nextLink": f"{small.url}/v1.0/drives/x/root/delta?again=1"}
    small.fault = lambda request: StubReply(content=again) if request.path.endswith("/delta") else None
    with pytest.raises(FetchError, match="does not end"):
        list(fetch(small, tmp_path))
    small.fault = lambda _: None
    with pytest.raises(TooLargeError, match="more than 1 files to read"):
        list(fetch(small, tmp_path, items=1))


def test_odd_items_are_nowhere(small: GraphStub, tmp_path: Path) -> None:
    """Items of other forms, in circles or in folders that nobody shows are left out; links stay at the host (SEC-1)."""
    small.put("Manuals/a.md", b"# A")
    folder = small.find("Manuals")
    odd: list[Any] = [
        7, None, {}, {"id": 7, "name": 7}, {"id": "01S", "name": "self.md", "file": {}}, _ENTRY,
        {"id": "01C", "name": "c", "folder": {}, "parentReference": {"id": "01D"}},
        {"id": "01D", "name": "d", "folder": {}, "parentReference": {"id": "01C"}},
        {**_ENTRY, "id": "../../x?y#z", "name": "../up\x00.md", "parentReference": {"id": folder}},
        {**small.items[small.find("Manuals/a.md")], "webUrl": "javascript:alert(1)"},
        {**small.items[folder]},
    ]  # fmt: skip
    link = f"{small.url}/v1.0/drives/x/root/delta?token=1"
    content = {"value": odd, "@odata.deltaLink": link}
    small.fault = lambda request: StubReply(content=content) if request.path.endswith("/delta") else None
    small.contents["x"] = b"# X"
    items = list(fetch(small, tmp_path))
    (document,) = (item.parse() for item in as_known(items).values())
    assert link_to(document.uri, document.places.between(0, 1, text=document.text) if document.places else None) in (
        None, f"{MANUALS}/a.md#L1", f"{MANUALS}/a.md",
    )  # fmt: skip
    asked = {request.path for request in small.requests}
    assert not any(".." in path.split("/") for path in asked)


def test_a_workbook_opens_at_the_row_that_answers(headwater: Make, small: GraphStub) -> None:
    """Excel for the web takes the cell in the address; a second sync writes nothing."""
    rows = [["Article", "Price"], ["Bolt", 2], ["Millstone", 1250], ["Gear wheel", 86]]

    def fill(workbook: Any) -> None:
        workbook.active.title = "Price list"
        for row in rows:
            workbook.active.append(row)

    small.put("Manuals/Prices.xlsx", xlsx_file(fill))
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="team", kind="sharepoint", config=config(small), settings=SourceSettings())
    assert kb.sync("team")["team"].added == 1
    citation = kb.ask("What is the price of a millstone?").citations[0]
    assert citation.place is not None
    assert citation.place.label == "'Price list'!A3:B3"
    assert (link_to(citation.uri, citation.place) or "").endswith("&activeCell=%27Price%20list%27!A3")
    again = kb.sync("team")["team"]
    assert (again.added, again.changed, again.rows_written) == (0, 0, 0)


@pytest.mark.dagster
def test_a_sync_follows_its_library(headwater: Make, small: GraphStub, caplog: pytest.LogCaptureFixture) -> None:
    """A question is answered from a file, whose author is a filter; no secret is in any row or log."""
    caplog.set_level(logging.DEBUG)
    small.put("Manuals/Sluice.md", b"# Sluice\n\nThe sluice of the mill opens at nine.")
    small.put("Manuals/Valve.md", b"# Valve\n\nThe valve of the mill drips at ten.", createdBy={})
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="team", kind="sharepoint", config=config(small), settings=SourceSettings())
    done = kb.sync("team")["team"]
    assert (done.state, done.added, done.errors) == ("ready", 2, [])
    citation = kb.ask("When does the sluice of the mill open?").citations[0]
    assert (link_to(citation.uri, citation.place) or "").startswith(f"{MANUALS}/Sluice.md")
    assert {passage.uri for passage in kb.search("mill at", authors=("Ida Ek",))} == {f"{MANUALS}/Sluice.md"}
    first = citation.document_id
    small.move("Manuals/Sluice.md", "Manuals/Opening hours.md")
    small.delete("Manuals/Valve.md")
    done = kb.sync("team")["team"]
    assert (done.removed, done.added, done.errors) == (1, 0, [])
    citation = kb.ask("When does the sluice of the mill open?").citations[0]
    assert (citation.document_id, citation.uri) == (first, f"{MANUALS}/Opening%20hours.md")
    assert SECRET not in f"{kb.dump()} {caplog.text}"
    assert not any(token in f"{kb.dump()} {caplog.text}" for token in small.tokens)


_MINE = "-my.sharepoint.com/personal/ida_mill_org"
_VIEW = "id=%2Fpersonal%2Fida%5Fmill%5Forg%2FDocuments%2FA%2Fb%2Epdf&parent=%2Fpersonal%2Fida%5Fmill%5Forg%2FDocuments"


@pytest.mark.parametrize(
    ("url", "site", "below"),
    [
        (".sharepoint.com", "", ""),
        (".sharepoint.com/Shared%20Documents/A", "", "Shared Documents/A"),
        (".sharepoint.com/sites/Team/", "sites/Team", ""),
        (".sharepoint.com/sites/Team/SitePages/Home.aspx", "sites/Team", ""),
        (".sharepoint.com/teams/T/Docs/Forms/AllItems.aspx", "teams/T", "Docs"),
        (
            ".sharepoint.com/sites/Team/Docs/Forms/AllItems.aspx?id=%2Fsites%2FTeam%2FDocs%2FA%20%26%20B&viewid=1",
            "sites/Team",
            "Docs/A & B",
        ),
        (f"{_MINE}/_layouts/15/onedrive.aspx?{_VIEW}", "personal/ida_mill_org", "Documents"),
        (f"{_MINE}/_layouts/15/onedrive.aspx", "personal/ida_mill_org", ""),
        (".sharepoint.com/:f:/r/sites/Team/Docs/A?csf=1&web=1", "sites/Team", "Docs/A"),
    ],
)
def test_an_address_names_a_place(url: str, site: str, below: str) -> None:
    """As it is copied from a browser; the tenant is the one that the host is named after."""
    checked = SharePointConfig(url=f"https://mill{url}")
    place = checked.place
    assert ("/".join(place.site), "/".join(place.path), checked.directory) == (site, below, "mill.onmicrosoft.com")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"url": "https://mill.sharepoint.com/:f:/s/Team/EabcD?e=x"}, "open it, and copy the address then"),
        (
            {"url": f"{SITE}/_layouts/15/Doc.aspx?sourcedoc=%7B1%7D&file=Plan.docx&action=default"},
            "one file; open the f",
        ),
        ({"url": f"{SITE}/_layouts/15/WopiFrame2.aspx?sourcedoc=%7B1%7D"}, "one file; open the folder"),
        (
            {"url": "https://mill.sharepoint.com/:w:/r/sites/Team/Docs/Plan.docx?d=w1&csf=1"},
            "one file; open the folder",
        ),
        ({"url": f"{SITE}", "tenant": "x/../y"}, "tenant"),
        ({"url": "https://x:y@mill.sharepoint.com/"}, "neither a user name nor a password"),
    ],
)
def test_a_config_names_a_place(fields: dict[str, Any], message: str) -> None:
    """And no secret."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config("sharepoint", {"credential": "mill", **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"client_id": ""}, "Name a `client_id` and a `credential`"),
        ({"url": f"{SITE}/Nothing"}, "There is no site or library at"),
        ({"url": f"{MANUALS}/Nothing"}, "There is no folder at"),
        ({"url": f"{MANUALS}/a.md"}, r"a\.md is one file. Name the folder"),
        ({"url": "https://mill.sharepoint.com/sites/Other"}, "the app may not read it"),
        ({"tenant": "other.example.org"}, r"does not accept the credential mill \(401\)"),
        ({"client_id": "another"}, r"does not accept the credential mill \(401 invalid_client\)"),
    ],
)
def test_a_wrong_field_is_explained(small: GraphStub, tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    """By an error of the whole source."""
    small.put("Manuals/a.md", b"# A")
    with pytest.raises(SourceError, match=message):
        list(fetch(small, tmp_path, **fields))
