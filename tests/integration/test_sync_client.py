"""Syncs that a command hands over to the worker of a running `headwater up`, which has imported what they need."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from cli.environment import dagster_variables
from cli.processes.sync_client import SOCKET, _follow, beside, identity, receive, send
from headwater.settings import REPOSITORY, Settings
from tests.conftest import clone
from tests.support import Headwater

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere commands do their work themselves"),
]
Make = Callable[..., Headwater]
FILES = {"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."}
_LIMIT = 120.0  # seconds; machines are busy
# What it had imported at its end is the last line of stderr.
_COMMAND = """
import sys
from cli.main import main
try:
    main()
finally:
    print("dagster" in sys.modules, file=sys.stderr)
"""

# What was imported stays: who imports nothing after another command imports nothing alone.
_COMMANDS = """
import sys
from cli.main import main
for command in sys.argv[1:]:
    try:
        main([*command.split(), "--json"])
    except SystemExit:
        pass
    print("dagster", "dagster" in sys.modules, "after", command, file=sys.stderr)
"""


def _wait(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _LIMIT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base that was never synced."""
    return headwater(files=FILES)


@contextmanager
def _worker(home: Path, **environ: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The worker of a home, with an environment of its own."""
    path = home / SOCKET
    command = [sys.executable, "-m", "cli.processes.sync_worker"]
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "HEADWATER_HOME": str(home), **environ},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            _wait(lambda: path.exists() and stat.S_ISSOCK(path.stat().st_mode))
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def worker_home(
    server: str, template: str, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, "subprocess.Popen[bytes]"]]:
    """A home with a worker, which serves whoever finds its socket: what it does is said by the command."""
    home = tmp_path_factory.mktemp("worker")
    with clone(server, template, "handover") as url:
        settings = Settings(home=home, cache=cache, database_url=url)
        environ = {**dagster_variables(settings), "HEADWATER_DATABASE_URL": url}
        with _worker(home, **environ) as process:
            yield home, process


@pytest.fixture
def worker(kb: Headwater, worker_home: tuple[Path, "subprocess.Popen[bytes]"]) -> "subprocess.Popen[bytes]":
    """The worker of several tests, found in the home of this one's commands; it has no child yet."""
    home, process = worker_home
    (kb.settings.home / SOCKET).symlink_to(home / SOCKET)
    _wait(lambda: not psutil.Process(process.pid).children())
    return process


def _start(*arguments: str, **environ: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *arguments],
        cwd=REPOSITORY, env={**os.environ, **environ}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _end(process: "subprocess.Popen[str]") -> tuple[int, dict[str, Any], list[str]]:
    """Exit status, the document on stdout, and the lines of stderr."""
    out, err = process.communicate(timeout=_LIMIT)
    return process.returncode, json.loads(out), err.splitlines()


def _without_progress(lines: list[str]) -> list[str]:
    """The lines of stderr, without those that say on a slow machine how far the sync is."""
    return [line for line in lines if not line.startswith("docs: ")]


@contextmanager
def _hanging(kb: Headwater, process: "subprocess.Popen[bytes]", *more: str) -> Iterator["subprocess.Popen[str]"]:
    """A command whose work was handed over and cannot end: someone else refreshes the knowledge base."""
    with kb.store.workers.hold_refresh(kb.knowledge_base.id):
        command = _start("sync", "kb", "--json", *more)
        _wait(lambda: kb.query("SELECT 1 FROM sync_sources WHERE state = 'ready'"))
        assert len(psutil.Process(process.pid).children()) == 1
        yield command


@pytest.mark.dagster
@pytest.mark.usefixtures("worker")
def test_a_command_beside_up_imports_no_dagster(kb: Headwater) -> None:
    """The worker does the work; row, run, result and exit status are those of a sync in the command's own process."""
    status, result, lines = _end(_start("sync", "kb", "--json"))
    assert (status, _without_progress(lines)) == (0, ["False"])
    assert [source["state"] for source in result["sources"]] == ["ready"]
    run = kb.instance.get_run_by_id(result["run_id"])
    assert run is not None
    assert run.is_success
    assert kb.coloured("search_index")["materialized"] == {"kb"}
    (kb.settings.home / SOCKET).unlink()
    kb.write("c.md", "# C\n\nMore.")
    status, alone, lines = _end(_start("sync", "kb", "--json"))
    assert (status, lines[-1]) == (0, "True")
    assert alone.keys() == result.keys()
    assert alone["sources"][0].keys() == result["sources"][0].keys()


@pytest.mark.usefixtures("worker")
def test_errors_come_back_as_they_are(kb: Headwater) -> None:
    """A source that cannot be read, and a knowledge base that is not there: status, code and words."""
    status, result, lines = _end(_start("sync", "none", "--json"))
    assert (status, result["error"]["code"], lines[-1]) == (2, "NOT_FOUND", "False")
    (kb.folder / "docs").rename(kb.folder / "elsewhere")
    status, result, lines = _end(_start("sync", "kb", "--json"))
    assert (status, lines[-1]) == (1, "False")
    assert result["sources"][0]["state"] == "failed"


def test_the_work_is_done_in_the_commands_environment(kb: Headwater) -> None:
    """Neither what the worker was started with, nor what another command brought, says how a sync goes."""
    with _worker(kb.settings.home, HEADWATER_LOCAL_PATHS="/nowhere"):
        first = _end(_start("sync", "kb", "--json", HEADWATER_LOCAL_PATHS="/nowhere/else"))
        second = _end(_start("sync", "kb", "--json"))
    assert first[1]["sources"][0]["state"] == "failed"
    assert (second[0], second[1]["sources"][0]["state"]) == (0, "ready")
    assert _without_progress(second[2]) == ["False"]


@pytest.mark.dagster
def test_a_worker_that_is_killed_loses_nothing(kb: Headwater, worker: "subprocess.Popen[bytes]") -> None:
    """The command says so and does the work itself."""
    with _hanging(kb, worker) as command:
        (child,) = psutil.Process(worker.pid).children()
        child.kill()
        assert command.stderr is not None
        assert any("continuing here" in line for line in command.stderr)
    status, result, lines = _end(command)
    assert (status, lines[-1]) == (0, "True")
    assert result["sources"][0]["state"] == "ready"
    assert kb.coloured("search_index")["materialized"] == {"kb"}


def test_ctrl_c_reaches_the_worker(kb: Headwater, worker: "subprocess.Popen[bytes]") -> None:
    """The work ends with the command, by exit status 130."""
    with _hanging(kb, worker) as command:
        command.send_signal(signal.SIGINT)
        _wait(lambda: not psutil.Process(worker.pid).children())
    out, err = command.communicate(timeout=_LIMIT)
    assert (command.returncode, out) == (130, "")
    assert "Interrupted" in err
    assert not kb.query("SELECT 1 FROM sync_sources WHERE state IN ('pending', 'queued', 'syncing')")


@pytest.mark.parametrize("answer", [None, {"is_interrupted": True}], ids=["without an answer", "with an answer"])
def test_ctrl_c_ends_the_command_however_the_worker_ends(tmp_path: Path, answer: dict[str, bool] | None) -> None:
    """The work is not gone on with here; a signal within a message does not garble it."""
    (tmp_path / SOCKET).touch()
    ours, theirs = socket.socketpair()
    child = subprocess.Popen(["sleep", "60"])

    def work() -> None:
        with theirs:
            receive(theirs)
            send(theirs, {"is_accepted": True, "process": child.pid})
            body = json.dumps(answer).encode()
            message = len(body).to_bytes(4, "big") + body
            theirs.sendall(message[:2])
            os.kill(os.getpid(), signal.SIGINT)
            assert child.wait() == -signal.SIGINT  # it was passed on
            if answer:
                theirs.sendall(message[2:])

    worker = threading.Thread(target=work)
    try:
        with ours:
            worker.start()
            with pytest.raises(KeyboardInterrupt):
                _follow(ours, tmp_path, {})
    finally:
        child.kill()
        worker.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_command_whose_up_is_stopped_says_so(kb: Headwater) -> None:
    """Its sync does not continue after `up` was stopped."""
    with _worker(kb.settings.home) as process, _hanging(kb, process) as command:
        (kb.settings.home / SOCKET).unlink()  # as the supervisor does first
        os.killpg(process.pid, signal.SIGTERM)
        status, result, lines = _end(command)
    assert (status, result["error"]["code"], lines[-1]) == (1, "STOPPED", "False")


@pytest.mark.dagster
def test_a_command_that_is_killed_leaves_its_work_to_the_worker(
    kb: Headwater, worker: "subprocess.Popen[bytes]"
) -> None:
    """Work that was handed over is finished."""
    with _hanging(kb, worker) as command:
        command.kill()
        command.communicate(timeout=_LIMIT)
    _wait(lambda: not psutil.Process(worker.pid).children())
    assert kb.coloured("search_index")["materialized"] == {"kb"}


@pytest.mark.usefixtures("worker")
def test_a_worker_of_another_program_is_not_asked(kb: Headwater) -> None:
    """An `up` that runs since before an upgrade would do the work otherwise; so would one of another checkout."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as connection:
        with beside(kb.settings.home):
            connection.connect(SOCKET)
        options = {"is_full": False, "confirms_deletions": False}
        asked: dict[str, object] = {"slug": "kb", "slugs": [], **options, "environ": dict(os.environ), "folder": None}
        send(connection, {**identity(), **asked, "version": "0.0"})
        assert not receive(connection)[0]["is_accepted"]
    assert kb.store.knowledge_bases.get("kb")
    assert not kb.query("SELECT 1 FROM syncs")


def test_nobody_else_gets_in(kb: Headwater, tmp_path: Path) -> None:
    """The socket is its owner's, also in a home whose path is longer than a socket's may be."""
    home = tmp_path.joinpath(*["a-long-name" * 5] * 4)
    home.mkdir(parents=True)
    from cli.processes.sync_client import open_listener

    with open_listener(home):
        assert stat.S_IMODE((home / SOCKET).stat().st_mode) == 0o600
    # One that was left behind is no worker: the command does the work itself.
    with open_listener(kb.settings.home):
        pass
    status, _, lines = _end(_start("sync", "kb", "--json"))
    assert (status, lines) == (0, ["True"])


@pytest.mark.usefixtures("synced")
@pytest.mark.synced(files=FILES)
def test_no_other_command_imports_dagster() -> None:
    """Only what starts a run needs it; `doctor` looks whether it is there without starting it."""
    commands = ["status", "search kb pump", "ask kb pump?", "doctor", "index list kb", "eval kb"]
    done = subprocess.run(
        [sys.executable, "-c", _COMMANDS, *commands], cwd=REPOSITORY, capture_output=True, text=True, timeout=_LIMIT
    )
    assert [line for line in done.stderr.splitlines() if line.startswith("dagster ")] == [
        f"dagster False after {command}" for command in commands
    ]
    documents, rest = 0, done.stdout.strip()
    while rest:
        _, end = json.JSONDecoder().raw_decode(rest)
        documents, rest = documents + 1, rest[end:].strip()
    assert documents == len(commands)
