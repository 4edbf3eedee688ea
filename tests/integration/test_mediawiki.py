"""Pages of a MediaWiki (SRC-7): a real wiki where it is installed, and stubs that misbehave."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, HeadwaterError, SourceError
from headwater.fetching.http_client import HttpClient
from headwater.sources.access_lists import access_digest
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.mediawiki.cookies import HostCookies
from headwater.sources.source_context import SourceContext
from tests.hostile_server import Asked, HostileServer, hostile_server, loopback_gate, response
from tests.mediawiki_server import WikiServer, mediawiki
from tests.office_files import docx_file, paragraph
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikiServer]:
    """A private wiki with fourteen pages and a template, which takes ten seconds to start."""
    with mediawiki(tmp_path_factory.mktemp("wiki")) as made:
        for number in range(12):
            text = f"== Use ==\nValve number {number} turns. {{{{Note|oil}}}} [[Category:Pumps]]"
            made.edit(f"Valve {number}", text)
        made.edit("Template:Note", "''Note: {{{1}}}''")
        made.settle()
        yield made


@pytest.fixture
def wiki(running: WikiServer, monkeypatch: pytest.MonkeyPatch) -> WikiServer:
    """The same, with its bot password in the environment."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", running.bot)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI_HOST", urlsplit(running.url).netloc)
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    return running


def test_a_private_wiki_asks_for_a_bot_password(
    wiki: WikiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one, and with a wrong one, the source fails and says so; any page of the wiki leads to its interface."""
    assert len(list(fetch(tmp_path, url=f"{wiki.url}/index.php/Special:UserLogin", credential="wiki"))) == 13
    with pytest.raises(SourceError, match="is private"):
        list(fetch(tmp_path, url=f"{wiki.url}/api.php"))
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", "Admin@headwater:wrong")
    with pytest.raises(SourceError, match="does not accept the credential wiki"):
        list(fetch(tmp_path, url=f"{wiki.url}/api.php", credential="wiki"))


@pytest.mark.dagster
def test_exactly_the_pages_that_changed_are_touched(
    headwater: Make, wiki: WikiServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Two are edited, one is deleted, one is moved; then a template that all show; a quiet sync is one request."""
    caplog.set_level(logging.DEBUG)
    asked: list[str] = []
    send = HttpClient.send

    def noted(self: HttpClient, url: str, *rest: Any, **more: Any) -> Any:
        fields = parse_qs(urlsplit(url).query)
        asked.append(
            next((fields[name][0] for name in ("pageid", "generator", "list", "type") if name in fields), "login")
        )
        return send(self, url, *rest, **more)

    monkeypatch.setattr(HttpClient, "send", noted)
    kb = headwater()
    config = {"url": f"{wiki.url}/api.php", "delay": 0, "credential": "wiki"}
    kb.store.sources.create(kb.slug, slug="wiki", kind="mediawiki", config=config, settings=SourceSettings())
    done = kb.sync("wiki")["wiki"]
    assert (done.state, done.added, done.errors) == ("ready", 13, [])
    asked.clear()
    before = kb.content()
    done = kb.sync("wiki")["wiki"]
    assert (done.unchanged, done.rows_written, asked) == (13, 0, ["login", "login", "recentchanges"])
    assert kb.content() == before
    ids = {row["uri"].rpartition("/")[2]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    for number in (3, 5):
        wiki.edit(f"Valve {number}", "The sluice gate of the mill opens at nine.")
    wiki.act("delete", title="Valve 7")
    wiki.act("move", **{"from": "Valve 9", "to": "Gate nine", "noredirect": "1"})
    wiki.settle()
    asked.clear()
    done = kb.sync("wiki")["wiki"]
    assert (done.added, done.removed, done.errors) == (0, 1, [])
    now = {
        row["uri"].rpartition("/")[2]: row["id"]
        for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")
    }
    assert now["Gate_nine"] == ids["Valve_9"]
    assert len([name for name in asked if name.isdecimal()]) == 3
    found = kb.search("sluice gate mill", top_k=2)
    assert {passage.uri for passage in found} == {f"{wiki.url}/index.php/Valve_{number}" for number in (3, 5)}
    wiki.let_a_second_pass()
    wiki.edit("Template:Note", "''Beware: {{{1}}}''")
    wiki.settle()
    done = kb.sync("wiki")["wiki"]
    assert (done.changed, done.removed) == (9, 0)
    assert "Beware" in kb.search("Beware oil", top_k=1)[0].text
    assert wiki.bot.partition(":")[2] not in f"{kb.dump()} {caplog.text}"


def test_files_of_a_wiki_are_documents(headwater: Make, wiki: WikiServer) -> None:
    """Those that patterns choose; a new version, a move and a deletion are followed; a quiet sync writes nothing."""
    wiki.upload("Manual.docx", docx_file(paragraph("The anchor weighs nine tons.")))
    wiki.upload("Plan.docx", docx_file(paragraph("The crane is red.")))
    wiki.upload("Noise.bin", b"\x01\x02" * 900)
    kb = headwater()
    config = {
        "url": f"{wiki.url}/api.php", "delay": 0, "credential": "wiki", "namespaces": [12], "files": ["*.docx", "*.bin"]
    }  # fmt: skip
    kb.store.sources.create(kb.slug, slug="wiki", kind="mediawiki", config=config, settings=SourceSettings())
    done = kb.sync("wiki")["wiki"]
    assert [error.message for error in done.errors] == []
    assert (done.added, [line.count for line in done.skipped]) == (2, [1])
    (passage,) = kb.search("How much does the anchor weigh?", top_k=1)
    assert passage.uri == f"{wiki.url}/index.php/File:Manual.docx"
    assert "/images/" in str(passage.place)
    assert passage.title == "File:Manual.docx"
    (manual,) = kb.query("SELECT id, access_digest FROM documents WHERE uri LIKE %s", "%Manual.docx")
    assert manual["access_digest"] == access_digest(["user"])
    done = kb.sync("wiki")["wiki"]
    assert (done.unchanged, done.rows_written, [line.count for line in done.skipped]) == (2, 0, [1])
    wiki.upload("Plan.docx", docx_file(paragraph("The crane is blue.")))
    wiki.act("move", **{"from": "File:Manual.docx", "to": "File:Handbook.docx", "noredirect": "1"})
    done = kb.sync("wiki")["wiki"]
    assert (done.added, done.removed, done.errors) == (0, 0, [])
    (moved,) = kb.query("SELECT id FROM documents WHERE uri LIKE %s", "%Handbook.docx")
    assert moved["id"] == manual["id"]
    assert "blue" in kb.search("crane", top_k=1)[0].text
    for name in ("Plan.docx", "Handbook.docx", "Noise.bin"):
        wiki.act("delete", title=f"File:{name}")
    done = kb.sync("wiki")["wiki"]
    assert done.removed == 2


def test_two_hundred_pages_of_a_wiki(wiki: WikiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet sync is one request after the log-in; exactly what changed is read (SRC-21)."""
    for number in range(200):
        wiki.edit(f"Project:Valve {number}", f"== Use ==\nValve number {number} turns.")
    wiki.settle()
    config: dict[str, Any] = {"url": f"{wiki.url}/api.php", "credential": "wiki", "namespaces": [4]}
    known = as_known(list(fetch(tmp_path, **config)))
    assert len(known) == 200
    urls: list[str] = []
    send = HttpClient.send

    def noted(self: HttpClient, url: str, *rest: Any, **more: Any) -> Any:
        urls.append(url)
        return send(self, url, *rest, **more)

    monkeypatch.setattr(HttpClient, "send", noted)
    assert {type(item) for item in fetch(tmp_path, known, **config)} == {UnchangedDocument}
    assert ["recentchanges" in url for url in urls] == [False, False, True]
    for number in (4, 100, 199):
        wiki.edit(f"Project:Valve {number}", "The sluice opens at nine.")
    wiki.act("delete", title="Project:Valve 150")
    wiki.act("move", **{"from": "Project:Valve 170", "to": "Project:Gate", "noredirect": "1"})
    wiki.settle()
    items = list(fetch(tmp_path, known, **config))
    fetched = as_known(items)
    assert sorted(uri.rpartition(":")[2] for uri in fetched) == ["Gate", "Valve_100", "Valve_199", "Valve_4"]
    assert next(item for uri, item in fetched.items() if "Gate" in uri).renamed_from.endswith("Valve_170")
    assert len(items) == 199


def fetch(
    folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **config: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    told: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: told.append(seconds)
    )
    return open_connector("mediawiki", {"delay": 0, **config}, context).fetch()


class Stub:
    """A wiki of canned answers: pages by number, files by name, its latest change, and a fault."""

    def __init__(self, server: HostileServer) -> None:
        self.url = server.url("/api.php")
        self.pages = dict.fromkeys(range(1, 31), "The wheel turns.")
        self.titles: dict[int, str] = {}
        self.files: dict[str, bytes] = {}
        self.hidden: set[int] = set()
        self.redirects: set[int] = set()
        self.change, self.jobs = 7, 0
        self.fault: Callable[[dict[str, str]], bytes | None] = lambda _: None
        self.server = server

    def answer(self, asked: Asked) -> Iterator[bytes]:
        """Answer a request."""
        fields = {name: values[0] for name, values in parse_qs(urlsplit(asked.path).query).items()}
        file = self.files.get(asked.path.removeprefix("/images/"))
        yield self.fault(fields) or (as_json(self._answer(fields)) if file is None else response(file))

    def _answer(self, fields: dict[str, str]) -> Any:
        if fields.get("action") == "parse":
            text = self.pages.get(int(fields["pageid"]))
            return {"error": {"code": "nosuchpageid"}} if text is None else {"parse": {"text": f"<p>{text}</p>"}}
        if "pageids" in fields:
            numbers = [int(number) for number in fields["pageids"].split("|")]
            there = [self._entry(number) for number in numbers if number in self.pages]
            gone = [{"pageid": number, "missing": True} for number in numbers if number not in self.pages]
            return {"query": {"pages": there + gone}}
        if fields.get("list") == "allimages":
            return {"query": {"allimages": [self._file(name) for name in self.files]}}
        if "generator" not in fields:
            query = {"general": {"generator": "MediaWiki 1.39", "sitename": "Mill", "lang": "en"}}
            return {"query": {**query, "statistics": {"jobs": self.jobs}, "recentchanges": [{"rcid": self.change}]}}
        begin = int(fields.get("gapcontinue", 0))
        listed = sorted(self.pages.keys() - self.hidden)
        numbers = listed[begin : begin + 20]
        more = {"continue": {"gapcontinue": str(begin + 20)}} if begin + 20 < len(listed) else {}
        return {"query": {"pages": [self._entry(number) for number in numbers]}, **more}

    def _entry(self, number: int) -> dict[str, Any]:
        title = self.titles.get(number, f"Page {number}")
        return {
            "pageid": number, "ns": 0, "redirect": number in self.redirects, "title": title,
            "fullurl": self.server.url(f"/wiki/{title.replace(' ', '_')}"),
            "lastrevid": len(self.pages[number]), "touched": "2026-06-01T10:00:00Z",
        }  # fmt: skip

    def _file(self, name: str) -> dict[str, Any]:
        return {
            "name": name, "descriptionurl": self.server.url(f"/wiki/File:{name}"),
            "url": self.server.url(f"/images/{name}"),
            "sha1": sha1(self.files[name], usedforsecurity=False).hexdigest(),
            "size": len(self.files[name]), "mime": "text/markdown", "timestamp": "2026-06-01T10:00:00Z", "user": "Ida",
        }  # fmt: skip

    def asked(self) -> list[str]:
        """The requests since the last time."""
        paths = self.server.paths()
        self.server.asked.clear()
        return paths


def as_json(value: Any, **headers: Any) -> bytes:
    """A response with JSON."""
    return response(json.dumps(value).encode(), Content_Type="application/json", **headers)


@pytest.fixture
def stub() -> Iterator[Stub]:
    """The stub on loopback."""
    with hostile_server() as server:
        made = Stub(server)
        server.answers = Answers(made)
        yield made


class Answers(dict[str, Any]):
    """Gives every path of the server to a stub."""

    def __init__(self, stub: Stub) -> None:
        super().__init__()
        self._stub = stub

    def get(self, _: object, *__: object) -> Any:
        """The stub's answer."""
        return self._stub.answer

    def __getitem__(self, _: object) -> Any:
        return self._stub.answer


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_a_citation_opens_the_revision_at_its_heading(stub: Stub, tmp_path: Path) -> None:
    """As MediaWiki names headings, of which a page may have two with the same words."""
    body = "<h2>Use it</h2>The wheel.<h2>Öl</h2>The oil.<h2>Use it</h2>The sluice."
    stub.pages = {1: f"It is old.</p>{body}<p>"}
    (item,) = as_known(list(fetch(tmp_path, url=stub.url))).values()
    document = item.parse()
    for words, ending in (("old", ""), ("wheel", "#Use_it"), ("oil", "#%C3%96l"), ("sluice", "#Use_it_2")):
        begin = document.text.index(words)
        place = document.places.between(begin, begin + 3, text=document.text)
        assert link_to(document.uri, place) == f"{document.uri}?oldid={len(stub.pages[1])}{ending}"


def test_a_quiet_wiki_is_asked_once(stub: Stub, tmp_path: Path) -> None:
    """Unless work waits in the wiki, whose pages may still look as before a template was changed."""
    known = as_known(list(fetch(tmp_path, url=stub.url)))
    assert len(known) == 30
    assert len(stub.asked()) == 1 + 2 + 30
    assert {type(item) for item in fetch(tmp_path, known, url=stub.url)} == {UnchangedDocument}
    assert len(stub.asked()) == 1
    stub.change, stub.jobs = 8, 3
    for _ in range(2):
        assert {type(item) for item in fetch(tmp_path, known, url=stub.url)} == {UnchangedDocument}
        assert len(stub.asked()) == 1 + 2


def test_what_a_list_leaves_out_is_asked_for(stub: Stub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed but what the wiki says is gone, or a redirect (SRC-23)."""
    stub.pages = dict.fromkeys(range(1, 201), "The wheel turns.")
    known = as_known(list(fetch(tmp_path, url=stub.url)))
    stub.hidden, stub.change = set(range(1, 200, 2)), 8
    del stub.pages[7], stub.pages[8]
    stub.redirects = {9}
    stub.asked()
    items = list(fetch(tmp_path, known, url=stub.url))
    assert (len(items), {type(item) for item in items}) == (197, {UnchangedDocument})
    assert len([path for path in stub.asked() if "pageids=" in path]) == 3, "101 pages, fifty with one request"
    stub.fault = lambda fields: response(status="500 No") if "pageids" in fields else None
    stub.change = 9
    stub.hidden = set(range(2, 201, 2))
    with pytest.raises(FetchError, match="Nothing was removed"):
        list(fetch(tmp_path, known, url=stub.url))


def test_a_busy_wiki_is_waited_for(stub: Stub, tmp_path: Path) -> None:
    """By `maxlag`, which is an answer with status 200, and by status 429."""
    lag = as_json({"error": {"code": "maxlag", "info": "Waiting"}}, Retry_After="11")
    faults = [lag, response(status="429 Slow", Retry_After="120")]
    stub.fault = lambda _: faults.pop(0) if faults else None
    waits: list[float] = []
    assert len(list(fetch(tmp_path, waits=waits, url=stub.url))) == 30
    assert waits == [11.0, 120.0]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (as_json({"error": {"code": "readapidenied"}}), SourceError, "is private. Name a `credential`"),
        (as_json({"error": {"code": "assertuserfailed"}}), SourceError, "no longer accepts the credential"),
        (as_json({"error": {"code": "<script>x"}}), FetchError, "answers the error scriptx"),
        (as_json([1]), SourceError, "no interface of a wiki"),
        (as_json({"query": {"pages": 3}}), SourceError, "is no list of pages|is no wiki's state"),
        (response(b"<html>"), SourceError, "no interface of a wiki"),
        (response(status="302 Found", Location="http://10.0.0.1/api.php"), FetchError, "10.0.0.1 is refused"),
        (response(status="502 Bad"), FetchError, "answers 502"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["", "generator", "gapcontinue"])
def test_a_wiki_that_cannot_be_listed_changes_nothing(
    stub: Stub, tmp_path: Path, place: str, fault: bytes, error: type[Exception], message: str
) -> None:
    """Whether its state, its list or the second part of it is missing (SEC-1)."""
    stub.fault = lambda fields: fault if not place or place in fields else None
    with pytest.raises(error, match=message):
        list(fetch(tmp_path, url=stub.url))


def test_a_session_that_ends_in_the_middle_loses_nothing(stub: Stub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew. A page that was deleted meanwhile is none."""
    found: list[Found] = []
    over = as_json({"error": {"code": "assertuserfailed"}})
    stub.fault = lambda fields: over if fields.get("pageid") == "9" else None
    with pytest.raises(SourceError, match="What was read is kept, and nothing was removed"):
        found.extend(fetch(tmp_path, url=stub.url))
    assert len(found) == 8
    gone = as_json({"error": {"code": "nosuchpageid"}})
    stub.fault = lambda fields: gone if fields.get("pageid") == "9" else None
    assert len(list(fetch(tmp_path, url=stub.url))) == 29


def test_three_pages_in_a_row_that_fail_end_the_sync(stub: Stub, tmp_path: Path) -> None:
    """Each is reported, the others are left alone."""
    found: list[Found] = []
    stub.fault = lambda fields: response(status="500 No") if int(fields.get("pageid", 0)) > 3 else None
    with pytest.raises(FetchError, match="the other 24 were not asked for"):
        found.extend(fetch(tmp_path, url=stub.url))
    assert [type(item) for item in found] == [FetchedDocument] * 3 + [DocumentProblem] * 3


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"<html>Nothing</html>", "names no interface"),
        (b'<link rel="EditURI" href="http://10.0.0.1/api.php?action=rsd">', "names no interface"),
        (b'<link rel="EditURI" href="/other">', "names no interface"),
    ],
)
def test_a_page_leads_to_no_other_host(tmp_path: Path, page: bytes, message: str) -> None:
    """The interface is on the host of the page (SEC-1)."""
    with hostile_server() as server:
        server.answers["/wiki/Main_Page"] = response(page, Content_Type="text/html")
        with pytest.raises(HeadwaterError, match=message):
            list(fetch(tmp_path, url=server.url("/wiki/Main_Page")))
        assert server.paths() == ["/wiki/Main_Page"]


def test_cookies_stay_at_their_host() -> None:
    """And a cookie that is deleted is not sent."""
    cookies = HostCookies("https://wiki.example.com/api.php")
    cookies.note("https://wiki.example.com/api.php", ["a=1; path=/; secure", "b=2", "c=deleted", "\x00"])
    cookies.note("https://evil.example.com/", ["a=3"])
    assert cookies.to_header("https://wiki.example.com/x") == "a=1; b=2"
    assert cookies.to_header("https://evil.example.com/") == ""
    assert cookies.to_header("http://wiki.example.com/x") == ""
    assert re.fullmatch(r"a=1; b=2", cookies.to_header("https://wiki.example.com/"))
