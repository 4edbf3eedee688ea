"""Servers and names that attack who reads services: trackers, wikis, chats, folders, buckets, descriptions (SEC-1).

Belongs here: the attacks of `fetching`, on each request of each kind of source that asks a service over HTTP. Not here:
the HTTP client itself (`test_fetching`), Drive and SharePoint, whose requests go to several hosts
(`test_fetching_drive`, `test_fetching_graph`), mail (`tests/integration/test_imap.py`). Guarantee: an attack ends as an
error of its document or of its source, and nothing private got a request.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import HeadwaterError
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.sources import source_context as contexts
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.confluence_stub import ConfluenceStub
from tests.dav_servers import NextcloudStub
from tests.gitlab_stub import GitLabStub
from tests.hostile_server import Answer, Asked, HostileServer, Names, hostile_server, loopback_gate, redirect, response
from tests.integration import test_mediawiki as mediawiki_tests
from tests.integration.test_bucket import ENTRY, LIST
from tests.integration.test_openapi_sources import description
from tests.jira_stub import JiraStub
from tests.json_stub import JsonStub, StubRequest
from tests.notion_stub import NotionStub
from tests.probe.fetching import ANSWERS
from tests.probe.test_fetching import HOSTS, PRIVATE
from tests.probe.test_fetching_media import ODD
from tests.slack_stub import TOKEN, SlackStub

_SECONDS = 0.5  # that one request may take
_ATTACKS = ["ten-gigabytes-of-zeros", "endless-body", "drip-of-the-body", "redirect-loop", "not-http"]
_KEYS = {
    "jira": "ann@example.com:token", "confluence": "ann@example.com:token", "notion": "ntn_secret",
    "gitlab": "glpat-token", "slack": TOKEN, "webdav": "ann:secret", "bucket": "KEY:tulip", "openapi": "tulip",
}  # fmt: skip
_REFUSALS = {"FETCH_FAILED", "TOO_LARGE", "SOURCE_FAILED", "FETCH_REFUSED"}
_UNNEEDED = ("/wiki/api/v2/pages", "/v1/users/")
"""Where the trash is, and the names of people: without these answers, all is read."""
_FILE = b"# Parts\n\nA brass screw."
Honest = Callable[[Asked], Iterator[bytes]]


@dataclass(frozen=True, kw_only=True)
class Service:
    """What answers honestly, the fields of a source, whether it has a secret, and how many documents it has."""

    answer: Honest
    fields: dict[str, Any]
    is_private: bool = True
    count: int = 2


def _from_stub(stub: JsonStub, asked: Asked) -> Iterator[bytes]:
    url = urlsplit(asked.path)
    sent = json.loads(asked.content) if asked.content else None
    fields = dict(parse_qsl(url.query))
    reply = stub.reply(
        StubRequest(method=asked.method, path=url.path, fields=fields, headers=asked.headers, content=sent)
    )
    content = reply.content if isinstance(reply.content, bytes) else json.dumps(reply.content).encode()
    yield _to_response(reply.status, {"Content-Type": "application/json", **reply.headers}, content)


def _to_response(status: int, headers: Mapping[str, str], content: bytes) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} So\r\nContent-Length: {len(content)}\r\n{lines}\r\n".encode() + content


def _jira(url: str) -> Service:
    stub = JiraStub(1, is_cloud=False)
    stub.url = url
    stub.attach("10000", "501", "Parts.md", _FILE, "text/markdown")
    fields = {"url": f"{url}/browse/ENG-1", "edition": "data_center", "delay": 0}
    return Service(answer=partial(_from_stub, stub), fields=fields)


def _confluence(url: str) -> Service:
    stub = ConfluenceStub(1, is_cloud=True)
    stub.url = url
    stub.attach("att1", "1000", "Parts.md", _FILE, "text/markdown")
    fields = {"url": f"{url}/wiki/spaces/ENG/overview", "edition": "cloud", "delay": 0}
    return Service(answer=partial(_from_stub, stub), fields=fields)


def _notion(url: str) -> Service:
    stub = NotionStub(1)
    stub.url = url
    stub.attach(1000, 9001, "Parts.md", _FILE)
    return Service(answer=partial(_from_stub, stub), fields={"endpoint": url, "delay": 0})


def _gitlab(url: str) -> Service:
    stub = GitLabStub()
    stub.url = url
    stub.put("issues", 1, "Parts", f"See {stub.upload('list.md', _FILE)}.")
    fields = {"url": f"{url}/mill/pumps/-/issues/1", "delay": 0}
    return Service(answer=partial(_from_stub, stub), fields=fields)


def _slack(url: str) -> Service:
    stub = SlackStub()
    stub.url = url
    stub.say("The wheel turns.")
    stub.say("The sluice opens.", thread=stub.say("When does it open?"))
    fields = {"url": "https://mill.slack.com/archives/C0PUMPS/p1780000060000001", "endpoint": f"{url}/api", "delay": 0}
    return Service(answer=partial(_from_stub, stub), fields=fields)


def _webdav(url: str) -> Service:
    stub = NextcloudStub()
    stub.put("a/1.md", _FILE)
    stub.put("a/2.md", _FILE)

    def answer(asked: Asked) -> Iterator[bytes]:
        headers = {name.title(): value for name, value in asked.headers.items()}
        status, sent, content = stub.answer(asked.method, unquote(asked.path).removeprefix(stub.root), headers)
        yield _to_response(status, sent, content)

    return Service(answer=answer, fields={"url": f"{url}{stub.root}"})


def _bucket(url: str) -> Service:
    listed = LIST % (ENTRY % (b"manual/a.md", b"1") + ENTRY % (b"manual/b.md", b"2"), b"")

    def answer(asked: Asked) -> Iterator[bytes]:
        yield response(listed if "list-type" in asked.path else _FILE)

    return Service(answer=answer, fields={"url": "s3://docs/manual/", "endpoint": url})


def _openapi(url: str) -> Service:
    def answer(_: Asked) -> Iterator[bytes]:
        yield response(json.dumps(description(1)).encode(), Content_Type="application/json")

    return Service(answer=answer, fields={"url": f"{url}/openapi.json"})


def _mediawiki(url: str) -> Service:
    server = HostileServer(port=urlsplit(url).port or 0)
    stub = mediawiki_tests.Stub(server)
    stub.pages = {1: "The wheel turns."}
    stub.files = {"Parts.md": _FILE}
    fields = {"url": f"{url}/api.php", "delay": 0, "files": ["*.md"]}
    return Service(answer=stub.answer, fields=fields, is_private=False)


SERVICES: dict[str, Callable[[str], Service]] = {
    "jira": _jira, "confluence": _confluence, "notion": _notion, "gitlab": _gitlab, "slack": _slack, "webdav": _webdav,
    "bucket": _bucket, "openapi": _openapi, "mediawiki": _mediawiki,
}  # fmt: skip


class Front(dict[str, Answer]):
    """Answers every path honestly, but for those that are attacked; notes the paths."""

    def __init__(self, honest: Honest) -> None:
        super().__init__()
        self._honest = honest
        self.seen: dict[str, None] = {}

    def get(self, path: str, *_: Any) -> Any:
        """The answer of a path."""
        self.seen[path] = None
        return super().get(path, self._honest)


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "Politeness", partial(Politeness, sleep=lambda _: None))


@pytest.fixture
def inside() -> Iterator[HostileServer]:
    """A server on loopback that nothing may reach."""
    with hostile_server() as running:
        yield running
        assert running.asked == []


def serve(server: HostileServer, kind: str) -> tuple[Service, Front]:
    """Let a server be a service, all of it in order."""
    service = SERVICES[kind](server.url("", "127.0.0.1"))
    front = Front(service.answer)
    server.answers = front
    return service, front


def read(
    kind: str,
    service: Service,
    host: str,
    gate: UrlGuard,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    known: dict[str, FetchedDocument] | None = None,
) -> list[str]:
    """What became of two syncs, the second of which knows the first: `read`, or the codes of their errors.

    The documents are added to `known`.
    """
    fields = dict(service.fields)
    if service.is_private:
        fields["credential"] = "probe"
        monkeypatch.setenv("HEADWATER_CREDENTIAL_PROBE", _KEYS[kind])
        monkeypatch.setenv("HEADWATER_CREDENTIAL_PROBE_HOST", host)
    known = {} if known is None else known
    codes: list[str] = []
    for _ in range(2):
        context = SourceContext(folder=folder, gate=gate, known=known, wait=lambda *_: None)
        try:
            items = list(open_connector(kind, fields, context).fetch())
            documents = [item for item in items if isinstance(item, FetchedDocument)]
            known |= {item.uri: item for item in documents if item.parse()}
        except HeadwaterError as error:
            return [*codes, "SECRET_SHOWN" if _KEYS.get(kind, "\0") in str(error) else error.code]
        codes += [item.code for item in items if isinstance(item, DocumentProblem)]
        codes += ["read" for item in items if isinstance(item, FetchedDocument | UnchangedDocument)]
    return codes


def paths_of(server: HostileServer, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that two syncs ask for, in order; all is read, else these tests would say nothing."""
    service, front = serve(server, kind)
    codes = read(kind, service, f"127.0.0.1:{server.port}", loopback_gate(), folder / "honest", monkeypatch)
    assert codes == ["read"] * 2 * service.count
    return list(front.seen)


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("name", _ATTACKS)
def test_a_service_exhausts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str) -> None:
    """Bombs, bodies without end, drips, redirects in a circle: each is an error, wherever it stands."""
    with hostile_server() as server:
        for number, path in enumerate(paths_of(server, kind, tmp_path, monkeypatch)):
            service, front = serve(server, kind)
            front |= {path: ANSWERS[name], f"/{name}": ANSWERS[name]}
            gate = loopback_gate(seconds=_SECONDS)
            codes = read(kind, service, f"127.0.0.1:{server.port}", gate, tmp_path / str(number), monkeypatch)
            assert set(codes) & _REFUSALS or path.startswith(_UNNEEDED), path
            assert set(codes) <= _REFUSALS | {"read"}, path


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("name", ODD)
def test_odd_content_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str) -> None:
    """Of the wrong type, too deep, in no encoding: nothing of it is a document, wherever a list was expected."""
    with hostile_server() as server:
        first, *_ = paths_of(server, kind, tmp_path, monkeypatch)
        service, front = serve(server, kind)
        front[first] = response(ODD[name], Content_Type="text/html")
        codes = read(kind, service, f"127.0.0.1:{server.port}", loopback_gate(), tmp_path, monkeypatch)
        assert set(codes) <= {"FETCH_FAILED", "SOURCE_FAILED", "DOCUMENT_FAILED"}
        assert codes


@pytest.mark.parametrize("kind", SERVICES)
def test_a_page_to_sign_in_is_no_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """It comes with status 200, for a list or a file: then that is an error, and what was read before stays."""
    page = b"<!doctype html><html><title>Sign in</title><body><form>Sign in to go on</form></body></html>"
    with hostile_server() as server:
        for number, path in enumerate(paths_of(server, kind, tmp_path, monkeypatch)):
            service, front = serve(server, kind)
            front[path] = response(page, Content_Type="text/html")
            known: dict[str, FetchedDocument] = {}
            folder = tmp_path / str(number)
            codes = read(kind, service, f"127.0.0.1:{server.port}", loopback_gate(), folder, monkeypatch, known)
            assert set(codes) - {"read"} or path.startswith(_UNNEEDED), path
            assert not any("Sign in" in document.parse().text for document in known.values()), path


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("host", HOSTS)
def test_a_private_address_is_not_read(
    inside: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, host: str
) -> None:
    """However it is written: refused when it is registered, or when it is fetched."""
    service = SERVICES[kind](inside.url("", host))
    gate = UrlGuard(resolver=Names({**PRIVATE, "localhost": ("127.0.0.1", "::1")}), time_limit=5.0)
    codes = read(kind, service, f"{host}:{inside.port}", gate, tmp_path, monkeypatch)
    assert codes in (["FETCH_REFUSED"], ["INVALID_CONFIGURATION"], ["SOURCE_FAILED"])


@pytest.mark.parametrize("kind", SERVICES)
def test_a_redirect_leads_nowhere(
    inside: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Neither to private addresses nor to files, from any of its requests."""
    targets = (
        inside.url("/", "127.0.0.1"), inside.url("/", "loopback.test"), "file:///etc/passwd", "http://169.254.169.254/",
        "ftp://example.org/a", "http://ida:tulip@example.org/",
    )  # fmt: skip
    with hostile_server() as server:
        gate = loopback_gate(Names(dict(PRIVATE)), allow=f"127.0.0.1:{server.port}")
        for number, path in enumerate(paths_of(server, kind, tmp_path, monkeypatch)):
            for target in targets:
                service, front = serve(server, kind)
                front[path] = redirect(target)
                folder = tmp_path / f"{number}-{targets.index(target)}"
                codes = read(kind, service, f"127.0.0.1:{server.port}", gate, folder, monkeypatch)
                assert set(codes) & _REFUSALS or path.startswith(_UNNEEDED), (path, target)


@pytest.mark.parametrize("kind", ["bucket", "openapi", "mediawiki"])
def test_a_name_that_changes_its_address_gains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Of kinds that need no secret: for others, the operator names the host."""
    with hostile_server() as server:
        service, _ = serve(server, kind)
        names = Names({"site.test": [("127.0.0.1",), ("169.254.169.254",)]})
        fields = {
            name: value.replace("127.0.0.1", "site.test") if isinstance(value, str) else value
            for name, value in service.fields.items()
        }
        public = Service(answer=service.answer, fields=fields, is_private=False)
        codes = read(kind, public, "", loopback_gate(names), tmp_path, monkeypatch)
        assert "FETCH_REFUSED" in codes
        assert len(server.asked) == 1
