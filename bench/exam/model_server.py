"""The chat model of the exam.

Belongs here: serving a GGUF file for the length of the exam, and what the results call it. Not here: calling it, which
is the same for every model. Guarantee: the server listens on loopback only and ends with the block.
"""

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import httpx

from headwater.settings import REPOSITORY, lend_environment

_START_SECONDS = 300.0
_STOP_SECONDS = 10.0
_POLL_INTERVAL_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatModelName:
    """How the model is called (`provider/name`), and its label in the results, which identifies a file by its hash."""

    name: str
    label: str


@contextmanager
def serve_model(file: Path, *, threads: int = 2, port: int = 0) -> Iterator[ChatModelName]:
    """Run `headwater models serve` for the length of a block; the environment points there.

    Args:
        file: a GGUF file.
        threads: those that compute.
        port: 0 means any free one.

    Raises:
        ClickException: the server did not start.
    """
    if not file.is_file():
        raise click.ClickException(f"The model file {file} does not exist. Name a GGUF file.")
    label = f"{file.name} sha256:{file_hash(file)}"
    print(f"model: {label}", flush=True)
    command = [sys.executable, "-m", "cli.main", "models", "serve", str(file.resolve())]
    command += ["--threads", str(threads), "--port", str(port)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as server:
        try:
            address, key = _wait_for_address(server)
            with lend_environment({"OPENAI_API_BASE": address, "OPENAI_API_KEY": key}):
                yield ChatModelName(name=f"openai/{file.stem.lower()}", label=label)
        finally:
            _stop(server)


def file_hash(file: Path) -> str:
    """The SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _wait_for_address(server: "subprocess.Popen[str]") -> tuple[str, str]:
    """The address and the key that the server prints when the model is loaded, once it answers there."""
    assert server.stdout is not None
    address, key = (server.stdout.readline().strip() for _ in range(2))  # empty if the process has ended
    headers = {"Authorization": f"Bearer {key}"}
    until = time.monotonic() + _START_SECONDS
    while address and server.poll() is None and time.monotonic() < until:
        try:
            if httpx.get(f"{address}/models", headers=headers, timeout=_STOP_SECONDS).is_success:
                return address, key
        except httpx.HTTPError:
            pass  # it is still loading the model
        time.sleep(_POLL_INTERVAL_SECONDS)
    raise click.ClickException("The model's server did not start. Its own messages are above.")


def _stop(server: "subprocess.Popen[str]") -> None:
    server.terminate()
    try:
        server.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
