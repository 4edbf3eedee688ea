"""A private MediaWiki on loopback, with SQLite and PHP's own web server, where both are installed.

Belongs here: starting it, a bot password, editing. Not here: what is expected of a source. Guarantee: nobody reads
without logging in; its files are Debian's, found by HEADWATER_TEST_MEDIAWIKI or in /usr/share/mediawiki.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request

import pytest

from tests.support import free_port

_SETTINGS = """
$wgCacheDirectory = '{root}/cache';
$wgMainCacheType = CACHE_ACCEL;
$wgJobRunRate = 0;
$wgEnableUploads = true;
$wgUploadDirectory = '{root}/images';
$wgUploadPath = '/images';
$wgFileExtensions = [ 'docx', 'png', 'bin' ];
$wgStrictFileExtensions = false;
$wgVerifyMimeType = false;
$wgGroupPermissions['*']['read'] = false;
"""
_ROUTER = """<?php
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (!str_starts_with($path, '/images/')) return false;
if (!is_file('{root}' . $path)) { http_response_code(404); return true; }
readfile('{root}' . $path);
"""
_PASSWORD = "wiki-secret-1"
_START_LIMIT = 60.0  # seconds


class WikiServer:
    """A wiki, logged in as its administrator."""

    def __init__(self, url: str, bot: str, settle: Callable[[], object]) -> None:
        self.url = url
        self._settle = settle
        self.bot = bot
        """The user and password of a bot, with a colon between them."""
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        token = self.ask(action="query", meta="tokens", type="login")["query"]["tokens"]["logintoken"]
        self.ask(action="login", lgname="Admin", lgpassword=_PASSWORD, lgtoken=token)
        self._token = self.ask(action="query", meta="tokens")["query"]["tokens"]["csrftoken"]

    def ask(self, **fields: str) -> Any:
        """Send a request; returns its JSON."""
        content = urlencode({"format": "json", "formatversion": "2", **fields}).encode()
        with self._opener.open(f"{self.url}/api.php", content, timeout=60) as answer:
            return json.loads(answer.read())

    def edit(self, title: str, text: str) -> None:
        """Write a page."""
        answer = self.ask(action="edit", title=title, text=text, token=self._token)
        assert answer["edit"]["result"] == "Success", answer

    def act(self, action: str, **fields: str) -> None:
        """Delete or move a page."""
        answer = self.ask(action=action, token=self._token, **fields)
        assert "error" not in answer, answer

    def upload(self, name: str, content: bytes) -> None:
        """Upload a file, or another version of it."""
        fields = {"action": "upload", "filename": name, "token": self._token, "ignorewarnings": "1", "format": "json"}
        edge = "headwater-upload"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        ]
        parts += [f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n']
        begin = "".join(parts).encode() + b"Content-Type: application/octet-stream\r\n\r\n"
        body = begin + content + f"\r\n--{edge}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        with self._opener.open(Request(f"{self.url}/api.php", body, headers), timeout=60) as answer:
            found = json.loads(answer.read())
        assert found.get("upload", {}).get("result") == "Success", found

    def settle(self) -> None:
        """Do the work that waits, such as what a changed template means for the pages that show it."""
        self._settle()

    def let_a_second_pass(self) -> None:
        """Wait for its clock's next second, because it tells by seconds when a page was touched."""
        second = self.ask(action="query", curtimestamp="1")["curtimestamp"]
        while self.ask(action="query", curtimestamp="1")["curtimestamp"] == second:
            time.sleep(0.05)


@contextmanager
def mediawiki(root: Path) -> Iterator[WikiServer]:
    """Install a wiki in a folder, and run it."""
    code = Path(os.environ.get("HEADWATER_TEST_MEDIAWIKI", "/usr/share/mediawiki"))
    php = shutil.which("php")
    if php is None or not (code / "maintenance" / "install.php").is_file():
        pytest.skip("MediaWiki is not installed (php, and /usr/share/mediawiki or HEADWATER_TEST_MEDIAWIKI)")
    port = free_port()
    settings = _install(php, code, root, port)
    environ = {**os.environ, "MW_CONFIG_FILE": str(settings), "PHP_CLI_SERVER_WORKERS": "2"}
    made = subprocess.run(
        [php, "maintenance/createBotPassword.php", "--appid", "headwater", "--grants", "basic", "Admin"],
        cwd=code, check=True, capture_output=True, text=True, env=environ,
    ).stdout  # fmt: skip
    found = re.search(r"username:'([^']+)' and password:'([^']+)'", made)
    assert found is not None
    command = [php, "-d", "memory_limit=256M", "-S", f"127.0.0.1:{port}", "-t", str(code), str(root / "router.php")]
    process = subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        _await(f"http://127.0.0.1:{port}/api.php?action=query&format=json", process)
        work = [php, "maintenance/runJobs.php"]
        jobs = partial(subprocess.run, work, cwd=code, check=True, capture_output=True, env=environ)
        yield WikiServer(f"http://127.0.0.1:{port}", f"{found[1]}:{found[2]}", jobs)
    finally:  # the whole group: PHP's workers outlive their parent
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def _install(php: str, code: Path, root: Path, port: int) -> Path:
    for name in ("data", "cache", "images"):
        (root / name).mkdir()
    settings = root / "LocalSettings.php"
    options: list[str | Path] = [
        "--dbtype",
        "sqlite",
        "--dbpath",
        root / "data",
        "--dbname",
        "wiki",
        "--confpath",
        root,
    ]
    options += ["--server", f"http://127.0.0.1:{port}", "--scriptpath", "", "--pass", _PASSWORD, "Handbook", "Admin"]
    environ = {**os.environ, "MW_CONFIG_FILE": str(settings)}
    subprocess.run([php, "maintenance/install.php", *options], cwd=code, check=True, capture_output=True, env=environ)
    (root / "router.php").write_text(_ROUTER.replace("{root}", str(root)))
    with settings.open("a") as file:
        file.write(_SETTINGS.format(root=root))
    return settings


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_LIMIT
    while True:
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except OSError:
            assert process.poll() is None, "PHP ended at once"
            assert time.monotonic() < end, "the wiki did not start"
            time.sleep(0.05)
        else:
            return
