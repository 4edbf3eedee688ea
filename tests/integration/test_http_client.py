"""The HTTP client of sources, against real servers on loopback.

Belongs here: answers, redirects, conditional requests, retries, politeness, credentials, the proxy. Not here: which
addresses are allowed (`tests/unit/test_fetching_gate.py`), attacks (`tests/probe/test_fetching.py`). Guarantee: no test
waits; the clock is the test's own.
"""

import base64
import gzip
import json
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest

from headwater import __version__
from headwater.errors import FetchError, FetchRefusedError, SourceError, TooLargeError
from headwater.fetching import transport
from headwater.fetching.credentials import find_host_credential
from headwater.fetching.http_client import HttpClient
from headwater.fetching.patience import Patience
from headwater.fetching.politeness import BUSY_OR_FAILING, Politeness
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.source_context import SourceContext
from tests.git_server import make_certificate
from tests.hostile_server import Asked, HostileServer, Names, hostile_server, loopback_gate, redirect, response

NEEDS_OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")


class Clock:
    """A clock that moves only while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.waits.append(round(seconds, 3))
        self.now += seconds

    def politeness(self, delay: float = 0.0) -> Politeness:
        """Politeness by this clock."""
        return Politeness(delay=delay, sleep=self.sleep, clock=lambda: self.now)


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with hostile_server() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(clock: Clock) -> Iterator[HttpClient]:
    with HttpClient(loopback_gate(), politeness=clock.politeness()) as opened:
        yield opened


# Answers


def test_waiting_between_requests_is_no_time_of_a_request(
    server: HostileServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site that is asked once a minute, as its robots.txt may demand, can be read within a shorter time limit."""
    monkeypatch.setattr(transport, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + clock.now))
    with HttpClient(loopback_gate(seconds=10), politeness=clock.politeness(60)) as client:
        assert [client.get(server.url(path)).status for path in ("/a", "/b")] == [404, 404]


def test_a_page_is_fetched(server: HostileServer, client: HttpClient) -> None:
    """With its type as the server says it, headers in lower case, and a validator for the next time (SRC-1)."""
    server.answers["/a"] = response(b"<p>", Content_Type="text/html; charset=Shift_JIS", ETag='W/"1"', X_Two="b")
    found = client.get(server.url("/a#part"))
    assert (found.url, found.status, found.content) == (server.url("/a"), 200, b"<p>")
    assert found.media_type == "text/html; charset=Shift_JIS"
    assert found.headers["x-two"] == "b"
    assert found.validator


def test_a_request_says_who_asks(server: HostileServer, client: HttpClient) -> None:
    """The name that robots.txt can address, the host by its name, no cookie, no referrer."""
    client.get(server.url("/"))
    (asked,) = server.asked
    assert asked.headers.pop("host") == f"site.test:{server.port}"
    assert asked.headers == {
        "user-agent": f"Headwater/{__version__}",
        "accept": "*/*",
        "accept-encoding": "gzip, deflate",
    }


@pytest.mark.parametrize("status", ["400 Bad", "403 No", "404 Not Found", "410 Gone", "500 Oops", "599 What"])
def test_an_error_status_is_an_answer(server: HostileServer, client: HttpClient, status: str) -> None:
    """Only the caller knows whether a page has gone or its server is ill."""
    server.answers["/a"] = response(b"why" * 100_000, status=status)
    found = client.get(server.url("/a"), limit=10_000)
    assert found.status == int(status[:3])
    assert found.content.startswith(b"whywhy")
    assert len(found.content) <= 10_000


BODIES: dict[str, Callable[[bytes], bytes]] = {
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "GZIP": lambda body: gzip.compress(body[:5]) + gzip.compress(body[5:]) + b"\0\0",
    "Deflate": lambda body: zlib.compress(body)[2:-4],
}


@pytest.mark.parametrize("encoding", BODIES)
def test_compressed_content_is_expanded(server: HostileServer, client: HttpClient, encoding: str) -> None:
    """Also several gzip streams in a row, with padding, and deflate without its header."""
    body = b"The pump lifts water. " * 1000
    server.answers["/a"] = response(BODIES[encoding](body), Content_Encoding=encoding)
    assert client.get(server.url("/a")).content == body


def test_content_that_fits_exactly_is_read(server: HostileServer, client: HttpClient) -> None:
    """The limit counts decompressed bytes; one more is too many, whether the length is announced or not."""
    for body in (b"a" * 100, b"a" * 101):
        server.answers["/plain"] = response(body)
        server.answers["/packed"] = response(gzip.compress(body), Content_Encoding="gzip")
        server.answers["/open"] = lambda _, body=body: [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", body]  # type: ignore[misc]
        for path in ("/plain", "/packed", "/open"):
            if len(body) == 100:
                assert client.get(server.url(path), limit=100).content == body
            else:
                with pytest.raises(TooLargeError, match="larger than 100 bytes"):
                    client.get(server.url(path), limit=100)


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_content_has_none(server: HostileServer, client: HttpClient, status: int) -> None:
    """Whatever the server says about its length."""
    server.answers["/a"] = f"HTTP/1.1 {status} X\r\nContent-Encoding: gzip\r\n\r\n".encode()
    assert client.get(server.url("/a")).content == b""


# Conditional requests


def test_an_unchanged_page_costs_one_small_answer(server: HostileServer, client: HttpClient) -> None:
    """The validator holds both the ETag and the date, and goes on to the next time (SRC-1)."""
    changed = formatdate(0, usegmt=True)

    def answer(asked: Asked) -> list[bytes]:
        is_same = asked.headers.get("if-none-match") == '"1"' and asked.headers.get("if-modified-since") == changed
        head = f'ETag: "1"\r\nLast-Modified: {changed}\r\n'
        return [f"HTTP/1.1 {'304 Same' if is_same else '200 OK'}\r\n{head}Connection: close\r\n\r\n".encode(), b"body"]

    server.answers["/a"] = answer
    first = client.get(server.url("/a"))
    again = client.get(server.url("/a"), validator=first.validator)
    assert (first.status, first.content) == (200, b"body")
    assert (again.status, again.content, again.validator) == (304, b"", first.validator)


def test_a_validator_that_is_not_repeated_still_holds(server: HostileServer, client: HttpClient) -> None:
    """A server may answer 304 without headers."""
    server.answers["/a"] = b"HTTP/1.1 304 Same\r\n\r\n"
    assert client.get(server.url("/a"), validator='["\\"1\\"", ""]').validator == '["\\"1\\"", ""]'


@pytest.mark.parametrize("validator", ["x", "{}", "[]", "[1, 2]", '["a\\r\\nX: y", ""]', '["ü", ""]', '"ab"', "null"])
def test_a_damaged_validator_is_ignored(server: HostileServer, client: HttpClient, validator: str) -> None:
    """Then the page is fetched; no header can be smuggled in through the database."""
    server.answers["/a"] = response(b"a")
    assert client.get(server.url("/a"), validator=validator).status == 200
    assert "x" not in server.asked[0].headers
    assert not {"if-none-match", "if-modified-since"} & set(server.asked[0].headers) or validator == '"ab"'


def test_an_etag_that_cannot_be_sent_is_no_validator(server: HostileServer, client: HttpClient) -> None:
    """Nor one of unreasonable length."""
    for etag in ('"ü"', f'"{"a" * 600}"'):
        server.answers["/a"] = response(b"a", ETag=etag)
        assert client.get(server.url("/a")).validator == ""


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server: HostileServer, client: HttpClient, status: int) -> None:
    """Also a relative one with characters that must be encoded; `url` is the last address."""
    server.answers["/a"] = redirect("../b c?d=e f#g", status)
    server.answers["/b%20c"] = response(b"there")
    found = client.get(server.url("/a"))
    assert (found.url, found.content) == (server.url("/b%20c?d=e%20f"), b"there")


def test_a_redirect_without_an_address_is_an_answer(server: HostileServer, client: HttpClient) -> None:
    """There is nowhere to go."""
    server.answers["/a"] = response(b"", status="302 Where")
    assert client.get(server.url("/a")).status == 302


def test_ten_redirects_are_followed_and_no_more(server: HostileServer, client: HttpClient) -> None:
    """A loop ends, and the message says what to do."""
    for number in range(10):
        server.answers[f"/{number}"] = redirect(f"/{number + 1}")
    server.answers["/10"] = response(b"there")
    assert client.get(server.url("/0")).content == b"there"
    server.answers["/10"] = redirect("/0")
    with pytest.raises(FetchError, match="redirected more than 10 times") as caught:
        client.get(server.url("/0"))
    assert caught.value.code == "FETCH_FAILED"


# Retries and politeness


def test_a_busy_server_is_asked_again(server: HostileServer, client: HttpClient, clock: Clock) -> None:
    """After the time that it asks for, given as seconds or as a date; then its answer counts."""
    answers = [
        response(status="503 Busy", Retry_After="7"),
        response(status="429 Slow down", Retry_After=formatdate(0, usegmt=True)),
        response(b"there"),
    ]
    server.answers["/a"] = lambda _: [answers.pop(0)]
    assert client.get(server.url("/a")).content == b"there"
    assert clock.waits == [7.0, 2.0]


def test_a_service_that_fails_is_asked_again(server: HostileServer) -> None:
    """Three times, after waits of the sync that grow; never longer than it waits, and not for each address anew."""
    waits: list[tuple[float, str]] = []
    patience = Patience(pause=lambda seconds, reason: waits.append((seconds, reason)), left=100)
    server.answers |= {"/a": response(status="502 Bad"), "/b": response(status="503 Busy", Retry_After="3")}
    with HttpClient(loopback_gate(), politeness=Politeness(busy=BUSY_OR_FAILING, patience=patience)) as client:
        assert client.get(server.url("/a")).status == 502
        assert [seconds for seconds, _ in waits] == [1.0, 4.0, 16.0]
        assert "could not answer, and is asked again then" in waits[0][1]
        assert len(server.paths()) == 4
        patience.left = 4.5
        assert client.get(server.url("/a")).status == 502
        assert [seconds for seconds, _ in waits] == [1.0, 4.0, 16.0, 1.0]
        patience.left = 1e9
        for _ in range(9):
            assert client.get(server.url("/a")).status == 502
        assert len(waits) == 20
    with HttpClient(loopback_gate(), politeness=Politeness(patience=patience)) as client:
        assert client.get(server.url("/a")).status == 502
    assert len(waits) == 20, "a page of a website may fail for ever"


@pytest.mark.parametrize("retry_after", ["soon", "-1", "", "1e9", "Mon, 99 Foo"])
def test_a_busy_server_is_given_up_after_three_tries(
    server: HostileServer, client: HttpClient, clock: Clock, retry_after: str
) -> None:
    """The last answer is returned; a time that cannot be read counts as none."""
    server.answers["/a"] = response(status="503 Busy", Retry_After=retry_after)
    assert client.get(server.url("/a")).status == 503
    assert (len(server.asked), clock.waits) == (3, [0.5, 2.0])


@pytest.mark.parametrize("retry_after", ["61", "9" * 400, formatdate(4e9, usegmt=True)])
def test_nobody_waits_for_long(server: HostileServer, client: HttpClient, clock: Clock, retry_after: str) -> None:
    """A server that asks for more than a minute is left alone."""
    server.answers["/a"] = response(status="503 Busy", Retry_After=retry_after)
    assert client.get(server.url("/a")).status == 503
    assert (len(server.asked), clock.waits) == (1, [])


def test_a_connection_that_breaks_is_tried_again(server: HostileServer, client: HttpClient, clock: Clock) -> None:
    """A server that restarts costs no document."""
    answers = [[], [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"], [response(b"whole")]]
    server.answers["/a"] = lambda _: answers.pop(0)
    assert client.get(server.url("/a")).content == b"whole"
    assert clock.waits == [0.5, 2.0]


def test_a_server_that_is_not_there_fails(clock: Clock) -> None:
    """After three tries, with the address and the reason; the next address of a name is tried at once."""
    with hostile_server() as gone:
        url = gone.url("/a")
    with HttpClient(loopback_gate(), politeness=clock.politeness()) as client, pytest.raises(FetchError) as caught:
        client.get(url)
    assert "could not be fetched: Connection refused. Check the address" in str(caught.value)
    assert (caught.value.code, clock.waits) == ("FETCH_FAILED", [0.5, 2.0])


def test_the_next_address_of_a_name_is_tried(server: HostileServer) -> None:
    """As clients do when a site has IPv6 and the network has not."""
    gate = loopback_gate(Names({"site.test": ("127.9.9.9", "127.0.0.1")}), allow="127.0.0.0/8")
    server.answers["/"] = response(b"there")
    with HttpClient(gate) as client:
        assert client.get(server.url("/")).content == b"there"


def test_requests_to_one_host_keep_their_distance(server: HostileServer, clock: Clock) -> None:
    """Redirects too; another host need not wait (SRC-1)."""
    gate = loopback_gate(Names({"site.test": ("127.0.0.1",), "other.test": ("127.0.0.1",)}))
    server.answers |= {"/a": redirect("/b"), "/b": response(b"b")}
    with HttpClient(gate, politeness=clock.politeness(1.5)) as client:
        client.get(server.url("/a"))
        client.get(server.url("/b", host="other.test"))
        clock.now += 1
        client.get(server.url("/b"))
    assert clock.waits == [1.5, 0.5]


def test_a_connection_is_used_again(server: HostileServer) -> None:
    """So that a site of a thousand pages takes one handshake; its name is resolved once."""
    names = Names({"site.test": ("127.0.0.1",)})
    server.answers["/"] = response(b"a")
    with HttpClient(loopback_gate(names)) as client:
        for _ in range(3):
            client.get(server.url("/"))
    assert names.asked == ["site.test"]


# Cookies and credentials


def test_cookies_are_not_kept(server: HostileServer, client: HttpClient) -> None:
    """A page does not depend on what was fetched before."""
    server.answers["/a"] = response(b"", Set_Cookie="a=b; Path=/")
    client.get(server.url("/a"))
    client.get(server.url("/a"))
    assert "cookie" not in server.asked[1].headers


TOKEN = "tulip-token"
BASIC = base64.b64encode(b"ida:tulip:42").decode()
FORMS = [
    ("Cookie: connect.sid=s%3Atulip; a=b", "cookie", "connect.sid=s%3Atulip; a=b"),
    ("Bearer tulip-token", "authorization", "Bearer tulip-token"),
    ("tulip-token", "authorization", "Bearer tulip-token"),
    ("ida:tulip:42", "authorization", f"Basic {BASIC}"),
]


def wiki(monkeypatch: pytest.MonkeyPatch, host: str, secret: str = TOKEN) -> None:
    """Set a credential for a host."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", secret)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI_HOST", host)


@pytest.mark.parametrize(("secret", "header", "sent"), FORMS)
def test_a_credential_goes_to_its_host(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secret: str, header: str, sent: str
) -> None:
    """As a cookie, a bearer token or basic authentication (SRC-14); over http to a host that the operator lists."""
    wiki(monkeypatch, f"Site.test:{server.port}", secret)
    context = SourceContext(folder=tmp_path, gate=loopback_gate(allow="site.test"))
    with context.http(credential="wiki") as client:
        client.get(server.url("/a"))
        assert server.asked[0].headers[header] == sent
        shown = repr(find_host_credential("wiki")) + repr(client)
        assert "tulip" not in shown
        assert BASIC not in shown


@pytest.mark.parametrize("host", ["other.test:{}", "site.test", "site.test:1{}", "test:{}", "a.site.test:{}"])
def test_a_credential_goes_to_no_other_host(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str
) -> None:
    """Neither to one that is named like it, nor to another port (SEC-1)."""
    wiki(monkeypatch, host.format(server.port))
    with SourceContext(folder=tmp_path, gate=loopback_gate(allow="site.test")).http(credential="wiki") as client:
        client.get(server.url("/a"))
    assert "authorization" not in server.asked[0].headers


def test_a_redirect_loses_the_credential(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another host does not get it, and cannot send the client back with it (SEC-1)."""
    wiki(monkeypatch, f"site.test:{server.port}")
    server.answers |= {
        "/a": redirect("/b"),
        "/b": redirect(server.url("/c", host="other.test")),
        "/c": redirect(server.url("/d")),
        "/d": response(b"there"),
    }
    gate = loopback_gate(Names({"site.test": ("127.0.0.1",), "other.test": ("127.0.0.1",)}), allow="*.test")
    with HttpClient(gate, credential=find_host_credential("wiki")) as client:
        assert client.get(server.url("/a")).content == b"there"
    assert [(one.path, "authorization" in one.headers) for one in server.asked] == [
        ("/a", True), ("/b", True), ("/c", False), ("/d", False),
    ]  # fmt: skip


def test_a_credential_is_not_sent_without_encryption(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Except to a host that the operator lists; the message names the credential and not the secret (SRC-14)."""
    wiki(monkeypatch, f"site.test:{server.port}")
    gate = loopback_gate(allow="127.0.0.1")
    refused = pytest.raises(FetchRefusedError, match="credential wiki would be sent without encryption")
    with HttpClient(gate, credential=find_host_credential("wiki")) as client, refused as caught:
        client.get(server.url("/a"))
    assert "tulip" not in str(caught.value)
    assert server.asked == []


@pytest.mark.parametrize("secret", ["Cookie: a=ü", "Bearer ü"])
def test_a_credential_that_cannot_be_sent_says_so(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    """Before anything is fetched, with the variable."""
    wiki(monkeypatch, "site.test", secret)
    with pytest.raises(SourceError, match="HEADWATER_CREDENTIAL_WIKI holds a character"):
        find_host_credential("wiki")


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for site.test."""
    return make_certificate(tmp_path_factory.mktemp("certificate"), "DNS:site.test")


@pytest.fixture
def trusting(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """TLS trusts the certificate, as an operator makes it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    transport.tls_context.cache_clear()
    yield
    transport.tls_context.cache_clear()


@NEEDS_OPENSSL
@pytest.mark.usefixtures("trusting")
def test_tls_checks_the_name_though_the_address_is_given(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """The connection goes to the checked address; the certificate must be the name's (SEC-1)."""
    names = Names({"site.test": ("127.0.0.1",), "other.test": ("127.0.0.1",)})
    with hostile_server(certificate) as server, HttpClient(loopback_gate(names)) as client:
        server.answers["/a"] = response(b"safe")
        assert client.get(server.url("/a", scheme="https")).content == b"safe"
        for host in ("other.test", "127.0.0.1"):
            with pytest.raises(FetchError, match=r"(?i)certificate.*verify failed"):
                client.get(server.url("/a", host=host, scheme="https"))
        wiki(monkeypatch, f"site.test:{server.port}")
        with HttpClient(loopback_gate(), credential=find_host_credential("wiki")) as authorized:
            authorized.get(server.url("/a", scheme="https"))
        assert server.asked[-1].headers["authorization"] == "Bearer tulip-token"
        assert clock.waits == []


@NEEDS_OPENSSL
def test_a_certificate_that_nobody_signed_is_refused(certificate: Path) -> None:
    """At once, since it will not be better a second later."""
    with hostile_server(certificate) as server, HttpClient(loopback_gate()) as client:
        with pytest.raises(FetchError, match=r"(?i)certificate"):
            client.get(server.url("/a", scheme="https"))
        assert server.asked == []


# Proxies


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"])
def test_the_environment_names_no_proxy(
    server: HostileServer, client: HttpClient, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Such a proxy would resolve names itself, behind the gate's back."""
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    server.answers["/a"] = response(b"direct")
    assert client.get(server.url("/a")).content == b"direct"


def test_the_settings_name_a_proxy(server: HostileServer) -> None:
    """It gets the address with its name, which is not resolved here; what the operator lists is reached directly."""
    proxy = f"http://ida:tulip@127.0.0.1:{server.port}"
    names = Names({"wiki.test": ("127.0.0.1",)})
    gate = UrlGuard(allowed=loopback_gate(allow="wiki.test").allowed, resolver=names, proxy=proxy)
    server.answers |= {"http://example.org/a": response(b"proxied"), "/a": response(b"direct")}
    with HttpClient(gate) as client:
        assert client.get("http://example.org/a").content == b"proxied"
        assert client.get(server.url("/a", host="wiki.test")).content == b"direct"
        with pytest.raises(FetchRefusedError, match="loopback"):
            client.get("http://127.0.0.1/")
    assert names.asked == ["wiki.test"]
    assert server.asked[0].headers["proxy-authorization"].startswith("Basic ")
    assert json.dumps(server.asked[1].headers).count("Basic") == 0


def test_a_query_is_posted_as_json(server: HostileServer, clock: Clock) -> None:
    """And repeated like any request when the server is busy, unless the caller handles that status itself."""
    answers = [response(status="503 Busy"), response(b"{}", Content_Type="application/json")]
    server.answers["/query"] = lambda _: [answers.pop(0)]
    with HttpClient(loopback_gate(), politeness=clock.politeness()) as client:
        answer = client.post_json(server.url("/query"), b'{"query": "a"}')
    assert (answer.status, answer.content) == (200, b"{}")
    assert [one.headers["content-type"] for one in server.asked] == ["application/json"] * 2
    assert [one.headers["content-length"] for one in server.asked] == ["14"] * 2
    server.answers["/limited"] = response(status="429 Slow down", Retry_After="7")
    waits = list(clock.waits)
    with HttpClient(loopback_gate(), politeness=Politeness(busy=(503,), sleep=clock.sleep)) as client:
        assert client.get(server.url("/limited")).status == 429
    assert clock.waits == waits
