"""Whole walks over a real `headwater up`: from an empty installation to the cited passage; a server that is killed.

One `headwater up`, with its own Postgres, Dagster and API, serves all tests of this file.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import httpx
import psutil
import pytest

from headwater.settings import REPOSITORY
from tests.browser.web import Visitors, check_accessible, expect, follow
from tests.chat_server import MODEL, ChatServer, Says, chat_server
from tests.support import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_PUMP = (
    "# Pump manual\n\n## Operation\n\nThe pump lifts forty litres of water per minute. It stops by itself at 90 °C.\n"
)
_QUESTION = "How many litres of water does the pump lift per minute?"
_ANSWER = "The pump lifts **forty litres** of water per minute [1]."
_LONG = " ".join(f"The pump lifts forty litres of water per minute [1], said {number} times." for number in range(60))
_BROKEN = r"ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE"
"""What a browser itself says of a connection that a server left; no page can prevent it."""


@dataclass
class Up:
    """A running `headwater up`."""

    process: "subprocess.Popen[str]"
    url: str
    chat: ChatServer
    api: httpx.Client

    def kill_api(self) -> None:
        """Kill the processes that listen at the API's port."""
        port = int(self.url.rpartition(":")[2])
        listening = []
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # one that ends just now does not listen
                connections = child.net_connections("tcp")
                if any(one.laddr.port == port and one.status == psutil.CONN_LISTEN for one in connections):
                    listening.append(child)
        assert listening
        for each in listening:
            each.kill()

    def empty(self) -> None:
        """Delete every knowledge base."""
        for kb in self.api.get("/knowledge-bases").json()["knowledge_bases"]:
            self.api.delete(f"/knowledge-bases/{kb['slug']}").raise_for_status()


@pytest.fixture(scope="module")
def up(browser: "Browser", tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Up]:
    """`headwater up` on a machine with nothing on it; without a browser it does not start."""
    folder = tmp_path_factory.mktemp("walk")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "DAGSTER_"))}
    with chat_server() as chat:
        environ = {**kept, "HEADWATER_HOME": str(folder / "home"), "HEADWATER_CACHE": str(cache)}
        environ |= {"OPENAI_API_BASE": f"{chat.url}/v1", "OPENAI_API_KEY": chat.key}
        command = [sys.executable, "-m", "cli.main"]
        arguments = ["up", "--port", str(free_port()), "--dagster-port", str(free_port()), "--json"]
        with (folder / "up.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *arguments], cwd=REPOSITORY, env=environ, stdout=subprocess.PIPE, stderr=log, text=True
            )  # fmt: skip
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["api"]
            with httpx.Client(base_url=f"{url}/api/v1", timeout=60) as api:
                yield Up(process, url, chat, api)
        finally:
            subprocess.run([*command, "down"], cwd=REPOSITORY, env=environ, check=True, capture_output=True)
            process.communicate(timeout=60)


@pytest.fixture
def walk(up: Up, browser: "Browser") -> Iterator[Visitors]:
    """The pages of an installation without a knowledge base."""
    up.empty()
    up.chat.otherwise = _ANSWER
    visitors = Visitors(url=up.url, browser=browser)
    yield visitors
    assert visitors.close() == []


def _choose_the_model_on_its_page(page: "Page") -> None:
    """By mouse: the test calls the model, and nothing is saved before the page has shown what changes."""
    follow(page.get_by_role("link", name="Settings"))
    page.get_by_label("Answer model").fill(MODEL)
    follow(page.get_by_role("button", name="Test Answer model"))
    page.get_by_text("Answers in").wait_for()
    follow(page.get_by_role("button", name="Review changes"))
    follow(page.get_by_role("button", name="Save"))
    page.get_by_text("It counts from the next question on.").wait_for()
    follow(page.get_by_role("link", name="Sources"))


def _choose_the_model(up: Up, kb: str) -> None:
    """As an operator does by API, command or file."""
    up.api.patch(f"/knowledge-bases/{kb}", json={"settings": {"answer_model": MODEL}}).raise_for_status()


def _dropped(page: "Page", name: str, text: str) -> None:
    """Drop a file on the page, as a mouse does."""
    data = page.evaluate_handle(
        "([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }",
        [name, text],
    )
    page.dispatch_event("hw-upload", "drop", {"dataTransfer": data})


def test_from_nothing_to_the_cited_passage_by_mouse(up: Up, walk: Visitors) -> None:
    """Only texts are typed: name, drop a file, watch it become ready, ask, open the citation."""
    page = walk.visit()
    page.get_by_role("heading", name="Ask your own documents").wait_for()
    page.get_by_label("Name of the knowledge base").fill("Pump handbook")
    follow(page.get_by_role("button", name="Create"))
    page.wait_for_url("**/kb/pump-handbook/sources")
    _choose_the_model_on_its_page(page)
    _dropped(page, "pump.md", _PUMP)
    page.locator('.upload-list .row[data-state="ready"]').wait_for()
    page.get_by_placeholder("Ask Pump handbook a question").fill(_QUESTION)
    follow(page.get_by_role("button", name="Ask Pump handbook"))
    turn = page.locator(".turn[data-state=done]")
    turn.locator("[data-foot]").wait_for()
    expect(turn).to_contain_text("forty litres")
    assert up.chat.requests[-1].body["model"] == "stub"
    turn.get_by_role("button", name="Citation 1").click()
    pane = page.locator(".pane")
    pane.locator("mark").first.wait_for()
    expect(pane.locator("mark").filter(has_text="forty litres").first).to_be_visible()
    pane.get_by_role("link", name="Original file").wait_for()
    check_accessible(page)
    follow(turn.get_by_role("link", name="Sources & lineage"))
    page.wait_for_url("**/lineage/*")
    page.get_by_role("link", name=re.compile("pump.md")).first.wait_for()


def test_a_server_that_is_killed_while_it_answers(up: Up, walk: Visitors) -> None:
    """The page says that the answer was interrupted, by itself; its text stays, and trying again makes it whole."""
    walk.expect_problem(_BROKEN)
    up.api.post("/knowledge-bases", json={"slug": "pumps", "settings": {"answer_model": MODEL}}).raise_for_status()
    up.api.post("/knowledge-bases/pumps/sources", json={"slug": "files", "kind": "files"}).raise_for_status()
    up.api.put("/knowledge-bases/pumps/sources/files/files/pump.md", content=_PUMP.encode()).raise_for_status()
    up.api.post("/knowledge-bases/pumps/syncs", json={}).raise_for_status()
    deadline = time.monotonic() + 120
    while up.api.get("/knowledge-bases/pumps/sources/files").json()["state"] != "ready":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    up.chat.otherwise = Says(_LONG, tokens_per_second=60, holds={400: Event()})  # saved each second, never complete
    page = walk.visit("/kb/pumps/chat")
    page.get_by_label("Question", exact=True).fill(_QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text("said 15 times").wait_for()
    up.kill_api()
    page.locator(".turn").filter(has_text="said 7 times").get_by_text("The connection broke").wait_for()
    turn = page.locator(".turn[data-state=interrupted]")
    turn.get_by_text("This answer was interrupted").wait_for()
    expect(turn).to_contain_text("said 3 times")
    check_accessible(page)
    up.chat.otherwise = _ANSWER
    turn.get_by_role("button", name="Try again").click()
    done = page.locator(".turn[data-state=done]")
    done.get_by_text("Version 2 of 2").wait_for()
    expect(done).to_contain_text("forty litres")
    expect(page.locator("[data-error]")).to_be_hidden()
