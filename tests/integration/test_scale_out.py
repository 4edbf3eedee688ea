"""Runs shared out among workers in other processes give what one process gives (OPS-4).

Belongs here: real workers, started by the command that people start them by, and what they wrote. Not here: containers,
which take a Docker engine or a cluster. Guarantee: every process that a test starts is gone at its end.
"""

import multiprocessing
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import psycopg
import pytest
from dagster._core.definitions.reconstruct import ReconstructableRepository

from assets.run_tags import BATCH_TAG
from cli.environment import dagster_variables, worker_environ
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database import Database
from headwater.store.store import Store
from headwater.store.work.syncs import Batch
from pipelines.schedules import run_config
from query_api.routes.sync_payloads import SyncSourcePayload
from tests.conftest import with_database
from tests.support import Headwater, free_port

pytestmark = pytest.mark.servers

SOURCES = 12
BAD = "s07"
KEYS = 3  # sources per run
RUNS = 2  # at once
CONTENT = {
    "documents": "SELECT d.id, s.slug, d.uri FROM documents d JOIN sources s ON s.id = d.source_id",
    "versions": "SELECT id, document_id, sequence, title FROM document_versions",
    "chunks": "SELECT id, document_id, text FROM chunks",
    "entries": """
        SELECT e.target_id, e.vector::text, array(SELECT unnest(w.terms) ORDER BY 1)::text, w.length, s.slug, i.model
          FROM search_entries_chunk e JOIN sources s ON s.id = e.source_id
               JOIN search_indexes i ON i.id = e.search_index_id
               LEFT JOIN search_weights w ON w.shard = e.shard AND w.search_index_id = i.id
                                         AND w.target_id = e.target_id
    """,
}


@pytest.fixture(scope="module")
def expected(
    server: str, template: str, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[str]]]:
    """The rows of one process for the sources, in a separate database."""
    name, home = "scale_out", tmp_path_factory.mktemp("one_process")
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"CREATE DATABASE {name}{suffix} TEMPLATE {template}{suffix}".encode())
    url = with_database(server, name)
    settings = Settings(home=home / "home", cache=cache, database_url=url)
    store = Store(Database(url, size=6))
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in {**dagster_variables(settings), "HEADWATER_DATABASE_URL": url}.items():
            patch.setenv(variable, value)
        with dg.DagsterInstance.get() as instance:
            kb = fill(
                Headwater(settings=settings, store=store, open_instance=lambda: instance, slug="kb", folder=home / "kb")
            )
            check_states(kb.sync())
            yield content(kb)
    store.close()
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"DROP DATABASE {name}{suffix} WITH (FORCE)".encode())


def fill(kb: Headwater) -> Headwater:
    """Twelve sources of two documents, one of which cannot be read."""
    slugs = [f"s{number:02}" for number in range(SOURCES)]
    for slug in slugs:
        (kb.folder / slug).mkdir(parents=True)
        kb.write(f"{slug}/a.md", f"# Pump {slug}\n\nThe pump of {slug} lifts water.\n\n## Care\n\nOil it in {slug}.")
        kb.write(f"{slug}/b.md", f"# Wheel {slug}\n\nThe wheel of {slug} turns.")
    specs = [SourceSpec(slug=slug, kind="markdown_tree", config={"path": str(kb.folder / slug)}) for slug in slugs]
    chosen = KnowledgeBaseSettings.model_validate({"embedding_model": "builtin/hash"})
    spec = KnowledgeBaseSpec(slug=kb.slug, name="KB", description="", settings=chosen, sources=tuple(specs))
    apply(kb.store, spec)
    shutil.rmtree(kb.folder / BAD)
    return kb


def content(kb: Headwater) -> dict[str, list[str]]:
    """The rows that were made, including ids."""
    return {name: sorted(str(row) for row in kb.query(query)) for name, query in CONTENT.items()}


def check_states(rows: dict[str, SyncSourcePayload]) -> None:
    """Every source is ready but the one that cannot be read, which says why."""
    assert {slug for slug, row in rows.items() if row.state == "ready"} == set(rows) - {BAD}
    assert len(rows) == SOURCES
    [problem] = rows[BAD].errors
    assert "There is no file or folder" in problem.message


def request(kb: Headwater) -> tuple[int, list[Batch]]:
    """Ask for a sync of everything as the API does; returns its id and the runs to be."""
    sync_id = kb.store.syncs.request(kb.knowledge_base.id, list(kb.store.sources.all(kb.slug)), "api")
    return sync_id, kb.store.syncs.name_batches(KEYS, RUNS)


def execute(batch: Batch) -> str:
    """Execute one run as the process does that Dagster launches for it; returns its id.

    In a process of its own, since several of Dagster's runs in threads of one can wait for each other's log for ever.
    """
    repository = ReconstructableRepository.for_module("pipelines.definitions", "defs", str(REPOSITORY))
    job = repository.get_reconstructable_job("sync_sources")
    with dg.DagsterInstance.get() as instance:
        return dg.execute_job(
            job, instance=instance, run_config=run_config(batch.keys), tags={BATCH_TAG: batch.name}
        ).run_id


def processes() -> ProcessPoolExecutor:
    """Where runs execute, while their steps are elsewhere: forks of a process that has imported large packages."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["dagster_postgres", "dagster_celery", "pipelines.sensors", "pipelines.in_process_run"]
    )
    return ProcessPoolExecutor(RUNS, context, initializer=_adopt, initargs=(dict(os.environ),))


def _adopt(environ: dict[str, str]) -> None:
    """Have the environment of the test, not of the first one that had such processes."""
    os.environ.clear()
    os.environ.update(environ)


def steps_of(kb: Headwater, runs: Sequence[str]) -> list[int]:
    """The process that executed the step of each run."""
    found = []
    for run in runs:
        records = kb.instance.get_records_for_run(run, of_type=dg.DagsterEventType.LOGS_CAPTURED).records
        found += [int(pid) for record in records for pid in re.findall(r"pid: (\d+)", record.event_log_entry.message)]
    return found


@contextmanager
def started(name: str, command: Sequence[str], environ: dict[str, str]) -> Iterator[psutil.Popen]:
    """A process, gone at the end with all it started."""
    log = Path(environ["HEADWATER_HOME"]) / f"{name}.log"
    with log.open("wb") as out:
        process = psutil.Popen(command, env=environ, cwd=REPOSITORY, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        family = [*process.children(recursive=True), process] if process.is_running() else []
        for member in family:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(family, timeout=120)


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Poll twenty times a second, for two minutes."""
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline, f"{what} took too long"
        time.sleep(0.05)


def accepts(port: int) -> bool:
    """Whether something listens."""
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def workers(count: int, patch: pytest.MonkeyPatch) -> Iterator[list[psutil.Popen]]:
    """Celery's broker, and workers that are ready."""
    port = free_port()
    python = sys.executable
    url = f"redis://127.0.0.1:{port}/0"
    broker = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    patch.setenv("HEADWATER_EXECUTOR", "celery")
    patch.setenv("HEADWATER_BROKER_URL", url)
    environ = worker_environ(Settings.from_env())
    with ExitStack() as stack:
        stack.enter_context(started("broker", broker, environ))
        wait_for(lambda: accepts(port), "the broker")
        command = [python, "-m", "cli.main", "worker"]
        family = [stack.enter_context(started(f"worker-{number}", command, environ)) for number in range(count)]
        app = make_celery_app({"broker": url, "backend": url})
        wait_for(lambda: len(app.control.ping(timeout=1)) == count, "workers")
        yield family


def make_celery_app(config: dict[str, str]) -> Any:
    """Celery, to ask who is there."""
    from dagster_celery.make_app import make_app

    return make_app(config)


def skip_without_celery() -> None:
    """Say what is missing."""
    for module in ("dagster_celery", "redis"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install -e '.[celery]'")
    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server: apt-get install redis-server")


@pytest.mark.dagster
@pytest.mark.timeout(600)
def test_two_workers_make_what_one_process_makes(
    settings: Settings,
    store: Store,
    instance: dg.DagsterInstance,
    expected: dict[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twelve sources as four runs: both workers get runs, every id is the same, and the bad source fails alone."""
    skip_without_celery()
    kb = fill(
        Headwater(settings=settings, store=store, open_instance=lambda: instance, slug="kb", folder=tmp_path / "kb")
    )
    sync_id, batches = request(kb)
    assert len(batches) == SOURCES / KEYS
    with workers(2, monkeypatch) as family:
        with processes() as pool:
            runs = list(pool.map(execute, batches))
        shares = [{child.pid for child in worker.children(recursive=True)} for worker in family]
    steps = steps_of(kb, runs)
    assert len(steps) == len(runs)
    assert all(set(steps) & share for share in shares)
    assert set(steps) <= set().union(*shares)
    check_states({part.source: SyncSourcePayload.of(part) for part in store.syncs.get(sync_id).sources})
    assert content(kb) == expected
    [failed] = [run for run in runs if not instance.get_run_by_id(run).is_success]  # type: ignore[union-attr]
    assert f"kb/{BAD}" in str(instance.get_run_by_id(failed).run_config)  # type: ignore[union-attr]


@pytest.mark.dagster
@pytest.mark.timeout(300)
def test_a_step_of_a_killed_worker_is_taken_up_again(
    headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker's process is killed in the middle of a source; the run ends well, with every document once (REL-1)."""
    skip_without_celery()
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."})
    _, batches = request(kb)
    with workers(1, monkeypatch) as [worker], processes() as pool:
        with psycopg.connect(kb.store.database.url) as blocker:
            blocker.execute("LOCK TABLE document_versions")
            run = pool.submit(execute, batches[0])
            wait_for(lambda: kb.source().state == "syncing", "the step")
            for child in worker.children():
                child.kill()
            wait_for(lambda: not kb.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"), "the lock")
        run_id = run.result(timeout=120)
    assert kb.instance.get_run_by_id(run_id).is_success  # type: ignore[union-attr]
    assert len(set(steps_of(kb, [run_id]))) == 2
    assert kb.source().state == "ready"
    assert sorted(kb.chunk_ids().values()) == sorted(set(kb.chunk_ids().values()))
    assert {passage.uri for passage in kb.search("pump wheel")} == {"a.md", "b.md"}


@pytest.mark.dagster
def test_a_step_in_a_process_of_its_own(headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch) -> None:
    """`multiprocess` executes the step beside its run, and the command line stays in its own process."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water."})
    monkeypatch.setenv("HEADWATER_EXECUTOR", "multiprocess")
    _, [batch] = request(kb)
    with processes() as pool:
        run_process, run = pool.submit(os.getpid).result(), pool.submit(execute, batch).result()
    assert kb.source().state == "ready"
    assert kb.search("pump")
    assert not {run_process, os.getpid()} & set(steps_of(kb, [run]))
    command, rows = kb.sync_run()
    assert steps_of(kb, [command.run_id]) == [os.getpid()]
    assert rows["docs"].rows_written == 0
