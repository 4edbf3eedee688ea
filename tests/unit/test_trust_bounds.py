"""Limits of trust, similarity and reranking at equality: what is exactly at a limit stays."""

from collections.abc import Sequence

from headwater.domain.search import Passage
from headwater.retrieval.reranking.lexical_reranker import apply_reranker
from headwater.retrieval.result_order import _similar
from headwater.retrieval.trust import select_trusted
from tests.passages import numbered

# Sums of powers of two, so that equal is equal.
PASSAGES = [numbered(rank=rank) for rank in (1, 2, 3)]


class _Judge:
    name = "stub/judge"

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score by the rank."""
        assert question
        return [1 / 2**passage.rank for passage in passages]


def test_a_trust_of_exactly_the_floor_is_kept() -> None:
    """The floor is the least trust that is enough (RET-7)."""
    done = select_trusted(PASSAGES, [0.75, 0.5, 0.4375], floor=0.5, margin=1.0)
    assert [one.rank for one in done.kept] == [1, 2]
    assert [one.passage.rank for one in done.dropped] == [3]


def test_a_trust_of_exactly_the_margin_under_the_best_is_kept() -> None:
    """The margin is the most that a passage may be under the best one (RET-7)."""
    done = select_trusted(PASSAGES, [0.75, 0.5, 0.4375], floor=0.0, margin=0.25)
    assert [one.rank for one in done.kept] == [1, 2]
    assert "more than 0.25 below" in done.dropped[0].reason


def test_a_similarity_of_exactly_the_threshold_stays() -> None:
    """So does a passage that has none."""
    passages = tuple(numbered(rank=rank, scores={"vector": one}) for rank, one in enumerate((0.5, 0.25, 0.125, None)))
    done = _similar(passages, 0.25)
    assert [one.scores.vector for one in done.passages] == [0.5, 0.25, None]
    assert [one.passage.scores.vector for one in done.dropped] == [0.125]


def test_a_rerankers_score_of_exactly_the_threshold_stays() -> None:
    """And every passage is kept or named (RET-6)."""
    done = apply_reranker(_Judge(), "Which pump?", PASSAGES, threshold=0.25)
    assert [one.score for one in done.passages] == [0.5, 0.25]
    assert [one.score for one in done.dropped] == [0.125]
