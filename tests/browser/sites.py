"""A web site of somebody else, on loopback, whose pages have a widget.

Belongs here: its pages and its content security policy. Not here: the widget. Guarantee: the policy allows scripts
from, and connections to, the one server that is named, and nothing else.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

_PAGE = """<!doctype html><html lang="en"{dir}><head><meta charset="utf-8"><title>Pump docs</title>
<meta name="viewport" content="width=device-width, initial-scale=1">{style}</head>
<body>{before}<header><b>Pump works</b> <a href="/two">Guide</a></header><main><h1>Pump manual</h1>
<p>The pump stands in the cellar. Read the manual before you start it, and keep the filter clean. A dry pump overheats
within a minute, so fill it first.</p><h2>Before you start</h2><p>Check that the valve is open and that the axle turns
by hand.</p><div id="here"></div></main>
<script async src="{kb}/widget.js" data-headwater-widget="{widget}"{options}></script></body></html>"""
_STYLE = """<style>body{font:17px/1.6 Georgia,serif;margin:0;color:#222;background:#fbfaf7}
header{padding:16px 32px;background:#2d3142;color:#fff;font-family:sans-serif}header a{color:#cdd}
main{max-width:640px;margin:32px auto;padding:0 24px}#here{height:560px}
@media(prefers-color-scheme:dark){body{background:#17181c;color:#ddd}}</style>"""


class Site:
    """Where the site is; `widget` and `kb` are what its pages name, `options` further attributes of the script tag."""

    def __init__(self, port: int) -> None:
        self.url = f"http://docs.localhost:{port}"
        self.other_url = f"http://127.0.0.1:{port}"
        self.kb = ""
        self.widget = ""
        self.is_plain = True
        """Without style, under the strict policy."""

    def page(self, query: str) -> tuple[str, str]:
        """A page and its policy; the query gives attributes of the script tag, `dir`, and a picture `before`."""
        given = dict(parse_qsl(query))
        direction = f' dir="{given.pop("dir")}"' if "dir" in given else ""
        picture = f'<img alt="" name="{given.pop("before")}" src="{self.other_url}/">' if "before" in given else ""
        options = "".join(f' data-{name}="{value}"' for name, value in given.items())
        style = "" if self.is_plain else _STYLE
        policy = f"default-src 'none'; script-src {self.kb}; connect-src {self.kb}"
        return (
            _PAGE.format(before=picture, kb=self.kb, widget=self.widget, options=options, style=style, dir=direction),
            policy if self.is_plain else "",
        )


@contextmanager
def serving_site() -> Iterator[Site]:
    """Serve a site for the length of a block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body, policy = site.page(urlsplit(self.path).query)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
