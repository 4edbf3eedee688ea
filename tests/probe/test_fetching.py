"""Addresses that a source must not reach, and servers that want to exhaust who fetches from them (SEC-1).

Belongs here: attacks through the HTTP client, through git and through XML. Not here: what they say (`fetching`), honest
servers (`tests/integration/test_http_client.py`). Guarantee: an attack is stopped when it is refused with the code that
is expected, within five seconds and 300 MB, and nothing private got a request.
"""

import importlib
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from headwater.errors import FetchRefusedError, HeadwaterError, SourceError
from headwater.fetching.http_client import HttpClient
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.settings import REPOSITORY
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.git_server import git_server, make_certificate
from tests.hostile_server import HostileServer, Names, for_ever, hostile_server, loopback_gate, redirect, response
from tests.probe.fetching import ANSWERS, CONTENTS
from tests.unit.test_sources_git import Repository

_SECONDS = 5.0
_ENOUGH = 60.0  # seconds for all, on a machine that is busy
_MEGABYTES = 300.0

PRIVATE = {
    "loopback.test": ("127.0.0.1",),
    "loopback6.test": ("::1",),
    "mapped.test": ("::ffff:127.0.0.1",),
    "nat64.test": ("64:ff9b::7f00:1",),
    "metadata.test": ("169.254.169.254",),
    "private.test": ("10.0.0.1",),
    "zero.test": ("0.0.0.0",),
    "mixed.test": ("93.184.216.34", "10.0.0.1"),
}
HOSTS = [
    *PRIVATE, "127.0.0.1", "127.0.0.2", "localhost", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[fe80::1]", "169.254.169.254", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1", "0.0.0.0", "0x7f.1",
    "0x7f000001", "2130706433", "0177.0.0.1", "127.1", "0", "127.0.0.1.", "localhost.", "①②⑦.0.0.1", "127。0。0。1",
    "ida:tulip@127.0.0.1", "example.org@127.0.0.1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fd00:ec2::254]",
]  # fmt: skip


@pytest.fixture
def inside() -> Iterator[HostileServer]:
    """A server on loopback that nothing may reach."""
    with hostile_server() as server:
        yield server
        assert server.asked == []


@pytest.fixture
def gate() -> UrlGuard:
    """A gate as operators have it, with names that an attacker owns."""
    return UrlGuard(resolver=Names({**PRIVATE, "localhost": ("127.0.0.1", "::1")}), time_limit=_SECONDS)


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < _ENOUGH


# Addresses


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_private_address_is_not_fetched(inside: HostileServer, gate: UrlGuard, host: str, scheme: str) -> None:
    """However it is written, and whatever name leads there."""
    with HttpClient(gate) as client, pytest.raises(FetchRefusedError) as caught:
        client.get(inside.url("/", host, scheme))
    assert (caught.value.code, "tulip" in str(caught.value)) == ("FETCH_REFUSED", False)


@pytest.mark.parametrize("status", [301, 307])
@pytest.mark.parametrize("target", [*(f"http://{host}" for host in HOSTS), "file:///etc/passwd", "ftp://example.org/a",
                                    "gopher://127.0.0.1:6379/_x", "http://127.0.0.1:22/", "//169.254.169.254/a",
                                    "http://example.org\r\n.evil.test/"])  # fmt: skip
def test_a_redirect_leads_to_no_private_address(inside: HostileServer, target: str, status: int) -> None:
    """The first server is allowed, what it redirects to is not."""
    names = Names({**PRIVATE, "site.test": ("127.0.0.1",), "localhost": ("127.0.0.1", "::1")})
    with hostile_server() as server:
        gate = loopback_gate(names, allow=f"site.test:{server.port}")
        server.answers["/a"] = redirect(target.replace("\r\n", "%0d%0a"), status)
        with HttpClient(gate) as client, pytest.raises(FetchRefusedError):
            client.get(server.url("/a"))
        assert server.paths() == ["/a"]


@pytest.mark.parametrize("later", ["127.0.0.2", "169.254.169.254", "::1", "::ffff:127.0.0.1", "10.0.0.1"])
def test_a_name_that_changes_its_address_gains_nothing(later: str) -> None:
    """The name is resolved once per connection, and the connection goes to the address that was checked."""
    names = Names({"site.test": [("127.0.0.1",), (later,)]})
    with hostile_server() as server, HttpClient(loopback_gate(names)) as client:
        server.answers["/a"] = response(b"first")
        assert client.get(server.url("/a")).content == b"first"
        assert names.asked == ["site.test"]
        client.close()
        with pytest.raises(FetchRefusedError):
            client.get(server.url("/a"))
        assert server.paths() == ["/a"]


@pytest.mark.parametrize(
    "url",
    [
        "http://site.test/a\r\nX-Evil: 1",
        "http://site.test/a HTTP/1.1\r\n\r\nGET /b",
        "http://site.test\r\nX-Evil: 1/",
        "http://site.test/a?b\nc",
        "http://site.test/\0",
    ],
)
def test_a_line_break_in_an_address_smuggles_nothing(url: str) -> None:
    """Neither a header nor a second request."""
    with hostile_server() as server, HttpClient(loopback_gate()) as client:
        with pytest.raises(FetchRefusedError, match="control character"):
            client.get(url.replace("site.test", f"site.test:{server.port}"))
        assert server.asked == []


def test_encoded_line_breaks_and_spaces_stay_encoded() -> None:
    """Those that a server's own links contain."""
    with hostile_server() as server, HttpClient(loopback_gate()) as client:
        client.get(server.url("/a%0d%0aX-Evil:%201 b"))
        (asked,) = server.asked
    assert asked.path == "/a%0d%0aX-Evil:%201%20b"
    assert "x-evil" not in asked.headers


def test_a_long_international_name_takes_no_time(gate: UrlGuard) -> None:
    """Encoding such names was quadratic in some releases."""
    for host in ("ü" * 7000, "ü." * 3500, "\u0660" * 7000, "א" * 7000, "a\u200d" * 3500):
        with pytest.raises(FetchRefusedError):
            gate.check_url(f"http://{host}/")


# git


@pytest.mark.parametrize("host", HOSTS)
def test_git_does_not_fetch_from_a_private_address(
    inside: HostileServer, gate: UrlGuard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """By the same rules, before git is started."""
    importlib.import_module("git")  # which starts git once
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("git was started"))
    with pytest.raises(HeadwaterError) as caught:
        read(f"https://{host}:{inside.port}/docs", tmp_path, gate)
    is_config = "@" in host  # refused when the source is registered
    assert caught.value.code == ("INVALID_CONFIGURATION" if is_config else "FETCH_REFUSED")
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% hacked",
        "file:///etc/passwd",
        "fd::17",
        "ssh://127.0.0.1/a",
        "git://127.0.0.1/a",
        "http://127.0.0.1/a",
        "https::sh",
        "-oProxyCommand=x",
    ],
)
def test_git_speaks_no_other_protocol(gate: UrlGuard, tmp_path: Path, address: str) -> None:
    """Only https, and folders that are repositories."""
    with pytest.raises(HeadwaterError) as caught:
        read(address, tmp_path, gate)
    assert caught.value.code in ("INVALID_CONFIGURATION", "SOURCE_FAILED")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")
@pytest.mark.parametrize("later", ["169.254.169.254", "::1", "127.0.0.2"])
def test_git_connects_to_the_address_that_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    """A name that only we can resolve is reached, no proxy is used, and it is refused once it has changed."""
    certificate = make_certificate(tmp_path, "DNS:site.test")
    monkeypatch.setenv("GIT_SSL_CAINFO", str(certificate))
    for variable in ("https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    Repository(tmp_path / "host" / "docs").commit({"a.md": "# A"})
    names = Names({"site.test": [("127.0.0.1",), (later,)]})
    with git_server(tmp_path / "host", certificate) as server:
        url = server.url.replace("127.0.0.1", "site.test")
        assert read(f"{url}/docs", tmp_path, loopback_gate(names)) == ["a.md"]
        asked = len(server.authorizations)
        with pytest.raises(FetchRefusedError):
            read(f"{url}/docs", tmp_path, loopback_gate(names))
        assert len(server.authorizations) == asked


def read(address: str, folder: Path, gate: UrlGuard) -> list[str]:
    """The URIs of the documents in a repository."""
    context = SourceContext(folder=folder / "own", gate=gate)
    items = open_connector("markdown_tree", {"git": address}, context).fetch()
    return [item.uri for item in items if isinstance(item, FetchedDocument)]


# Hostile answers

_CODES = {
    "TOO_LARGE": {
        "ten-gigabytes-of-zeros", "empty-gzip-members", "announced-terabyte", "endless-body",
        "endless-interim-responses", "endless-early-hints", "millions-of-elements", "millions-of-attributes",
        "gzip-file-of-zeros",
    },
    "DOCUMENT_FAILED": {
        "billion-laughs", "billion-laughs-utf-16", "quadratic-entities", "external-entity", "parameter-entity",
        "deep-xml",
    },
    "FETCH_REFUSED": {"growing-redirects"},
}  # fmt: skip


@pytest.fixture(scope="module")
def findings() -> dict[str, dict[str, Any]]:
    """What became of every attack, in a process that did nothing else."""
    with hostile_server() as server:
        server.answers = {f"/{name}": answer for name, answer in ANSWERS.items()}
        command = [sys.executable, "-m", "tests.probe.fetching", str(server.port)]
        try:
            done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, timeout=150, check=True).stdout
        except subprocess.TimeoutExpired as late:  # the attacks that did not end have no line
            done = late.stdout or b""
    lines = [json.loads(line) for line in done.splitlines()]
    return {line["name"]: line for line in lines}


@pytest.mark.parametrize("name", [*ANSWERS, *CONTENTS])
def test_a_hostile_answer_is_refused(findings: dict[str, dict[str, Any]], name: str) -> None:
    """With its code, in time, and in little memory."""
    assert name in findings, "it did not end"
    found = findings[name]
    expected = next((code for code, names in _CODES.items() if name in names), "FETCH_FAILED")
    assert found["code"] == expected
    assert found["seconds"] < _SECONDS
    assert found["waited"] < _ENOUGH
    assert found["megabytes"] < _MEGABYTES


# Interruption


class _Stop(BaseException):
    """What interrupts a source's work (headwater/syncing/interruption.py)."""


def _stop(_: int, __: FrameType | None) -> None:
    raise _Stop


@pytest.mark.parametrize("where", ["resolving", "the head", "the body", "the delay", "the pause"])
def test_whoever_waits_can_be_interrupted(where: str) -> None:
    """A sync that is cancelled does not wait for a server, for DNS, or for its own politeness."""
    main, ended = threading.main_thread().ident or 0, threading.Event()
    reached, previous = threading.Event(), signal.signal(signal.SIGUSR1, _stop)

    def resolve(_: str) -> list[str]:
        reached.set()
        if where == "resolving":
            ended.wait(_ENOUGH)
        return ["127.0.0.1"]

    def interrupt() -> None:
        if reached.wait(_ENOUGH) and not ended.wait(0.2):
            signal.pthread_kill(main, signal.SIGUSR1)

    threading.Thread(target=interrupt, daemon=True).start()
    gate = replace(loopback_gate(seconds=60.0), resolver=resolve)
    delay = 60.0 if where == "the delay" else 0.0
    try:
        with hostile_server() as server, HttpClient(gate, politeness=Politeness(delay=delay)) as client:
            server.answers |= {
                "/the head": for_ever(b"", pause=0.1),
                "/the body": for_ever(b"a", b"HTTP/1.1 200 OK\r\n\r\n", pause=0.1),
                "/the pause": response(status="503 Busy", Retry_After="30"),
            }
            server.answers = {path.replace(" ", "%20"): answer for path, answer in server.answers.items()}
            with pytest.raises(_Stop):
                _ = [client.get(server.url(f"/{where}")) for _ in range(2)]
            assert client._opened is None or where in ("the delay", "the pause")
    finally:
        ended.set()
        signal.signal(signal.SIGUSR1, previous)


def test_a_refusal_is_an_error_of_the_source() -> None:
    """So connectors that know nothing of gates treat it as one."""
    assert issubclass(FetchRefusedError, SourceError)
