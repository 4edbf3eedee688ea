"""A site on loopback that knows ETags, and the connector that reads it: what a connector that asks servers looks like.

Belongs here: the server, the connector, and making a source of them. Not here: what is expected of a sync. Guarantee:
every request is noted, with what it was answered.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.source_settings import SourceSettings
from headwater.errors import SourceError
from headwater.identity import bytes_fingerprint
from headwater.sources.connector import Connector, FetchedDocument, SourceConfig, UnchangedDocument
from headwater.sources.source_context import SourceContext
from query_api.routes.sync_payloads import SyncSourcePayload
from tests.support import Headwater


@dataclass
class PageServer:
    """The site's address, its pages, and the requests it got."""

    url: str = ""
    pages: dict[str, bytes] = field(default_factory=dict)
    salt: str = ""
    """A salt of the server's ETags: another salt gives the same content another ETag."""
    answers: list[tuple[str, int]] = field(default_factory=list)
    """Path and status of every request for a page."""

    def etag(self, path: str) -> str:
        """The ETag of a page."""
        return f'"{md5(self.salt.encode() + self.pages[path], usedforsecurity=False).hexdigest()}"'

    def asked(self) -> list[tuple[str, int]]:
        """What was asked since the last time."""
        answers, self.answers = sorted(self.answers), []
        return answers


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: PageServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer."""
        path = self.path.removeprefix("/")
        if path == "":
            self._send(200, json.dumps(sorted(self.told.pages)).encode(), "")
        elif self.headers.get("If-None-Match") == self.told.etag(path):
            self._send(304, b"", self.told.etag(path))
        else:
            self._send(200, self.told.pages[path], self.told.etag(path))

    def _send(self, status: int, content: bytes, etag: str) -> None:
        if self.path != "/":
            self.told.answers.append((self.path.removeprefix("/"), status))
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def page_server() -> Iterator[PageServer]:
    """Run a site for the length of a block."""
    told = PageServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class PagesConfig(SourceConfig):
    """Which site."""

    url: str
    claims: tuple[str, ...] = ()
    """Pages that are reported as unchanged, whatever is stored of them."""


class Pages(Connector):
    """Reads the pages of a site. Of a page, what stands before a `%` line is text; the whole page is its original."""

    kind = "pages"
    parser_version = "pages-1"
    Config = PagesConfig
    config: PagesConfig
    contexts: list[SourceContext] = []  # noqa: RUF012 - every context that a sync has given

    def fetch(self) -> Iterator[FetchedDocument | UnchangedDocument]:
        """Yield every page, asking only for what has changed."""
        self.contexts.append(self.context)
        _, _, listed = self._get("", {})
        names = json.loads(listed)
        self.total = len(names)
        for uri in names:
            known = self.context.known.get(uri)
            headers = {"If-None-Match": known.validator} if known and known.validator else {}
            status, etag, content = self._get(uri, headers)
            if status == 304:
                yield UnchangedDocument(uri=uri)
            else:
                yield FetchedDocument(
                    uri=uri,
                    fingerprint=bytes_fingerprint(content),
                    validator=etag,
                    parse=partial(_parse, content, uri),
                )

    def _get(self, path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        if path in self.config.claims:
            return 304, "", b""
        parts = urlsplit(self.config.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        try:
            connection.request("GET", f"/{path}", headers=headers)
            response = connection.getresponse()
            return response.status, response.headers.get("ETag", ""), response.read()
        except OSError as error:
            raise SourceError(f"{self.config.url} does not answer ({error}).") from error
        finally:
            connection.close()


def _parse(content: bytes, uri: str) -> ParsedDocument:
    text = content.partition(b"\n%")[0].decode()
    original = Original(content=content, media_type="application/x-page") if b"\n%" in content else None
    return ParsedDocument(uri=uri, title=uri, text=text, media_type="text/plain", original=original)


def add_site(kb: Headwater, site: PageServer, slug: str = "site", *, claims: tuple[str, ...] = ()) -> None:
    """Add the site to a knowledge base as a source."""
    config = {"url": site.url, **({"claims": list(claims)} if claims else {})}
    kb.store.sources.create(kb.slug, slug=slug, kind="pages", config=config, settings=SourceSettings())


def full_sync(kb: Headwater, slug: str = "site") -> SyncSourcePayload:
    """Sync a source without trusting anything that is known; returns what became of it."""
    return kb.sync(slug, is_full=True)[slug]
