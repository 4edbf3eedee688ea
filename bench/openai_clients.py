"""OpenAI's client, in any of its versions, and litellm against `headwater serve`.

Belongs here: a home with three knowledge bases, a server of a chat model, `headwater serve`, and running the calls. Not
here: the calls (`openai_calls`, `litellm_calls`). Guarantee: everything is temporary.

    python -m bench.openai_clients [--python PATH]...

Each `--python` is an interpreter with a version of the package `openai`; by default it is this one. For the newest:

    python -m venv /path/to/newest && /path/to/newest/bin/pip install openai
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bench.throwaway import sync, throwaway_home
from headwater.settings import REPOSITORY
from tests.chat_server import KEY, MODEL, ChatRequest, ChatServer, Reply, Says, chat_server
from tests.support import free_port

_TEXT = "# Pump\n\nThe pump lifts forty litres of water per minute. It stops by itself at 90 degrees.\n"
_CALL = {"id": "call_1", "type": "function", "function": {"name": "lift", "arguments": "{}"}}
_SETTINGS = {"quoting": {}, "writing": {"answer_model": MODEL}, "empty": {}}
_LIMIT = 120.0  # seconds until the server answers


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--python", "interpreters", multiple=True, default=(sys.executable,), help="An interpreter with openai.")
def main(interpreters: tuple[str, ...]) -> None:
    """Serve, and let each interpreter make the calls."""
    with throwaway_home() as home, chat_server() as chat:
        chat.otherwise = _said
        _fill(home)
        with _serving(chat, home) as url:
            script = str(REPOSITORY / "bench" / "openai_calls.py")
            done = [subprocess.run([each, script, url, *_SETTINGS], check=False).returncode for each in interpreters]
            by_litellm = [sys.executable, "-m", "bench.litellm_calls", url, *_SETTINGS]
            done.append(subprocess.run(by_litellm, check=False, cwd=REPOSITORY).returncode)
        hung = [request for request in chat.requests if "hang" in request.prompt]
        left = sum(request.left.wait(10) for request in hung)
        print(f"The model's server saw its caller leave {left} of {len(hung)} replies that hung.")
        print((home / "serve.log").read_text() or "The server's log is empty.")
    sys.exit(any(done) or left < len(hung))


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
    from headwater.administration.applying import apply
    from headwater.administration.configuration import KnowledgeBaseSpec, SourceSpec
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.settings import Settings
    from headwater.store.server.addresses import database_url
    from headwater.store.server.migrate import migrate

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
def _serving(chat: ChatServer, home: Path) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environ = {**os.environ, "OPENAI_API_BASE": f"{chat.url}/v1", "OPENAI_API_KEY": KEY}
    with (home / "serve.log").open("wb") as log:
        command = [sys.executable, "-m", "cli.main", "serve", "--port", str(port)]
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environ, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _LIMIT
        while not _answers(url):
            if time.monotonic() > deadline or process.poll() is not None:
                raise click.ClickException((home / "serve.log").read_text())
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/ready") as response:  # noqa: S310 - our own server
            return bool(response.status == 200)
    except OSError:
        return False


if __name__ == "__main__":
    main()
