"""What tests share: a real Postgres, a migrated database per test, a real Dagster instance.

The server is the embedded one, made once for the whole run; each process starts a copy of it and stops it at its end.
A template database is migrated once and cloned per test, which takes some 30 ms.

A module whose tests begin with the same synced knowledge base says so: `pytestmark = pytest.mark.synced(files=FILES)`,
with the arguments of `headwater`, and `then`, a function of what was synced, for what else all tests begin with. It is
synced once; `synced`, or `kb`, is a clone of it, to do with as a test likes, and `shared` is one for all tests of the
module, in which Postgres refuses every write.

Syncs of tests leave nothing in Dagster (`tests.quick_syncs`), except in tests that look there: they are marked
`pytest.mark.dagster`.
"""

import fcntl
import functools
import gc
import importlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import dagster as dg
import hypothesis
import psycopg
import pytest
from dagster_postgres import DagsterPostgresStorage
from hypothesis import HealthCheck

from assets import resources
from cli.environment import dagster_variables
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.models_gateway import outcomes
from headwater.settings import REPOSITORY, Settings
from headwater.sources import connector
from headwater.store.server import embedded_postgres
from headwater.store.server.database import Database
from headwater.store.server.database_urls import dagster_url
from headwater.store.server.migrations import migrate
from headwater.store.store import Store
from query_api import app_context
from tests import quick_syncs, tiers
from tests.chat_server import ChatServer, chat_server
from tests.embedding_server import KEY, EmbeddingServer, embedding_server
from tests.freed_memory import give_memory_back
from tests.local_llm import LocalLlm, local_llm_server
from tests.page_server import Pages, PageServer, page_server
from tests.placing import placed
from tests.quick_apps import make_apps_quickly
from tests.support import Headwater, looking, stop_looking

Move = Callable[[str], Settings]

_numbers = itertools.count(1)
_STORAGE = DagsterPostgresStorage.__init__
_TEMPLATE = "template_headwater"
_FAST = {
    "fsync": "off",  # a test's data need not survive a power cut
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "256MB",
    "shared_buffers": "64MB",  # all of it is looked through whenever a database is copied or dropped
}
_MEMORY = Path("/dev/shm")
_PLENTY = 8 * 2**30  # bytes, of which a run takes a fifth


def with_database(url: str, name: str) -> str:
    """The address of another database of the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def runs_everything(config: pytest.Config) -> bool:
    """Whether nobody named files or folders, as `make test` does not."""
    return config.args_source == pytest.Config.ArgsSource.TESTPATHS


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known, apps cheap, and properties independent of how busy the machine is, and of chance.

    Hypothesis gives an example 200 ms and draws others each time: a run would fail for a reason that the change under
    test does not have. `make probe`, and whoever names files, tries more examples than a run of all tests.
    """
    make_apps_quickly()
    slow = [HealthCheck.too_slow]
    examples = 30 if runs_everything(config) else 100
    hypothesis.settings.register_profile(
        "steady", max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=slow
    )
    hypothesis.settings.load_profile("steady")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores it for jobs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # tests press Ctrl-C
    config.addinivalue_line("markers", "dagster: syncs are runs of Dagster")
    for name, meaning in (
        ("attacks", "a table of attacks, of which a run of all tests has three rows"),
        ("probe", "one large attack, which `make probe` runs"),
        ("servers", "it starts servers, so `make test-servers` runs it"),
    ):
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.addinivalue_line("markers", "synced: what the knowledge base holds that `synced` and `shared` begin with")


def pytest_sessionstart(session: pytest.Session) -> None:
    """When everything is run by several processes, each rewrites and compiles another part of the files first.

    Where Python may keep what it compiles, the others read it then; each used to do all of them at the same time.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and runs_everything(session.config):
        folder = Path(__file__).parent
        paths = sorted(folder.rglob("test_*.py"))
        first = len(paths) * int(worker.removeprefix("gw")) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for path in (*paths[first:], *paths[:first]):
            with suppress(Exception):  # collecting it says what is wrong
                importlib.import_module(".".join(path.relative_to(folder.parent).with_suffix("").parts))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that start servers."""
    tiers.mark_servers(item)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave out most rows of tables of attacks; when several processes run the tests, each begins with its part."""
    if runs_everything(config):
        omitted = tiers.omitted_attacks(items)
        config.hook.pytest_deselected(items=[item for item in items if item in omitted])
        items[:] = [item for item in items if item not in omitted]
    yield  # what marks leave out has no place
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        items[:] = placed(items, processes)


def pytest_collection_finish() -> None:
    """Objects from importing and collecting stay until the end, so the garbage collector need not check them again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Memory goes back to the system, above all after the last test of a file, whose models take up to half a GB.

    Repositories of GitPython go after each test: they stand in cycles, and their processes and pipes, which whatever
    collects garbage later may meet in another order, would be warned of in another test.
    """
    yield
    if "git" in sys.modules:
        gc.collect(1)
    give_memory_back(within_a_file=nextitem is not None and nextitem.path == item.path)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the test server's maintenance database; the template is in it."""
    with roomy_folder(tmp_path_factory) as roomy:
        folder = roomy / "postgres"
        subprocess.run(["cp", "-a", _finished_server(_folder_of_the_run(tmp_path_factory)), folder], check=True)
        url = embedded_postgres.start(folder)
        yield url
        stop_looking(url)
        embedded_postgres.stop(folder)


def _folder_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def _finished_server(folder: Path) -> Path:
    """A stopped server with the template, to be copied; the first process of a run makes it, the others wait."""
    made, ready = folder / "server" / "postgres", folder / "server" / "ready"
    made.parent.mkdir(mode=0o700, exist_ok=True)
    with (folder / "server" / "making").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            _make_template(embedded_postgres.start(made), made.parent)
            embedded_postgres.stop(made)
            ready.touch()
    return made


def _make_template(server: str, home: Path) -> None:
    """Set the server up for tests, and make the migrated database that they copy; Dagster's is beside it."""
    with psycopg.connect(server, autocommit=True) as connection:
        for setting, value in _FAST.items():
            connection.execute(f"ALTER SYSTEM SET {setting} = '{value}'".encode())
        with suppress(psycopg.errors.UndefinedObject):  # before Postgres 18
            connection.execute("ALTER SYSTEM SET file_copy_method = 'clone'")
        connection.execute("SELECT pg_reload_conf()")
    url = with_database(server, _TEMPLATE)
    migrate(url)
    with pytest.MonkeyPatch.context() as patch:
        settings = Settings(home=home, cache=home, database_url=url)
        for name, value in dagster_variables(settings).items():
            patch.setenv(name, value)
        with dg.DagsterInstance.get():
            pass  # makes its tables
    for database in (url, with_database(server, f"{_TEMPLATE}_dagster")):
        with psycopg.connect(database, autocommit=True) as connection:
            # Fewer and smaller files to copy. Not of our tables: the planner would take them for empty.
            for (table,) in connection.execute(_CATALOGUE).fetchall():
                connection.execute(f"VACUUM FULL pg_catalog.{table}".encode())
        _remember_catalogue(database)


_CATALOGUE = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared
"""


def _remember_catalogue(url: str) -> None:
    """Have Postgres write down, beside the database's files, what each first connection to a copy would work out."""
    psycopg.connect(url).close()


@contextmanager
def roomy_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a server's files go: into memory where there is plenty, since a disk takes long over so many files."""
    if not _MEMORY.is_dir() or shutil.disk_usage(_MEMORY).free < _PLENTY:
        yield tmp_path_factory.mktemp("roomy")
        return
    for old in _MEMORY.glob("headwater-tests-*"):  # of a run that was killed, or that ends just now
        with suppress(FileNotFoundError):
            is_old = time.time() - old.stat().st_mtime > 3600
            if is_old and not embedded_postgres.is_running(old / "postgres"):
                shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="headwater-tests-", dir=_MEMORY, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def template(server: str) -> str:
    """The name of a migrated database to clone; Dagster's is beside it."""
    assert server
    return _TEMPLATE


@contextmanager
def clone(server: str, template: str, name: str) -> Iterator[str]:
    """Copy a database, and Dagster's beside it, for the length of a block; yields its address."""
    copy(server, template, name)
    opened = looking(server).execute(_STATISTICS_OF).fetchone()
    url = with_database(server, name)
    yield url
    stop_looking(url)
    looking(server).execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
    # A written row needs a new copy; many tests write none of Dagster's. Statistics that began anew know nothing.
    looking(server).execute(_LEAVE, (f"{name}_dagster",))
    written = looking(server).execute(_WRITTEN, (f"{name}_dagster",)).fetchone()
    same = looking(server).execute(_STATISTICS_OF).fetchone() == opened
    if same and written == {"rows": 0} and not _unwritten:
        _unwritten[template] = f"{name}_dagster"
    else:
        looking(server).execute(f"DROP DATABASE {name}_dagster WITH (FORCE)".encode())


_unwritten: dict[str, str] = {}
"""A copy of Dagster's database in which nothing was written, by what it is a copy of; at most one."""
_LEAVE = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s"
_WRITTEN = "SELECT tup_inserted + tup_updated + tup_deleted AS rows FROM pg_stat_database WHERE datname = %s"
_STATISTICS_OF = "SELECT stats_reset FROM pg_stat_bgwriter"


def copy(server: str, template: str, name: str) -> None:
    """Copy a database, and Dagster's beside it.

    By files, which takes half the time of copying by blocks through the log.
    """
    for suffix in ("", "_dagster"):
        statement = f"CREATE DATABASE {name}{suffix} TEMPLATE {template}{suffix} STRATEGY FILE_COPY"
        if suffix and template in _unwritten:
            statement = f"ALTER DATABASE {_unwritten.pop(template)} RENAME TO {name}{suffix}"
        looking(server).execute(statement.encode())
    for spare in _unwritten.values():
        looking(server).execute(f"DROP DATABASE {spare} WITH (FORCE)".encode())
    _unwritten.clear()


@pytest.fixture
def database_url(server: str, template: str, beginnings: "Beginnings", request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a migrated database of the test's own, with Dagster's beside it."""
    begun = beginnings.of(request).name if "synced" in request.fixturenames else template
    with clone(server, begun, f"test_{next(_numbers)}") as url:
        yield url


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the local model is built, once per run, however many processes share it."""
    folder = _folder_of_the_run(tmp_path_factory) / "cache"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@pytest.fixture
def settings(tmp_path: Path, cache: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings of the test's own; the environment says the same."""
    home = tmp_path / "home"
    monkeypatch.setenv("HEADWATER_HOME", str(home))
    monkeypatch.setenv("HEADWATER_CACHE", str(cache))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", database_url)
    yield Settings.from_env()
    while resources._standing:  # what sensors and schedules of the test have opened
        resources._standing.popitem()[1].close()


@pytest.fixture(scope="session")
def _contexts() -> Iterator[list[app_context.AppContext]]:
    """The contexts of the apps that tests create, which nobody closes as the end of a server's process does."""
    created: list[app_context.AppContext] = []

    def install(app: object, given: app_context.AppContext) -> None:
        created.append(given)
        installed(app, given)

    installed = app_context.install
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_context, "install", install)
        yield created


@pytest.fixture(autouse=True)
def _outcomes() -> None:
    """No test knows how the calls of another one ended: for a minute, that would count as the state of its models."""
    outcomes.forget()


@pytest.fixture(autouse=True)
def _apps(_contexts: list[app_context.AppContext]) -> Iterator[None]:
    """Close what the test's apps opened: a pool that is dropped while its own thread works cannot wait for that."""
    yield
    while _contexts:
        opened = _contexts.pop()._store
        if opened is not None:
            opened.close()


@pytest.fixture
def elsewhere(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Move:
    """Makes the environment name an empty home and databases that do not exist yet."""

    def move(name: str) -> Settings:
        monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / name))
        monkeypatch.setenv("HEADWATER_DATABASE_URL", with_database(server, f"elsewhere_{next(_numbers)}"))
        settings = Settings.from_env()
        for variable, value in dagster_variables(settings).items():
            monkeypatch.setenv(variable, value)
        return settings

    return move


@pytest.fixture
def store(settings: Settings, database_url: str) -> Iterator[Store]:
    """The store over the test's database."""
    opened = Store(Database(database_url, size=6))
    yield opened
    opened.close()


def _without_tables(storage: DagsterPostgresStorage, *values: Any, **named: Any) -> None:
    _STORAGE(storage, *values, **{**named, "should_autocreate_tables": False})


@contextmanager
def dagster(settings: Settings, patch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    """Open Dagster's instance over a database; the environment says the same."""
    _surround(settings, patch)
    with pytest.MonkeyPatch.context() as meanwhile:  # the template has the tables that Dagster would look for
        meanwhile.setattr(DagsterPostgresStorage, "__init__", _without_tables)
        instance = dg.DagsterInstance.get()
    with instance as opened:
        _keep_statements(opened)
        yield opened


def _surround(settings: Settings, patch: pytest.MonkeyPatch) -> None:
    """Make the environment name Dagster's home and database."""
    for name, value in dagster_variables(settings).items():
        patch.setenv(name, value)
    # What a step prints is kept, but not shown: each step would start four processes for that.
    patch.setattr("dagster._core.execution.compute_logs.tail_to_stream", lambda *_: nullcontext((None, None)))


_engines: dict[type, Any] = {}


def _keep_statements(instance: dg.DagsterInstance) -> None:
    """An instance uses the statements that others of this process have compiled, which costs a fifth of a sync."""
    storages: tuple[Any, ...] = (instance.event_log_storage, instance.run_storage, instance.schedule_storage)
    for storage in storages:
        engine = storage._engine
        if type(storage) not in _engines:
            engine.connect().close()  # a dialect knows the server's version only once it has connected
            _engines[type(storage)] = engine
        first = _engines[type(storage)]
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache


@pytest.fixture
def instance(settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance over the test's database."""
    assert dagster_url(database_url).startswith("postgresql+psycopg2://")
    with dagster(settings, monkeypatch) as opened:
        yield opened


@pytest.fixture
def empty(
    settings: Settings, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Headwater:
    """The test's own, with nothing in it; Dagster's instance is opened if the test looks at it."""
    _surround(settings, monkeypatch)
    return Headwater(
        settings=settings,
        store=store,
        open_instance=lambda: request.getfixturevalue("instance"),
        slug="kb",
        folder=tmp_path / "kb",
        is_in_dagster=_is_in_dagster(request),
    )


def _is_in_dagster(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("dagster") is not None


@pytest.fixture
def headwater(empty: Headwater) -> Callable[..., Headwater]:
    """Makes a knowledge base of markdown folders; each named source is a folder of its own."""

    def make(*sources: str, slug: str = "kb", files: dict[str, str] | None = None, **chosen: object) -> Headwater:
        return fill(replace(empty, slug=slug, folder=empty.folder.parent / slug), *sources, files=files, **chosen)

    return make


def fill(kb: Headwater, *sources: str, files: dict[str, str] | None = None, **chosen: object) -> Headwater:
    """Fill a knowledge base; it has summaries only if the test chooses them, so that the others count without."""
    specs = []
    for source in sources or ("docs",):
        folder = kb.folder / source
        folder.mkdir(parents=True)
        specs.append(SourceSpec(slug=source, kind="markdown_tree", config={"path": str(folder)}))
    spec = KnowledgeBaseSpec(
        slug=kb.slug,
        name=kb.slug,
        description="",
        settings=KnowledgeBaseSettings.model_validate(
            {"embedding_model": "builtin/hash", "summary_model": None, **chosen}
        ),
        sources=tuple(specs),
    )
    apply(kb.store, spec)
    for path, text in (files or {}).items():
        kb.write(path, text)
    return kb


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """A synced knowledge base to begin with: the databases to clone, and a copy of its folder."""

    name: str
    folder: Path
    kept: Path

    def restore(self) -> None:
        """Put the files back as they were when it was synced."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.kept, self.folder, symlinks=True)


class Beginnings:
    """The initial states of modules; each is synced once."""

    def __init__(self, server: str, template: str, cache: Path, folder: Path) -> None:
        self._server = server
        self._template = template
        self._cache = cache
        self._folder = folder
        self._made: dict[str, Beginning] = {}

    def of(self, request: pytest.FixtureRequest) -> Beginning:
        """The one that a test, or its module, is marked with."""
        mark = request.node.get_closest_marker("synced")
        assert mark is not None, "it is not said what is synced: pytestmark = pytest.mark.synced(files=...)"
        is_in_dagster = _is_in_dagster(request)
        key = repr((is_in_dagster, quick_syncs.checks_are_wanted(), mark.args, sorted(mark.kwargs.items())))
        if key not in self._made:
            name = f"synced_{len(self._made):02}"
            self._made[key] = self._make(name, is_in_dagster, *mark.args, **mark.kwargs)
        return self._made[key]

    def _make(
        self,
        name: str,
        is_in_dagster: bool,
        *sources: str,
        then: Callable[[Headwater], object] | None = None,
        **made_of: Any,
    ) -> Beginning:
        home = self._folder / name
        url = with_database(self._server, name)
        copy(self._server, self._template, name)
        with self.opened(url, home, home / "kb", is_in_dagster=is_in_dagster) as kb:
            filled = fill(kb, *sources, **made_of)
            with ThreadPoolExecutor(1) as pool:  # this thread may have the event loop of a browser's driver
                pool.submit(filled.sync).result()
            if then is not None:
                then(kb)
        stop_looking(url)
        left = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE starts_with(datname, %s)"
        _remember_catalogue(url)
        looking(self._server).execute(left, (name,))  # no database is copied while it is in use
        kept = Path(shutil.copytree(home / "kb", home / "kept", symlinks=True))
        return Beginning(name=name, folder=home / "kb", kept=kept)

    @contextmanager
    def opened(self, url: str, home: Path, folder: Path, *, is_in_dagster: bool = False) -> Iterator[Headwater]:
        """A knowledge base over a database, for the length of a block; the environment says the same."""
        settings = Settings(home=home / "home", cache=self._cache, database_url=url)
        store = Store(Database(url, size=6))
        with pytest.MonkeyPatch.context() as patch, closing(store), ExitStack() as stack:
            patch.setenv("HEADWATER_DATABASE_URL", url)
            _surround(settings, patch)
            yield Headwater(
                settings=settings,
                store=store,
                open_instance=functools.cache(lambda: stack.enter_context(dagster(settings, patch))),
                slug="kb",
                folder=folder,
                is_in_dagster=is_in_dagster,
            )


@pytest.fixture(scope="module")
def checks() -> Iterator[None]:
    """The syncs of a module's tests run the checks of a refresh."""
    with quick_syncs.want_checks():
        yield


@pytest.fixture(scope="session")
def beginnings(server: str, template: str, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Beginnings:
    """Makes what modules begin with, at the first test that does."""
    return Beginnings(server, template, cache, tmp_path_factory.mktemp("beginnings"))


@pytest.fixture
def synced(beginnings: Beginnings, empty: Headwater, request: pytest.FixtureRequest) -> Headwater:
    """The knowledge base that the module is marked with, synced; the test's own."""
    beginning = beginnings.of(request)
    beginning.restore()
    return replace(empty, folder=beginning.folder)


@pytest.fixture
def kb(synced: Headwater) -> Headwater:
    """The synced one, where a module has no other."""
    return synced


@pytest.fixture(scope="module")
def shared(
    beginnings: Beginnings, server: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Headwater]:
    """The knowledge base that the module is marked with, synced, for tests that only read: a write is an error."""
    beginning, name = beginnings.of(request), f"shared_{next(_numbers)}"
    with clone(server, beginning.name, name) as url:
        looking(server).execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
        with beginnings.opened(url, tmp_path_factory.mktemp("shared"), beginning.folder) as kb:
            yield kb


@pytest.fixture(scope="session")
def warm() -> Iterator[str]:
    """The socket of a process that runs commands without importing everything each time (`tests/pages/warm.py`)."""
    with tempfile.TemporaryDirectory() as folder:  # a short path, as sockets must have
        path = f"{folder}/warm"
        command = [sys.executable, "-m", "tests.pages.warm", path]
        with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield path
            process.kill()  # not `terminate`: the process ignores SIGTERM if the shell that started the tests does


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    """A site that knows ETags, and the connector that reads it, as if its package were installed."""
    installed = dict(connector.connectors())
    monkeypatch.setattr(connector, "connectors", lambda: {**installed, Pages.kind: Pages})
    Pages.contexts.clear()
    with page_server() as told:
        yield told


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A server of embedding models, where litellm looks for OpenAI's and Ollama's; no model is loaded yet."""
    from headwater.models_gateway import embedder_registry, model_failures

    monkeypatch.setattr(model_failures, "_FIRST_WAIT", 0.01)
    with embedding_server() as server:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OLLAMA_API_BASE", server.url)
        embedder_registry._load_remote.cache_clear()
        yield server
        embedder_registry._load_remote.cache_clear()


@pytest.fixture(scope="session")
def _local_llm() -> Iterator[LocalLlm]:
    with local_llm_server() as served:
        yield served


@pytest.fixture
def local_llm(_local_llm: LocalLlm, monkeypatch: pytest.MonkeyPatch) -> LocalLlm:
    """A real small chat model on loopback, where litellm looks for OpenAI's; started once per process."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_BASE", _local_llm.url)
    monkeypatch.setenv("OPENAI_API_KEY", _local_llm.key)
    return _local_llm


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A server of chat models, where litellm looks for OpenAI's, vLLM's and Ollama's."""
    from headwater.generation.pace import pace_book
    from headwater.models_gateway import model_failures

    pace_book().forget()
    monkeypatch.setattr(model_failures, "_FIRST_WAIT", 0.01)
    with chat_server() as server:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", f"{server.url}/v1")
        monkeypatch.setenv("HOSTED_VLLM_API_KEY", server.key)
        monkeypatch.setenv("OLLAMA_API_BASE", server.url)
        yield server
