"""What many readers look at together (API-2)."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from query_api import shared_results
from query_api.shared_results import SharedResults


def test_many_threads_compute_a_result_once() -> None:
    """The first one does, and the others wait for it."""
    results, are_there = SharedResults(), threading.Barrier(8)
    computed: list[int] = []

    def compute() -> int:
        computed.append(1)
        return 7

    def want(_: int) -> int:
        are_there.wait(60)
        return results.get("key", compute, since=0.0)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(want, range(8))) == [7] * 8
    assert computed == [1]


def test_a_result_is_not_older_than_its_reader_accepts() -> None:
    """What is too old is computed again."""
    results, values = SharedResults(), iter([1, 2, 3])
    assert results.get("key", lambda: next(values), since=0.0) == 1
    assert results.get("key", lambda: next(values), since=0.0) == 1
    assert results.get("key", lambda: next(values), since=time.monotonic()) == 2
    assert results.get("other", lambda: next(values), since=0.0) == 3


def test_what_failed_is_not_tried_again_by_every_reader() -> None:
    """Who accepts an old error gets it without the frames of those before; another one tries again."""
    results, values = SharedResults(), iter([1])
    results.get("other", lambda: next(values), since=0.0)
    depths = set()
    for _ in range(3):
        with pytest.raises(StopIteration) as caught:
            results.get("key", lambda: next(values), since=0.0, error_seconds=600.0)
        depths.add(len(caught.traceback))
    assert len(depths) <= 2  # the first one has computed it
    assert results.get("key", lambda: 4, since=0.0) == 4


def test_what_nobody_wants_any_more_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is free again."""
    monkeypatch.setattr(shared_results, "_KEPT_SECONDS", 0.0)
    results = SharedResults()
    for index in range(10):
        results.get(index, lambda: b"", since=0.0)
        time.sleep(0.001)  # the clock has gone on
    assert len(results._results) <= 2
