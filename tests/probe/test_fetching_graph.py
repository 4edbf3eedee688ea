"""Servers and names that attack who reads SharePoint (SEC-1).

Belongs here: the attacks of `fetching`, on each request of the connector. Not here: the HTTP client itself
(`test_fetching`), honest servers (`tests/integration/test_sharepoint.py`). Guarantee: an attack ends as an error of its
document or of its source, nothing private got a request, and nobody but the login host got the secret.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import HeadwaterError
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.sources import source_context as contexts
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.graph_stub import CLIENT, DRIVE, HOST, LIBRARY, ROOT, SECRET, SITE, SITE_ID, TENANT
from tests.hostile_server import HostileServer, Names, hostile_server, loopback_gate, redirect, response
from tests.probe.fetching import ANSWERS
from tests.probe.test_fetching import HOSTS, PRIVATE
from tests.probe.test_fetching_media import ATTACKS, ODD

_API, _LIBRARY = "/v1.0", f"/v1.0/drives/{DRIVE}"
_PAGES = f"{_API}/sites/{SITE_ID}/pages"
_SECONDS = 0.5  # that one request may take
LOGIN, CONTENT, PAGE = (
    f"/{TENANT}/oauth2/v2.0/token",
    f"{_LIBRARY}/items/01A/content",
    f"{_PAGES}/1/microsoft.graph.sitePage",
)
LISTS = [f"{_API}/sites/{HOST}:/sites/Team", f"{_API}/sites/{SITE_ID}/drives", f"{_LIBRARY}/root",
         f"{_LIBRARY}/root/delta", f"{_PAGES}/microsoft.graph.sitePage"]  # fmt: skip
PLACES = [LOGIN, *LISTS, CONTENT, PAGE]
"""The paths that a first sync and a second one ask for."""


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "Politeness", partial(Politeness, sleep=lambda _: None))


def _open_gate(seconds: float = 10.0) -> UrlGuard:
    return loopback_gate(allow="127.0.0.1,site.test", seconds=seconds)


@pytest.fixture
def server() -> Iterator[HostileServer]:
    """A site with a file and a page, all of it in order."""
    with hostile_server() as running:
        link = f"{running.url('')}{_LIBRARY}/root/delta?token=1"
        file = {"id": "01A", "name": "a.md", "file": {}, "eTag": "1", "parentReference": {"id": ROOT}}
        page = {"id": "1", "webUrl": f"{SITE}/SitePages/a.aspx", "publishingState": {"level": "published"}}
        layout = {"horizontalSections": [{"columns": [{"webparts": [{"innerHtml": "<p>Oil the lever.</p>"}]}]}]}
        contents: list[Any] = [
            {"access_token": "eyJ0.token", "expires_in": 3599}, {"id": SITE_ID, "webUrl": SITE},
            {"value": [{"id": DRIVE, "webUrl": LIBRARY}]}, {"id": ROOT, "root": {}},
            {"value": [file], "@odata.deltaLink": link}, {"value": [page]}, {}, {**page, "canvasLayout": layout},
        ]  # fmt: skip
        running.answers |= {
            path: response(json.dumps(content).encode()) for path, content in zip(PLACES, contents, strict=True)
        }
        running.answers[CONTENT] = response(b"# Pump\n\nIt lifts.")
        yield running


@pytest.fixture
def inside() -> Iterator[HostileServer]:
    """A server on loopback that nothing may reach."""
    with hostile_server() as running:
        yield running
        assert running.asked == []


def read(url: str, gate: UrlGuard, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What became of two syncs, the second of which knows the first: `read`, or the codes of their errors."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL", SECRET)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL_HOST", url.partition("://")[2])
    app = {"client_id": CLIENT, "credential": "mill", "endpoint": url}
    known: dict[str, FetchedDocument] = {}
    codes: list[str] = []
    for _ in range(2):
        context = SourceContext(folder=folder, gate=gate, known=known)
        try:
            items = list(open_connector("sharepoint", {"url": SITE, **app}, context).fetch())
            documents = [item for item in items if isinstance(item, FetchedDocument)]
            known |= {item.uri: item for item in documents if item.parse()}
        except HeadwaterError as error:
            return [*codes, error.code]
        codes += [item.code for item in items if isinstance(item, DocumentProblem)]
        codes += ["read" for item in items if isinstance(item, FetchedDocument | UnchangedDocument)]
    return codes


def test_without_an_attack_all_is_read(server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else these tests would say nothing."""
    assert read(server.url(""), _open_gate(), tmp_path, monkeypatch) == ["read"] * 4
    assert {path.partition("?")[0] for path in server.paths()} == set(PLACES)


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("name", ATTACKS)
def test_a_server_exhausts_nobody(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    """Bombs, bodies without end, drips, redirects in a circle: each is an error, wherever it stands."""
    server.answers |= {path: ANSWERS[name], f"/{name}": ANSWERS[name]}  # a file may be redirected
    codes = read(server.url(""), _open_gate(seconds=_SECONDS), tmp_path, monkeypatch)
    assert set(codes) & {"FETCH_FAILED", "TOO_LARGE", "SOURCE_FAILED"}
    assert set(codes) <= {"FETCH_FAILED", "TOO_LARGE", "SOURCE_FAILED", "read"}
    assert codes.count("read") <= 2


@pytest.mark.parametrize("path", [LOGIN, *LISTS])
@pytest.mark.parametrize("name", ODD)
def test_odd_content_is_an_error(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    """Of the wrong type, too deep, in no encoding; the file is read if only the list of pages is odd."""
    server.answers[path] = response(ODD[name], Content_Type="text/html")
    codes = read(server.url(""), _open_gate(), tmp_path, monkeypatch)
    assert codes[-1] in ("SOURCE_FAILED", "FETCH_FAILED", "TOO_LARGE")
    assert "read" not in codes or path == LISTS[-1]


@pytest.mark.parametrize("host", HOSTS)
def test_a_private_address_is_not_read(
    inside: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """However it is written: refused when it is registered, or when it is fetched."""
    gate = UrlGuard(resolver=Names({**PRIVATE, "localhost": ("127.0.0.1", "::1")}), time_limit=5.0)
    codes = read(inside.url("", host), gate, tmp_path, monkeypatch)
    assert codes in (["FETCH_REFUSED"], ["INVALID_CONFIGURATION"])


@pytest.mark.parametrize("path", PLACES)
def test_a_redirect_leads_nowhere(
    inside: HostileServer, server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Neither to private addresses nor to files; only files may be at another host."""
    names = Names({**PRIVATE, "site.test": ("127.0.0.1",), "localhost": ("127.0.0.1", "::1")})
    gate = loopback_gate(names, allow=f"site.test:{server.port}")
    for number, target in enumerate((
        inside.url("/", "127.0.0.1"), inside.url("/", "loopback.test"), "file:///etc/passwd", "http://169.254.169.254/",
        "ftp://example.org/a", "http://ida:tulip@example.org/",
    )):  # fmt: skip
        server.answers[path] = redirect(target)
        codes = read(server.url(""), gate, tmp_path / str(number), monkeypatch)
        assert set(codes) & {"FETCH_REFUSED", "FETCH_FAILED"}, target
        assert codes.count("read") <= 2


@pytest.mark.parametrize("link", ["http://169.254.169.254/v1.0/x", "//127.0.0.1/x", "file:///etc/passwd", "/x", "x"])
@pytest.mark.parametrize("name", ["@odata.nextLink", "@odata.deltaLink"])
def test_a_link_leads_nowhere(
    inside: HostileServer, server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, link: str
) -> None:
    """A list goes on below the address of the interface, or it is an error."""
    server.answers[f"{_LIBRARY}/root/delta"] = response(json.dumps({"value": [], name: link}).encode())
    assert read(server.url(""), _open_gate(), tmp_path, monkeypatch) == ["FETCH_FAILED"]
    assert inside.port


def test_a_secret_is_not_sent_without_encryption(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a host that the operator has not named, neither the secret is sent nor a token (SRC-14)."""
    assert read(server.url(""), loopback_gate(), tmp_path, monkeypatch) == ["FETCH_REFUSED"]
    assert server.asked == []
