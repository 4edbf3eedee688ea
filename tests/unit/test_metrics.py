"""Retrieval metrics and judging, by hand and by property (EVL-1)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.evaluations import RelevantDocument
from headwater.evaluation.golden_set import judge
from headwater.evaluation.metrics import ndcg_at, recall_at, reciprocal_rank

RANKINGS = st.lists(st.booleans(), max_size=15)
ENTRIES = st.lists(
    st.builds(RelevantDocument, uri=st.sampled_from("abc"), page=st.none() | st.integers(1, 3)),
    min_size=1,
    max_size=5,
    unique=True,
)
URIS = st.lists(st.sampled_from(["a", "b", "c", "a#page=1", "a#page=2", "b#page=3", "d"]), max_size=10, unique=True)


# By hand


@pytest.mark.parametrize(
    ("ranking", "relevant_count", "ndcg", "recall", "mrr"),
    [
        ([True], 1, 1.0, 1.0, 1.0),
        ([False, False], 1, 0.0, 0.0, 0.0),
        ([], 3, 0.0, 0.0, 0.0),
        # A hit at rank 3 is worth 1 / log2(4) = 1/2 of the 1 that the best ranking has.
        ([False, False, True], 1, 0.5, 1.0, 1 / 3),
        # Hits at 1 and 3 of three: (1 + 1/2) / (1 + 1/log2(3) + 1/2) = 1.5 / 2.1309298.
        ([True, False, True], 3, 0.7039180890341347, 2 / 3, 1.0),
        # Ranks 2 and 4 of two: (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3)) = 1.0616064 / 1.6309298.
        ([False, True, False, True], 2, 0.6509209298071326, 1.0, 0.5),
        # The best ranking of 12 cannot show more than 10: all ten right is a 1.
        ([True] * 10, 12, 1.0, 10 / 12, 1.0),
        # Rank 11 is beyond 10, for the reciprocal rank too when the ranking was cut.
        ([False] * 10 + [True], 1, 0.0, 0.0, 1 / 11),
    ],
)
def test_metrics_are_those_worked_out_by_hand(
    ranking: list[bool], relevant_count: int, ndcg: float, recall: float, mrr: float
) -> None:
    """Each figure follows its definition."""
    assert ndcg_at(10, ranking, relevant_count) == pytest.approx(ndcg, abs=1e-12)
    assert recall_at(10, ranking, relevant_count) == pytest.approx(recall, abs=1e-12)
    assert reciprocal_rank(ranking) == pytest.approx(mrr, abs=1e-12)


# By property


@given(RANKINGS, st.integers(0, 5))
def test_metrics_lie_between_0_and_1(ranking: list[bool], missed: int) -> None:
    """Whatever the ranking, and however many relevant documents it misses."""
    count = max(1, sum(ranking) + missed)
    for value in (ndcg_at(10, ranking, count), recall_at(10, ranking, count), reciprocal_rank(ranking)):
        assert 0 <= value <= 1 + 1e-12


@given(RANKINGS.filter(any), st.integers(0, 5))
def test_a_hit_that_moves_up_is_never_worth_less(ranking: list[bool], missed: int) -> None:
    """Swapping a hit with the miss before it raises nDCG within the depth, and lowers nothing."""
    count = sum(ranking) + missed
    for place in range(1, len(ranking)):
        if ranking[place] and not ranking[place - 1]:
            better = [*ranking[: place - 1], True, False, *ranking[place + 1 :]]
            gain = ndcg_at(10, better, count) - ndcg_at(10, ranking, count)
            assert gain > 0 if place <= 10 else math.isclose(gain, 0)
            assert recall_at(10, better, count) >= recall_at(10, ranking, count)
            assert reciprocal_rank(better) >= reciprocal_rank(ranking)


@given(st.integers(1, 15))
def test_the_best_ranking_is_worth_1(count: int) -> None:
    """All relevant documents first."""
    assert ndcg_at(10, [True] * count, count) == pytest.approx(1)


# Judging


def _relevant(*documents: str | tuple[str, int]) -> list[RelevantDocument]:
    pairs = [(document, None) if isinstance(document, str) else document for document in documents]
    return [RelevantDocument(uri=uri, page=page) for uri, page in pairs]


@pytest.mark.parametrize(
    ("found", "relevant", "ranking", "count"),
    [
        (["x", "a"], ["a", "b"], [False, True], 2),
        # A page is a document of its own here, and only the right one counts.
        (["a#page=2", "a#page=3"], [("a", 3)], [False, True], 1),
        (["a#page=3"], ["a#page=3"], [True], 1),
        # Documents that know no pages: both entries mean the same document, which counts once.
        (["a"], [("a", 3), ("a", 4)], [True], 1),
        # Without a page any page will do, once.
        (["a#page=9", "a#page=2"], ["a"], [True, False], 1),
        (["a#pages", "ab"], ["a"], [False, False], 1),
    ],
)
def test_documents_are_judged_by_uri_and_page(
    found: list[str], relevant: list[str | tuple[str, int]], ranking: list[bool], count: int
) -> None:
    """A document counts once; a page where both sides have one."""
    assert judge(found, _relevant(*relevant)) == (ranking, count)


@given(URIS, ENTRIES)
def test_judging_never_counts_more_hits_than_there_are_relevant(
    found: list[str], relevant: list[RelevantDocument]
) -> None:
    """So no metric can exceed 1."""
    ranking, count = judge(found, relevant)
    assert len(ranking) == len(found)
    assert sum(ranking) <= count <= len(relevant)
    assert count >= 1
