"""What tests share: a real Postgres, a migrated database per test, a real Dagster instance.

The server is the embedded one, started once for the whole run and stopped at its end. A template database is migrated
once and cloned per test, which takes some 50 ms.
"""

import gc
import itertools
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import dagster as dg
import psycopg
import pytest

from assets.connections import keep_connections
from cli.environment import dagster_variables
from headwater.administration.applying import apply
from headwater.administration.configuration import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import Settings
from headwater.sources import connector
from headwater.store.server import embedded
from headwater.store.server.addresses import dagster_url
from headwater.store.server.database import Database
from headwater.store.server.migrate import migrate
from headwater.store.store import Store
from tests.embedding_server import KEY, EmbeddingServer, embedding_server
from tests.page_server import Pages, PageServer, page_server
from tests.support import Headwater

_numbers = itertools.count(1)
_FAST = ("fsync", "synchronous_commit", "full_page_writes")  # a test's data need not survive a power cut


def with_database(url: str, name: str) -> str:
    """The address of another database of the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def pytest_collection_finish() -> None:
    """What importing and collecting made stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the test server's maintenance database."""
    folder = tmp_path_factory.mktemp("server") / "postgres"
    url = embedded.start(folder)
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in _FAST:
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")
    yield url
    embedded.stop(folder)


@pytest.fixture(scope="session")
def template(server: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a migrated database to clone; Dagster's is beside it."""
    url = with_database(server, "template_headwater")
    migrate(url)
    home = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        settings = Settings(home=home, cache=home, database_url=url)
        for name, value in dagster_variables(settings).items():
            patch.setenv(name, value)
        with dg.DagsterInstance.get():
            pass  # makes its tables
    return "template_headwater"


@pytest.fixture
def database_url(server: str, template: str) -> Iterator[str]:
    """The address of a migrated database of the test's own, with Dagster's beside it."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"CREATE DATABASE {name}{suffix} TEMPLATE {template}{suffix}".encode())
    yield with_database(server, name)
    with psycopg.connect(server, autocommit=True) as connection:
        for suffix in ("", "_dagster"):
            connection.execute(f"DROP DATABASE {name}{suffix} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the local model is built, once per run."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def settings(tmp_path: Path, cache: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of the test's own; the environment says the same."""
    home = tmp_path / "home"
    monkeypatch.setenv("HEADWATER_HOME", str(home))
    monkeypatch.setenv("HEADWATER_CACHE", str(cache))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", database_url)
    return Settings.from_env()


@pytest.fixture
def store(settings: Settings, database_url: str) -> Iterator[Store]:
    """The store over the test's database."""
    opened = Store(Database(database_url, size=6))
    yield opened
    opened.close()


@pytest.fixture
def instance(settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance over the test's database."""
    for name, value in dagster_variables(settings).items():
        monkeypatch.setenv(name, value)
    # What a step prints is kept, but not shown: each step would start four processes for that.
    monkeypatch.setattr("dagster._core.execution.compute_logs.tail_to_stream", lambda *_: nullcontext((None, None)))
    assert dagster_url(database_url).startswith("postgresql+psycopg2://")
    with dg.DagsterInstance.get() as opened:
        keep_connections(opened)
        yield opened


@pytest.fixture
def headwater(
    settings: Settings, store: Store, instance: dg.DagsterInstance, tmp_path: Path
) -> Callable[..., Headwater]:
    """Makes a knowledge base of markdown folders; each named source is a folder of its own."""

    def make(*sources: str, slug: str = "kb", files: dict[str, str] | None = None, **chosen: object) -> Headwater:
        specs = []
        for source in sources or ("docs",):
            folder = tmp_path / slug / source
            folder.mkdir(parents=True)
            specs.append(SourceSpec(slug=source, kind="markdown_tree", config={"path": str(folder)}))
        spec = KnowledgeBaseSpec(
            slug=slug,
            name=slug,
            description="",
            settings=KnowledgeBaseSettings.model_validate({"embedding_model": "builtin/hash", **chosen}),
            sources=tuple(specs),
        )
        apply(store, spec)
        made = Headwater(settings=settings, store=store, instance=instance, slug=slug, folder=tmp_path / slug)
        for path, text in (files or {}).items():
            made.write(path, text)
        return made

    return make


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
    from headwater.models_gateway import litellm_client
    from headwater.models_gateway.registry import load_embedder

    monkeypatch.setattr(litellm_client, "_FIRST_WAIT", 0.01)
    with embedding_server() as server:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OLLAMA_API_BASE", server.url)
        load_embedder.cache_clear()
        yield server
        load_embedder.cache_clear()
