"""Finding passages in an index: querying the legs and fusing them.

Belongs here: the vector of a text, the queries for the present or a past time, the header index. Not here: further
processing (`search`), the fusion of words and vectors (one SQL statement). Guarantee: the same text finds the same
passages while the index stays the same.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

import numpy as np

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import GroupBy
from headwater.domain.search import SearchFilters, SearchIndex
from headwater.errors import ModelUnavailableError
from headwater.lexical.symbol_terms import definition_word, find_asked_name
from headwater.lexical.tokens import Tokens, split_question
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.retrieval.heading_leg import add_heading_leg, heading_leg
from headwater.retrieval.model_languages import ModelLanguages, sure_language
from headwater.store.content.passage_links import LINK_LEADS, LeadKind
from headwater.store.search.passage_search import Candidates, SearchRequest
from headwater.store.store import Store
from headwater.understanding.interrogatives import load_interrogatives
from headwater.understanding.question import Understanding
from headwater.understanding.words import content_words

Mode = Literal["hybrid", "keyword", "vector"]
DEPTH = 100  # candidates that each leg contributes to the fusion
RERANKED = 50
"""Passages that the reranker gets; with 30 or 100 the order is no better."""
_PER_DOCUMENT = 3  # candidate passages for each wanted document
WIDER = 8
"""The factor by which the candidates grow if they come from too few documents."""
_OWN_WEIGHT = 0.5
"""The weight of a turn's own words beside its vector with those of its subject: they say where to look, it what for.

Without it, of 120 turns that were looked at, 5 fewer find a right document in five; with 1, one right quote fewer.
"""


@dataclass(slots=True)
class Clock:
    """How many milliseconds each step took in total."""

    laps: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        """Add the time since the previous lap to a step."""
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self._since) * 1000, 1)
        self._since = now


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchOptions:
    """How to search a knowledge base; None means as set in the knowledge base.

    `mode` searches by words and by vector, reranked, or only by one of them, in its own order. `as_of` searches what
    readers saw at a past time. `traversal_depth` is how many links are followed from the hits, 0 to 3; `follow_links`
    also follows calls and imports of code, one link if there is no depth.
    `with_neighbours` merges hits that touch, and the chunks next to those of the best documents, into longer passages.
    `group_by` is what `top_k` counts. `spoken_of` are ids of documents whose passages come before equal ones. `own` is
    a turn of a conversation without the words that were taken from earlier ones; empty if it has none.
    """

    top_k: int | None = None
    filters: SearchFilters = field(default_factory=SearchFilters)
    mode: Mode = "hybrid"
    as_of: datetime | None = None
    traversal_depth: int | None = None
    follow_links: bool | None = None
    with_neighbours: bool = False
    group_by: GroupBy | None = None
    spoken_of: frozenset[UUID] = frozenset()
    own: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finder:
    """Queries one index for one search; `embedder` is the index's model, None in a keyword search."""

    store: Store
    knowledge_base: KnowledgeBase
    index: SearchIndex
    embedder: Embedder | None
    options: SearchOptions
    clock: Clock

    @property
    def owner_words(self) -> set[str]:
        """The stems of what the knowledge base is called."""
        return content_words(f"{self.knowledge_base.name} {self.knowledge_base.slug.replace('-', ' ')}")

    @property
    def limit(self) -> int:
        """How many passages or documents are wanted."""
        return self.options.top_k or self.knowledge_base.settings.top_k

    @property
    def group_by(self) -> GroupBy:
        """Which of the two."""
        return self.options.group_by or "document"

    @property
    def wanted(self) -> int:
        """How many candidate passages are needed for that."""
        return max(RERANKED, self.limit * (_PER_DOCUMENT if self.group_by == "document" else 1))

    @property
    def reading(self) -> ModelLanguages:
        """The languages that the model understands."""
        return ModelLanguages.of(self.knowledge_base, self.embedder)

    @property
    def vector_weight(self) -> float | None:
        """The weight of the vector against the words when scores are fused, None for reciprocal ranks."""
        settings = self.knowledge_base.settings
        is_weighted = settings.fusion == "weighted" and self.options.mode == "hybrid"  # a single leg has its own order
        return settings.vector_weight if is_weighted else None

    @property
    def leads(self) -> tuple[Sequence[LeadKind], int]:
        """How passages may lead to others, and how many links in a row are followed."""
        options, settings = self.options, self.knowledge_base.settings
        depth = settings.traversal_depth if options.traversal_depth is None else options.traversal_depth
        is_wider = settings.follow_links if options.follow_links is None else options.follow_links
        if not is_wider:
            return ("child", "reference"), depth
        return (("child", *LINK_LEADS), depth) if depth else (LINK_LEADS, 1)

    def vector(self, understanding: Understanding, own: str = "") -> Vectors | None:
        """A text's vector, shape (dimensions,); None in a keyword search.

        Args:
            understanding: of the text.
            own: a part of the text to lean to; empty for none.

        Raises:
            ModelUnavailableError: the model does not answer, or returns vectors of other dimensions than the index has.
        """
        if self.embedder is None:
            return None
        vector, *owns = self.embedder.embed([understanding.search_text, *([own] if own else [])])
        for own_vector in owns:
            vector = lean(vector, own_vector)
        self.clock.lap("embed")
        return self.check_dimensions(vector)

    def check_dimensions(self, vector: Vectors) -> Vectors:
        """Return the vector if it fits the index.

        Raises:
            ModelUnavailableError: it has other dimensions.
        """
        if len(vector) != self.index.dimensions:
            raise ModelUnavailableError(
                f"The model {self.index.model} cannot be used: it returns vectors of {len(vector)} dimensions, but the "
                f"search index was built with {self.index.dimensions}. Give the new model another name."
            )
        return vector

    def find(
        self,
        understanding: Understanding,
        vector: Vectors | None,
        *,
        reach: int = 1,
        within: Mapping[UUID, int] | None = None,
    ) -> Candidates:
        """Find the best matches for a text, in each leg of the mode, best first.

        Args:
            understanding: of the text.
            vector: the result of `vector`.
            reach: factor for the number of passages to look for.
            within: the only documents to search at present, with the number of their chunks, instead of the filters.

        Raises:
            InvalidInputError: a filter names an unknown source.
        """
        settings = self.knowledge_base.settings
        request = SearchRequest(
            words=_words(understanding),
            vector=vector,
            by_text=self.options.mode != "vector",
            vector_weight=self.vector_weight,
            language=sure_language(understanding),
            filters=self.options.filters,
            within=within or {},
            depth=reach * max(DEPTH, self.wanted),
            limit=reach * self.wanted,
        )
        if self.options.as_of is not None:
            candidates = self.store.past.search(self.index, request, self.options.as_of)
        else:
            candidates = self.store.searching.search(self.index, request)
            if vector is not None and request.by_text and settings.heading_weight and not within:
                candidates = self._with_headings(candidates, vector, settings.heading_weight, request.limit)
        self.clock.lap("search")
        return candidates

    def _with_headings(self, candidates: Candidates, vector: Vectors, weight: float, limit: int) -> Candidates:
        leg = heading_leg(self.store, self.index, vector, filters=self.options.filters, depth=DEPTH)
        fused = add_heading_leg(candidates.passages, leg, weight=weight, limit=limit)
        return replace(candidates, passages=tuple(fused))


def lean(vector: Vectors, own: Vectors) -> Vectors:
    """The unit vector of a text that leans to that of a part of it; both have the shape (dimensions,)."""
    leaning = vector + _OWN_WEIGHT * own
    unit: Vectors = (leaning / np.linalg.norm(leaning)).astype(vector.dtype)
    return unit


def _words(understanding: Understanding) -> Tokens:
    """The words to look up, without question words, which Postgres's stop words lack.

    A question that is one name, `cli` too, is also looked up among the definitions.
    """
    all_tokens, name = split_question(understanding.question), find_asked_name(understanding.question)
    asks = load_interrogatives([sure_language(understanding)])
    words = [word for word in all_tokens.words if word not in asks] or all_tokens.words
    return Tokens(words, all_tokens.exact if name is None else [*all_tokens.exact, definition_word(name)])
