"""How waiting sources become runs (OPS-2, KB-3)."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.store.work.syncs import share_out


def test_knowledge_bases_have_runs_of_their_own_while_there_is_room() -> None:
    """Two knowledge bases are synced side by side, each in runs of few sources."""
    waiting = [(source, source % 2) for source in range(10)]
    assert share_out(waiting, 3, 4) == [[0, 2, 4], [6, 8], [1, 3, 5], [7, 9]]


def test_many_knowledge_bases_share_runs() -> None:
    """Hundreds of due sources of as many knowledge bases are a few runs."""
    assert [len(part) for part in share_out([(n, n) for n in range(200)], 20, 4)] == [20] * 10


def test_one_knowledge_base_leaves_runs_for_others() -> None:
    """It takes half of those that go on at once; a few sources are not worth several."""
    assert [len(part) for part in share_out([(n, 0) for n in range(200)], 100, 4)] == [100, 100]
    assert [len(part) for part in share_out([(n, 0) for n in range(20)], 100, 4)] == [20]
    assert [len(part) for part in share_out([(n, 0) for n in range(60)], 100, 1)] == [60]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9))), st.integers(1, 20), st.integers(1, 5))
def test_every_source_is_in_one_run(waiting: list[tuple[int, int]], limit: int, runs: int) -> None:
    """None is lost or doubled, and no run has more than it may."""
    shared = share_out(waiting, limit, runs)
    assert sorted(source for part in shared for source in part) == sorted({source for source, _ in waiting})
    assert all(0 < len(part) <= limit for part in shared)


def test_as_many_knowledge_bases_as_runs_have_one_each() -> None:
    """As many knowledge bases as runs get one each; with one more, they share."""
    assert sorted(share_out([(1, 1), (2, 2)], 100, 2)) == [[1], [2]]
    assert share_out([(1, 1), (2, 2), (3, 3)], 100, 2) == [[1, 2, 3]]
