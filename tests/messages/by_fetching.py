"""Messages of fetching: addresses that are refused, and servers that fail.

Belongs here: what the gate, the HTTP client and websites say, and what XML is refused with. Not here: syncs, commands,
HTTP.
"""

import gzip
from pathlib import Path

from headwater.errors import DocumentError, FetchError, FetchRefusedError, SourceError, TooLargeError
from headwater.fetching.http_client import HttpClient
from headwater.fetching.politeness import Politeness
from headwater.parsing.xml import parse_xml
from headwater.sources.source_context import SourceContext
from headwater.sources.website.config import WebsiteConfig
from headwater.sources.website.connector import Website
from tests.hostile_server import HostileServer, Names, for_ever, hostile_server, loopback_gate, redirect, response
from tests.messages.collecting import Collected
from tests.web_server import html, web_server

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


def websites(found: Collected) -> None:
    """Sites that may not be read, and lists without a page of the source."""
    with web_server() as site:

        def sync(path: str, **fields: str) -> None:
            config = WebsiteConfig.model_validate({"url": f"{site.url}{path}", "delay": 0, **fields})
            list(Website(config, SourceContext(folder=Path("unused"), gate=loopback_gate(), known={})).fetch())

        site.put("/", html("Start", "Welcome."))
        site.put("/empty.xml", b"<urlset></urlset>")
        site.put("/sitemap.xml", f"<urlset><url><loc>{site.url}/docs/a.html</loc></url></urlset>")
        site.put("/robots.txt", b"User-agent: *\nDisallow: /private/")
        found.call("A website whose first page is gone", FetchError, lambda: sync("/gone/"))
        found.call("A website without a feed", SourceError, lambda: sync("/", mode="feed"))
        found.call("A sitemap without a page", SourceError, lambda: sync("/empty.xml"))
        found.call("A sitemap of other pages", SourceError, lambda: sync("/sitemap.xml", prefix=f"{site.url}/guide/"))
        found.call("A website that robots may not read", SourceError, lambda: sync("/private/"))
        site.put("/robots.txt", b"", status=503)
        found.call("A website whose robots.txt does not answer", SourceError, lambda: sync("/"))
