"""A thousand items of each kind of source: what a quiet sync asks for, and exactly what changed is touched (SRC-23).

Belongs here: kinds whose own tests have fewer items, because each of those tests would take longer. Not here: GitLab,
WebDAV, Slack, Drive and SharePoint, whose own tests have a thousand. Guarantee: three are edited, one is deleted, one
is renamed or moved, one gets another file; nothing else is fetched.
"""

import json
import mailbox
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from headwater.errors import SourceError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.confluence_stub import ConfluenceStub
from tests.hostile_server import HostileServer, hostile_server, loopback_gate, response
from tests.integration import test_bucket as bucket_tests
from tests.integration import test_confluence as confluence_tests
from tests.integration import test_imap as imap_tests
from tests.integration import test_jira as jira_tests
from tests.integration import test_notion as notion_tests
from tests.integration.test_imap import mail, running  # noqa: F401 - fixtures
from tests.integration.test_mediawiki import Answers, Stub
from tests.integration.test_openapi_sources import description, site  # noqa: F401 - a fixture
from tests.jira_stub import JiraStub
from tests.json_stub import serve_stub
from tests.mail_server import MailServer, message
from tests.notion_stub import NotionStub, hex_of, id_of
from tests.page_server import PageServer
from tests.s3_server import S3Server, s3_server
from tests.sql_servers import sqlite

_COUNT = 1_000


def fetch(
    kind: str, folder: Path, known: dict[str, Any], config: dict[str, Any], waits: list[float] | None = None
) -> list[Found]:
    """Everything that a connector finds."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return list(open_connector(kind, config, context).fetch())


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def endings(items: list[Found]) -> list[str]:
    """What the URIs of the fetched documents end with."""
    return sorted(item.uri.rpartition("/")[2] for item in items if isinstance(item, FetchedDocument))


def require_quiet(items: list[Found], count: int) -> None:
    """Check that nothing was fetched, and nothing is missing."""
    assert (len(items), {type(item) for item in items}) == (count, {UnchangedDocument})


@pytest.mark.parametrize("is_cloud", [True, False])
def test_confluence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_cloud: bool) -> None:
    """A renamed page keeps its address, which holds its id (SRC-17)."""
    stub = ConfluenceStub(_COUNT, is_cloud=is_cloud)
    stub.attach("att1", "1003", "Parts.md", b"# Parts\n\nA brass screw.", "text/markdown")
    with serve_stub(stub):
        confluence_tests.prepare(stub, monkeypatch)
        config = confluence_tests.config(stub)
        known = as_known(fetch("confluence", tmp_path, {}, config))
        assert len(known) == _COUNT + 1
        stub.taken()
        require_quiet(fetch("confluence", tmp_path, known, config), _COUNT + 1)
        assert len(stub.taken()) <= 2
        for number in (1004, 1500, 1999):
            stub.put(str(number), f"Valve {number - 1000}", "<p>The sluice opens at nine.</p>")
        stub.put("1700", "Another name", "<h2>Use</h2><p>Valve number 700 turns.</p>")
        stub.attach("att1", "1003", "Parts.md", b"# Parts\n\nA steel screw.", "text/markdown")
        stub.trash("1600")
        items = fetch("confluence", tmp_path, known, config)
        touched = ["Parts.md", *(f"viewpage.action?pageId={number}" for number in (1004, 1500, 1700, 1999))]
        assert endings(items) == touched
        assert len(items) == _COUNT + (0 if is_cloud else 1)  # Data Center tells a deletion in the daily list
        monkeypatch.setattr("headwater.sources.item_list._DAY", -1.0)
        require_quiet(fetch("confluence", tmp_path, known | as_known(items), config), _COUNT)


@pytest.mark.parametrize("is_cloud", [True, False])
def test_jira(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_cloud: bool) -> None:
    """An issue that moves to another project keeps its document (SRC-18)."""
    stub = JiraStub(_COUNT, is_cloud=is_cloud)
    stub.max_results = 500
    with serve_stub(stub):
        stub.attach("10003", "501", "Parts.md", b"# Parts", "text/markdown")
        jira_tests.prepare(stub, monkeypatch)
        config = jira_tests.config(stub, projects=["ENG", "OPS"])
        known = as_known(fetch("jira", tmp_path, {}, config))
        assert len(known) == _COUNT + 1
        stub.max_results = 5_000
        stub.taken()
        require_quiet(fetch("jira", tmp_path, known, config), _COUNT + 1)
        assert len(stub.taken()) <= 2
        for number in (4, 500, 999):
            stub.put(str(10_000 + number), f"ENG-{number + 1}", "Sluice stuck", "<p>It opens at nine.</p>")
        stub.put("10700", "OPS-1", "Valve 700 leaks", "<p>Valve 700 drips.</p>")
        stub.attach("10009", "502", "Screws.md", b"# Screws", "text/markdown")
        del stub.issues["10600"]
        items = fetch("jira", tmp_path, known, config)
        assert endings(items) == ["ENG-10", "ENG-1000", "ENG-5", "ENG-501", "OPS-1", "Screws.md"]
        moved = next(item for item in as_known(items).values() if item.uri.endswith("OPS-1"))
        assert moved.renamed_from.endswith("/ENG-701")
        assert len(items) == _COUNT + 1


def test_notion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renamed page keeps its address, which holds its id (SRC-19)."""
    stub = NotionStub(_COUNT)
    stub.attach(1003, 9001, "Parts.md", b"# Parts\n\nA brass screw.")
    with serve_stub(stub):
        for name, value in {"": "ntn_secret", "_HOST": stub.url.partition("://")[2]}.items():
            monkeypatch.setenv(f"HEADWATER_CREDENTIAL_NOTION{name}", value)
        monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
        config = notion_tests.config(stub)
        known = as_known(fetch("notion", tmp_path, {}, config))
        assert len(known) == _COUNT + 1
        stub.taken()
        require_quiet(fetch("notion", tmp_path, known, config), _COUNT + 1)
        assert len(stub.taken()) <= 2
        stub.clock += timedelta(hours=1)  # pages that were edited within the last minutes are read again
        for number in (1004, 1500, 1999):
            stub.put(number, f"Valve {number - 1000}", "The sluice opens at nine.")
        stub.put(1700, "Another name", "# Use\nValve number 700 turns.")
        stub.attach(1009, 9002, "Screws.md", b"# Screws")
        stub.trash(1600)
        items = fetch("notion", tmp_path, known, config)
        assert endings(items) == sorted(["Screws.md", *(hex_of(number) for number in (1004, 1009, 1500, 1700, 1999))])
        assert len(items) == _COUNT + 1
        assert id_of(1600).replace("-", "") not in str([item.uri for item in items])


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    """moto, which checks signatures."""
    for name in ("moto", "flask_cors"):
        pytest.importorskip(name, reason="moto is the bucket's server")
    with s3_server() as server:
        yield server


def test_bucket(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet sync of 1,200 keys is two requests, one for each thousand; a copy keeps its document (SRC-15).

    The server in front of moto answers itself, because moto needs a minute to take so many objects.
    """
    monkeypatch.setenv("HEADWATER_CREDENTIAL_S3", f"{s3.key}:{s3.secret}")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_S3_HOST", s3.host)
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    objects = {f"{number:04}.md": f"# Wheel {number}" for number in range(1_200)}
    config = {"url": "s3://thousand", "endpoint": s3.url, "credential": "s3"}
    with s3.failing(lambda path: _answer_bucket(objects, path)):
        known = as_known(fetch("bucket", tmp_path, {}, config))
        assert len(known) == 1_200
        s3.requests()
        require_quiet(fetch("bucket", tmp_path, known, config), 1_200)
        assert len(s3.requests()) == 2
        objects |= {f"{number:04}.md": "# Sluice" for number in (4, 500, 1_199)}
        del objects["0600.md"]
        objects["new/0700.md"] = objects.pop("0700.md")
        items = fetch("bucket", tmp_path, known, config)
    assert endings(items) == ["0004.md", "0500.md", "0700.md", "1199.md"]
    assert as_known(items)["s3://thousand/new/0700.md"].renamed_from == "s3://thousand/0700.md"
    assert len(items) == 1_199


class Container(dict[str, Any]):
    """A container of Azure, as a hostile server's answers: blobs by name, five thousand a page."""

    def __init__(self) -> None:
        super().__init__()
        self.blobs = {f"{number:04}.md": f"# Wheel {number}" for number in range(_COUNT)}
        self.fault: Callable[[str], bytes | None] = lambda _: None

    def get(self, path: str, *_: object) -> Any:
        """The answer for a path, which is a list or a blob."""
        return lambda asked: iter([self.fault(asked.path) or self._answer(path, asked.path)])

    def _answer(self, path: str, address: str) -> bytes:
        if "comp=list" not in address:
            return response(self.blobs[unquote(path).rpartition("/")[2]].encode(), Content_Type="text/markdown")
        entry = "<Blob><Name>%s</Name><Properties><Etag>%x</Etag><Content-Length>9</Content-Length></Properties></Blob>"
        blobs = "".join(entry % (key, zlib.crc32(text.encode())) for key, text in sorted(self.blobs.items()))
        listed = f"<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker /></EnumerationResults>"
        return response(listed.encode(), Content_Type="application/xml")


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[HostileServer, Container]]:
    """The container on loopback, with its credential in the environment; Azurite checks the same requests elsewhere."""
    with hostile_server() as server:
        blobs = Container()
        server.answers = blobs
        monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ", bucket_tests.KEY)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ_HOST", f"127.0.0.1:{server.port}")
        monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
        yield server, blobs


def azure_config(server: HostileServer) -> dict[str, Any]:
    """The config of a source that reads the container."""
    endpoint = server.url("/account", "127.0.0.1")
    return {"url": "az://account/docs", "endpoint": endpoint, "credential": "az"}


def test_azure(container: tuple[HostileServer, Container], tmp_path: Path) -> None:
    """A quiet sync is one request; a copy keeps its document; a busy container is waited for (SRC-15)."""
    server, stub = container
    config = azure_config(server)
    known = as_known(fetch("bucket", tmp_path, {}, config))
    assert len(known) == _COUNT
    server.asked.clear()
    require_quiet(fetch("bucket", tmp_path, known, config), _COUNT)
    assert len(server.asked) == 1
    stub.blobs |= {f"{number:04}.md": "# Sluice" for number in (4, 500, 999)}
    del stub.blobs["0600.md"]
    stub.blobs["0700 moved.md"] = stub.blobs.pop("0700.md")
    busy = [response(status="503 Busy", Retry_After="7"), response(status="429 Busy", Retry_After="120")]
    stub.fault = lambda _: busy.pop() if busy else None
    waits: list[float] = []
    items = fetch("bucket", tmp_path, known, config, waits)
    assert endings(items) == ["0004.md", "0500.md", "0700 moved.md", "0999.md"]
    assert as_known(items)["az://account/docs/0700 moved.md"].renamed_from == "az://account/docs/0700.md"
    assert (len(items), sorted(waits)) == (_COUNT - 1, [7.0, 120.0])


def test_a_key_of_azure_that_ends_in_the_middle_loses_nothing(
    container: tuple[HostileServer, Container], tmp_path: Path
) -> None:
    """What was read stays; the error says what to renew (SRC-15)."""
    server, stub = container
    refusal = b"<Error><Code>AuthenticationFailed</Code></Error>"
    stub.fault = lambda path: response(refusal, status="403 No") if "/0500.md" in path else None
    items: list[Found] = []
    context = SourceContext(folder=tmp_path / "own", gate=loopback_gate())
    with pytest.raises(SourceError, match=r"does not accept the credential az .*What was read is kept"):
        items.extend(open_connector("bucket", azure_config(server), context).fetch())
    stub.fault = lambda _: None
    again = fetch("bucket", tmp_path, as_known(items), azure_config(server))
    assert (len(items), len(again), len(as_known(again))) == (500, _COUNT, _COUNT - 500)


def _answer_bucket(objects: dict[str, str], path: str) -> tuple[int, dict[str, str], bytes]:
    """A list of up to a thousand objects, or one of them."""
    url = urlsplit(path)
    fields = dict(parse_qsl(url.query))
    if "list-type" not in fields:
        return 200, {"Content-Type": "text/markdown"}, objects[url.path.removeprefix("/thousand/")].encode()
    begin = int(fields.get("continuation-token", "0"))
    keys = sorted(objects)
    entries = [
        bucket_tests.ENTRY % (key.encode(), b"%08x" % zlib.crc32(objects[key].encode()))
        for key in keys[begin : begin + 1_000]
    ]
    is_last = begin + 1_000 >= len(keys)
    more = b"" if is_last else b"<NextContinuationToken>%d</NextContinuationToken>" % (begin + 1_000)
    return 200, {}, bucket_tests.LIST % (b"".join(entries), more)


def test_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet sync reads one row, whether the others changed (SRC-16)."""
    with sqlite(tmp_path) as database:
        database.run("create table faq (id integer primary key, body text, changed datetime)")
        rows = [{"i": number, "b": f"The pump number {number} lifts.", "c": "2026-06-01"} for number in range(_COUNT)]
        database.run("insert into faq values (:i, :b, :c)", rows)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", database.address)
        query = {"query": "select id, body, changed from faq", "key": "id", "changed": "changed"}
        config = {**query, "credential": "shop", "text": "{{ body }}"}
        known = as_known(fetch("sql", tmp_path, {}, config))
        assert len(known) == _COUNT
        require_quiet(fetch("sql", tmp_path, known, config), _COUNT)
        database.run("update faq set body = 'The lamp.', changed = '2026-06-02' where id in (4, 500, 999)")
        database.run("delete from faq where id = 600")
        database.run("update faq set id = 2000 where id = 700")
        items = fetch("sql", tmp_path, known, config)
        assert sorted(as_known(items)) == ["2000", "4", "500", "999"]
        assert known.keys() - {item.uri for item in items} == {"600", "700"}


@pytest.mark.servers
def test_imap(mail: MailServer, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """A quiet sync is one command; messages never change, so a draft that is saved again is another one (SRC-20)."""
    with imap_tests.closing_box(mail) as box:
        for folder in ("INBOX", "Projects.P&APw-mps"):
            box.select(folder)
            box.uid("STORE", "1:*", "+FLAGS", "(\\Deleted)")
            box.expunge()
        for number in range(_COUNT):
            attached: dict[str, Any] = {"a__md": b"# A"} if number == 8 else {}
            imap_tests.put(box, "INBOX", message(number, f"The wheel {number} turns.", **attached))
    config = {"url": mail.url, "credential": "mail"}
    known = as_known(fetch("imap", tmp_path, {}, config))
    assert len(known) == _COUNT + 1
    mail.asked()
    require_quiet(fetch("imap", tmp_path, known, config), _COUNT + 1)
    assert mail.asked() == imap_tests.QUIET
    with imap_tests.closing_box(mail) as box:
        box.select("INBOX")
        for number in (4, 500, 999, 8):
            imap_tests.remove(box, number)
            attached = {"a__md": b"# B"} if number == 8 else {}
            imap_tests.put(box, "INBOX", message(number, "The sluice opens at nine.", **attached))
        imap_tests.remove(box, 600)
        box.uid("MOVE", imap_tests.uid_of(box, 700), "Projects.P&APw-mps")
    items = fetch("imap", tmp_path, known, config)
    assert sorted(as_known(items)) == sorted(
        ["mid:8@example.com#part=1/a.md", *(f"mid:{number}@example.com" for number in (4, 8, 500, 700, 999))]
    )
    assert known.keys() - {item.uri for item in items} == {"mid:600@example.com"}


@pytest.mark.parametrize("make", [mailbox.mbox, mailbox.Maildir], ids=["mbox", "maildir"])
def test_local_mailbox(tmp_path: Path, make: Callable[[Path], Any]) -> None:
    """A file or folder of a thousand messages, of which each is known by its id (SRC-20)."""
    path = tmp_path / "list"
    with closing(make(path)) as box:
        attached: dict[str, Any] = {"a__md": b"# A"}
        keys = [
            box.add(message(number, f"The wheel {number} turns.", **(attached if number == 8 else {})))
            for number in range(_COUNT)
        ]
    known = as_known(fetch("imap", tmp_path, {}, {"path": str(path)}))
    assert len(known) == _COUNT + 1
    require_quiet(fetch("imap", tmp_path, known, {"path": str(path)}), _COUNT + 1)
    with closing(make(path)) as box:
        for number in (4, 8, 500, 999):
            edited: dict[str, Any] = {"a__md": b"# B"} if number == 8 else {}
            del box[keys[number]]  # as mail programs do: a file of a Maildir never changes
            box.add(message(number, "The sluice opens at nine.", **edited))
        del box[keys[600]]
        if make is mailbox.Maildir:
            box.add_folder("Archive").add(box.get_message(keys[700]))
            del box[keys[700]]
    items = fetch("imap", tmp_path, known, {"path": str(path)})
    fetched = as_known(items)
    changed = {uri for uri, item in fetched.items() if item.fingerprint != known[uri].fingerprint}
    moved = {"mid:700@example.com"} if make is mailbox.Maildir else set()
    edited_uris = {f"mid:{number}@example.com" for number in (4, 8, 500, 999)}
    assert changed == {*edited_uris, "mid:8@example.com#part=1/a.md", *moved}
    assert known.keys() - {item.uri for item in items} == {"mid:600@example.com"}


def test_mediawiki(tmp_path: Path) -> None:
    """Two hundred pages; a quiet sync is one request, and without log-in one more than nothing (SRC-21)."""
    with hostile_server() as server:
        stub = Stub(server)
        server.answers = Answers(stub)
        stub.pages = dict.fromkeys(range(1, 201), "The wheel turns.")
        config = {"url": stub.url, "delay": 0}
        known = as_known(fetch("mediawiki", tmp_path, {}, config))
        assert len(known) == 200
        stub.asked()
        require_quiet(fetch("mediawiki", tmp_path, known, config), 200)
        assert len(stub.asked()) == 1
        for number in (4, 100, 199):
            stub.pages[number] = "The sluice opens at nine."
        del stub.pages[150]
        stub.titles[170] = "Another name"
        stub.change += 1
        items = fetch("mediawiki", tmp_path, known, config)
        assert endings(items) == ["Another_name", "Page_100", "Page_199", "Page_4"]
        renamed = next(item for item in as_known(items).values() if item.uri.endswith("Another_name"))
        assert renamed.renamed_from.endswith("/Page_170")
        assert len(items) == 199


def test_openapi(tmp_path: Path, site: PageServer) -> None:  # noqa: F811 - the fixture
    """A thousand operations of one description, which is asked for with one conditional request (SRC-22)."""
    api = description(_COUNT)
    site.pages["openapi.json"] = json.dumps(api).encode()
    config = {"url": f"{site.url}/openapi.json"}
    known = as_known(fetch("openapi", tmp_path, {}, config))
    assert len(known) == _COUNT + 1
    site.asked()
    require_quiet(fetch("openapi", tmp_path, known, config), _COUNT + 1)
    assert site.asked() == [("openapi.json", 304)]
    for number in (4, 500, 999):
        api["paths"][f"/valves/{number}/{{id}}"]["get"]["description"] = "Opens the sluice."
    del api["paths"]["/valves/600/{id}"]
    api["paths"]["/valves/700/{id}"]["get"]["operationId"] = "readValve"
    site.pages["openapi.json"] = json.dumps(api).encode()
    items = fetch("openapi", tmp_path, known, config)
    changed = {
        uri.rpartition("/")[2]
        for uri, item in as_known(items).items()
        if uri not in known or item.fingerprint != known[uri].fingerprint
    }
    assert changed - {"openapi.json"} == {"getValve4", "getValve500", "getValve999", "readValve"}, "and the API itself"
    assert len(items) == _COUNT
