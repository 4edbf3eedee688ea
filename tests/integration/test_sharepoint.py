"""SharePoint (SRC-27): what is touched, how many requests it takes, and servers that misbehave."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.places import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from tests.graph_stub import CLIENT, DRIVE, LIBRARY, SECRET, SITE, TENANT, GraphStub
from tests.hostile_server import Names, loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.support import Headwater

Make = Callable[..., Headwater]
MANUALS = f"{LIBRARY}/Manuals"
_DELTA = f"GET /v1.0/drives/{DRIVE.replace('!', '!')}/root/delta"
_TOKEN = f"POST /{TENANT}/oauth2/v2.0/token"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphStub]:
    """A library with a thousand files in ten folders."""
    with serve_stub(GraphStub(1_000)) as running:
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
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: GraphStub, **fields: Any) -> dict[str, Any]:
    """The config of a source."""
    app = {"client_id": CLIENT, "credential": "mill", "login": stub.url, "endpoint": stub.url}
    return {"url": MANUALS, **app, **fields}


def fetch(
    stub: GraphStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **fields: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    gate = loopback_gate(Names({"files.site.test": ("127.0.0.1",)}), allow="127.0.0.1,files.site.test")
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=gate, wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("sharepoint", config(stub, **fields), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def names_of(items: Any) -> list[str]:
    """The paths of URIs below the folder, in order."""
    return sorted(uri.removeprefix(f"{MANUALS}/") for uri in items)


def test_requests_are_few(stub: GraphStub, tmp_path: Path) -> None:
    """Of 1,000 files: a quiet sync is one request and the token; only what changed is fetched (SRC-27)."""
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
    again = list(
        fetch(
            stub,
            tmp_path,
            {**as_known(items), **{i.uri: known[i.uri] for i in items if i.uri in known and i.uri not in fetched}},
        )
    )
    assert {type(item) for item in again} == {UnchangedDocument}
