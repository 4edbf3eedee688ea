"""Memory for building a large search index (OPS-8).

Belongs here: what is asked for, and that Postgres gets it. Not here: the index (`test_checks`). Guarantee: a real
Postgres; no index is built.
"""

import pytest

from headwater.indexing import build_memory as module
from headwater.indexing.build_memory import OTHER_SERVER, build_memory


@pytest.mark.parametrize(
    ("entries", "free", "megabytes"),
    [(1_000, 2**33, 64), (1_000_000, 2**36, 1323), (1_000_000, 2**31, 512), (1_000_000, 2**27, 64)],
    ids=["a small index", "a large one", "little memory", "hardly any"],
)
def test_memory_follows_entries_and_machine(
    entries: int, free: int, megabytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As much as the graph needs, at most a quarter of what is free, and never less than Postgres takes anyway."""
    monkeypatch.setattr(module, "free_memory", lambda: free)
    assert build_memory(entries, 384, is_own_server=True) // 2**20 == megabytes


def test_a_server_elsewhere_is_not_asked_for_more_than_it_may_have() -> None:
    """We do not know its memory."""
    assert build_memory(10**9, 384, is_own_server=False) == OTHER_SERVER
