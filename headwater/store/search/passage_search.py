"""Querying a search index.

Belongs here: resolving filters, how thoroughly the index is scanned, the statement that finds and fuses.
Not here: understanding a question, further processing (`headwater.retrieval`), past times (`past_search`).
Guarantee: one state of the database; a filter never hides results that match it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.languages import UNSTEMMED, stemming_language
from headwater.domain.search import Passage, Scores, SearchFilters, SearchIndex, split_breadcrumb
from headwater.lexical.tokens import Tokens
from headwater.store.catalogue.sources import filter_sources
from headwater.store.content.places import places_beside
from headwater.store.search.lexemes import dictionary
from headwater.store.search.term_weights import term_scope
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session

EXACT_SCAN = 50_000
"""The most filtered entries that are compared one by one, about 0.3 µs each; with a filter, HNSW finds too few."""
_FILTERED_EF = 400  # ef_search of HNSW for a filter that matches more
_SCAN_LIMIT = 400_000  # the most entries that such a scan visits
MAX_EXACT_SCAN = 200_000
"""The most entries of an index without HNSW that are compared one by one; of a larger one, `WORDS_FIRST` are."""
WORDS_FIRST = 20_000
"""The entries that match best by words, whose vectors are compared while the HNSW of a large index is built.

With a twentieth of cranfield's entries, nDCG@10 is that of all vectors; with a hundredth, .02 less.
"""
_OF_SOURCES = {"source_ids", "category_source_ids", "tag_source_ids"}
"""The parameters of filters that are sources."""
_OF_TAGS = {"tags", "tag_source_ids", "category_source_ids"}
"""The parameters of filters by labels of documents or tags of sources."""
_LEAST_BUDGET, _BUDGET = 1_000, 5_000
"""Entries looked up by words, and a fifth of the index between both.

More candidates change the top ten in at most 1 of 70 keyword searches, and in 1 of 30 to 100 hybrid searches (`bench`'s
synthetic questions); nDCG@10 of cranfield stays the same to .0001.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class TermEvidence:
    """A word of the question in the index: how many entries contain it, of how many, and its weight."""

    lexeme: str
    held: int
    total: int
    idf: float
    words: tuple[str, ...] = ()
    """The question's words with this stem."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """A question to an index.

    `vector` is None in a keyword search, `by_text` False in a vector search; `vector_weight` is the weight of the
    vector against the words when scores are fused, None for reciprocal ranks. Each leg contributes `depth` candidates,
    and `limit` are returned. `within` are the only documents to search, each with the number of its chunks, instead of
    `filters`.
    """

    words: Tokens
    language: str = ""
    """The question's language code; empty if unknown. Its stop words are not searched."""
    vector: NDArray[np.float32] | None
    by_text: bool = True
    vector_weight: float | None = None
    filters: SearchFilters = field(default_factory=SearchFilters)
    within: Mapping[UUID, int] = field(default_factory=dict)
    depth: int
    limit: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidates:
    """Passages, best first, and what the index knows of the question's words.

    `is_weighed` is false if an older release made the index, so that its words have no weights yet.
    """

    passages: tuple[Passage, ...]
    terms: tuple[TermEvidence, ...]
    is_weighed: bool = True
    is_nothing_left: bool = False
    """Whether the filters leave nothing to search."""
    is_words_first: bool = False
    """Whether only vectors of the entries that match best by words were compared, because there is no HNSW yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterResult:
    """The result of a filter: `source_ids` and `document_ids` limit a search unless they are None."""

    source_ids: list[int] | None = None
    document_ids: list[Any] | None = None
    entry_count: int | None = None


class PassageSearch:
    """Reads the entries of chunks and their words."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, index: SearchIndex, request: SearchRequest) -> Candidates:
        """Find the entries that match a question best, by vector and by words.

        Args:
            index: the index to search.
            request: the question's words and vector, and how to combine the results.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        return self._database.read(lambda session: self._search(session, index, request))

    def _search(self, session: Session, index: SearchIndex, request: SearchRequest) -> Candidates:
        is_filtered = bool(request.within) or request.filters != SearchFilters()
        row = session.row("index_to_search", id=index.id, is_filtered=is_filtered)
        if row is None:  # deleted since the caller looked
            return Candidates(passages=(), terms=())
        scope = _within(request) if request.within else search_scope(session, index, request.filters)
        if scope.entry_count == 0:
            return Candidates(passages=(), terms=(), is_nothing_left=True)
        count = row["entry_count"] if scope.entry_count is None else scope.entry_count
        is_words_first = not row["shard"] and request.vector is not None and count > MAX_EXACT_SCAN
        rows, is_exact = self._run(session, index, row, request, scope, is_words_first=is_words_first)
        if is_words_first and (rows[0]["nearest_count"] if rows else 0) < min(request.limit, count):  # too few words
            is_words_first = False
            rows, _ = self._run(session, index, row, request, scope)
        needed_count = 0 if request.vector is None else min(request.depth, scope.entry_count or 0)
        if not is_exact and (rows[0]["nearest_count"] if rows else 0) < needed_count:
            rows, _ = self._run(session, index, row, request, scope, is_exact=True)
        return Candidates(
            passages=to_passages(rows),
            terms=to_terms(rows),
            is_weighed=row["is_weighed"],
            is_words_first=is_words_first,
        )

    def _run(
        self,
        session: Session,
        index: SearchIndex,
        row: Mapping[str, Any],
        request: SearchRequest,
        scope: FilterResult,
        *,
        is_exact: bool = False,
        is_words_first: bool = False,
    ) -> tuple[list[Row], bool]:
        is_filtered = scope.entry_count is not None
        is_exact = is_exact or not row["shard"] or (is_filtered and (scope.entry_count or 0) <= EXACT_SCAN)
        if not is_exact and is_filtered:
            session.run("set_ef_search", ef_search=max(_FILTERED_EF, row["ef_search"] or 0))
            session.run("set_scan_limit", tuples=_SCAN_LIMIT)
        elif not is_exact and row["ef_search"]:
            session.run("set_ef_search", ef_search=row["ef_search"])
        numbers: dict[str, int | str] = {
            "shard": row["shard"],
            "dimensions": index.dimensions,
            "scope": term_scope(index.id),
            "is_exact": is_exact,
            "words_first": WORDS_FIRST if is_words_first else 0,
            "is_filtered": is_filtered,
            "by_text": request.by_text,
            "by_vector": request.vector is not None,
            "least_budget": _LEAST_BUDGET,
            "budget": WORDS_FIRST if is_words_first else _BUDGET,
            "is_weighted": request.vector_weight is not None,
            "depth": request.depth,
        }
        rows = session.run_template(
            "search_chunks",
            numbers,
            search_index_id=index.id,
            settings_hash=index.settings_hash,
            vector=None if request.vector is None else HalfVector(request.vector),
            vector_weight=request.vector_weight,
            source_ids=scope.source_ids,
            document_ids=scope.document_ids,
            limit=request.limit,
            **question_words(index, row["languages"] or (), request),
        ).fetchall()
        return rows, is_exact


def question_words(index: SearchIndex, languages: Sequence[str], request: SearchRequest) -> dict[str, Any]:
    """The parameters of statements: a question's words with their counts, and the dictionaries that stem them.

    Args:
        index: its own language stems every question.
        languages: the other languages in it.
        request: the question.
    """
    counts, exact = Counter(request.words.words), Counter(request.words.exact)
    index_languages = (index.language, *languages)
    question_language = stemming_language(request.language, "") if request.language else ""
    return {
        "dictionaries": [dictionary(language) for language in index_languages],
        "stopping": dictionary(
            question_language
            if question_language in index_languages
            else index_languages[0]
            if len(index_languages) == 1
            else UNSTEMMED
        ),
        "words": list(counts),
        "word_counts": list(counts.values()),
        "exact": list(exact),
        "exact_counts": list(exact.values()),
    }


def search_scope(session: Session, index: SearchIndex, filters: SearchFilters) -> FilterResult:
    """Resolve filters for an index.

    Raises:
        InvalidInputError: a filter names a source that does not exist.
    """
    if filters == SearchFilters():
        return FilterResult()
    values = filter_values(session, index, filters)
    with_documents = any(values[name] is not None for name in values.keys() - _OF_SOURCES)
    row = session.one(
        "filtered_documents",
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        with_documents=with_documents,
        **values,
    )
    # Only whole sources are left: a search that is limited to these is faster than one that lists their documents.
    if with_documents and not row["has_labelled"] and not any(values[name] for name in values.keys() - _OF_TAGS):
        return FilterResult(source_ids=values["tag_source_ids"], entry_count=row["entry_count"])
    return FilterResult(
        source_ids=None if with_documents else values["source_ids"],
        document_ids=row["document_ids"] if with_documents else None,
        entry_count=row["entry_count"],
    )


def filter_values(session: Session, index: SearchIndex, filters: SearchFilters) -> dict[str, Any]:
    """The parameters of statements for filters; None if a filter is not set.

    Raises:
        InvalidInputError: a filter names a source that does not exist.
    """
    return {
        **filter_sources(session, index.knowledge_base_id, filters),
        "categories": list(filters.categories) or None,
        "tags": list(filters.tags) or None,
        "authors": list(filters.authors) or None,
        "documents": list(filters.documents) or None,
        "languages": list(filters.languages) or None,
        "dated_from": filters.dated_from,
        "dated_to": filters.dated_to,
    }


def _within(request: SearchRequest) -> FilterResult:
    return FilterResult(document_ids=list(request.within), entry_count=sum(request.within.values()))


def to_terms(rows: Sequence[Row]) -> tuple[TermEvidence, ...]:
    """The question's terms from a search statement's result."""
    term_rows = (rows[0]["terms"] or ()) if rows else ()
    return tuple(TermEvidence(**{**term, "words": tuple(term["words"])}) for term in term_rows)


def to_passages(rows: Sequence[Row]) -> tuple[Passage, ...]:
    """Make passages, best first, from a search statement's rows."""
    return tuple(_passage(rank, row) for rank, row in enumerate(rows, start=1))


def _passage(rank: int, row: Row) -> Passage:
    scores = Scores(
        vector=row["vector"],
        vector_rank=row["vector_rank"],
        text=row["text_score"],
        text_rank=row["text_rank"],
        fused=row["fused"],
    )
    breadcrumb, table_header = split_breadcrumb(row["breadcrumb"], row["text"])
    return Passage(
        rank=rank,
        score=row["fused"],
        scores=scores,
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        document_version_id=row["document_version_id"],
        source=row["source"],
        uri=row["uri"],
        title=row["title"],
        category=row["category"],
        language=row["language"],
        breadcrumb=breadcrumb,
        start=row["start_offset"],
        end=row["end_offset"],
        line=row["line"],
        position=row["position"],
        kind=row["kind"],
        text=row["text"],
        places=places_beside(row),
        summary=row["summary"],
        table_header=table_header,
    )
