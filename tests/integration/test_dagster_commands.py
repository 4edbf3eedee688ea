"""Dagster's own commands in the repository, on the embedded defaults (OPS-6).

Belongs here: `dagster` and `dg` as people type them, beside `headwater`. Not here: what runs do. Guarantee: each
command is a process of its own, with nothing in its environment that tells it of Dagster.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from cli.processes import up_file
from headwater.settings import REPOSITORY
from headwater.store.server import embedded_postgres
from tests.support import free_port

pytestmark = pytest.mark.servers
_BIN = Path(sys.executable).parent
_LIMIT = 120.0  # seconds
_HAS_DG = find_spec("dagster_dg_cli") is not None and version("dagster").startswith("1.13")
has_dg = pytest.mark.skipif(
    not _HAS_DG,
    reason="`dg` is not installed, or not of Dagster's version; `make install` installs it for Dagster 1.13",
)


class Clone:
    """The repository with a home of its own."""

    def __init__(self, home: Path, cache: Path) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAGSTER_", "HEADWATER_"))}
        self.environ = {
            **kept, "HEADWATER_HOME": str(home), "HEADWATER_CACHE": str(cache), "PYTHONWARNINGS": "ignore",
            "PATH": os.pathsep.join((str(_BIN), os.environ["PATH"])),
        }  # fmt: skip

    def run(self, *command: str, status: int = 0) -> str:
        """Run a command; returns all that it prints."""
        done = subprocess.run(
            command, cwd=REPOSITORY, env=self.environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    @contextmanager
    def started(self, *command: str) -> "Iterator[subprocess.Popen[bytes]]":
        """Run a command for the length of a block, and end it as Ctrl-C does."""
        log = self.home / "log"
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # an ignored signal would be inherited
        with log.open("wb") as out:
            process = subprocess.Popen(command, cwd=REPOSITORY, env=self.environ, stdout=out, stderr=out)
        signal.signal(signal.SIGINT, before)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(_LIMIT)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Clone]:
    """The repository before anything was run in it, and after the tests."""
    home = tmp_path_factory.mktemp("clone") / "home"
    home.mkdir(mode=0o700)
    yield Clone(home, cache)
    embedded_postgres.stop(home / "postgres")


def answers(port: int, host: str) -> int:
    """The status of the UI's answer to a request that names a host."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/server_info", headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    """Wait until the UI answers."""
    deadline = time.monotonic() + _LIMIT
    while process.poll() is None and time.monotonic() < deadline:
        try:
            answers(port, "localhost")
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(log.read_text(encoding="utf-8"))


@pytest.mark.timeout(600)
def test_definitions_are_valid_before_anything_was_run(clone: Clone) -> None:
    """`dagster definitions validate` starts the embedded Postgres, and needs no variable and no migration."""
    assert "All code locations passed validation" in clone.run("dagster", "definitions", "validate")


@has_dg
@pytest.mark.timeout(600)
def test_dg_knows_the_project(clone: Clone) -> None:
    """`dg list defs`; `dg check defs` is what the test of a project outside runs."""
    output = clone.run("dg", "list", "defs", "--json")
    listed = json.loads(output[output.index("{\n") :])
    assert {"documents", "search_index"} <= {asset["asset_key"] for asset in listed["assets"]}


@pytest.mark.timeout(600)
def test_a_run_of_dagster_s_command_is_one_of_ours(clone: Clone, tmp_path: Path) -> None:
    """It syncs a source that is new to Dagster, and `headwater` sees the run; its output is where `up` looks for it."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "pump.md").write_text("# Pump\n\nThe pump lifts forty litres of water per minute.\n", encoding="utf-8")
    clone.run("headwater", "add", "kb", str(notes), "--slug", "notes", "--embedding-model", "builtin/hash")
    (notes / "valve.md").write_text("# Valve\n\nThe valve opens at three bar.\n", encoding="utf-8")
    selection = ["--partition", "kb/notes", "documents+"]
    if _HAS_DG:
        output = clone.run("dg", "launch", *selection[:2], "--assets", selection[2])
    else:
        output = clone.run(
            "dagster", "asset", "materialize", "-m", "pipelines.definitions", *selection[:2], "--select", selection[2]
        )
    assert "RUN_SUCCESS" in output
    [knowledge_base] = json.loads(clone.run("headwater", "status", "kb", "--json"))["knowledge_bases"]
    [source] = knowledge_base["sources"]
    assert (source["state"], source["documents"]) == ("ready", 2)
    run_id = json.loads(clone.run("headwater", "syncs", "kb", "--json"))["syncs"][0]["run_id"]
    assert run_id in output
    assert list((clone.home / "dagster" / "storage" / run_id).rglob("*.err"))


@pytest.mark.timeout(600)
def test_dev_is_guarded_and_alone(clone: Clone) -> None:
    """Its UI refuses what that of `headwater up` refuses; `up` and a second `dev` are refused, with the reason.

    `dg dev` starts `dagster dev`, which is typed itself where there is no `dg`: with the oldest Dagster.
    """
    port = free_port()
    with clone.started("dg" if _HAS_DG else "dagster", "dev", "--port", str(port)) as process:
        wait(process, port, clone.home / "log")
        assert answers(port, f"127.0.0.1:{port}") == 200
        assert answers(port, "elsewhere.example") == 403
        refused = clone.run("headwater", "up", "--port", str(free_port()), "--dagster-port", str(free_port()), status=1)
        assert "`dagster dev` runs for" in refused
        assert f"http://127.0.0.1:{port}/headwater/login" in clone.run("headwater", "login")
        assert f"dagster dev runs (process {process.pid})" in clone.run("headwater", "doctor")
        assert str(process.pid) in refused
        assert "needs Postgres. Stop it with Ctrl-C" in clone.run("headwater", "down", status=1)
        again = clone.run("dagster", "dev", "--port", str(free_port()), status=1)
        assert "Error: `dagster dev` runs already for" in again
        assert "Traceback" not in again
    assert process.returncode == 0
    assert up_file.read_pid(clone.home) is None


@pytest.mark.timeout(600)
def test_a_killed_dev_leaves_nothing_that_starts_runs(clone: Clone) -> None:
    """Its daemon used to go on beside the next `headwater up`: both started every run."""
    port = free_port()
    with clone.started("dagster", "dev", "--port", str(port)) as process:
        wait(process, port, clone.home / "log")
        started = [
            child
            for child in psutil.Process(process.pid).children()
            if {"dagster._daemon", "dagster_webserver"} & set(child.cmdline())
        ]
        assert len(started) == 2
        process.kill()
        process.wait(_LIMIT)
        _, left = psutil.wait_procs(started, _LIMIT)
    assert left == []


@pytest.mark.timeout(600)
def test_dev_is_refused_beside_up(clone: Clone) -> None:
    """Before it opens a database: both would start every scheduled run."""
    up_file.claim(clone.home)
    try:
        refused = clone.run("dagster", "dev", status=1)
    finally:
        up_file.release(clone.home)
    assert f"`headwater up` runs for {clone.home} (process {os.getpid()})" in refused
    assert "Traceback" not in refused
