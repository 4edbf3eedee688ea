"""Passages of code that define the name that was asked for.

Belongs here: whether a passage defines the question's name. Not here: which names code defines
(`headwater.lexical.symbol_terms`), the weight of this evidence (`lexical_reranker`). Guarantee: pure; a question of
several words, and passages that are not code, are not affected.
"""

from collections.abc import Sequence

from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage
from headwater.lexical.symbol_terms import find_asked_name, find_defined_names


def score_definitions(question: str, passages: Sequence[Passage]) -> list[float]:
    """1 for each passage that defines the only name of a question, else 0; empty if none does."""
    name = find_asked_name(question)
    if name is None:
        return []
    scores = [
        float(passage.kind == ChunkKind.CODE and name in find_defined_names(passage.text, passage.breadcrumb))
        for passage in passages
    ]
    return scores if any(scores) else []
