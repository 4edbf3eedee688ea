"""WebDAV (SRC-25): what is touched, how many requests it takes, and servers that misbehave."""

import base64
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, SourceError, TooLargeError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.dav_servers import DavServer, NextcloudStub, serve_folder, serve_nextcloud
from tests.hostile_server import loopback_gate
from tests.sabre_server import serve_sabre
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[NextcloudStub]:
    """A server with 200 files in 20 folders."""
    made = NextcloudStub()
    put_valves(made, range(200))
    with serve_nextcloud(made):
        prepare(made, monkeypatch)
        yield made


def put_valves(server: NextcloudStub, numbers: range) -> None:
    """Put a file for each number into one of 20 folders."""
    for number in numbers:
        server.put(f"teil ä/{number % 20}/{number}.md", f"# Valve {number}\n\nValve {number} drips.".encode())


def prepare(server: DavServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server be fetched from, with its secret."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_CLOUD", "ann:secret")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_CLOUD_HOST", server.url.split("/")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def fetch(
    server: DavServer, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **more: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    config = {"url": server.url, "credential": "cloud", **more}
    return open_connector("webdav", config, context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_requests_are_few(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Of 1,000 files: a quiet sync is one request; only folders with changes are listed (SRC-25)."""
    put_valves(cloud, range(200, 1_000))
    known = as_known(list(fetch(cloud, tmp_path)))
    assert len(known) == 1_000
    assert len(cloud.taken()) == 1 + 1 + 20 + 1_000
    assert {type(item) for item in fetch(cloud, tmp_path, known)} == {UnchangedDocument}
    assert cloud.taken() == ["PROPFIND "]
    for number in (1, 2, 21):
        cloud.put(f"teil ä/{number % 20}/{number}.md", b"# Sluice\n\nIt opens at nine.")
    del cloud.files["teil ä/3/3.md"]
    cloud.move("teil ä/4/4.md", "teil ä/5/renamed.md")
    items = list(fetch(cloud, tmp_path, known))
    fetched = as_known(items)
    assert sorted(uri.rpartition("/")[2] for uri in fetched) == ["1.md", "2.md", "21.md", "renamed.md"]
    (moved,) = (item for uri, item in fetched.items() if "renamed" in uri)
    assert moved.renamed_from == f"{cloud.url}teil%20%C3%A4/4/4.md"
    assert len(items) == 999
    requests = cloud.taken()
    assert (
        len([request for request in requests if request.startswith("PROPFIND")]) == 1 + 1 + 5 + 1
    )  # two above, the one that is gone
    assert len(requests) == 8 + 4


def test_what_a_list_leaves_out_is_asked_for(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed, with or without a record of the last sync (SRC-23)."""
    known = as_known(list(fetch(cloud, tmp_path)))
    cloud.hidden = {path for path in cloud.files if path.endswith(("1.md", "3.md", "5.md", "7.md", "9.md"))}
    cloud.put("teil ä/0/new.md", b"# New")
    for folder in (tmp_path / "another", tmp_path):
        items = list(fetch(cloud, folder, known))
        assert len([item for item in items if isinstance(item, UnchangedDocument)]) == 200
    cloud.fault = lambda _, path: (500, {}, b"") if path in cloud.hidden else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(cloud, tmp_path / "third", known))


def test_a_thousand_files_of_a_plain_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WsgiDAV: a quiet sync is one request for each folder; exactly what changed is fetched (SRC-25)."""
    pytest.importorskip("wsgidav")
    root = tmp_path / "files"
    for number in range(1_000):
        path = root / str(number % 10) / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Valve {number}\n\nValve {number} drips.")
    with serve_folder(root) as server:
        prepare(server, monkeypatch)
        known = as_known(list(fetch(server, tmp_path)))
        assert len(known) == 1_000
        server.taken()
        assert {type(item) for item in fetch(server, tmp_path, known)} == {UnchangedDocument}
        assert len(server.taken()) == 1 + 10
        for number in (4, 500, 999):
            (root / str(number % 10) / f"{number}.md").write_text("# Sluice\n\nThe sluice of the mill opens at nine.")
        (root / "0" / "600.md").unlink()
        (root / "0" / "700.md").rename(root / "1" / "moved.md")
        items = list(fetch(server, tmp_path, known))
        fetched = sorted(uri.rpartition("/")[2] for uri in as_known(items))
        assert (fetched, len(items)) == (["4.md", "500.md", "999.md", "moved.md"], 999)


@pytest.mark.servers
@pytest.mark.parametrize("is_nextcloud", [True, False])
def test_a_library_that_nextcloud_uses_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_nextcloud: bool
) -> None:
    """sabre/dav: with versions of folders a quiet sync is one request, and exactly what changed is fetched (SRC-25)."""
    root = tmp_path / "served" / "files"
    for number in range(100):
        path = root / f"teil ä/{number % 10}" / f"{number} 100%.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Valve {number}\n\nValve {number} drips.")
    with serve_sabre(root, is_nextcloud=is_nextcloud) as server:
        prepare(server, monkeypatch)
        known = as_known(list(fetch(server, tmp_path)))
        assert len(known) == 100
        assert len(server.taken()) == 1 + 1 + 10 + 100
        assert {type(item) for item in fetch(server, tmp_path, known)} == {UnchangedDocument}
        assert len(server.taken()) == (1 if is_nextcloud else 12)
        for number in (1, 2, 21):
            changed = root / f"teil ä/{number % 10}" / f"{number} 100%.md"
            changed.write_text("# Sluice\n\nThe sluice of the mill opens at nine.")
        (root / "teil ä/3/3 100%.md").unlink()
        (root / "teil ä/4/4 100%.md").rename(root / "teil ä/5/renamed.md")
        items = list(fetch(server, tmp_path, known))
        fetched = as_known(items)
        names = sorted(unquote(uri.rpartition("/")[2]) for uri in fetched)
        assert (names, len(items)) == (["1 100%.md", "2 100%.md", "21 100%.md", "renamed.md"], 99)
        (moved,) = (item for uri, item in fetched.items() if "renamed" in uri)
        assert moved.renamed_from == (f"{server.url}teil%20%C3%A4/4/4%20100%25.md" if is_nextcloud else "")
        monkeypatch.setenv("HEADWATER_CREDENTIAL_CLOUD", "ann:other")
        with pytest.raises(SourceError):
            list(fetch(server, tmp_path, known))


@pytest.mark.dagster
def test_a_plain_server_is_walked(
    headwater: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """WsgiDAV has no versions of folders: every folder is listed, only what changed is fetched, and it answers."""
    caplog.set_level(logging.DEBUG)
    pytest.importorskip("wsgidav")
    root = tmp_path / "files"
    (root / "ä b" / "deep").mkdir(parents=True)
    (root / ".hidden").mkdir()
    (root / ".hidden" / "x.md").write_text("# No")
    (root / "ä b" / "sluice.md").write_text("# Sluice\n\nThe sluice of the mill opens at nine.")
    (root / "ä b" / "deep" / "pump 100%.html").write_text("<h1>Pump</h1><p>The pump lifts forty litres.</p>")
    (root / "film.mp4").write_bytes(b"\0\0\0\x18ftypmp42")
    with serve_folder(root) as server:
        prepare(server, monkeypatch)
        kb = headwater()
        config = {"url": server.url, "credential": "cloud"}
        kb.store.sources.create(kb.slug, slug="dav", kind="webdav", config=config, settings=SourceSettings())
        done = kb.sync("dav")["dav"]
        assert (done.state, done.added, done.errors) == ("ready", 2, [])
        server.taken()
        done = kb.sync("dav")["dav"]
        assert (done.unchanged, [request.split()[0] for request in server.taken()]) == (2, ["PROPFIND"] * 3)
        (pump,) = kb.query("SELECT category FROM document_versions WHERE title = 'Pump'")
        assert pump["category"] == "ä b/deep"
        (citation,) = kb.ask("When does the sluice of the mill open?").citations
        assert citation.uri == f"{server.url}%C3%A4%20b/sluice.md"
        (root / "ä b" / "sluice.md").write_text("# Sluice\n\nThe sluice of the mill opens at ten now.")
        (root / "ä b" / "deep" / "pump 100%.html").unlink()
        done = kb.sync("dav")["dav"]
        assert (done.removed, done.errors) == (1, [])
        assert "ten" in kb.ask("When does the sluice of the mill open?").answer
        secrets = ("ann:secret", base64.b64encode(b"ann:secret").decode())
        assert not any(secret in f"{kb.dump()} {caplog.text}" for secret in secrets)


def test_citations_open_the_page_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Nextcloud, that is below the server's own address, by the file's id."""
    stub = NextcloudStub()
    stub.put("a.md", b"# Valve\n\nIt drips.")
    with serve_nextcloud(stub):
        prepare(stub, monkeypatch)
        (document,) = (item.parse() for item in as_known(list(fetch(stub, tmp_path))).values())
        place = document.places.between(9, 12, text=document.text)
        page = f"{stub.url.partition('/remote.php')[0]}/f/1"
        assert (link_to(document.uri, place) or "").startswith(page)


def test_a_password_that_ends_in_the_middle_loses_nothing(cloud: NextcloudStub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew; a busy server is waited for."""
    items: list[Found] = []
    cloud.fault = lambda _, __: (401, {}, b"") if len(cloud.requests) > 100 else None
    with pytest.raises(SourceError, match=r"does not accept the credential cloud.*Renew it. What was read is kept"):
        items.extend(fetch(cloud, tmp_path))
    busy = [(429, {"Retry-After": "120"}, b""), (503, {"Retry-After": "7"}, b"")]
    cloud.taken()
    cloud.fault = lambda _, __: busy.pop() if busy and len(cloud.requests) > 2 else None
    waits: list[float] = []
    again = list(fetch(cloud, tmp_path, as_known(items), waits))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == len(items) > 50
    assert (len(again), sorted(waits)) == (200, [7.0, 120.0])


def _listing(href: str, etag: str = "1") -> tuple[int, dict[str, str], bytes]:
    head = '<d:multistatus xmlns:d="DAV:"><d:response><d:href>/cloud/remote.php/dav/files/ann/</d:href>'
    folder = "<d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop></d:propstat></d:response>"
    entry = (
        f"<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:getetag>{etag}</d:getetag></d:prop></d:propstat>"
    )
    return 207, {}, f"{head}{folder}{entry}</d:response></d:multistatus>".encode()


@pytest.mark.parametrize(
    "href",
    [
        "http://169.254.169.254/latest/a.md", "//evil.test/a.md", "/etc/a.md", "../a.md",
        "/cloud/remote.php/dav/files/bo/a.md",
        "/cloud/remote.php/dav/files/ann/%2e%2e/a.md", "/cloud/remote.php/dav/files/ann/x%5c..%5ca.md",
        "/cloud/remote.php/dav/files/ann/x/y/a.md", "/cloud/remote.php/dav/files/ann/%00.md", "http://[",
        "file:///etc/passwd",
    ],
)  # fmt: skip
def test_a_list_names_nothing_outside_its_folder(cloud: NextcloudStub, tmp_path: Path, href: str) -> None:
    """Neither other hosts nor other folders; then nothing is read or removed (SEC-1)."""
    cloud.fault = lambda _, __: _listing(href)
    with pytest.raises(FetchError, match="Nothing was removed"):
        list(fetch(cloud, tmp_path))
    assert len(cloud.taken()) == 1


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        ((207, {}, b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><x>&b;</x>'), FetchError, "declares entities"),
        ((207, {}, b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///x">]><x>&a;</x>'), FetchError, "declares entities"),
        ((207, {}, b"<html>"), FetchError, "does not answer with a list of files"),
        ((207, {}, b"<x/>"), FetchError, "does not list itself"),
        ((405, {}, b""), SourceError, "does not speak WebDAV"),
        ((404, {}, b""), SourceError, "There is no folder at"),
        ((403, {}, b""), FetchError, "answers 403"),
        ((302, {"Location": "http://10.0.0.1/"}, b""), FetchError, "redirect"),
    ],
)  # fmt: skip
def test_a_server_that_misbehaves_changes_nothing(
    cloud: NextcloudStub, tmp_path: Path, reply: Any, error: type[Exception], message: str
) -> None:
    """Whatever it answers, it is an error of the whole source, without the secret (SEC-1)."""
    cloud.fault = lambda _, __: reply
    with pytest.raises(error, match=message) as caught:
        list(fetch(cloud, tmp_path))
    assert "secret" not in str(caught.value)


def test_a_file_that_failed_is_asked_for_again(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Although no folder has changed; a secret is not sent to another host (SRC-14)."""
    cloud.fault = lambda method, path: (500, {}, b"") if (method, path) == ("GET", "teil ä/1/1.md") else None
    items = list(fetch(cloud, tmp_path))
    assert len([item for item in items if isinstance(item, DocumentProblem)]) == 1
    cloud.fault = lambda _, __: None
    again = list(fetch(cloud, tmp_path, as_known(items)))
    assert (len(again), len(as_known(again))) == (200, 1)


def test_a_moved_file_that_fails_stays_where_it_was(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Its document stays, and the next sync finds the move again (SRC-23)."""
    known = as_known(list(fetch(cloud, tmp_path)))
    cloud.move("teil ä/1/1.md", "teil ä/1/new 10\u202fPM.md")
    cloud.fault = lambda method, _: (500, {}, b"") if method == "GET" else None
    items = list(fetch(cloud, tmp_path, known))
    assert {item.uri for item in items if isinstance(item, UnchangedDocument)} == set(known)
    cloud.fault = lambda _, __: None
    (moved,) = as_known(list(fetch(cloud, tmp_path, known))).values()
    assert moved.renamed_from in known


def test_files_that_may_only_be_listed_stop_nothing(cloud: NextcloudStub, tmp_path: Path) -> None:
    """A share may hide some files from downloads; each is a problem of its own (SRC-14)."""
    cloud.fault = lambda method, path: (403, {}, b"") if method == "GET" and path.startswith("teil ä/1/") else None
    items = list(fetch(cloud, tmp_path))
    problems = [item for item in items if isinstance(item, DocumentProblem)]
    assert len(problems) > 3
    assert all("may not be downloaded (403)" in problem.message for problem in problems)
    assert len(as_known(items)) == 200 - len(problems)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_folder_that_is_refused_stops_nothing(cloud: NextcloudStub, tmp_path: Path, status: int) -> None:
    """It is one problem until it is shown again; what is below it stays, and the rest is read (SRC-14)."""
    known = as_known(list(fetch(cloud, tmp_path)))
    refused = f"{cloud.url}teil%20%C3%A4/1/"
    cloud.fault = lambda _, path: (status, {}, b"") if path.startswith("teil ä/1/") else None
    cloud.put("teil ä/1/1.md", b"# Hidden")
    cloud.put("teil ä/2/2.md", b"# Sluice")
    for folder, fetched in ((tmp_path, ["2.md"]), (tmp_path / "new", ["2.md"])):
        for _ in range(2):
            items = list(fetch(cloud, folder, known))
            assert [item.uri for item in items if isinstance(item, DocumentProblem)] == [refused]
            assert sum(item.uri.startswith(refused) for item in items) == 1 + 10
            assert [uri.rpartition("/")[2] for uri in as_known(items)] == fetched
            assert len(items) == 201
    (problem,) = (item for item in fetch(cloud, tmp_path / "full") if isinstance(item, DocumentProblem))
    assert problem.uri == refused, "its slash keeps what is stored below it"
    cloud.fault = lambda _, __: None
    assert "1.md" in [uri.rpartition("/")[2] for uri in as_known(list(fetch(cloud, tmp_path, known)))]


def test_a_file_may_become_a_folder(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Then its document is gone, also where a list leaves the folder out (SRC-23)."""
    known = as_known(list(fetch(cloud, tmp_path)))
    for number in (1, 2):
        del cloud.files[f"teil ä/{number}/{number}.md"]
        cloud.put(f"teil ä/{number}/{number}.md/new.md", b"# New")
    cloud.hidden = {"teil ä/2/2.md/new.md"}
    items = list(fetch(cloud, tmp_path, known))
    assert not {f"{cloud.url}teil%20%C3%A4/{number}/{number}.md" for number in (1, 2)} & {item.uri for item in items}
    assert [uri.rpartition("teil%20%C3%A4/")[2] for uri in as_known(items)] == ["1/1.md/new.md"]


def test_a_file_is_not_redirected(cloud: NextcloudStub, tmp_path: Path) -> None:
    """A server that wants people to sign in elsewhere gives no page of it as the file (SEC-1)."""
    target = {"Location": f"{cloud.url}teil%20%C3%A4/2/2.md"}
    cloud.fault = lambda method, path: (302, target, b"") if (method, path) == ("GET", "teil ä/1/1.md") else None
    (problem,) = (item for item in fetch(cloud, tmp_path) if isinstance(item, DocumentProblem))
    assert problem.uri.endswith("/1/1.md")
    assert "redirect" in problem.message
    cloud.fault = lambda method, path: (
        (200, {}, b"<!doctype html><html>Sign in</html>") if (method, path) == ("GET", "teil ä/1/1.md") else None
    )
    (problem,) = (item for item in fetch(cloud, tmp_path) if isinstance(item, DocumentProblem))
    assert "perhaps one to sign in" in problem.message


def test_folders_without_files_have_an_end(
    cloud: NextcloudStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may invent them; the sync fails before it has asked for all of them (SEC-1)."""
    monkeypatch.setattr("headwater.sources.webdav.connector._MAX_FOLDERS", 20)
    with pytest.raises(TooLargeError, match="more than 20 folders"):
        list(fetch(cloud, tmp_path))
    assert len(cloud.taken()) == 2


def test_a_size_without_end_counts_as_large(cloud: NextcloudStub, tmp_path: Path) -> None:
    """Python reads no number of 5,000 digits."""
    status, headers, content = _listing("/cloud/remote.php/dav/files/ann/a.md")
    length = (
        f"<d:getcontentlength>{'9' * 5_000}</d:getcontentlength></d:prop></d:propstat></d:response></d:multistatus>"
    )
    answer = content.decode().replace("</d:prop></d:propstat></d:response></d:multistatus>", length)
    cloud.fault = lambda _, __: (status, headers, answer.encode())
    (problem,) = fetch(cloud, tmp_path)
    assert isinstance(problem, DocumentProblem)
    assert problem.code == TooLargeError.code
