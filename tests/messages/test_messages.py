"""Messages of the product for people, each with its situation.

The test writes them into its folder as `messages.md`, so that someone with fresh eyes can judge them: each must make
clear what happened and what to do.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from headwater import errors
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.models_gateway import minilm
from headwater.settings import REPOSITORY, Settings
from query_api.app import create_app
from tests.chat_server import ChatServer
from tests.messages import by_asking, by_command, by_fetching, by_http, by_sync
from tests.messages.collecting import Collected
from tests.probe.conftest import serving
from tests.support import Headwater

_TABLE = "| Plan | Price a month |\n|---|---|\n| Starter | 0 euros |\n| Harbour | 40 euros |\n"
FILES = {
    "docs/pump.md": "# Pump manual\n\nThe pump lifts forty litres of water per minute.\n",
    "docs/plans.md": f"# Plans\n\n{_TABLE}",
    "more/wheel.md": "# Wheel\n\nThe wheel measures three metres across.\n",
}
_RAISED = re.compile(r'(?:problem|RefusedError)\(\s*\d{3}, "([A-Z_]+)"')
_OF_SYNCS = {"DUPLICATE_URI", "METADATA_DROPPED", "MORE_ERRORS", "RUN_FAILED", "WORKER_LOST"}
_FEWEST = 50


@pytest.fixture
def kb(headwater: Callable[..., Headwater], tmp_path: Path) -> Headwater:
    """A synced knowledge base, beside one without sources and one with a model that needs a key."""
    made = headwater("docs", "more", files=FILES, embedding_model="builtin/minilm-int8")
    made.query("UPDATE sources SET tags = '{handbook}', category = 'guides' RETURNING id")
    made.sync()
    chosen = {"empty": KnowledgeBaseSettings(), "remote": KnowledgeBaseSettings(embedding_model="openai/some-model")}
    for slug, settings in chosen.items():
        source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(made.folder / "docs")})
        sources = () if slug == "empty" else (source,)
        apply(made.store, KnowledgeBaseSpec(slug=slug, name=slug, description="", settings=settings, sources=sources))
    return made


def _add_sources(kb: Headwater) -> None:
    """Add a source without a folder, a paused one, and two JSONL files."""
    where = {"gone": ("markdown_tree", "gone"), "paused": ("markdown_tree", "more")}
    where |= {slug: ("jsonl", f"{slug}.jsonl") for slug in ("lines", "twice")}
    for slug, (kind, path) in where.items():
        kb.store.sources.create(
            "kb",
            slug=slug,
            kind=kind,
            config={"path": str(kb.folder / path)},
            settings=SourceSettings(paused=slug == "paused"),
        )


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """The API over the test's database."""
    return create_app(settings).test_client()


def test_every_message_is_seen(
    kb: Headwater,
    client: FlaskClient,
    chat: ChatServer,
    database_url: str,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At least fifty, with every error code among them; each has more than one word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = Collected()
    (tmp_path / "kb.yaml").write_text("knowledge_base: {slug: kb}\n", encoding="utf-8")
    by_command.wrong_use(found, tmp_path)
    by_command.wrong_files(found, tmp_path)
    by_command.wrong_names(found)
    by_command.refusals(found)
    by_asking.questions(found, kb, client, chat)
    _add_sources(kb)
    situations = by_sync.broken(kb)
    kb.sync()
    by_sync.kept_errors(found, kb, situations)
    by_sync.emptied(found, kb)
    by_command.surroundings(found, tmp_path)
    by_sync.late(found, kb, monkeypatch)
    by_http.routes(found, client)
    by_http.tools(found, client)
    by_fetching.refused(found)
    by_fetching.failed(found)
    by_fetching.websites(found)
    by_http.uploads(found, client, kb)
    with serving(tmp_path, database_url, cache, **_HASTY) as api:
        by_http.server(found, api.port)
    by_sync.lost(found, kb)
    by_sync.workers(found, kb)
    by_sync.full_disk(found, kb)
    answer = by_asking.changed(found, kb)
    by_sync.switching_and_deleting(found, kb)
    by_asking.deleted(found, kb, answer)
    by_sync.parser_processes(found)
    by_http.visitors(found, kb)
    by_http.keys(found, kb)
    _without_weights(found, cache, monkeypatch)
    found.write(tmp_path / "messages.md", tmp_path)
    assert len(found.messages) >= _FEWEST
    assert found.codes >= set(_codes())


_HASTY = {"HEADWATER_REQUEST_TIME_LIMIT": "1"}


def _without_weights(found: Collected, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    found.call(
        "The package of the local model is not installed",
        errors.ModelUnavailableError,
        lambda: minilm.MiniLmEmbedder(cache, threads=1),
    )


def _codes() -> Iterator[str]:
    """Every code: of the tree of errors, of the API itself, and of syncs."""
    tree = [errors.HeadwaterError]
    while tree:
        error = tree.pop()
        tree += [child for child in error.__subclasses__() if child.__module__ == errors.__name__]
        yield error.code
    for path in (REPOSITORY / "query_api").glob("*.py"):
        yield from _RAISED.findall(path.read_text(encoding="utf-8"))
    yield from _OF_SYNCS
