"""A private git host, on loopback: https, basic authentication, and git's own server behind it.

Belongs here: the server and its certificate. Not here: what is expected of who asks. Guarantee: every request's
`Authorization` is noted.
"""

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class GitServer:
    """The server's address, the accepted credentials, and the requests it got."""

    folder: Path
    certificate: Path
    user: str = "x-access-token"
    password: str = ""
    redirect: str = ""
    redirect_after: int = 0
    """The requests that are answered before the others are redirected."""
    is_old: bool = False
    """Whether it speaks only the first version of git's protocol."""
    url: str = ""
    authorizations: list[str] = field(default_factory=list)

    @property
    def expected(self) -> str:
        """The header of who may come in."""
        return f"Basic {base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: GitServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer."""
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer(self, body: bytes) -> None:
        given = self.headers.get("Authorization", "")
        self.told.authorizations.append(given)
        if self.told.redirect and len(self.told.authorizations) > self.told.redirect_after:
            self._send(302, {"Location": f"{self.told.redirect}{self.path}"}, b"")
        elif self.told.password and given != self.told.expected:
            self._send(401, {"WWW-Authenticate": 'Basic realm="git"'}, b"")
        else:
            head, _, content = self._git(body).partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self._send(int(headers.pop("Status", "200").split()[0]), headers, content)

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _git(self, body: bytes) -> bytes:
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.told.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": "" if self.told.is_old else self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        return subprocess.run(
            ["git", "http-backend"], env=environment, input=body, capture_output=True, check=True
        ).stdout


def make_certificate(folder: Path, names: str = "IP:127.0.0.1") -> Path:
    """A certificate of 127.0.0.1, or of other names, with its key, in one file that also is the authority to trust."""
    key, certificate, both = folder / "key.pem", folder / "certificate.pem", folder / "both.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", f"subjectAltName={names}", "-keyout", str(key),
         "-out", str(certificate)],
        capture_output=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    both.write_text(key.read_text() + certificate.read_text())
    return both


@contextmanager
def git_server(folder: Path, certificate: Path) -> Iterator[GitServer]:
    """Serve the repositories of a folder for the length of a block."""
    told = GitServer(folder=folder, certificate=certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    told.url = f"https://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
