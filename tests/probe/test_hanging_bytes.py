"""Bytes that make whoever reads them search for ever (SEC-1).

Belongs here: such bytes by format, read as a sync reads them. Not here: memory and archives (`tests/unit`), patterns in
the run's own process (`test_watchdog`). Guarantee: what is read ends soon after its limit, as an error or a document.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import SourceError
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import HostileServer, hostile_server, loopback_gate, response

_LIMIT = "1"  # seconds of a process
_ENOUGH = 60.0  # seconds for all, on a machine that is busy
_BYTES: dict[str, Callable[[], bytes]] = {
    "video-tags": lambda: b"<video " * 430_000,
    "open-tags": lambda: b"<" * 3_000_000,
    "open-attributes": lambda: b"<a " + b"b " * 1_000_000,
    "divs": lambda: b"<div>" * 400_000,
    "comments": lambda: b"<!--" * 750_000,
    "scripts": lambda: b"<script>" * 375_000,
    "ld+json": lambda: b'<script type="application/ld+json">' + b'{"a":' * 200_000,
    "spaces": lambda: b"<title>" + b" \t" * 1_500_000,
}
_MARKDOWN: dict[str, Callable[[], bytes]] = {
    "brackets": lambda: b"[" * 1_000_000,
    "backticks": lambda: b"` `` " * 200_000,
    "quotes": lambda: b"> " * 500_000,
    "stars": lambda: b"*a **b " * 150_000,
    "braces": lambda: b"{{" * 500_000,
    "pipes": lambda: b"|" * 1_000_000,
    "dashes": lambda: b"--- " * 250_000,
    "blank-lines": lambda: b"\n \n" * 300_000,
}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", _LIMIT)
    began = time.monotonic()
    yield
    assert time.monotonic() - began < _ENOUGH


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with hostile_server() as running:
        yield running


def outcome(kind: str, config: dict[str, object]) -> list[str]:
    """What became of each document."""
    found = []
    try:
        for item in open_connector(kind, config, SourceContext(folder=Path("own"), gate=loopback_gate())).fetch():
            if isinstance(item, FetchedDocument):
                item.parse()
            found.append(item.code if isinstance(item, DocumentProblem) else "read")
    except SourceError as error:
        found.append(error.code)
    return found


@pytest.mark.parametrize("kind", ["video", "website"])
@pytest.mark.parametrize("name", _BYTES)
def test_a_page_does_not_hang(server: HostileServer, name: str, kind: str) -> None:
    """Whoever searches it, with whatever pattern."""
    server.answers["/page"] = response(b"<html>" + _BYTES[name](), Content_Type="text/html")
    config: dict[str, object] = {"url": server.url("/page"), "delay": 0}
    assert outcome(kind, config | ({"mode": "page"} if kind == "website" else {}))


@pytest.mark.parametrize("name", [*(f"{name}.html" for name in _BYTES), *(f"{name}.md" for name in _MARKDOWN)])
def test_a_file_does_not_hang(tmp_path: Path, name: str) -> None:
    """A saved page, or text that patterns read."""
    stem, _, ending = name.rpartition(".")
    (tmp_path / name).write_bytes((_BYTES if ending == "html" else _MARKDOWN)[stem]())
    assert outcome("folder", {"path": str(tmp_path)})
