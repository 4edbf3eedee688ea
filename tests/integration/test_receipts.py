"""What deleting a source takes, and what it leaves to others (KB-1, SRC-12)."""

from collections.abc import Callable

import pytest

from headwater.administration.deletion import finish_deletions
from headwater.store.catalogue.deletions import Files
from tests.support import Headwater

Make = Callable[..., Headwater]
PUMP = "# A\n\nThe pump lifts water."
FILES = {"one/a.md": PUMP, "two/a.md": PUMP, "two/b.md": "# B\n\nOil."}

pytestmark = pytest.mark.synced("one", "two", files=FILES)


def _count(kb: Headwater, table: str, where: str = "true", *values: object) -> int:
    return int(kb.query(f"SELECT count(*) AS n FROM {table} WHERE {where}", *values)[0]["n"])


def test_a_vector_that_another_source_holds_stays(kb: Headwater) -> None:
    """Vectors of a shared text stay; those that only the deleted source used are removed and counted."""
    before = _count(kb, "embeddings")
    done = kb.delete("two")
    held = "text_hash IN (SELECT embedding_hash FROM version_chunks UNION SELECT heading_hash FROM version_chunks)"
    assert _count(kb, "embeddings") == _count(kb, "embeddings", held) == 2
    assert done.removed["embeddings"] == before - 2
    assert [passage.source for passage in kb.search("pump water")] == ["one"]


def test_one_process_finishes_a_deletion_at_a_time(kb: Headwater) -> None:
    """While another is at it the receipt is returned as it stands, and no row is touched."""
    hidden = kb.store.deletions.hide_source("kb", "two")
    with kb.store.database.session_lock(f"deletion:{hidden.id}") as lock:
        assert lock.is_held
        files = Files(of_sources=lambda _: 0, original=lambda _: None)
        assert kb.store.deletions.finish(hidden, files).finished_at is None
        assert _count(kb, "documents") == 3
    (finished,) = finish_deletions(kb.settings, kb.store)
    assert finished.finished_at is not None
    assert _count(kb, "documents") == 1


def test_a_source_leaves_a_large_index_too(kb: Headwater) -> None:
    """From its own partition, in the transaction that takes the source out of sight."""
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    kb.store.search_indexes.clear_shared_entries(index)
    gone = kb.source("two").id
    kb.store.deletions.hide_source("kb", "two")
    for table in ("search_entries", "search_weights"):
        assert _count(kb, table, "source_id = %s", gone) == 0
        assert _count(kb, table, "shard = %s", index.id) == 1
    assert kb.store.index_health.wrong_statistics(index).count == 0
