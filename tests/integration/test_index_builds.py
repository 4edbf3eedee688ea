"""While a large search index is built, searches answer quickly and say what they searched (EMB-2)."""

import subprocess
import sys
import time
from collections.abc import Callable

import psycopg
import pytest

from headwater.lexical.tokens import Tokens
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult
from headwater.settings import REPOSITORY
from headwater.store.search import passage_search
from headwater.store.search.passage_search import SearchRequest
from query_api.app import create_app
from tests.support import Headwater

FILES = {f"{name}.md": f"# {name.title()}\n\nThe {name} of the plant is serviced by {who}." for name, who in
         {"pump": "Ada", "valve": "Grace", "boiler": "Alan", "filter": "Edsger"}.items()}  # fmt: skip
pytestmark = pytest.mark.synced(files=FILES)
_BUILD = """
import sys
from headwater.store.server.database import Database
from headwater.store.store import Store
store = Store(Database(sys.argv[1], size=1))
store.search_indexes.move_to_partition(store.search_indexes.active("kb"))
"""
_WAITING_BUILD = """
SELECT FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, '-- name: build_index')
"""


def _find(kb: Headwater, question: str, **options: object) -> SearchResult:
    return search(kb.store, kb.settings, kb.knowledge_base, question, SearchOptions(top_k=3, **options))  # type: ignore[arg-type]


def test_vectors_of_the_best_by_words_are_compared_until_there_is_hnsw(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large index without HNSW is not scanned: the best by words are compared by vector, and a note says so."""
    exact = _find(kb, "Who services the boiler?")
    assert not exact.notes
    monkeypatch.setattr(passage_search, "MAX_EXACT_SCAN", 1)
    for mode in ("hybrid", "vector"):
        found = _find(kb, "Who services the boiler?", mode=mode)
        assert found.passages[0].uri == "boiler.md"
        assert found.passages[0].scores.vector is not None
        assert [note for note in found.notes if "not built yet" in note]
    assert not _find(kb, "Who services the boiler?", mode="keyword").notes
    nothing = _find(kb, "zyzzyva", mode="vector")  # no entry has this word, so all are compared
    assert len(nothing.passages) == 3
    assert not nothing.notes
    kb.store.search_indexes.move_to_partition(kb.store.search_indexes.active("kb"))  # type: ignore[arg-type]
    assert not _find(kb, "Who services the boiler?").notes


def test_only_so_many_vectors_are_compared(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large index without HNSW, no vector is compared but those of the best matches by words."""
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    vector = load_embedder(index.model, kb.settings).embed(["The boiler of the plant is serviced by Alan."])[0]
    request = SearchRequest(words=Tokens(["filter"], []), vector=vector, by_text=False, depth=1, limit=1)
    assert kb.store.searching.search(index, request).passages[0].uri == "boiler.md"
    monkeypatch.setattr(passage_search, "MAX_EXACT_SCAN", 1)
    monkeypatch.setattr(passage_search, "WORDS_FIRST", 1)
    assert kb.store.searching.search(index, request).passages[0].uri == "filter.md"


def test_a_build_goes_on_and_is_shown_when_its_process_is_killed(kb: Headwater) -> None:
    """Postgres finishes what a killed process began, shows how far it is, and the next process finds it built."""
    app = create_app(kb.settings)
    with psycopg.connect(kb.store.database.url) as blocker:
        blocker.execute("LOCK TABLE search_weights_chunk IN SHARE MODE")
        command = [sys.executable, "-c", _BUILD, kb.store.database.url]
        with subprocess.Popen(command, cwd=REPOSITORY) as process:
            _wait_until(lambda: bool(kb.query(_WAITING_BUILD)))  # for the table: every step before it is done
            process.kill()
        [build] = kb.store.index_builds.of(kb.knowledge_base)
        assert build.text == f"search index {build.search_index_id}: copying entries"
        [item] = app.test_client().get("/api/v1/syncs?knowledge_base=kb").json["index_builds"]  # type: ignore[index]
        assert item["step"] == "copying"
        assert "copying entries" in app.test_client().get("/kb/kb/status").text
        assert _find(kb, "Who services the boiler?").passages[0].uri == "boiler.md"
        blocker.rollback()
    active = kb.store.search_indexes.active("kb")
    assert active is not None
    kb.store.search_indexes.move_to_partition(active)  # waits for it
    assert kb.query("SELECT shard FROM search_indexes") == [{"shard": active.id}]
    assert kb.store.index_builds.of(kb.knowledge_base) == []
    assert _find(kb, "Who services the boiler?").passages[0].uri == "boiler.md"


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)
