"""The shell that a page's commands run in, one for the whole page.

Belongs here: starting it, running commands in it, stopping what they left behind. Not here: what is run. Guarantee:
variables and folders last from block to block, as in a terminal; nothing runs on once the page is over.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from headwater.settings import REPOSITORY

_PATIENCE = 60  # seconds until what was stopped has ended
_PRELUDE = """
set -E
trap 'failed=$?' ERR
warm() { python -I -S "$REPOSITORY"/tests/pages/warm.py "$WARM" "$@"; }
headwater() {  # `up` and `serve` run until Ctrl-C: here they go on beside the commands after them
    case $1 in
    up) warm "$@" --port $API_PORT --dagster-port $DAGSTER_PORT > up.log 2>&1 & ;;
    serve) warm "$@" --port $API_PORT > up.log 2>&1 & ;;
    *) warm "$@"; return ;;
    esac
    for _ in {1..1200}; do
        kill -0 $! && command curl -s -o .ready http://127.0.0.1:$API_PORT/health/live && break
        sleep .1
    done
    [ $1 = serve ] || until grep -q 'Stop it' up.log; do kill -0 $! || break; sleep .1; done
    cat up.log
}
curl() { command curl --fail-with-body "$@"; }
make() {  # the demo reads three files instead of all pages, in a copy of the repository
    local checkout=$REPOSITORY
    case "$*" in
    install) ;;
    'demo DETACH=1')
        checkout=$HOME/checkout
        mkdir -p "$checkout"/docs
        cd "$REPOSITORY"
        cp -a Makefile ./*.toml ./*.txt ./*.yaml ./*.md assets cli examples headwater pipelines query_api "$checkout"
        cp -a docs/conversations.md "$checkout"/docs
        cd - > /dev/null ;;
    *) echo "make $* in a test of a page"; return 1 ;;
    esac
    # The environment that runs the tests stays as it is, though it may be older than these files of another checkout.
    command make --no-print-directory -o pyproject.toml -o constraints.txt -C "$checkout" VENV="$VENV" "$@"
}
"""


@contextmanager
def shell(folder: Path, environment: Mapping[str, str]) -> Iterator["Shell"]:
    """Run a bash in a folder for the length of a block; at its end, nothing that it started runs on."""
    with subprocess.Popen(
        ["bash", "--noprofile", "--norc"],
        cwd=folder,
        env={**os.environ, **environment, "REPOSITORY": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        opened = Shell(process, folder)
        try:
            opened.run(_PRELUDE)
            yield opened
        finally:
            with suppress(AssertionError, OSError):
                opened.run("headwater down")
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            _end_all(folder.parent)


def _end_all(folder: Path) -> None:
    """End every process that works below a folder: a page may make several homes, each with a Postgres.

    They are found by themselves, not by their files: a Postgres that is just starting has no complete postmaster.pid.
    The others end first, because any command starts Postgres again.
    """
    found = {process for process in psutil.process_iter(["name"]) if _is_below(process, folder)}
    for process in list(found):  # a fork of `up` works elsewhere
        with suppress(psutil.NoSuchProcess):
            found |= set(process.children(recursive=True))
    for process in sorted(found, key=_is_postgres):
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGINT if _is_postgres(process) else signal.SIGKILL)  # Postgres: a fast shutdown
    _, alive = psutil.wait_procs(list(found), timeout=_PATIENCE)
    assert not alive, alive


def _is_postgres(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.name().startswith("postgres")
    return False


def _is_below(process: psutil.Process, folder: Path) -> bool:
    try:
        return Path(process.cwd()).is_relative_to(folder) or Path(process.environ()["HEADWATER_HOME"]).is_relative_to(
            folder
        )
    except (psutil.Error, KeyError, OSError):  # it has ended, or is someone else's
        return False


class Shell:
    """One bash that commands are given to."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        self._folder = folder

    def run(self, commands: str) -> tuple[int, str]:
        """Run commands; every question of theirs is answered with yes.

        Returns:
            The exit status of the last command that failed, else 0, and what all of them printed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        script, output = self._folder / ".commands", self._folder / ".printed"
        script.write_text(commands, encoding="utf-8")
        call = f"failed=0; source {script} < <(yes 2>/dev/null) > {output} 2>&1; echo $failed"
        self._process.stdin.write(f"{call}\n")
        self._process.stdin.flush()
        status = self._process.stdout.readline().strip()
        assert status, f"the shell ended: {output.read_text(encoding='utf-8')}"
        return int(status), output.read_text(encoding="utf-8")
