"""One order out of several: ranks, scores, searches (RET-1, RET-3).

Belongs here: the fusion in Python. Not here: that of words and vectors, in SQL (`tests/integration/test_fusion.py`).
"""

import pytest

from headwater.retrieval.fusion import RANK_OFFSET as K
from headwater.retrieval.fusion import fuse, normalize, number_ranks, rank_passages, weigh_scores
from tests.passages import passage


def test_the_best_of_each_search_come_first() -> None:
    """By the best rank in any; a passage is there once, with the best of its scores (RET-4)."""
    pump = [passage(uri="a", scores={"vector": 0.9, "vector_rank": 1}), passage(uri="b", scores={"vector": 0.4})]
    mill = [passage(uri="c"), passage(uri="b", scores={"vector": 0.6, "vector_rank": 3, "text": 2.0})]
    fused = fuse([pump, mill])
    assert [(p.uri, p.rank) for p in fused] == [("a", 1), ("c", 2), ("b", 3)]
    both = fused[2]
    assert both.score == both.scores.fused == pytest.approx(1 / (K + 2))
    assert (both.scores.vector, both.scores.vector_rank, both.scores.text) == (0.6, 3, 2.0)


def test_one_search_keeps_its_order() -> None:
    """A passage that it names twice counts once."""
    found = [passage(uri="a"), passage(uri="b"), passage(uri="a")]
    assert [(p.uri, p.score) for p in fuse([found])] == [("a", 1 / (K + 1)), ("b", 1 / (K + 2))]


def test_nothing_is_fused_to_nothing() -> None:
    """No search, or none that found anything."""
    assert fuse([]) == fuse([[], []]) == []


def test_scores_of_a_leg_are_stretched_from_0_to_1() -> None:
    """The lowest is 0, and so is a passage that the leg did not find; equal scores are all 1."""
    assert normalize([2.0, None, 4.0, 3.0]) == [0.0, 0.0, 1.0, 0.5]
    assert normalize([3.0, 3.0]) == [1.0, 1.0]
    assert normalize([None]) == [0.0]
    assert normalize([]) == []


def test_the_weight_is_that_of_the_vectors() -> None:
    """Words have the rest; a leg that did not find a passage adds nothing."""
    assert weigh_scores(1.0, 0.0, vector_weight=0.25) == 0.25
    assert weigh_scores(0.0, 1.0, vector_weight=0.25) == 0.75


def test_passages_are_ordered_by_score_or_numbered_as_they_come() -> None:
    """Equals keep their order."""
    found = [passage(uri="a", score=0.5), passage(uri="b", score=1.0), passage(uri="c", score=0.5)]
    assert [(p.uri, p.rank) for p in rank_passages(found)] == [("b", 1), ("a", 2), ("c", 3)]
    assert [(p.uri, p.rank) for p in number_ranks(found)] == [("a", 1), ("b", 2), ("c", 3)]
