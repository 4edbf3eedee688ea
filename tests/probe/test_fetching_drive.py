"""Servers and names that attack who reads Google Drive (SEC-1).

Belongs here: the attacks of `fetching`, on each request of the connector. Not here: the HTTP client itself
(`test_fetching`), honest servers (`tests/integration/test_gdrive.py`). Guarantee: an attack ends as an error of its
document or of its source, nothing private got a request, and nobody but Google's place got the secret or the token.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import HeadwaterError
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.sources import source_context as contexts
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.gdrive_stub import DOCUMENT, FOLDER, REFRESH
from tests.hostile_server import HostileServer, Names, hostile_server, loopback_gate, redirect, response
from tests.probe.fetching import ANSWERS
from tests.probe.test_fetching import HOSTS, PRIVATE
from tests.probe.test_fetching_media import ATTACKS, ODD

_API = "/drive/v3"
_SECONDS = 0.5  # that one request may take
PLACES = ["/token", f"{_API}/files/manuals-folder", f"{_API}/changes/startPageToken", f"{_API}/files",
          f"{_API}/files/doc-000001/export", f"{_API}/files/md-0000001", f"{_API}/changes"]  # fmt: skip
"""The paths that a first sync and a second one ask for."""


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "Politeness", partial(Politeness, sleep=lambda _: None))


def _open_gate(seconds: float = 10.0) -> UrlGuard:
    return loopback_gate(allow="127.0.0.1,site.test", seconds=seconds)


@pytest.fixture
def server() -> Iterator[HostileServer]:
    """A drive with two files, all of it in order."""
    files = [
        {"id": identity, "name": name, "mimeType": media_type, "parents": ["manuals-folder"], "modifiedTime": "1"}
        for identity, name, media_type in (("doc-000001", "Pump", DOCUMENT), ("md-0000001", "a.md", "text/markdown"))
    ]
    answers = {
        "/token": {"access_token": "ya29.token", "expires_in": 3599},
        f"{_API}/files/manuals-folder": {"id": "manuals-folder", "name": "Manuals", "mimeType": FOLDER},
        f"{_API}/changes/startPageToken": {"startPageToken": "1"},
        f"{_API}/files": {"files": files},
        f"{_API}/changes": {"changes": [], "newStartPageToken": "1"},
    }
    with hostile_server() as running:
        running.answers |= {path: response(json.dumps(content).encode()) for path, content in answers.items()}
        running.answers |= dict.fromkeys(PLACES[4:6], response(b"# Pump\n\nIt lifts."))
        yield running


@pytest.fixture
def inside() -> Iterator[HostileServer]:
    """A server on loopback that nothing may reach."""
    with hostile_server() as running:
        yield running
        assert running.asked == []


def read(url: str, gate: UrlGuard, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What became of two syncs, the second of which knows the first: `read`, or the codes of their errors."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRIVE", json.dumps(REFRESH))
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRIVE_HOST", url.partition("://")[2])
    root = "https://drive.google.com/drive/folders/manuals-folder"
    fields = {"url": root, "credential": "drive", "endpoint": url}
    known: dict[str, FetchedDocument] = {}
    codes: list[str] = []
    for _ in range(2):
        try:
            items = list(open_connector("gdrive", fields, SourceContext(folder=folder, gate=gate, known=known)).fetch())
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
    server.answers[path] = ANSWERS[name]
    codes = read(server.url(""), _open_gate(seconds=_SECONDS), tmp_path, monkeypatch)
    assert set(codes) & {"FETCH_FAILED", "TOO_LARGE", "SOURCE_FAILED"}
    assert set(codes) <= {"FETCH_FAILED", "TOO_LARGE", "SOURCE_FAILED", "read"}
    assert codes.count("read") <= 2


@pytest.mark.parametrize("path", PLACES[:4])
@pytest.mark.parametrize("name", ODD)
def test_odd_content_is_an_error(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    """Of the wrong type, too deep, in no encoding."""
    server.answers[path] = response(ODD[name], Content_Type="text/html")
    assert "read" not in read(server.url(""), _open_gate(), tmp_path, monkeypatch) or name == "nan"


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
    """Neither to private addresses nor to files; a token does not go along to another host."""
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


def test_a_secret_is_not_sent_without_encryption(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a host that the operator has not named, neither the secret is sent nor a token (SRC-14)."""
    assert read(server.url(""), loopback_gate(), tmp_path, monkeypatch) == ["FETCH_REFUSED"]
    assert server.asked == []
