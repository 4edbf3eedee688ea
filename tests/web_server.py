"""A website on loopback whose pages a test changes while it runs.

Belongs here: the server, what it answers, and what it was asked. Not here: what is expected of a source. Guarantee:
every request is noted, with its status.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the site answers at a path."""

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "text/html; charset=utf-8"
    has_etag: bool = True


@dataclass
class WebServer:
    """The site's address, its pages by path and query, and the requests it got."""

    url: str = ""
    pages: dict[str, Answer] = field(default_factory=dict)
    answers: list[tuple[str, int]] = field(default_factory=list)
    note: Callable[[str, Any], None] = lambda *_: None
    """Called with the path and the headers of each request."""

    def put(self, path: str, html: str | bytes, **options: Any) -> None:
        """Set what a path answers."""
        content = html if isinstance(html, bytes) else html.encode()
        self.pages[path] = Answer(content=content, **options)

    def asked(self) -> list[tuple[str, int]]:
        """Paths and statuses since the last time, without robots.txt."""
        answers, self.answers = self.answers, []
        return [(path, status) for path, status in answers if path != "/robots.txt"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer: a second one would wait 40 ms for the first to be confirmed
    site: WebServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer."""
        self.site.note(self.path, self.headers)
        found = self.site.pages.get(self.path, Answer(content=b"<p>Not found</p>", status=404, has_etag=False))
        etag = f'"{md5(found.content, usedforsecurity=False).hexdigest()}"' if found.has_etag else ""
        is_same = found.status == 200 and etag and self.headers.get("If-None-Match") == etag
        status = 304 if is_same else found.status
        content = b"" if is_same else found.content
        self.site.answers.append((self.path, status))
        self.send_response(status)
        self.send_header("Content-Type", found.media_type)
        self.send_header("Content-Length", str(len(content)))
        etags = {"ETag": etag} if etag and found.status == 200 else {}
        for name, value in {**etags, **found.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def web_server() -> Iterator[WebServer]:
    """Run a site for the length of a block."""
    site = WebServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def html(title: str, *paragraphs: str, links: tuple[str, ...] = (), head: str = "") -> str:
    """A page with a title, paragraphs and links."""
    listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head>"
        f"<body><main><h1>{title}</h1>{body}<ul>{listed}</ul></main></body></html>"
    )
