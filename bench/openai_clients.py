"""OpenAI's client, in any of its versions, and litellm against `headwater serve`.

Belongs here: running the calls. Not here: the calls (`openai_calls`, `litellm_calls`), the server (`client_server`).
Guarantee: everything is temporary.

    python -m bench.openai_clients [--python PATH]...

Each `--python` is an interpreter with a version of the package `openai`; by default it is this one. For the newest:

    python -m venv /path/to/newest && /path/to/newest/bin/pip install openai
"""

import subprocess
import sys

import click

from bench.client_server import SLUGS, headwater
from headwater.settings import REPOSITORY


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--python", "interpreters", multiple=True, default=(sys.executable,), help="An interpreter with openai.")
def main(interpreters: tuple[str, ...]) -> None:
    """Serve, and let each interpreter make the calls."""
    with headwater("serve") as server:
        script = str(REPOSITORY / "bench" / "openai_calls.py")
        done = [
            subprocess.run([interpreter, script, server.url, *SLUGS], check=False).returncode
            for interpreter in interpreters
        ]
        by_litellm = [sys.executable, "-m", "bench.litellm_calls", server.url, *SLUGS]
        done.append(subprocess.run(by_litellm, check=False, cwd=REPOSITORY).returncode)
        are_left = server.report()
    sys.exit(any(done) or not are_left)


if __name__ == "__main__":
    main()
