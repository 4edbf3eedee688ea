"""Hybrid search over a knowledge base's active index.

Belongs here: embedding the query and asking the store. Not here: the fusion itself, which is one statement of SQL.
Guarantee: a knowledge base without an index gives no passages, not an error.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from headwater.errors import InvalidInputError, ModelUnavailableError
from headwater.lexical.tokens import tokens
from headwater.models import KnowledgeBase, Passage, SearchFilters, SearchIndex
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.models_gateway.registry import load_embedder
from headwater.retrieval.past import past_time, retention_notes
from headwater.settings import Settings
from headwater.store.json_values import clean_text
from headwater.store.searching import SearchRequest
from headwater.store.store import Store

DEPTH = 100  # candidates that each half contributes to the fusion
QUERY_LIMIT = 4000  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Passages, best first; `embedder` is the model they were found with, None when nothing is indexed yet.

    `as_of` is the past time that was searched, None for the present; `notes` is what must be known to read it rightly.
    """

    passages: tuple[Passage, ...]
    embedder: Embedder | None
    timings_ms: Mapping[str, float]
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
        as_of: search what readers saw at this past time; the present when not given.
        index: one of its indexes; the one that answers when not given.
        vector: the query's, shape (dimensions,), from whoever embedded it already by the index's model.

    Raises:
        InvalidInputError: the query is empty or too long, a filter names an unknown source, or the time is still to
        come.
        ModelUnavailableError: the index's model cannot be loaded or does not answer.
    """
    text = check_query(query)
    moment = None if as_of is None else past_time(as_of)
    index = index or store.search_indexes.active(knowledge_base.slug)
    if index is None or not index.dimensions:  # without a first vector there is nothing to find
        return Found(passages=(), embedder=None, timings_ms={}, as_of=moment)
    started = time.perf_counter()
    embedder = load_embedder(index.model, settings)
    if vector is None:
        vector = embedder.embed([text])[0]
    if len(vector) != index.dimensions:
        raise ModelUnavailableError(
            f"The model {index.model} cannot be used: it gives vectors of {len(vector)} dimensions, and the search "
            f"index was built with {index.dimensions}. Another model must have another name."
        )
    embedded = time.perf_counter()
    request = SearchRequest(
        words=tokens(text),
        vector=vector,
        filters=filters or SearchFilters(),
        limit=top_k or knowledge_base.settings.top_k,
        depth=DEPTH,
    )
    candidates = store.searching.search(index, request) if moment is None else store.past.search(index, request, moment)
    passages = candidates.passages
    notes = () if moment is None else retention_notes(settings, knowledge_base, moment)
    timings = {"embed": _ms(started, embedded), "search": _ms(embedded, time.perf_counter())}
    return Found(passages=passages, embedder=embedder, timings_ms=timings, as_of=moment, notes=notes)


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


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 1)
