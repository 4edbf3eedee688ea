"""What `doctor` finds, and what it says to do (OPS-5)."""

import http.server
import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from dagster._daemon.types import DaemonHeartbeat

from cli import doctor_checks
from cli.doctor_database_checks import DATABASE_CHECKS
from cli.processes import logs, up_file
from cli.processes.logs import cap_logs
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.cross_encoder import INSTALL, CrossEncoder
from headwater.retrieval.reranking import reranker_registry
from headwater.settings import REMOVED_VARIABLES, Settings
from headwater.store.server import embedded_postgres
from headwater.store.server import migrations as migrations
from headwater.store.server.health import HealthStore
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base that was not synced yet, for a doctor who does not try the model each time."""
    return headwater()


@pytest.fixture(autouse=True)
def _without_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    models = ("model", "cross_encoder")
    monkeypatch.setattr(
        doctor_checks, "_CHECKS", {name: look for name, look in doctor_checks._CHECKS.items() if name not in models}
    )


class DiskUsage(NamedTuple):
    """What `shutil.disk_usage` returns, in bytes."""

    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def _with_room_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is well must not depend on how full the disk of this machine is."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: DiskUsage(10**11, 0, 10**11))


def found(name: str, *states: str) -> str:
    """The findings of doctor with a name, in some states (by default any)."""
    return "\n".join(
        each["detail"]
        for each in doctor_checks.examine()
        if each["name"] == name and (not states or each["state"] in states)
    )


def bad() -> list[dict[str, str]]:
    """Everything that is not well."""
    return [each for each in doctor_checks.examine() if each["state"] != "ok"]


def test_memory_is_that_of_the_server(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read from it; what is too small is a warning."""
    assert "shared_buffers" in found("memory", "ok")
    facts = kb.store.health.memory()
    [row] = kb.query("SELECT pg_size_bytes(current_setting('work_mem')) AS size")
    assert facts.work_mem == row["size"]
    monkeypatch.setattr(HealthStore, "memory", lambda _: replace(facts, work_mem=1024))
    assert "work_mem is 1 kB" in found("memory", "warning")


def test_nothing_is_wrong_with_what_is_well(kb: Headwater) -> None:
    """Each check is listed once, with its result."""
    assert bad() == []
    names = [each["name"] for each in doctor_checks.examine()]
    assert {"home", "disk", "database", "tables", "sources", "requests", "indexes", "folders", "processes", "logs"} <= {
        *names
    }
    assert "Postgres 18" in found("database")
    assert "pgvector 0.8" in found("database")
    assert str(kb.settings.home / "logs") in found("logs")


@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (1_900_000_000, 10_000_000_000, "warning"),
        (4_000_000_000, 100_000_000_000, "warning"),
        (9_900_000_000, 1_000_000_000_000, "warning"),
        (2_000_000_000, 10_000_000_000, "ok"),
        (13_000_000_000, 1_000_000_000_000, "ok"),
    ],
)
def test_a_disk_that_fills_up(
    kb: Headwater, free: int, total: int, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less than 2 GB, or less than a twentieth and less than 10 GB."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: DiskUsage(total, total - free, free))
    message = found("disk", state)
    assert f"{free / 1e9:.1f} GB of {total / 1e9:.1f} GB" in message
    assert ("HEADWATER_HOME" in message) == (state == "warning")


@pytest.mark.parametrize("variable", REMOVED_VARIABLES)
def test_a_setting_without_effect_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    """It is ignored, as any variable that Headwater does not know; whoever set it learns so (OPS-5)."""
    settings = Settings(home=tmp_path, cache=tmp_path)
    assert list(doctor_checks._settings(settings)) == []
    monkeypatch.setenv(variable, "7")
    ((state, detail),) = doctor_checks._settings(settings)
    assert (state, variable in detail) == ("warning", True)


def test_without_the_cross_encoder_answers_are_worse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A warning says so, and how to install it (ANS-4)."""
    settings = Settings(home=tmp_path, cache=tmp_path)
    assert [state for state, _ in doctor_checks._cross_encoder(settings)] == ["ok"]

    def load() -> CrossEncoder:
        raise ModelUnavailableError(f"It is not installed. {INSTALL}")

    monkeypatch.setattr(reranker_registry, "load_answer_reader", load)
    ((state, detail),) = doctor_checks._cross_encoder(settings)
    assert (state, INSTALL in detail) == ("warning", True)


def test_a_home_whose_path_has_a_space(tmp_path: Path) -> None:
    """The embedded Postgres runs there too."""
    folder = tmp_path / "my home" / "postgres"
    try:
        with psycopg.connect(embedded_postgres.start(folder)) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        embedded_postgres.stop(folder)


def test_an_open_home_is_closed_and_said(kb: Headwater) -> None:
    """Files that others could reach are counted once and closed; files that are not ours are left and named."""
    home = kb.settings.home
    home.chmod(0o755)
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "api.log").touch(0o644)
    (home / "logs" / "api.log").chmod(0o644)
    assert re.match(r"other users could read \d+ files and folders of the home; now only", found("access", "ok"))
    assert found("access") == "only the owner can read the home and connect to its servers"
    (home / "thesis.tex").touch()
    home.chmod(0o755)
    assert "it also holds thesis.tex" in found("access", "warning")
    assert home.stat().st_mode & 0o777 == 0o755


def test_a_server_that_nobody_migrated(kb: Headwater, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its owner must do it: the command is named."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.FOLDER, folder)
    (folder / "0999_more.sql").write_text("SELECT 1;")
    monkeypatch.setattr(migrations, "FOLDER", folder)
    assert "lacks 0999_more. Run `headwater migrate`" in found("database", "failed")


def test_a_server_that_does_not_answer(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once, and without the password."""
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://u:geheim@127.0.0.1:1/d?connect_timeout=2")
    assert [each["name"] for each in bad()] == ["database"]
    assert "geheim" not in str(bad())


def test_a_server_that_does_not_clean_up(kb: Headwater) -> None:
    """Autovacuum off is said, and so is a table full of dead rows, with the statement."""
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET autovacuum = off")
        try:
            connection.execute("SELECT pg_reload_conf()")
            while connection.execute("SHOW autovacuum").fetchone() != ("off",):
                pass
            connection.execute(
                "INSERT INTO embeddings (model, text_hash, vector, token_count, run_id, code_version)"
                " SELECT 'm', int4send(n), '[1]', 1, 'r', '0' FROM generate_series(1, 12000) AS n"
            )
            connection.execute("DELETE FROM embeddings")
            connection.execute("SELECT pg_stat_force_next_flush()")
            assert "autovacuum = on" in found("database", "warning")
            assert "Run: VACUUM (ANALYZE) embeddings;" in found("tables", "warning")
        finally:
            connection.execute("ALTER SYSTEM RESET autovacuum")
            connection.execute("SELECT pg_reload_conf()")


def test_sources_that_failed_or_are_paused(kb: Headwater) -> None:
    """A failure is a warning; pausing was meant."""
    kb.query("UPDATE sources SET state = 'failed', error = 'The folder is gone.' RETURNING 1")
    assert "kb/docs failed: The folder is gone." in found("sources", "warning")
    kb.query("UPDATE sources SET state = 'ready', paused_at = now() RETURNING 1")
    assert bad() == []
    assert "kb/docs" in found("sources", "ok")


def test_requests_that_no_worker_takes(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a minute, unless someone works at the source; it says what to look at."""
    kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")
    assert found("requests", "warning") == ""
    kb.query("UPDATE syncs SET requested_at = now() - interval '2 minutes' RETURNING 1")
    assert "unless it runs elsewhere" in found("requests", "warning")
    with kb.store.workers.hold_source(kb.source(), None, "run-1"):
        assert found("requests", "warning") == ""
    with monkeypatch.context() as patch:
        patch.setattr(up_file, "read_pid", lambda _: 4711)
        assert "requested_syncs" in found("requests", "warning")


@pytest.mark.parametrize(
    "gate",
    [
        {"passed": False, "criteria": [{"name": "rows", "passed": True, "words": "all there"},
                                       {"name": "recall", "passed": False, "words": "recall is .71"}]},
        [{"name": "recall", "passed": False, "value": 0.71, "limit": 0.9, "words": "recall is .71"}],
    ],
)  # fmt: skip
def test_an_index_that_did_not_pass_its_gate(kb: Headwater, gate: Any) -> None:
    """It says in the gate's words why the old one answers on; one that is built or retained is no problem."""
    values = "'m', 3, '{}', %s, 'simple', %s"
    columns = "knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state"
    for state in ("building", "retained"):
        kb.query(
            f"INSERT INTO search_indexes ({columns}, retained_at) VALUES (%s, {values}, now()) RETURNING 1",
            kb.knowledge_base.id, state.encode(), state,
        )  # fmt: skip
    assert bad() == []
    assert "is being built" in found("indexes", "ok")
    assert "kept for a rollback" in found("indexes", "ok")
    kb.query("UPDATE search_indexes SET gate = %s WHERE state = 'building' RETURNING 1", json.dumps(gate))
    [warning] = bad()
    assert warning["name"] == "indexes"
    assert warning["detail"].endswith(", building, did not pass its gate: recall is .71")


def test_folders_of_no_source(kb: Headwater) -> None:
    """A folder left by a deletion is named, with the command that removes it."""
    for number in (kb.source().id, 4711):
        (kb.settings.home / "sources" / str(number)).mkdir(parents=True)
    assert found("folders", "warning") == "sources/4711: they belong to no source. `headwater tidy` removes them."
    (kb.settings.home / "sources" / "4711").rmdir()
    assert found("folders", "warning") == ""


@contextmanager
def serving(answers: dict[str, Any]) -> Iterator[str]:
    """Something that answers like the API and Dagster's webserver, by path; yields its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path)
            self.send_response(200 if answer is not None else 503)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_POST = do_GET  # noqa: N815 - the base class names it so

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("answers", "silent", "words"),
    [
        ({"/health/live": {}}, "", ""),
        ({"/health/live": {}}, "SENSOR", "daemon sends no heartbeat: SENSOR."),
        ({}, "", "The API at"),
    ],
)
def test_processes_that_run_but_do_not_answer(
    kb: Headwater, answers: dict[str, Any], silent: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The API is asked, and the daemon's heartbeats are read: to ask Dagster's web server would start it."""
    monkeypatch.setattr(up_file, "read_pid", lambda _: 4711)
    monkeypatch.setattr(doctor_checks, "dagster_instance", lambda _: nullcontext(kb.instance))
    for daemon in {*kb.instance.get_required_daemon_types(), "SENSOR"} - {silent}:
        kb.instance.add_daemon_heartbeat(DaemonHeartbeat(time.time(), daemon, "here", errors=[]))
    with serving(answers) as url:
        (kb.settings.home / "up.pid").write_text(
            f"4711\nhttps://dagster.example.com\nhttps://api.example.com\n{url}\nhttp://127.0.0.1:1\n"
        )
        said = found("processes", "warning", "failed")
    assert (words in said) if words else (said == "")
    assert not words or str(kb.settings.home / "logs") in said


def test_a_headwater_that_is_just_starting_is_not_ill(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its addresses are not written down yet."""
    monkeypatch.setattr(up_file, "read_pid", lambda _: 4711)
    (kb.settings.home / "up.pid").write_text("4711")
    assert bad() == []


def test_a_log_is_set_aside_under_the_process_that_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log starts again from the beginning; its old content is next to it, only once."""
    monkeypatch.setattr(logs, "_LIMIT", 1000)
    (tmp_path / "logs").mkdir()
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "log").write_bytes(b"p" * 1001)
    small = tmp_path / "logs" / "small.log"
    small.write_bytes(b"s" * 1000)
    log = tmp_path / "logs" / "api.log"
    with log.open("ab", buffering=0) as process:
        for letter in (b"a", b"b"):
            process.write(letter * 2000)
            cap_logs(tmp_path)
            assert log.stat().st_size == 0
            assert (tmp_path / "logs" / "api.log.1").read_bytes() == letter * 2000
        process.write(b"later")
    assert log.read_bytes() == b"later"
    assert (small.stat().st_size, (tmp_path / "postgres" / "log").stat().st_size) == (1000, 0)


def test_a_stored_setting_without_effect_is_named(kb: Headwater) -> None:
    """An older release wrote it; the knowledge base opens, and its next change removes it (OPS-5)."""
    kb.query("""UPDATE knowledge_bases SET settings = '{"group_by": "passage", "top_k": 9}' RETURNING 1""")
    assert kb.knowledge_base.settings == KnowledgeBaseSettings(top_k=9)
    ((state, detail),) = DATABASE_CHECKS["settings"](kb.store, kb.settings)
    assert (state, detail.startswith("kb: its setting group_by has no effect")) == ("warning", True)
    kb.store.knowledge_bases.update("kb", settings=KnowledgeBaseSettings(top_k=8))
    assert list(DATABASE_CHECKS["settings"](kb.store, kb.settings)) == []
