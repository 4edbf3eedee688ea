"""Questions to passages: the steps of a search, in order.

Belongs here: understanding, embedding, asking the store, reranking, boosts, grading, and what each step dropped. Not
here: how any of them works (their modules), the fusion (one statement of SQL). Guarantee: a knowledge base without an
index gives no passages, not an error; every passage found is returned or named as dropped.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from headwater.errors import InvalidInputError, ModelUnavailableError
from headwater.knowledge_base_settings import KnowledgeBaseSettings
from headwater.lexical.tokens import tokens
from headwater.models import KnowledgeBase, Passage, SearchFilters, SearchIndex
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.models_gateway.registry import load_embedder
from headwater.retrieval.boosts import apply_boosts
from headwater.retrieval.past import past_time, retention_notes
from headwater.retrieval.rerank import apply_reranker
from headwater.retrieval.rerankers import load_reranker
from headwater.retrieval.trust import Dropped, grade
from headwater.retrieval.understanding import Understanding, understand
from headwater.settings import Settings
from headwater.store.json_values import clean_text
from headwater.store.searching import Candidates, SearchRequest, TermEvidence
from headwater.store.store import Store

Mode = Literal["hybrid", "keyword", "vector"]
DEPTH = 100  # candidates that each leg contributes to the fusion
RERANKED = 50
"""Passages that the reranker sees; with 30 or 100 the order is no better."""
QUERY_LIMIT = 4000  # characters
_WORDS_ONLY_FLOOR = 0.3  # what grading by words alone takes for a model's relevance floor; it has no part in it


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Passages, best first, each with its scores and its trust; and how they were found.

    `embedder` is the model they were found with, None when nothing is indexed yet or no vector was asked for.
    `dropped` are those that a threshold kept out, `terms` the question's words as the index knows them. `as_of` is the
    past time that was searched, None for the present; `notes` is what must be known to read it rightly.
    """

    passages: tuple[Passage, ...]
    embedder: Embedder | None
    timings_ms: Mapping[str, float]
    understanding: Understanding
    dropped: tuple[Dropped, ...] = ()
    terms: tuple[TermEvidence, ...] = ()
    as_of: datetime | None = None
    notes: tuple[str, ...] = ()


def search(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    query: str,
    *,
    top_k: int | None = None,
    filters: SearchFilters | None = None,
    mode: Mode = "hybrid",
    as_of: datetime | None = None,
    index: SearchIndex | None = None,
    vector: Vectors | None = None,
) -> Found:
    """Find the passages that fit a query best.

    Args:
        store: where the index is.
        settings: where the models are.
        knowledge_base: what to search.
        query: words or a question, at most `QUERY_LIMIT` characters.
        top_k: how many passages; the knowledge base's own number when not given.
        filters: which part of it to search; all when not given.
        mode: by words and by vector, reranked; or by one of them alone, in its own order.
        as_of: search what readers saw at this past time; the present when not given.
        index: one of its indexes; the one that answers when not given.
        vector: the query's, shape (dimensions,), from whoever embedded it already by the index's model.

    Raises:
        InvalidInputError: the query is empty or too long, a filter names an unknown source, or the time is still to
        come.
        ModelUnavailableError: the index's model cannot be loaded or does not answer.
    """
    chosen = knowledge_base.settings
    understanding = understand(check_query(query), chosen.complexity_indicators)
    moment = None if as_of is None else past_time(as_of)
    index = index or store.search_indexes.active(knowledge_base.slug)
    if index is None or not index.dimensions:  # without a first vector there is nothing to find
        return Found(passages=(), embedder=None, timings_ms={}, understanding=understanding, as_of=moment)
    clock = _Clock()
    embedder = None if mode == "keyword" else load_embedder(index.model, settings)
    vector = _vector(embedder, index, understanding, vector)
    clock.lap("embed")
    limit = top_k or chosen.top_k
    request = _request(chosen, understanding, vector, mode, filters, limit)
    candidates = store.searching.search(index, request) if moment is None else store.past.search(index, request, moment)
    clock.lap("search")
    passages, dropped = _similar(candidates.passages, chosen.similarity_threshold)
    passages, under, notes = _reranked(settings, chosen, understanding.question, passages, mode)
    passages = _boosted(store, knowledge_base, passages)
    clock.lap("rerank")
    return Found(
        passages=_graded(understanding.question, passages[:limit], embedder, candidates),
        embedder=embedder,
        timings_ms=clock.laps,
        understanding=understanding,
        dropped=dropped + under,
        terms=candidates.terms,
        as_of=moment,
        notes=notes + (() if moment is None else retention_notes(settings, knowledge_base, moment)),
    )


def check_query(query: str) -> str:
    """Return the query, trimmed and storable.

    Raises:
        InvalidInputError: it is empty or too long.
    """
    text = clean_text(query).strip()
    if not text:
        raise InvalidInputError("The question is empty. Ask something.")
    if len(text) > QUERY_LIMIT:
        raise InvalidInputError(f"The question has {len(text)} characters; at most {QUERY_LIMIT} are read.")
    return text


class _Clock:
    """How many milliseconds each step took."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round((now - self._since) * 1000, 1)
        self._since = now


def _vector(
    embedder: Embedder | None, index: SearchIndex, understanding: Understanding, vector: Vectors | None
) -> Vectors | None:
    """The question's vector, which a search by words has none of."""
    if embedder is None:
        return None
    if vector is None:
        vector = embedder.embed([understanding.search_text])[0]
    if len(vector) != index.dimensions:
        raise ModelUnavailableError(
            f"The model {index.model} cannot be used: it gives vectors of {len(vector)} dimensions, and the search "
            f"index was built with {index.dimensions}. Another model must have another name."
        )
    return vector


def _request(
    chosen: KnowledgeBaseSettings,
    understanding: Understanding,
    vector: Vectors | None,
    mode: Mode,
    filters: SearchFilters | None,
    limit: int,
) -> SearchRequest:
    return SearchRequest(
        words=tokens(understanding.question),
        vector=vector,
        by_text=mode != "vector",
        vector_weight=chosen.vector_weight if chosen.fusion == "weighted" else None,
        filters=filters or SearchFilters(),
        depth=max(DEPTH, limit),
        limit=max(RERANKED, limit),
    )


def _similar(passages: tuple[Passage, ...], threshold: float) -> tuple[tuple[Passage, ...], tuple[Dropped, ...]]:
    """Part passages by their similarity; one that has none, such as in a search by words, stays."""
    kept, dropped = [], []
    for passage in passages:
        similarity = passage.scores.vector
        if similarity is None or similarity >= threshold:
            kept.append(passage)
        else:
            reason = f"Its similarity, {similarity:.2f}, is under the threshold, {threshold:.2f}."
            dropped.append(Dropped(passage=passage, reason=reason))
    return tuple(kept), tuple(dropped)


def _reranked(
    settings: Settings, chosen: KnowledgeBaseSettings, question: str, passages: tuple[Passage, ...], mode: Mode
) -> tuple[tuple[Passage, ...], tuple[Dropped, ...], tuple[str, ...]]:
    """Rerank what a hybrid search found; who asked for one leg alone wants its order."""
    reranker = load_reranker(chosen.rerank_model, settings) if mode == "hybrid" else None
    if reranker is None or not passages:
        return passages, (), ()
    done = apply_reranker(reranker, question, passages, threshold=chosen.rerank_threshold)
    reason = f"The reranker's score is under the threshold, {chosen.rerank_threshold:.2f}."
    dropped = tuple(Dropped(passage=passage, reason=reason) for passage in done.dropped)
    return done.passages, dropped, (done.note,) if done.note else ()


def _boosted(store: Store, knowledge_base: KnowledgeBase, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    boosts = knowledge_base.settings.boosts
    if not boosts:
        return passages
    by_tag = any(boost.tag for boost in boosts)
    tags = {source.slug: source.tags for source in store.sources.all(knowledge_base.slug)} if by_tag else {}
    return tuple(apply_boosts(passages, boosts, tags))


def _graded(
    question: str, passages: tuple[Passage, ...], embedder: Embedder | None, candidates: Candidates
) -> tuple[Passage, ...]:
    grades = grade(
        question,
        passages,
        relevance_floor=embedder.relevance_floor if embedder else _WORDS_ONLY_FLOOR,
        idf={term.lexeme: term.idf for term in candidates.terms} or None,
    )
    return tuple(
        replace(passage, rank=rank, scores=replace(passage.scores, trust=round(trust, 4)))
        for rank, (passage, trust) in enumerate(zip(passages, grades, strict=True), start=1)
    )
