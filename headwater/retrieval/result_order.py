"""Putting search results into order: thresholds, reranking, boosts, and traversal.

Belongs here: these steps in their order, and what each of them dropped. Not here: the steps themselves (`reranking`,
`boosts`, `traversal`). Guarantee: every passage is kept or named as dropped.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.retrieval.boosts import apply_boosts
from headwater.retrieval.finder import Mode
from headwater.retrieval.fusion import fuse, number_ranks, rank_passages
from headwater.retrieval.reranking.lexical_reranker import apply_reranker
from headwater.retrieval.reranking.reranker_registry import load_reranker
from headwater.retrieval.trust import Dropped
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.understanding.code_questions import asks_for_code


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedPassages:
    """Passages, best first; those below a threshold; and notes on what differed from the settings."""

    passages: tuple[Passage, ...]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()


def order(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    passages: tuple[Passage, ...],
    mode: Mode,
) -> RankedPassages:
    """Order search results with the settings of a knowledge base.

    Args:
        store: has the tags of sources.
        settings: says where the models are.
        knowledge_base: the knowledge base with its settings.
        question: the question as it was asked.
        passages: the results from the index, best first.
        mode: only a hybrid search is reranked; a search with one leg keeps the order of that leg.
    """
    knowledge_base_settings = knowledge_base.settings
    similar = _similar(passages, knowledge_base_settings.similarity_threshold)
    reranker = load_reranker(knowledge_base_settings.rerank_model, settings) if mode == "hybrid" else None
    remaining_passages, dropped = similar.passages, similar.dropped
    notes: tuple[str, ...] = ()
    if reranker is not None and remaining_passages:
        reranked = apply_reranker(
            reranker, question, remaining_passages, threshold=knowledge_base_settings.rerank_threshold
        )
        reason = f"The reranker's score is below the threshold, {knowledge_base_settings.rerank_threshold:.2f}."
        dropped += tuple(Dropped(passage=passage, reason=reason) for passage in reranked.dropped)
        remaining_passages = reranked.passages
        notes = (reranked.note,) if reranked.note else ()
    return RankedPassages(
        passages=boost_passages(store, knowledge_base, question, remaining_passages), dropped=dropped, notes=notes
    )


def _similar(passages: tuple[Passage, ...], threshold: float) -> RankedPassages:
    """Divide passages by their similarity; a passage without one, such as from a keyword search, stays."""
    similar, dropped = [], []
    for passage in passages:
        similarity = passage.scores.vector
        if similarity is None or similarity >= threshold:
            similar.append(passage)
        else:
            reason = f"Its similarity, {similarity:.2f}, is below the threshold, {threshold:.2f}."
            dropped.append(Dropped(passage=passage, reason=reason))
    return RankedPassages(passages=tuple(similar), dropped=tuple(dropped))


def boost_passages(
    store: Store, knowledge_base: KnowledgeBase, question: str, passages: Sequence[Passage]
) -> tuple[Passage, ...]:
    """Apply a knowledge base's boosts, and order passages accordingly."""
    boosts = knowledge_base.settings.boosts
    by_tag = any(boost.tag for boost in boosts)
    tags = {source.source: source.tags for source in store.sources.names(knowledge_base.slug)} if by_tag else {}
    return tuple(apply_boosts(passages, boosts, tags, asks_for_code=asks_for_code(question)))


def fuse_searches(searches: Sequence[RankedPassages], limit: int) -> RankedPassages:
    """Combine the results for a question with those for its concepts.

    Args:
        searches: the results for the whole question, then those for each concept.
        limit: the number of passages.
    """
    fused = fuse([search.passages for search in searches])[:limit]
    ids = {passage.chunk_id for passage in fused}
    dropped = {item.passage.chunk_id: item for search in reversed(searches) for item in search.dropped}
    return RankedPassages(
        passages=tuple(fused),
        dropped=tuple(item for chunk_id, item in dropped.items() if chunk_id not in ids),
        notes=tuple(dict.fromkeys(note for search in searches for note in search.notes)),
    )


def nearest_first(
    passages: Sequence[Passage], nearest: Collection[UUID], order_some: Callable[[tuple[Passage, ...]], RankedPassages]
) -> RankedPassages:
    """Order passages, and put those of other documents than the nearest behind.

    A reranker compares its passages with each other: together they would come in another order than in a search for
    passages, and another passage of a document would be its best. The scores behind are scaled, so that they are lower.
    """
    near_passages = tuple(passage for passage in passages if passage.document_id in nearest)
    far = tuple(passage for passage in passages if passage.document_id not in nearest)
    first, second = order_some(near_passages), order_some(far)
    last = min((passage.score for passage in first.passages), default=1.0)
    behind = [replace(passage, score=round(min(passage.score, 1.0) * last, 6)) for passage in second.passages]
    return RankedPassages(
        passages=tuple(number_ranks([*first.passages, *behind])),
        dropped=(*first.dropped, *second.dropped),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )


def unite(found: Sequence[Passage], reached: Sequence[Passage]) -> tuple[Passage, ...]:
    """The hits and the passages reached from them, each once, with the hit's scores and the better position."""
    best = {passage.chunk_id: passage for passage in found}
    for passage in reached:
        earlier = best.get(passage.chunk_id)
        if earlier is None:
            best[passage.chunk_id] = passage
        elif earlier.score < passage.score:
            scores = replace(earlier.scores, via=passage.scores.via)
            best[passage.chunk_id] = replace(earlier, score=passage.score, scores=scores)
    return tuple(rank_passages(best.values()))
