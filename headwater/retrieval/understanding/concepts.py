"""What a model makes of a question, and one ranking out of several searches (RET-3).

Belongs here: the role of such a model, and the fusion of what each concept found. Not here: prompts and calls (the
answering package), rules (`understanding`). Guarantee: pure; a passage that several searches found is there once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from headwater.domain.search import Passage, Scores
from headwater.retrieval.reranking.lexical import ranked
from headwater.retrieval.understanding.intents import Intent
from headwater.retrieval.understanding.question import Understanding

K = 60
"""Of reciprocal rank fusion (Cormack, Clarke, Buettcher 2009), as in the store's fusion of words and vectors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Concepts:
    """A question's intent, and what it is about as texts that are searched for one by one."""

    intent: Intent
    concepts: tuple[str, ...]


class ConceptModel(Protocol):
    """Finds a question's intent and concepts; asked only where rules do not suffice."""

    name: str

    def find_concepts(self, understanding: Understanding) -> Concepts:
        """Read a question.

        Raises:
            ModelUnavailableError: the model does not answer; a search then goes on with the question alone.
        """
        ...


def fuse(searches: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Put several searches together by the ranks that a passage has in each.

    Args:
        searches: passages of each search, best first.

    Returns:
        Each passage once, ranked from 1. Its score is the sum of 1 / (`K` + rank) over the searches that found it,
        which is `scores.fused` too; of its other scores the best of any search is kept.
    """
    found: dict[UUID, Passage] = {}
    sums: dict[UUID, float] = {}
    for passages in searches:
        seen: set[UUID] = set()
        for rank, passage in enumerate(passages, start=1):
            key = passage.chunk_id
            if key in seen:
                continue
            seen.add(key)
            sums[key] = sums.get(key, 0.0) + 1 / (K + rank)
            known = found.get(key)
            found[key] = passage if known is None else replace(known, scores=_best(known.scores, passage.scores))
    return ranked(
        [
            replace(passage, score=sums[key], scores=replace(passage.scores, fused=sums[key]))
            for key, passage in found.items()
        ]
    )


def _best(one: Scores, other: Scores) -> Scores:
    return replace(
        one,
        vector=_most(one.vector, other.vector),
        vector_rank=_least(one.vector_rank, other.vector_rank),
        text=_most(one.text, other.text),
        text_rank=_least(one.text_rank, other.text_rank),
        heading=_most(one.heading, other.heading),
        heading_rank=_least(one.heading_rank, other.heading_rank),
        rerank=_most(one.rerank, other.rerank),
    )


def _most(*scores: float | None) -> float | None:
    return max((score for score in scores if score is not None), default=None)


def _least(*ranks: int | None) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)
