"""Who may write: a worker that was overtaken, or whose source is on its way out, may not (SRC-10, KB-1)."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from headwater.domain.corpus import Lineage
from headwater.domain.search import SearchIndex
from headwater.errors import FencedError
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.workers import SyncCounts
from tests.support import Headwater

Make = Callable[..., Headwater]
BY = Lineage(run_id="run-1", code_version="0")


def _writes(kb: Headwater, work: SyncLease, index: SearchIndex) -> dict[str, Callable[[], object]]:
    """Every way in which a worker writes content."""
    store, now = kb.store.documents, datetime.now(UTC)
    vectors = np.ones((1, 384), dtype=np.float32)
    return {
        "versions": lambda: store.put_versions(work, [], fetched_at=now, by=BY),
        "removals": lambda: store.remove(work, []),
        "chunks": lambda: store.put_chunks(work, [], settings_hash=index.settings_hash, by=BY),
        "vectors": lambda: store.put_embeddings(work, "builtin/hash", [b"x" * 16], vectors, [1], BY),
        "publications": lambda: kb.store.search_indexes.publish(work, index, [], "run-1"),
    }


def _check_fenced(kb: Headwater, work: SyncLease, index: SearchIndex, reason: str) -> None:
    for what, write in _writes(kb, work, index).items():
        with pytest.raises(FencedError, match=reason):
            pytest.fail(f"{what} were written: {write()}")
    assert kb.query("SELECT 1 FROM embeddings WHERE text_hash = %s", b"x" * 16) == []


pytestmark = pytest.mark.synced(files={"a.md": "# A\n\nThe pump lifts water."})


def _index(kb: Headwater) -> SearchIndex:
    found = kb.store.search_indexes.active("kb")
    assert found is not None
    return found


def test_an_overtaken_worker_writes_nothing(kb: Headwater) -> None:
    """Whichever table it writes to, and it does not say how its source stands either."""
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as old:
        for write in _writes(kb, old, _index(kb)).values():
            write()  # as long as it is the newest
        kb.query("DELETE FROM embeddings WHERE text_hash = %s RETURNING 1", b"x" * 16)
        kb.query("UPDATE sources SET fencing_token = fencing_token + 1 RETURNING id")
        _check_fenced(kb, old, _index(kb), "A newer sync of kb/docs took over")
        before = kb.query("SELECT state, error, synced_at, verified_at FROM sources")
        kb.store.workers.finish(old, SyncCounts(), "It failed long ago.")
        assert kb.query("SELECT state, error, synced_at, verified_at FROM sources") == before


def test_the_worker_of_a_source_on_its_way_out_writes_nothing(kb: Headwater) -> None:
    """From the moment on at which the source is out of sight, while its rows are still there."""
    index = _index(kb)
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        kb.store.deletions.hide_source("kb", "docs")
        assert kb.query("SELECT state FROM sources") == [{"state": "deleting"}]
        _check_fenced(kb, work, index, "kb/docs was deleted")
