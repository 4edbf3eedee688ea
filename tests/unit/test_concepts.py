"""One ranking out of several searches (RET-3).

Belongs here: the fusion. Not here: a model's concepts, which are its own.
"""

import pytest

from headwater.retrieval.understanding.concepts import K, fuse
from tests.passages import passage


def test_what_several_searches_found_comes_first() -> None:
    """By the ranks in each; it is there once, with the best of its scores."""
    pump = [passage(uri="a", scores={"vector": 0.9, "vector_rank": 1}), passage(uri="b", scores={"vector": 0.4})]
    mill = [passage(uri="c"), passage(uri="b", scores={"vector": 0.6, "vector_rank": 3, "text": 2.0})]
    fused = fuse([pump, mill])
    assert [(p.uri, p.rank) for p in fused] == [("b", 1), ("a", 2), ("c", 3)]
    both = fused[0]
    assert both.score == both.scores.fused == pytest.approx(2 / (K + 2))
    assert (both.scores.vector, both.scores.vector_rank, both.scores.text) == (0.6, 3, 2.0)


def test_one_search_keeps_its_order() -> None:
    """A passage that it names twice counts once."""
    found = [passage(uri="a"), passage(uri="b"), passage(uri="a")]
    assert [(p.uri, p.score) for p in fuse([found])] == [("a", 1 / (K + 1)), ("b", 1 / (K + 2))]


def test_nothing_is_fused_to_nothing() -> None:
    """No search, or none that found anything."""
    assert fuse([]) == fuse([[], []]) == []
