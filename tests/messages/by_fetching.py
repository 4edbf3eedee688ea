"""Messages of fetching: addresses that are refused, and servers that fail.

Belongs here: what the gate and the HTTP client say, and what XML is refused with. Not here: syncs, commands, HTTP.
"""

import gzip

from headwater.errors import DocumentError, FetchError, FetchRefusedError, TooLargeError
from headwater.fetching.http_client import HttpClient
from headwater.fetching.politeness import Politeness
from headwater.parsing.xml import parse_xml
from tests.hostile_server import HostileServer, Names, for_ever, hostile_server, loopback_gate, redirect, response
from tests.messages.collecting import Collected

_REFUSED = {
    "An address of the private network": "http://10.0.0.1/",
    "A name that resolves to a private address": "http://inside.test/",
    "An address in an odd spelling": "http://0x7f.1/",
    "A scheme that is not fetched": "file:///etc/passwd",
    "A port of another service": "http://example.org:25/",
    "A password in an address": "http://ida:tulip@example.org/",
    "A line break in an address": "http://example.org/a\nb",
}


def refused(found: Collected) -> None:
    """Addresses that the gate refuses."""
    with HttpClient(loopback_gate(Names({"inside.test": ("192.168.1.7",)}))) as client:
        for situation, url in _REFUSED.items():
            found.call(situation, FetchRefusedError, lambda url=url: client.get(url))  # type: ignore[misc]
        found.call("A name that nobody knows", FetchError, lambda: client.get("http://nobody.test/"))


def failed(found: Collected) -> None:
    """Servers that do not answer as they should."""
    with hostile_server() as gone:
        pass
    polite = Politeness(sleep=lambda _: None)
    with hostile_server() as server, HttpClient(loopback_gate(seconds=1.0), politeness=polite) as client:
        _answers(server)
        for situation, path in (
            ("A server that takes too long", "/slow"),
            ("Redirects in a circle", "/circle"),
            ("A redirect to a private address", "/inside"),
            ("A compressed page that is cut off", "/cut"),
        ):
            error = FetchRefusedError if path == "/inside" else FetchError
            found.call(situation, error, lambda path=path: client.get(server.url(path)))  # type: ignore[misc]
        found.call("A server that is not there", FetchError, lambda: client.get(gone.url("/")))
        found.call("A page that is too large", TooLargeError, lambda: client.get(server.url("/zeros"), limit=10**6))
    entities = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    found.call("XML that declares entities", DocumentError, lambda: parse_xml(entities))


def _answers(server: HostileServer) -> None:
    server.answers = {
        "/slow": for_ever(b"a", b"HTTP/1.1 200 OK\r\n\r\n", pause=0.1),
        "/circle": redirect("/circle"),
        "/inside": redirect("http://169.254.169.254/latest/meta-data/"),
        "/cut": response(gzip.compress(b"a" * 100)[:-9], Content_Encoding="gzip"),
        "/zeros": response(gzip.compress(bytes(2_000_000)), Content_Encoding="gzip"),
    }
