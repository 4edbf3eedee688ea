"""WebDAV servers on loopback: WsgiDAV over a folder, and a stub with the properties of Nextcloud.

Belongs here: the servers, their requests, faults. Not here: what is expected of a sync. Guarantee: WsgiDAV is a real
server and asks for a password; the stub gives a folder another version when anything below it has changed.
"""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import quote, unquote
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

_PASSWORD = base64.b64encode(b"ann:secret").decode()
Fault = Callable[[str, str], tuple[int, dict[str, str], bytes] | None]


class DavServer:
    """The address of a folder, and the methods and paths of the requests."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[str] = []

    def taken(self) -> list[str]:
        """The requests since the last time; not those that a server refuses for want of a password."""
        requests, self.requests = self.requests, []
        return requests


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[DavServer]:
    """Run WsgiDAV over a folder for the length of a block."""
    from wsgidav.wsgidav_app import WsgiDAVApp

    app = WsgiDAVApp(
        {
            "provider_mapping": {"/": str(folder)}, "verbose": 0, "logging": {"enable": False},
            "simple_dc": {"user_mapping": {"*": {"ann": {"password": "secret"}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        }
    )  # fmt: skip
    dav = DavServer()

    def noting(environ: dict[str, Any], start_response: Any) -> Any:
        dav.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        return app(environ, start_response)

    server = make_server("127.0.0.1", 0, noting, server_class=_Server, handler_class=_Quiet)
    dav.url = f"http://127.0.0.1:{server.server_port}/"
    with _running(server):
        yield dav


class NextcloudStub(DavServer):
    """The files of the user ann; `hidden` paths are in no list."""

    root = "/cloud/remote.php/dav/files/ann/"

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, tuple[int, int, bytes]] = {}
        self.hidden: set[str] = set()
        self.fault: Fault = lambda _, __: None
        self._count = 0

    def put(self, path: str, content: bytes) -> None:
        """Write a file, or another version of it."""
        self._count += 1
        self.files[path] = (self.files[path][0] if path in self.files else self._count, self._count, content)

    def move(self, path: str, target: str) -> None:
        """Move a file: its id and its version stay."""
        self.files[target] = self.files.pop(path)

    def answer(self, method: str, path: str, headers: Any) -> tuple[int, dict[str, str], bytes]:
        """Answer a request for a path below the root."""
        self.requests.append(f"{method} {path}")
        if (fault := self.fault(method, path)) is not None:
            return fault
        if headers.get("Authorization") != f"Basic {_PASSWORD}":
            return 401, {"WWW-Authenticate": "Basic"}, b""
        if method == "GET":
            return (200, {}, self.files[path][2]) if path in self.files else (404, {}, b"")
        folder = path if not path or path.endswith("/") else f"{path}/"
        is_file = path in self.files
        if not is_file and path and not any(name.startswith(folder) for name in self.files):
            return 404, {}, b""
        names = {path if is_file else folder}
        if headers["Depth"] == "1" and not is_file:
            for name in self.files:
                if name.startswith(folder) and name not in self.hidden:
                    first, slash, _ = name[len(folder) :].partition("/")
                    names.add(f"{folder}{first}{slash}")
        listed = "".join(self._entry(name) for name in sorted(names))
        space = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"'
        return 207, {"Content-Type": "application/xml"}, f"<d:multistatus {space}>{listed}</d:multistatus>".encode()

    def _entry(self, name: str) -> str:
        if name in self.files:
            identity, version, content = self.files[name]
            kind, size = "", f"<d:getcontentlength>{len(content)}</d:getcontentlength>"
        else:
            below = {path: value[:2] for path, value in self.files.items() if path.startswith(name)}
            identity, version = 10_000 + len(name) + sum(map(ord, name)), abs(hash(tuple(sorted(below.items()))))
            kind, size = "<d:collection/>", ""
        return (
            f"<d:response><d:href>{quote(self.root + name)}</d:href><d:propstat><d:prop>"
            f'<d:getetag>"{version}"</d:getetag>'
            f"<d:resourcetype>{kind}</d:resourcetype>{size}<oc:fileid>{identity}</oc:fileid></d:prop>"
            "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        )


@contextmanager
def serve_nextcloud(stub: NextcloudStub) -> Iterator[NextcloudStub]:
    """Run the stub for the length of a block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer."""
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = unquote(self.path).removeprefix(stub.root)
            status, headers, content = stub.answer(self.command, path, self.headers)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_PROPFIND = do_GET  # noqa: N815 - the library's name

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}{stub.root}"
    with _running(server):
        yield stub


@contextmanager
def _running(server: Any) -> Iterator[None]:
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
