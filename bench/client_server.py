"""A running Headwater for clients: three knowledge bases, and a server of a chat model.

Belongs here: making all of it for the length of a block, and what the chat model's server saw. Not here: clients
(`openai_clients`, `mcp_calls`). Guarantee: everything is temporary.
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from bench.throwaway import sync, throwaway_home
from headwater.settings import REPOSITORY
from tests.chat_server import KEY, MODEL, ChatRequest, ChatServer, Reply, Says, chat_server
from tests.support import free_port

_TEXT = "# Pump\n\nThe pump lifts forty litres of water per minute. It stops by itself at 90 degrees.\n"
_CALL = {"id": "call_1", "type": "function", "function": {"name": "lift", "arguments": "{}"}}
_SETTINGS = {"quoting": {}, "writing": {"answer_model": MODEL}, "empty": {}}
_LIMIT = 120.0  # seconds until the server answers
SLUGS = tuple(_SETTINGS)
"""The knowledge bases: without a model, with one, and without documents."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where Headwater is, and the chat model's server."""

    url: str
    chat: ChatServer
    log: Path

    def report(self) -> bool:
        """Print what the servers saw; returns whether the model's callers left every reply that hung."""
        hung = [request for request in self.chat.requests if "hang" in request.prompt]
        left = sum(request.left.wait(10) for request in hung)
        print(f"The model's server saw its caller leave {left} of {len(hung)} replies that hung.")
        print(self.log.read_text() or "The server's log is empty.")
        return left == len(hung)


@contextmanager
def headwater(command: Literal["serve", "up"]) -> Iterator[Server]:
    """Run the API alone or everything, for the length of a block."""
    with throwaway_home() as home, chat_server() as chat:
        chat.otherwise = _said
        _fill(home)
        with running(command, chat, home) as url:
            yield Server(url=url, chat=chat, log=home / "serve.log")


def _said(request: ChatRequest) -> Reply:
    if request.body.get("tools"):
        return Says(tool_calls=(_CALL,), finish_reason="tool_calls")
    begun = "The pump lifts forty litres of water per minute, and it stops by itself"
    if "break off" in request.prompt:
        return Says(begun, ending="breaks")
    if "hang" in request.prompt:
        return Says(begun, ending="hangs")
    delay = 6.0 if "be slow" in request.prompt else 0.0
    return Says("The pump lifts forty litres of water per minute [1].", first_token_delay=delay)


def _fill(home: Path) -> None:
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate

    settings = Settings.from_env()
    migrate(database_url(settings))
    (home / "docs").mkdir()
    (home / "docs" / "pump.md").write_text(_TEXT)
    with environment() as env, dagster_instance(settings) as instance:
        for slug, chosen in _SETTINGS.items():
            source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(home / "docs")})
            values: dict[str, Any] = {"embedding_model": "builtin/hash", **chosen}
            spec = KnowledgeBaseSpec(
                slug=slug,
                name=slug,
                description="",
                settings=KnowledgeBaseSettings.model_validate(values),
                sources=() if slug == "empty" else (source,),
            )
            apply(env.store, spec)
            if slug != "empty":
                sync(env, instance, slug)


@contextmanager
def running(command: str, chat: ChatServer, home: Path) -> Iterator[str]:
    """Run a command that serves the API of a home, for the length of a block; yields its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environ = {**os.environ, "OPENAI_API_BASE": f"{chat.url}/v1", "OPENAI_API_KEY": KEY}
    with (home / "serve.log").open("wb") as log:
        more = ["--dagster-port", str(free_port())] if command == "up" else []
        line = [sys.executable, "-m", "cli.main", command, "--port", str(port), *more]
        process = subprocess.Popen(line, cwd=REPOSITORY, env=environ, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _LIMIT
        while not _answers(url):
            if time.monotonic() > deadline or process.poll() is not None:
                raise click.ClickException((home / "serve.log").read_text())
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/ready") as response:  # noqa: S310 - our own server
            return bool(response.status == 200)
    except OSError:
        return False
