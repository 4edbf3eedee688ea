"""Questions to passages: the steps of a search, in order.

Belongs here: understanding, finding, reranking, boosts, following, grading, and what each step dropped. Not here: how
any of them works (their modules). Guarantee: a knowledge base without an index gives no passages, not an error; every
passage found is returned or named as dropped, and none is both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from headwater.errors import InvalidInputError, ModelUnavailableError
from headwater.models import KnowledgeBase, Passage, SearchFilters, SearchIndex
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.models_gateway.registry import load_embedder
from headwater.retrieval.concepts import ConceptModel, Concepts, fuse
from headwater.retrieval.finding import RERANKED, Clock, Finder, Mode
from headwater.retrieval.neighbours import CLOSEST, merge_neighbours
from headwater.retrieval.ordering import Ordered, order
from headwater.retrieval.past import past_time, retention_notes
from headwater.retrieval.traversal import traverse
from headwater.retrieval.trust import Dropped, grade
from headwater.retrieval.understanding import Understanding, is_sure, understand
from headwater.settings import Settings
from headwater.store.json_values import clean_text
from headwater.store.searching import Candidates, TermEvidence
from headwater.store.store import Store

QUERY_LIMIT = 4000  # characters
_WORDS_ONLY_FLOOR = 0.3  # what grading by words alone takes for a model's relevance floor; it has no part in it


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Passages, best first, each with its scores and its trust; and how they were found.

    `embedder` is the model they were found with, None when nothing is indexed yet or no vector was asked for.
    `dropped` are those that are not returned, `terms` the question's words as the index knows them. `is_sure` says that
    rules sufficed (the score shortcut); `concepts` are what a model made of the question where they did not. `as_of` is
    the past time that was searched, None for the present; `notes` is what must be known to read it rightly.
    """

    passages: tuple[Passage, ...]
    embedder: Embedder | None
    timings_ms: Mapping[str, float]
    understanding: Understanding
    dropped: tuple[Dropped, ...] = ()
    terms: tuple[TermEvidence, ...] = ()
    is_sure: bool = False
    concepts: tuple[str, ...] = ()
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
    traversal_depth: int | None = None,
    with_neighbours: bool = False,
    index: SearchIndex | None = None,
    vector: Vectors | None = None,
    concept_model: ConceptModel | None = None,
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
        traversal_depth: how many links to follow from what was found, 0 to 3; the knowledge base's own when not given.
        with_neighbours: merge hits that touch, and the chunks beside those of the best documents, into longer passages.
        index: one of its indexes; the one that answers when not given.
        vector: the query's, shape (dimensions,), from whoever embedded it already by the index's model.
        concept_model: reads the question where rules do not suffice; then each concept is searched for, too.

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
    clock, limit = Clock(), top_k or chosen.top_k
    embedder = None if mode == "keyword" else load_embedder(index.model, settings)
    finder = Finder(
        store=store, knowledge_base=knowledge_base, index=index, embedder=embedder, mode=mode,
        filters=filters or SearchFilters(), as_of=moment, limit=limit, clock=clock,
    )  # fmt: skip
    vector = finder.vector(understanding) if vector is None or embedder is None else finder.fitting(vector)
    candidates = finder.find(understanding, vector)
    ordered = order(store, settings, knowledge_base, understanding.question, candidates.passages, mode)
    sure, concepts, notes = is_sure(understanding, ordered.passages), None, ordered.notes
    if concept_model is not None and not sure:
        concepts, why_not = _read(concept_model, understanding)
        if concepts is None:
            notes += (why_not,)
        else:
            understanding = replace(understanding, intent=concepts.intent)
            fused = _by_concepts(finder, candidates, concepts)
            ordered = order(store, settings, knowledge_base, understanding.question, fused, mode)
            notes = ordered.notes
    depth = chosen.traversal_depth if traversal_depth is None else traversal_depth
    ordered, more = _followed(finder, ordered, vector, depth)
    clock.lap("rerank")
    passages = _graded(understanding.question, ordered.passages[:limit], embedder, candidates)
    if with_neighbours:
        nearby = store.passage_links.nearby(passages, reach=CLOSEST)
        passages = tuple(merge_neighbours(passages, nearby))
    clock.lap("grade")
    return Found(
        passages=passages,
        embedder=embedder,
        timings_ms=clock.laps,
        understanding=understanding,
        dropped=(*_behind(ordered.passages, limit), *ordered.dropped),
        terms=candidates.terms,
        is_sure=sure,
        concepts=concepts.concepts if concepts else (),
        as_of=moment,
        notes=notes + more + (() if moment is None else retention_notes(settings, knowledge_base, moment)),
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


def _read(model: ConceptModel, understanding: Understanding) -> tuple[Concepts | None, str]:
    """What a model makes of a question, or why it made nothing of it."""
    try:
        return model.find_concepts(understanding), ""
    except ModelUnavailableError as error:
        return None, f"The question was searched for as it stands: {error}"


def _by_concepts(finder: Finder, candidates: Candidates, concepts: Concepts) -> tuple[Passage, ...]:
    """What the question found and what each of its concepts found, each passage once."""
    searches = [candidates.passages]
    for concept in concepts.concepts:
        understanding = understand(concept)
        searches.append(finder.find(understanding, finder.vector(understanding)).passages)
    return tuple(fuse(searches)[: max(RERANKED, finder.limit)])


def _followed(finder: Finder, ordered: Ordered, vector: Vectors | None, depth: int) -> tuple[Ordered, tuple[str, ...]]:
    """Add what the best passages lead to, and say when that cannot be done."""
    if not depth or not ordered.passages:
        return ordered, ()
    if finder.as_of is not None:
        return ordered, ("Children and references are not followed as of a past time.",)
    best = ordered.passages[: finder.limit]
    reached = traverse(
        best,
        lambda some: finder.store.passage_links.follow(finder.index, some, filters=finder.filters, vector=vector),
        depth=depth,
    )
    known = {passage.chunk_id for passage in reached}
    rest = [passage for passage in ordered.passages[finder.limit :] if passage.chunk_id not in known]
    return replace(ordered, passages=(*reached, *rest)), ()


def _behind(passages: tuple[Passage, ...], limit: int) -> list[Dropped]:
    """Passages that there was no room for."""
    return [
        Dropped(passage=replace(passage, rank=place), reason=f"It is number {place}, and {limit} were asked for.")
        for place, passage in enumerate(passages[limit:], start=limit + 1)
    ]


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
