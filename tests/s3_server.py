"""A bucket on loopback: moto's S3 with signatures that are checked, behind a server that can be made to misbehave.

Belongs here: starting both, faults. Not here: what is expected of a source. Guarantee: every request of a source is
noted; signatures are checked by moto against a user of its own, so a wrong secret is refused.
"""

import http.client
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlencode, urlsplit

from headwater.parsing.xml import parse_xml
from tests.support import free_port

_POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
_UNCHECKED = "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x"
_START_LIMIT = 60.0  # seconds
Fault = Callable[[str], tuple[int, dict[str, str], bytes] | None]
"""Answers a request for a path itself, or leaves it to moto."""


@dataclass
class S3Server:
    """The server in front, the user's keys, the requests of sources, and a fault."""

    url: str
    inner: str
    key: str
    secret: str
    client: Any
    asked: list[str] = field(default_factory=list)
    fault: Fault = lambda _: None

    @property
    def host(self) -> str:
        """The host that a credential must be for."""
        return urlsplit(self.url).netloc

    def requests(self) -> list[str]:
        """What was asked since the last time."""
        asked, self.asked = self.asked, []
        return asked

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        """Answer by a fault for the length of a block."""
        self.fault = fault
        try:
            yield
        finally:
            self.fault = lambda _: None


def explain(status: int, code: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """An error as S3 writes it."""
    return status, headers, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>No.</Message></Error>".encode()


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Start both servers."""
    port = free_port()
    inner = f"http://127.0.0.1:{port}"
    environ = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "3"}
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(f"{inner}/moto-api/", process)
        key, secret = _make_user(inner)
        with _front(S3Server(url="", inner=inner, key=key, secret=secret, client=_client(inner, key, secret))) as told:
            yield told
    finally:
        process.terminate()
        process.wait(20)


def _client(url: str, key: str, secret: str) -> Any:
    import boto3

    session = boto3.session.Session()
    return session.client(
        "s3", endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=secret, region_name="us-east-1"
    )


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_LIMIT
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            assert process.poll() is None, "moto ended at once"
            assert time.monotonic() < end, "moto did not start"
            time.sleep(0.05)
        else:
            return


def _make_user(inner: str) -> tuple[str, str]:
    def ask(**fields: str) -> dict[str, str]:
        content = urlencode({"Version": "2010-05-08", **fields}).encode()
        request = urllib.request.Request(inner, data=content, headers={"Authorization": _UNCHECKED})
        with urllib.request.urlopen(request, timeout=20) as answer:
            found = parse_xml(answer.read()).iter()
        return {node.tag.rpartition("}")[2]: node.text or "" for node in found}

    ask(Action="CreateUser", UserName="reader")
    ask(Action="PutUserPolicy", UserName="reader", PolicyName="all", PolicyDocument=_POLICY)
    made = ask(Action="CreateAccessKey", UserName="reader")
    return made["AccessKeyId"], made["SecretAccessKey"]


@contextmanager
def _front(told: S3Server) -> Iterator[S3Server]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and content go out together, or each reply would wait for an acknowledgement

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer."""
            told.asked.append(self.path)
            status, headers, content = told.fault(self.path) or _passed(told.inner, self.path, dict(self.headers))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()


def _passed(inner: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """Ask moto the same, with the same `Host`, which is signed."""
    connection = http.client.HTTPConnection(urlsplit(inner).netloc, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        kept = {name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "etag")}
        return answer.status, kept, answer.read()
    finally:
        connection.close()
