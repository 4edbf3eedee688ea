"""Servers and names that attack who reads videos or a Cosense project (SEC-1).

Belongs here: the attacks of `fetching`, through yt-dlp and through the connector of Cosense. Not here: the HTTP client
itself (`test_fetching`). Guarantee: an attack ends as an error of its document or of its source, and nothing
private got a request.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import FetchRefusedError, SourceError
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.sources import source_context as contexts
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import HostileServer, Names, hostile_server, loopback_gate, redirect, response
from tests.probe.fetching import ANSWERS
from tests.probe.test_fetching import HOSTS, PRIVATE
from tests.video_site import player, vtt

_SECONDS = 0.5  # that one request may take
Read = Callable[..., list[str]]
ATTACKS = [
    "ten-gigabytes-of-zeros", "announced-terabyte", "endless-body", "endless-headers", "drip-of-the-body",
    "redirect-loop", "not-http", "brotli-unasked",
]  # fmt: skip
ODD = {
    "deep-json": b'{"events":' + b"[" * 200_000,
    "not-utf-8": b"\xff\xfe\xfa" * 50,
    "a-page": b"<html>Sign in</html>",
    "empty": b"",
    "a-number": b"3",
    "nan": b'{"count": NaN, "pages": [], "lines": [], "updated": Infinity}',
}


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "Politeness", partial(Politeness, sleep=lambda _: None))


@pytest.fixture
def server() -> Iterator[HostileServer]:
    """A site with a video and a project, all of it in order."""
    with hostile_server() as running:
        page = player("The mill", "/en.vtt en").encode()
        listed = {"count": 1, "pages": [{"id": "1", "title": "Pump", "updated": 1}]}
        running.answers |= {
            "/watch": response(page, Content_Type="text/html"),
            "/en.vtt": response(vtt((0, "The mill.")).encode(), Content_Type="text/vtt"),
            "/api/pages/mill": response(json.dumps(listed).encode()),
            "/api/pages/mill/Pump": response(b'{"lines": ["Pump", "It lifts."]}'),
        }
        yield running


@pytest.fixture
def inside() -> Iterator[HostileServer]:
    """A server on loopback that nothing may reach."""
    with hostile_server() as running:
        yield running
        assert running.asked == []


def read(kind: str, url: str, gate: UrlGuard) -> list[str]:
    """What became of a source: `read`, or the codes of its errors."""
    config = {"url": url} if kind == "video" else {"project": f"{url}mill"}
    context = SourceContext(folder=Path("own"), gate=gate)
    try:
        items = list(open_connector(kind, {**config, "delay": 0}, context).fetch())
        for item in items:
            if isinstance(item, FetchedDocument):
                item.parse()
    except SourceError as error:
        return [error.code]
    return [item.code if isinstance(item, DocumentProblem) else "read" for item in items]


def of(server: HostileServer, kind: str) -> str:
    """The address of the video or of the site with the project."""
    return server.url("/watch" if kind == "video" else "/")


PLACES = [
    ("video", "/watch"),
    ("video", "/en.vtt"),
    ("cosense", "/api/pages/mill"),
    ("cosense", "/api/pages/mill/Pump"),
]


def test_without_an_attack_both_are_read(server: HostileServer) -> None:
    """Else these tests would say nothing."""
    for kind in ("video", "cosense"):
        assert read(kind, of(server, kind), loopback_gate()) == ["read"]


@pytest.mark.parametrize(("kind", "path"), PLACES)
def test_a_server_exhausts_nobody(server: HostileServer, kind: str, path: str) -> None:
    """Bombs, bodies without end, drips, silence, redirects in a circle: each is an error, wherever it stands."""
    for name in ATTACKS:
        server.answers[path] = ANSWERS[name]
        server.answers["/redirect-loop"] = ANSWERS["redirect-loop"]
        codes = read(kind, of(server, kind), loopback_gate(seconds=_SECONDS))
        assert codes, name
        assert "read" not in codes, name
        assert set(codes) <= {"FETCH_FAILED", "TOO_LARGE", "DOCUMENT_FAILED", "SOURCE_FAILED"}, name


@pytest.mark.parametrize(("kind", "path"), PLACES)
def test_odd_content_is_an_error(server: HostileServer, kind: str, path: str) -> None:
    """Of the wrong type, too deep, in no encoding."""
    for name, content in ODD.items():
        if (name, path) == ("nan", "/api/pages/mill/Pump"):
            continue  # a page with no line, which is one
        server.answers[path] = response(content, Content_Type="text/html")
        codes = read(kind, of(server, kind), loopback_gate())
        assert "read" not in codes, name


@pytest.mark.parametrize("kind", ["video", "cosense"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_private_address_is_not_read(inside: HostileServer, kind: str, host: str) -> None:
    """However it is written: refused when it is registered, or when it is fetched."""
    gate = UrlGuard(resolver=Names({**PRIVATE, "localhost": ("127.0.0.1", "::1")}), time_limit=5.0)
    try:
        codes = read(kind, inside.url("/", host), gate)
    except Exception as error:  # noqa: BLE001 - the config is refused
        codes = [getattr(error, "code", repr(error))]
    assert codes in (["FETCH_REFUSED"], ["INVALID_CONFIGURATION"])


@pytest.mark.parametrize(("kind", "path"), PLACES)
def test_a_redirect_leads_to_no_private_address(
    inside: HostileServer, server: HostileServer, kind: str, path: str
) -> None:
    """The first server is allowed, what it redirects to is not; nor are files."""
    names = Names({**PRIVATE, "site.test": ("127.0.0.1",), "localhost": ("127.0.0.1", "::1")})
    gate = loopback_gate(names, allow=f"site.test:{server.port}")
    for target in (inside.url("/", "127.0.0.1"), inside.url("/", "loopback.test"), "file:///etc/passwd",
                   "http://169.254.169.254/", "ftp://example.org/a", "http://ida:tulip@example.org/"):  # fmt: skip
        server.answers[path] = redirect(target)
        assert read(kind, of(server, kind), gate) == ["FETCH_REFUSED"], target


@pytest.mark.parametrize("kind", ["video", "cosense"])
def test_a_name_that_changes_its_address_gains_nothing(server: HostileServer, kind: str) -> None:
    """The name is resolved once per connection, and the connection goes to the address that was checked."""
    names = Names({"site.test": [("127.0.0.1",), ("169.254.169.254",)]})
    close = {path: response(raw.partition(b"\r\n\r\n")[2], Connection="close") for path, raw in server.answers.items()
             if isinstance(raw, bytes)}  # fmt: skip
    server.answers |= close
    assert read(kind, of(server, kind), loopback_gate(names)) == ["FETCH_REFUSED"]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "data:text/vtt,WEBVTT",
        "http://ida:tulip@site.test/en.vtt",
        "http://127.0.0.1:{port}/en.vtt",
        "http://loopback.test:{port}/en.vtt",
        "http://[::ffff:127.0.0.1]:{port}/en.vtt",
        "ftp://127.0.0.1/en.vtt",
        "http://127.0.0.1:22/",
    ],
)
def test_a_page_sends_yt_dlp_nowhere(inside: HostileServer, server: HostileServer, target: str) -> None:
    """Neither for subtitles, nor for a player, a frame, a manifest or a redirect within the page."""
    target = target.format(port=inside.port)
    names = Names({**PRIVATE, "site.test": ("127.0.0.1",)})
    gate = loopback_gate(names, allow=f"site.test:{server.port}")
    for page in (
        player("The mill", f"{target} en"),
        f'<html><title>a</title><iframe src="{target}"></iframe><meta property="og:video" content="{target}"></html>',
        f'<html><title>a</title><meta http-equiv="refresh" content="0; url={target}"></html>',
        f'<html><title>a</title><video><source src="{target}.m3u8" type="application/x-mpegurl"></video></html>',
        f"<html><title>a</title><script>jwplayer('a').setup({{file: '{target}'}})</script></html>",
    ):
        server.answers["/watch"] = response(page.encode(), Content_Type="text/html")
        codes = read("video", server.url("/watch"), gate)
        assert "read" not in codes, page
        assert codes, page


def test_headers_and_names_inject_nothing(server: HostileServer) -> None:
    """A title with line breaks or dots stays one part of a path; a header with them is not sent."""
    titles = ["a\r\nX-Evil: 1", "../../etc", "..", "a/../../b", "?x=1#y", "a\0b", "\ud800", "%2e%2e", "a\\b"]
    listed = {"count": len(titles), "pages": [{"id": t, "title": t, "updated": 1} for t in titles]}
    server.answers["/api/pages/mill"] = response(json.dumps(listed).encode())
    read("cosense", server.url("/"), loopback_gate())
    paths = [asked.path for asked in server.asked[1:]]
    assert len(paths) == len(titles)
    assert all(path.startswith("/api/pages/mill/") and path.count("/") == 4 for path in paths)
    assert not any("x-evil" in asked.headers for asked in server.asked)
    server.answers["/watch"] = response(player("A", "/en.vtt?a%0d%0aX-Evil:%201 en", "/en.vtt en").encode(),
                                        Content_Type="text/html")  # fmt: skip
    read("video", server.url("/watch"), loopback_gate())
    assert not any("x-evil" in asked.headers for asked in server.asked)


def test_a_header_of_yt_dlp_with_a_line_break_is_not_sent(server: HostileServer) -> None:
    """What an extractor puts there may come from a page."""
    from headwater.fetching.http_client import HttpClient
    from headwater.fetching.ytdlp import Library

    gate = loopback_gate()
    with HttpClient(gate, politeness=Politeness(sleep=lambda _: None)) as client:
        library = Library(gate, client)
        headers: dict[str, Any] = {"X-A": "b\r\nX-Evil: 1", "Host": "evil.test", "Content-Length": "9"}
        with pytest.raises(SourceError):
            library.download(server.url("/en.vtt"), headers, "")
        del headers["X-A"]
        assert library.download(server.url("/en.vtt"), headers, "").status == 200
    assert [asked.headers["host"] for asked in server.asked] == [f"site.test:{server.port}"]


def test_media_are_not_downloaded(server: HostileServer) -> None:
    """A direct link to a film is closed after its head, however large the film is."""
    server.answers["/watch"] = lambda _: [
        b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999999\r\n\r\n", b"a" * 1000
    ]  # fmt: skip
    assert read("video", server.url("/watch"), loopback_gate()) == ["DOCUMENT_FAILED"]


def test_yt_dlp_opens_no_other_address(inside: HostileServer, server: HostileServer) -> None:
    """Whatever form a request of an extractor has."""
    import urllib.request

    from yt_dlp.networking import Request
    from yt_dlp.utils import YoutubeDLError

    from headwater.fetching.http_client import HttpClient
    from headwater.fetching.ytdlp import Library

    gate = loopback_gate(allow=f"127.0.0.1:{server.port}")
    private = inside.url("/", "127.0.0.1")
    with HttpClient(gate, politeness=Politeness(sleep=lambda _: None)) as client:
        library = Library(gate, client)
        for request in (
            private,
            Request(private, data=b"a", method="POST"),
            Request("file:///etc/passwd"),
            Request("data:text/plain,a"),
            Request("ws://127.0.0.1/"),
            Request(private, proxies={"http": private}),
            urllib.request.Request(private),
            server.url("/", "ida:tulip@127.0.0.1"),
        ):
            with pytest.raises((YoutubeDLError, FetchRefusedError)):
                library.urlopen(request)
    assert server.asked == []
