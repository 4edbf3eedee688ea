"""The server under attack, and the count of attacks.

Belongs here: `headwater serve` as users run it, over the embedded Postgres, with a knowledge base to lose. Not here:
attacks. Guarantee: each test here is one attack, and what it leaves is compared with what was there before.

`make probe`, and whoever names these files, runs every attack; a run of all tests has a sample (`tests.tiers`).
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import psycopg
import pytest

from cli.environment import dagster_variables
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database import Database
from headwater.store.store import Store
from tests.conftest import with_database
from tests.probe.wire import ask
from tests.support import Headwater, free_port

if TYPE_CHECKING:
    from tests.probe import rights

ADMIN_KEY = "k" * 40
_START_LIMIT = 120.0  # seconds
_KEPT = ("knowledge_bases", "sources", "syncs", "sync_sources", "deletions", "golden_questions", "search_indexes",
         "source_files", "api_keys")  # fmt: skip
_TEXT = "# Pump\n\nThe pump lifts forty litres of water per minute.\n\n## Oil\n\nChange the oil every spring.\n"


@dataclass(frozen=True, kw_only=True)
class Api:
    """A running server and the database behind it."""

    port: int
    database: "psycopg.Connection[Any]"
    log: Path

    def state(self) -> str:
        """Everything that an attack might change, as text."""
        selects = (f"SELECT t::text FROM {table} t ORDER BY 1" for table in _KEPT)
        return str([self.database.execute(select.encode()).fetchall() for select in selects])


@contextmanager
def serving(folder: Path, database_url: str, cache: Path, **variables: str) -> Iterator[Api]:
    """Run `headwater serve` on a free port."""
    port = free_port()
    environ = {**os.environ, "HEADWATER_HOME": str(folder), "HEADWATER_CACHE": str(cache)}
    environ |= {"HEADWATER_DATABASE_URL": database_url, **variables}
    log = folder / "serve.log"
    command = [sys.executable, "-m", "cli.main", "serve", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environ, stdout=output, stderr=output)
    try:
        _wait(process, port, log)
        with psycopg.connect(database_url, autocommit=True) as database:
            yield Api(port=port, database=database, log=log)
        assert process.poll() is None, log.read_text()
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if ask(port, "GET", "/health/ready").status == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"headwater serve does not answer: {log.read_text()}")


@contextmanager
def published(
    server: str, template: str, name: str, folder: Path, slugs: Sequence[str] = ("kb",), **chosen: Any
) -> Iterator[str]:
    """A database with knowledge bases: their source `docs` is published, their source `inbox` takes uploads."""
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"CREATE DATABASE {name}{suffix} TEMPLATE {template}{suffix}".encode())
    url = with_database(server, name)
    (folder / "docs").mkdir()
    (folder / "docs" / "pump.md").write_text(_TEXT)
    settings = Settings(home=folder, cache=folder, database_url=url)
    source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(folder / "docs")})
    own = KnowledgeBaseSettings(embedding_model="builtin/hash", **chosen)
    inbox = SourceSpec(slug="inbox", kind="files", config={})
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in {**dagster_variables(settings), "HEADWATER_DATABASE_URL": url}.items():
            patch.setenv(variable, value)
        patch.setenv("HEADWATER_HOME", str(folder))
        store = Store(Database(url, size=6))
        try:
            for slug in slugs:
                spec = KnowledgeBaseSpec(slug=slug, name=slug, description="", settings=own, sources=(source, inbox))
                apply(store, spec)
                kb = Headwater(
                    settings=settings,
                    store=store,
                    open_instance=dg.DagsterInstance.get,
                    slug=slug,
                    folder=folder,
                    is_in_dagster=False,
                )
                kb.sync()
        finally:
            store.close()
    yield url
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"DROP DATABASE {name}{suffix} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def probe_database(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The database of every server here that has no key of its own: a first key would count for all of them."""
    with published(server, template, "probe", tmp_path_factory.mktemp("probe")) as url:
        yield url


@pytest.fixture(scope="session")
def patient_api(probe_database: str, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server that gives clients a minute: none of the slow ones is cut off during a test; 127.0.0.6 is its proxy."""
    folder = tmp_path_factory.mktemp("serve")
    environ = {"HEADWATER_REQUEST_TIME_LIMIT": "60", "HEADWATER_TRUSTED_PROXIES": "127.0.0.6"}
    with serving(folder, probe_database, cache, **environ) as running:
        yield running
        assert "Traceback" not in running.log.read_text()


@pytest.fixture(scope="session")
def hasty_api(probe_database: str, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server that gives clients a second."""
    folder = tmp_path_factory.mktemp("hasty")
    with serving(folder, probe_database, cache, HEADWATER_REQUEST_TIME_LIMIT="1") as running:
        yield running


@pytest.fixture(scope="session")
def keyed_api(probe_database: str, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The API as a container runs it: it has a key, and its port is published on this machine."""
    said = {"HEADWATER_ADMIN_KEY": ADMIN_KEY, "HEADWATER_API_URL": "https://docs.example"}
    with serving(tmp_path_factory.mktemp("keyed"), probe_database, cache, **said) as running:
        yield running


@pytest.fixture
def api(patient_api: Api) -> Iterator[Api]:
    """The server; after the attack it still answers, and its data is unchanged."""
    before = patient_api.state()
    yield patient_api
    assert ask(patient_api.port, "GET", "/health/ready").status == 200
    assert patient_api.state() == before


@pytest.fixture(scope="session")
def whole_ground(
    server: str, template: str, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[rights.Ground]":
    """A server with keys, whose readers attack each other."""
    from tests.probe.rights import open_ground

    with open_ground(server, template, cache, tmp_path_factory.mktemp("rights")) as found:
        yield found


@pytest.fixture
def ground(whole_ground: "rights.Ground") -> "Iterator[rights.Ground]":
    """The same; after the attack nothing is being answered, and the server still answers."""
    yield whole_ground
    whole_ground.end("admin")
    assert ask(whole_ground.port, "GET", "/health/ready").status == 200


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many attacks ran, and how many got through."""
    reports = [each for kind in ("passed", "failed", "error") for each in terminalreporter.stats.get(kind, ())]
    probes = [each for each in reports if getattr(each, "nodeid", "").startswith("tests/probe/")]
    attacks = {each.nodeid for each in probes}
    through = {each.nodeid for each in probes if each.failed}
    if attacks:
        terminalreporter.write_line(f"{len(attacks)} attacks, {len(through)} got through")
