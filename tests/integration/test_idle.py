"""What an idle `headwater up` need not do: open Dagster's database, import twice, connect anew (OPS-4)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import pytest
import sqlalchemy

from assets.connections import keep_connections, made_engines
from assets.resources import StoreResource
from bench.idle import measure
from cli.processes.fork import Forked, fork
from cli.processes.service import Service
from cli.processes.supervisor import _watch
from headwater.administration.sync_requests import request_sync
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import REPOSITORY, Settings
from headwater.store.server import embedded_postgres
from headwater.store.server.database_urls import dagster_url
from pipelines import sensors
from query_api.server.served_app import load_app
from tests.integration.test_supervisor import Looks
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"a.md": "# A\n\nThe pump lifts water."})
_LIMIT = 60.0  # seconds


def _tick(kb: Headwater, cursor: str | None, *, has_dagster: bool) -> Any:
    """A tick of the sensor of requests; without Dagster's instance it fails as soon as it asks for that."""
    instance = kb.instance if has_dagster else None
    return sensors.requested_syncs(
        dg.build_sensor_context(instance=instance, cursor=cursor, resources={"store": StoreResource()})
    )


@pytest.mark.dagster
def test_a_tick_with_nothing_to_do_looks_at_the_rows_alone(kb: Headwater) -> None:
    """Dagster's runs and partitions are compared when names changed, a row is open, or a minute has passed."""
    cursor = _tick(kb, None, has_dagster=True).cursor
    quiet = _tick(kb, cursor, has_dagster=False)
    assert (quiet.run_requests, quiet.cursor) == ([], cursor)
    old = cursor.replace('"at": ', '"at": -')
    with pytest.raises(dg.DagsterInvariantViolationError):
        _tick(kb, old, has_dagster=False)
    request_sync(kb.store, "kb", [], "api")
    assert len(_tick(kb, cursor, has_dagster=True).run_requests) == 1


@pytest.mark.dagster
def test_a_cancelled_sync_is_looked_at_at_the_next_tick(kb: Headwater) -> None:
    """Its run may wait in Dagster's queue, and leaves it then, not a minute later."""
    cursor = _tick(kb, None, has_dagster=True).cursor
    sync_id = request_sync(kb.store, "kb", [], "api").id
    kb.store.syncs.cancel(sync_id)
    with pytest.raises(dg.DagsterInvariantViolationError):
        _tick(kb, cursor, has_dagster=False)
    assert _tick(kb, cursor, has_dagster=True).run_requests == []


@pytest.mark.dagster
def test_a_new_name_is_a_partition_at_the_next_tick(kb: Headwater) -> None:
    """So is one that is gone, however short ago Dagster's were looked at."""
    cursor = _tick(kb, None, has_dagster=True).cursor
    kb.store.sources.create("kb", slug="more", kind="markdown_tree", config={"path": str(kb.folder)})
    tick = _tick(kb, cursor, has_dagster=True)
    assert [change.partition_keys for change in tick.dynamic_partitions_requests] == [["kb/more"]]
    assert tick.cursor != cursor


def test_one_query_finds_the_knowledge_bases_that_changed(kb: Headwater) -> None:
    """By the digest that each is refreshed by; of one that did not change, Dagster is asked nothing."""
    assert kb.store.knowledge_bases.changed() == {}
    quiet: Any = sensors.changed_knowledge_bases(dg.build_sensor_context(resources={"store": StoreResource()}))
    assert list(quiet) == []
    settings = KnowledgeBaseSettings.model_validate({**kb.knowledge_base.settings.model_dump(), "chunk_max": 900})
    kb.store.knowledge_bases.update("kb", settings=settings)
    digest, _ = kb.store.knowledge_bases.index_digest("kb")
    assert kb.store.knowledge_bases.changed() == {"kb": digest}


def test_a_code_server_keeps_its_store(kb: Headwater) -> None:
    """Tick by tick the same one, with its connections."""
    seen = []
    for _ in range(2):
        with dg.build_resources({"store": StoreResource()}) as given, given.store.open() as (store, _):
            seen.append((store, store.sources.get("kb", "docs").id))
    assert seen[0] == seen[1]


def test_a_watched_postgres_is_asked_only_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its process is looked at every second; a question would start a process there. A dead one is noticed at once."""
    asked, seen, started = [], [], []

    def is_running(folder: Path) -> bool:
        asked.append(folder)
        return True

    def is_alive(folder: Path) -> bool:
        seen.append(folder)
        return len(seen) < 4

    monkeypatch.setattr(embedded_postgres, "is_running", is_running)
    monkeypatch.setattr(embedded_postgres, "is_alive", is_alive)
    monkeypatch.setattr(embedded_postgres, "start", lambda folder, **_: started.append(folder))
    assert _watch([], {}, Settings(home=tmp_path, cache=tmp_path), Looks(5)) == 0
    assert (len(asked), len(seen), len(started)) == (1, 4, 1)
    assert "Postgres died; restarting it" in capfd.readouterr().err


def test_dagster_lists_its_tables_once(kb: Headwater) -> None:
    """Its daemon looks for a table every few seconds; while some are missing, it looks again."""
    statements: list[str] = []
    url = keep_connections(dagster_url(kb.store.database.url))
    with made_engines() as engines:
        engine = sqlalchemy.create_engine(url)
    sqlalchemy.event.listen(engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    for _ in range(3):
        with engine.connect() as connection:
            assert "instigators" in sqlalchemy.inspect(connection).get_table_names()
    assert sum("pg_class" in statement for statement in statements) == 1
    assert engines == [engine]
    engine.dispose()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_an_idle_process_is_measured() -> None:
    """By its name, with its processor time a minute and its memory, alone and with what it shares."""
    [row, *_] = measure(psutil.Process(), [], 0.05)
    assert row.seconds >= 0
    assert row.megabytes >= row.private_megabytes > 1


def test_the_app_is_made_without_threads_and_connections() -> None:
    """So `headwater up` may fork after it has made the app, most of which the API's process then shares."""
    code = (
        "import psutil, threading\n"
        "from query_api.server.served_app import load_app\n"
        "print(load_app().name, threading.active_count(), psutil.Process().net_connections('all'))\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    assert printed.stdout == "query_api.app 1 []\n"


def test_the_app_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that serves it has the settings of its own, whatever it is a fork of."""
    app = load_app()
    assert load_app() is app
    monkeypatch.setenv("HEADWATER_API_URL", "http://answers.example")
    assert load_app() is not app


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Makes a module of some code; returns its name."""

    def make(code: str) -> str:
        (tmp_path / "forked_code.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        return "forked_code"

    return make


def _ended(process: Forked) -> int:
    deadline = time.monotonic() + _LIMIT
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.returncode is not None
    return process.returncode


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_fork_is_a_process_of_its_own(module: Callable[[str], str], tmp_path: Path) -> None:
    """It has its own arguments, environment, session and log, and none of this process's files; its status is told."""
    code = (
        "import os, sys\n"
        "print(sys.argv[1:], os.environ['COLOUR'], 'HOME' in os.environ, os.getsid(0) == os.getpid())\n"
        "print(sorted(int(name) for name in os.listdir('/proc/self/fd'))[:3], 'secret' in "
        "[os.path.basename(os.readlink(f'/proc/self/fd/{n}')) for n in os.listdir('/proc/self/fd') if int(n) < 3])\n"
        "try:\n    os.fstat(int(sys.argv[1]))\nexcept OSError:\n    print('closed')\n"
        "sys.exit(7)\n"
    )
    with (tmp_path / "secret").open("w") as file:
        arguments = [str(file.fileno())]
        process = fork("short-name", module(code), arguments, tmp_path / "log", {"COLOUR": "red"})
        assert _ended(process) == 7
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert f"{arguments} red False True" in text
    assert text.endswith("closed\n")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_fork_is_named_and_ends_at_a_signal(module: Callable[[str], str], tmp_path: Path) -> None:
    """By the name that the documentation gives it; how it ended is told as `subprocess` does."""
    process = fork("short-name", module("import time\ntime.sleep(60)\n"), [], tmp_path / "log", dict(os.environ))
    deadline = time.monotonic() + _LIMIT
    while psutil.Process(process.pid).name() != "short-name" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert psutil.Process(process.pid).name() == "short-name"
    os.killpg(process.pid, signal.SIGTERM)
    assert _ended(process) == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_fork_that_fails_says_why_in_its_log(module: Callable[[str], str], tmp_path: Path) -> None:
    """With the stack, and a status that is not 0."""
    process = fork("short-name", module("raise ValueError('no such colour')\n"), [], tmp_path / "log", dict(os.environ))
    assert _ended(process) == 1
    assert "no such colour" in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_signal_right_after_the_fork_is_not_lost(module: Callable[[str], str], tmp_path: Path) -> None:
    """Its process group is there and counts as alive, and TERM ends it, also where this process handles TERM itself."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        for _ in range(5):
            service = Service("short-name", [], tmp_path / "log", module=module("import time\ntime.sleep(60)\n"))
            service.start(dict(os.environ))
            assert service.has_group
            service.signal(signal.SIGTERM)
            assert isinstance(service.process, Forked)
            assert _ended(service.process) == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_fork_that_exits_with_a_reason_says_it(module: Callable[[str], str], tmp_path: Path) -> None:
    """As Python itself does, with status 1."""
    process = fork("short-name", module("import sys\nsys.exit('no colour')\n"), [], tmp_path / "log", dict(os.environ))
    assert _ended(process) == 1
    assert (tmp_path / "log").read_text(encoding="utf-8") == "no colour\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_dead_fork_is_noticed_where_dead_children_are_ignored(module: Callable[[str], str], tmp_path: Path) -> None:
    """Whoever started `up` may have had SIGCHLD ignored, which is inherited."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert _ended(fork("short-name", module("pass\n"), [], tmp_path / "log", dict(os.environ))) == 0
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_the_storages_of_an_instance_share_their_connections(kb: Headwater) -> None:
    """Dagster makes an engine for each of three; a statement of each takes one connection in all."""
    url = keep_connections(dagster_url(kb.store.database.url))
    with made_engines() as engines:
        storages = [sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT") for _ in range(3)]
    processes = set()
    for engine in storages:
        with engine.connect() as connection:
            processes.add(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar())
            assert "runs" in sqlalchemy.inspect(connection).get_table_names()
    assert len(processes) == 1
    assert engines == storages[:1]
    engines[0].dispose()
