"""Pages of other sites against the Dagster UI.

Belongs here: what a browser can be made to send to the web server that `headwater up` and Docker Compose run, and that
its own page and programs still get through. Not here: the API. Guarantee: the real server, in a process of its own; an
attack counts as stopped when it is refused and the limit that it would have set is not there.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import yaml

from cli.environment import dagster_variables
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database_urls import dagster_database_url
from tests.conftest import with_database
from tests.probe.test_http_doors import FORWARDED
from tests.support import free_port

pytestmark = pytest.mark.servers

MUTATION = 'mutation { setConcurrencyLimit(concurrencyKey: "attacked", limit: 1) }'
BODY = json.dumps({"query": MUTATION})
JSON = {"Content-Type": "application/json"}
FOREIGN = "http://evil.example"
ENCODED = urllib.parse.urlencode({"query": MUTATION})
REFUSED = (400, 403, 405, 415)
PUBLIC = "https://dagster.example.org"
LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
EMBEDDED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}


@dataclass(frozen=True, kw_only=True)
class Site:
    """The web server under attack."""

    port: int
    database: str

    @property
    def own(self) -> str:
        """The origin of its own pages."""
        return f"http://127.0.0.1:{self.port}"

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: str | None = None
    ) -> http.client.HTTPResponse:
        """Send a request as it is given; `Host` is the server's unless it is given too, and PORT is its port."""
        given = {name: value.replace("PORT", str(self.port)) for name, value in headers.items()}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": f"127.0.0.1:{self.port}", **given}.items():
                for each in value.split("\n"):
                    connection.putheader(name, each)
            if body is not None:
                connection.putheader("Content-Length", str(len(body.encode())))
            connection.endheaders(body.encode() if body is not None else None)
            answer = connection.getresponse()
            if answer.status != 101:
                answer.read()
            return answer

    def limits(self) -> int:
        """How many limits the attacks, or a change that was allowed, have set."""
        with psycopg.connect(self.database) as connection:
            found = connection.execute("SELECT count(*) FROM concurrency_limits").fetchone()
        return int(found[0]) if found else 0

    def forget(self) -> None:
        """Take back what was set."""
        with psycopg.connect(self.database) as connection:
            connection.execute("DELETE FROM concurrency_limits")


@pytest.fixture(scope="module")
def site(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A web server that is started as `up` starts it."""
    name = "probed"
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"CREATE DATABASE {name}{suffix} TEMPLATE {template}{suffix}".encode())
    url = with_database(server, name)
    home = tmp_path_factory.mktemp("probed")
    settings = Settings(home=home, cache=home, database_url=url)
    port = free_port()
    environ = {
        **os.environ, **dagster_variables(settings), "HEADWATER_DATABASE_URL": url,
        "HEADWATER_CODE_SERVER_HOST": "127.0.0.1", "HEADWATER_CODE_SERVER_PORT": "1",
        "HEADWATER_DAGSTER_URL": PUBLIC,
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "cli.processes.dagster_ui",
        "-p",
        str(port),
        "-w",
        str(REPOSITORY / "workspace.yaml"),
    ]
    log = home / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environ, cwd=REPOSITORY, stdout=out, stderr=out)
    try:
        _wait(port, process, log)
        yield Site(port=port, database=dagster_database_url(url))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        with psycopg.connect(server, autocommit=True) as connection:
            for suffix in ("", "_dagster"):
                connection.execute(f"DROP DATABASE {name}{suffix} WITH (FORCE)".encode())


def _wait(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    while process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(log.read_text())


ATTACKS: dict[str, tuple[str, str, dict[str, str], str | None]] = {
    # A page of another site, by fetch() or a form.
    "fetch": ("POST", "/graphql", {**JSON, "Origin": FOREIGN}, BODY),
    "fetch from https": ("POST", "/graphql", {**JSON, "Origin": "https://evil.example"}, BODY),
    "fetch with its site": ("POST", "/graphql", {**JSON, "Origin": FOREIGN, "Sec-Fetch-Site": "cross-site"}, BODY),
    "sandboxed frame": ("POST", "/graphql", {**JSON, "Origin": "null"}, BODY),
    "empty origin": ("POST", "/graphql", {**JSON, "Origin": ""}, BODY),
    "no origin, cross-site": ("POST", "/graphql", {**JSON, "Sec-Fetch-Site": "cross-site"}, BODY),
    "no origin, same-site": ("POST", "/graphql", {**JSON, "Sec-Fetch-Site": "same-site"}, BODY),
    "no origin, unknown site": ("POST", "/graphql", {**JSON, "Sec-Fetch-Site": "moon"}, BODY),
    "no origin, foreign referer": ("POST", "/graphql", {**JSON, "Referer": f"{FOREIGN}/page"}, BODY),
    "text": ("POST", f"/graphql?{ENCODED}", {"Content-Type": "text/plain", "Origin": FOREIGN}, BODY),
    "text without origin": ("POST", f"/graphql?{ENCODED}", {"Content-Type": "text/plain"}, BODY),
    "text that names JSON": ("POST", "/graphql", {"Content-Type": "text/plain; application/json"}, BODY),
    "form that names JSON": ("POST", "/graphql", {"Content-Type": "multipart/form-data; x=application/json"}, BODY),
    "form": ("POST", f"/graphql?{ENCODED}", {"Content-Type": "application/x-www-form-urlencoded"}, "a=b"),
    "form by parts": ("POST", f"/graphql?{ENCODED}", {"Content-Type": "multipart/form-data; boundary=x"}, "--x--"),
    "no type": ("POST", f"/graphql?{ENCODED}", {}, ""),
    "form that moves the page": ("POST", f"/graphql?{ENCODED}", {**JSON, **LINK}, BODY),
    # Another server of this machine, or of the same site.
    "another port": ("POST", "/graphql", {**JSON, "Origin": "http://127.0.0.1:8080"}, BODY),
    "port of nothing": ("POST", "/graphql", {**JSON, "Origin": "http://127.0.0.1"}, BODY),
    "another name of loopback": ("POST", "/graphql", {**JSON, "Origin": "http://localhost:PORT"}, BODY),
    "another scheme": ("POST", "/graphql", {**JSON, "Origin": "https://127.0.0.1"}, BODY),
    "longer name": ("POST", "/graphql", {**JSON, "Origin": "http://127.0.0.1.evil.example:PORT"}, BODY),
    "name with a user": ("POST", "/graphql", {**JSON, "Origin": "http://127.0.0.1:PORT@evil.example"}, BODY),
    "extension": ("POST", "/graphql", {**JSON, "Origin": "chrome-extension://127.0.0.1:PORT"}, BODY),
    "file": ("POST", "/graphql", {**JSON, "Origin": "file://"}, BODY),
    "public name by http": ("POST", "/graphql", {**JSON, "Origin": "http://dagster.example.org"}, BODY),
    "malformed origin": ("POST", "/graphql", {**JSON, "Origin": "http://["}, BODY),
    "malformed referer": ("POST", "/graphql", {**JSON, "Referer": "http://[x"}, BODY),
    "two origins": ("POST", "/graphql", {**JSON, "Origin": f"http://127.0.0.1:PORT\n{FOREIGN}"}, BODY),
    "origins in a list": ("POST", "/graphql", {**JSON, "Origin": f"http://127.0.0.1:PORT, {FOREIGN}"}, BODY),
    "two types": ("POST", "/graphql", {"Content-Type": "application/json\ntext/plain"}, BODY),
    # DNS rebinding: the page is the server's own, by another name.
    "rebinding": ("POST", "/graphql", {**JSON, "Host": "evil.example", "Origin": FOREIGN}, BODY),
    "rebinding, with its port": ("POST", "/graphql", {**JSON, "Host": "evil.example:PORT"}, BODY),
    "rebinding, reading": ("GET", "/server_info", {"Host": "evil.example:PORT"}, None),
    "rebinding, ending like ours": ("POST", "/graphql", {**JSON, "Host": "evil-localhost:PORT"}, BODY),
    "rebinding, beginning like ours": ("POST", "/graphql", {**JSON, "Host": "localhost.evil.example:PORT"}, BODY),
    "rebinding, a last dot": ("POST", "/graphql", {**JSON, "Host": "evil.example.:PORT"}, BODY),
    "rebinding, a user": ("POST", "/graphql", {**JSON, "Host": "127.0.0.1@evil.example"}, BODY),
    "rebinding, a zero address": ("POST", "/graphql", {**JSON, "Host": "0.0.0.0:PORT"}, BODY),
    "rebinding, two hosts": ("POST", "/graphql", {**JSON, "Host": "127.0.0.1:PORT\nevil.example"}, BODY),
    "rebinding, forwarded": ("POST", "/graphql", {**JSON, "Host": "evil.org", "X-Forwarded-Host": "localhost"}, BODY),
    "rebinding, a port that is none": ("POST", "/graphql", {**JSON, "Host": "localhost:x"}, BODY),
    "no host": ("POST", "/graphql", {**JSON, "Host": ""}, BODY),
    # Mutations in an address, by an image, a link or a frame.
    "image": ("GET", f"/graphql?{ENCODED}", {}, None),
    "image of another site": ("GET", f"/graphql?{ENCODED}", EMBEDDED, None),
    "link": ("GET", f"/graphql?{ENCODED}", LINK, None),
    "link for a page": ("GET", f"/graphql?{ENCODED}", {**LINK, "Accept": "text/html"}, None),
    "address of a slash more": ("GET", f"/graphql/?{ENCODED}", {}, None),
    "address in signs": ("GET", f"/%67raphql?{ENCODED}", {}, None),
    "only the head": ("HEAD", f"/graphql?{ENCODED}", {}, None),
    # Reading and embedding.
    "frame": ("GET", "/", {**LINK, "Sec-Fetch-Dest": "iframe"}, None),
    "embedded object": ("GET", "/", {**LINK, "Sec-Fetch-Dest": "object"}, None),
    "script": ("GET", "/server_info", EMBEDDED, None),
    "reading fetch": ("GET", "/server_info", {"Origin": FOREIGN}, None),
    "reading fetch of a sandbox": ("GET", "/server_info", {"Origin": "null"}, None),
    "preflight": ("OPTIONS", "/graphql", {"Origin": FOREIGN, "Access-Control-Request-Method": "POST"}, None),
    # Other routes that change something.
    "reported materialization": ("POST", "/report_asset_materialization/documents", {"Origin": FOREIGN}, ""),
    "reported by a form": (
        "POST", "/report_asset_materialization/documents", {"Content-Type": "application/x-www-form-urlencoded"}, "a=b",
    ),
    "reported check": ("POST", "/report_asset_check/documents?check_name=x&passed=true", {"Origin": "null"}, ""),
    "reported observation": ("POST", "/report_asset_observation/documents", {"Sec-Fetch-Site": "cross-site"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_a_foreign_page_gets_nothing(site: Site, name: str) -> None:
    """It is refused, nothing was changed, and no header lets the page read the refusal."""
    method, path, headers, body = ATTACKS[name]
    answer = site.send(method, path, headers, body)
    assert answer.status in REFUSED
    assert answer.getheader("Access-Control-Allow-Origin") is None
    assert site.limits() == 0


HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "graphql-ws",
}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": FOREIGN},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8080"},
        {"Origin": "http://localhost:PORT"},
        {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example:PORT"},
        {"Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"},
        {"Host": "evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
    ids=lambda headers: " ".join(headers.values()),
)
def test_a_foreign_web_socket_is_not_opened(site: Site, headers: dict[str, str]) -> None:
    """Browsers let any page open one, and leave it to the server to look."""
    assert site.send("GET", "/graphql", {**HANDSHAKE, **headers}).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:PORT"},
        {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "same-origin"},
        {"Host": "localhost:PORT", "Origin": "http://localhost:PORT"},
        {"Host": "[::1]:PORT", "Origin": "http://[::1]:PORT"},
        {"Host": "dagster.example.org", "Origin": PUBLIC, "Sec-Fetch-Site": "same-origin"},
        {"Origin": PUBLIC},
    ],
    ids=lambda headers: " ".join(headers.values()) or "a program",
)
def test_its_own_page_and_programs_get_through(site: Site, headers: dict[str, str]) -> None:
    """Changes and web sockets from the server's own page, also behind a proxy, and from what is no browser."""
    try:
        assert site.send("POST", "/graphql", {**JSON, **headers}, BODY).status == 200
        assert site.limits() == 1
    finally:
        site.forget()
    assert site.send("GET", "/graphql", {**HANDSHAKE, **headers}).status == 101


@pytest.mark.parametrize("headers", FORWARDED.values(), ids=FORWARDED.keys())
def test_whom_a_proxy_forwards_gets_nothing_while_there_is_no_key(site: Site, headers: dict[str, str]) -> None:
    """Neither the page nor a change; the same request from this machine gets through."""
    assert site.send("GET", "/", headers).status == 401
    assert site.send("POST", "/graphql", {**JSON, **headers}, BODY).status == 401
    assert site.limits() == 0
    assert site.send("GET", "/", {}).status == 200
    assert site.send("GET", "/server_info", headers).status == 200  # health checks come through proxies


def test_a_link_of_another_site_opens_a_page_that_nobody_can_frame(site: Site) -> None:
    """Links to runs are in answers, in mails and elsewhere; the page forbids every frame."""
    answer = site.send("GET", "/runs", {**LINK, "Accept": "text/html"})
    assert answer.status == 200
    assert answer.getheader("X-Frame-Options") == "DENY"
    policies = answer.headers.get_all("Content-Security-Policy") or []
    assert "frame-ancestors 'none'" in policies
    assert len(policies) == 2  # Dagster's own is still there


def test_the_unguarded_server_is_started_nowhere() -> None:
    """`up` and Docker Compose start the guarded one; no other command of ours names Dagster's."""
    supervisor = (REPOSITORY / "cli" / "processes" / "supervisor.py").read_text()
    assert "cli.processes.dagster_ui" in supervisor
    assert "dagster_webserver" not in supervisor
    services = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())["services"]
    assert services["dagster-webserver"]["command"][:3] == ["python", "-m", "cli.processes.dagster_ui"]
