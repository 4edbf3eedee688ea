"""`/metrics`: who may read it, and that its counts are those of all workers (API-5)."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import psutil
import pytest

from headwater.administration.keys import create_key
from headwater.domain.access import Scope
from headwater.settings import REPOSITORY
from query_api import prometheus
from query_api.app import create_app
from tests.probe.wire import JSON, ask, message, send
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"})
KB = "/api/v1/knowledge-bases/kb"
TOKEN = "t" * 40


def value(text: str, name: str, **labels: str) -> float:
    """The value of a metric; 0 if it is not there."""
    for line in text.splitlines():
        found = re.fullmatch(rf"{name}(?:\{{(.*)\}})? (\S+)", line)
        if found and set(re.findall(r'(\w+)="([^"]*)"', found.group(1) or "")) == set(labels.items()):
            return float(found.group(2))
    return 0.0


@contextmanager
def gunicorn(kb: Headwater, workers: int) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Serve the API with several workers, as gunicorn's own command does; yields the port."""
    command = [sys.executable, "-m", "gunicorn", "--config", "python:query_api.server.gunicorn_settings"]
    command += ["--workers", str(workers), "--bind", "127.0.0.1:0", "--log-level", "info"]
    kb.settings.home.mkdir(parents=True, exist_ok=True)
    log = kb.settings.home / "gunicorn.log"
    with log.open("wb") as opened:
        process = subprocess.Popen(command, cwd=REPOSITORY, stdout=opened, stderr=opened)
    try:
        deadline = time.monotonic() + 120
        while not (listening := re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8"))):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.05)
        port = int(listening.group(1))
        while ask(port, "GET", "/health/live").status != 200:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield port, process
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.servers
def test_the_counts_are_those_of_all_workers(kb: Headwater) -> None:
    """Whichever of three answers the scrape, also after one of them died; a label is a route, not a path."""
    with gunicorn(kb, 3) as (port, process):
        before = ask(port, "GET", "/metrics").body.decode()
        for number in range(30):
            assert ask(port, "GET", f"/api/v1/knowledge-bases/no{number}").status == 404
        question = message("POST", f"{KB}/answers", JSON, b'{"question": "How many litres does the pump lift?"}')
        for _ in range(3):
            assert send(port, question)[0].status == 200
        deadline = time.monotonic() + 120
        while len(workers := psutil.Process(process.pid).children()) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        workers[0].kill()
        while len([one for one in psutil.Process(process.pid).children() if one.pid != workers[0].pid]) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        seen = {ask(port, "GET", "/metrics").body.decode() for _ in range(4)}
        for text in seen:
            route = "/api/v1/knowledge-bases/<kb>"
            requests = {"method": "GET", "route": route, "status": "404"}
            assert value(text, "headwater_http_requests_total", **requests) == 30
            assert value(text, "headwater_http_request_seconds_count", method="GET", route=route) == 30
            assert value(text, "headwater_answers_total", state="done") == 1
            assert value(text, "headwater_answers_total", state="cached") == 2
            assert value(text, "headwater_knowledge_bases") == 1
            assert value(text, "headwater_sources", state="ready") == 1
            assert value(text, "headwater_sync_sources", state="ready") == 1
            assert value(text, "headwater_index_entries", state="active") > 0
            assert "no7" not in text
        assert value(before, "headwater_http_requests_total", method="GET", route="/metrics", status="200") == 0


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 401),  # as a proxy on this machine passes it on by default
        ({"X-Forwarded-For": "198.51.100.7"}, 401),
        ({"Host": "docs.example"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "docs.example"}, 200),
        ({"Authorization": f"Bearer {TOKEN[1:]}"}, 401),
        ({"key": "admin", "Host": "docs.example"}, 200),
        ({"key": "read", "Host": "docs.example"}, 403),
        ({"key": "narrow"}, 403),
    ],
)
def test_metrics_are_for_an_admin_key_or_the_token(kb: Headwater, sent: dict[str, str], status: int) -> None:
    """Not for what a proxy on this machine passes on, with or without its headers; the token opens nothing else."""
    keys = {
        "admin": create_key(kb.store, "a", Scope.ADMIN),
        "read": create_key(kb.store, "r", Scope.READ),
        "narrow": create_key(kb.store, "n", Scope.ADMIN, knowledge_bases=["kb"]),
    }
    headers = dict(sent)
    if "key" in headers:
        headers["Authorization"] = f"Bearer {keys[headers.pop('key')].text}"
    settings = replace(kb.settings, metrics_token=TOKEN, api_url="https://docs.example")
    client: Any = create_app(settings).test_client()
    response = client.get("/metrics", headers=headers)
    assert response.status_code == status, response.text
    if status == 200:
        assert response.content_type.startswith("text/plain; version=0.0.4")
        assert "# TYPE headwater_http_requests_total counter" in response.text
    assert client.get(KB, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 401


def test_metrics_without_a_key_are_for_this_machine_until_there_is_a_token(kb: Headwater) -> None:
    """While nothing else needs a key, they need none; a token closes them."""
    assert create_app(kb.settings).test_client().get("/metrics").status_code == 200
    closed: Any = create_app(replace(kb.settings, metrics_token=TOKEN)).test_client()
    assert closed.get("/metrics").status_code == 401
    assert closed.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert closed.get(KB).status_code == 200


def test_threads_that_count_first_share_the_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request and the answer that it began are counted at the same moment; the counts of one used to be lost."""
    made: list[object] = []

    @cache
    def make_slowly() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(prometheus, "_make_counts", make_slowly)
    with ThreadPoolExecutor(4) as pool:
        counts = [each.result() for each in [pool.submit(prometheus._counts) for _ in range(4)]]
    assert len(made) == len(set(map(id, counts))) == 1
