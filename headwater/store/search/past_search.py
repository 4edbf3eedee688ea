"""Searching what readers saw at a past time.

Belongs here: finding the versions of that time, and weighing the words of those that no index serves any more. Not
here: searching the present (`passage_search`), which times are allowed (`headwater.retrieval.as_of`). Guarantee: one
state of the database; scores are computed from the documents of that time.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pgvector import HalfVector

from headwater.domain.search import SearchIndex
from headwater.lexical.bm25 import TermCounts, entry_weights, idf, term_id
from headwater.store.search.entry_kinds import CHUNK
from headwater.store.search.passage_search import (
    Candidates,
    SearchRequest,
    TermEvidence,
    filter_values,
    question_words,
    to_passages,
)
from headwater.store.search.term_weights import count_entries, sparse_text, term_scope
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session


@dataclass(frozen=True, kw_only=True, slots=True)
class _Question:
    """A question's lexemes among the entries of a time: how often each occurs, and what the index knows of it."""

    asked: Counter[str]
    terms: tuple[TermEvidence, ...]

    @property
    def weights(self) -> dict[int, float]:
        """The weight of each term of the question."""
        weights: Counter[int] = Counter()
        for term in self.terms:
            if term.held:
                weights[term_id(term.lexeme)] += self.asked[term.lexeme] * term.idf  # type: ignore[assignment]
        return dict(weights)


class PastSearch:
    """Reads the publications and document_versions tables beside an index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, index: SearchIndex, request: SearchRequest, as_of: datetime) -> Candidates:
        """Find the passages that match a question best among the versions that readers saw at a past time.

        Args:
            index: the active index; its model and chunk settings are used, if the old versions have them.
            request: the question; its filters apply to the versions as they were then.
            as_of: the time, with its zone.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None:  # deleted since the caller looked
                return Candidates(passages=(), terms=())
            place = {"shard": row["shard"], "search_index_id": index.id}
            seen = session.rows(
                "seen_documents",
                **filter_values(session, index, request.filters),
                knowledge_base_id=index.knowledge_base_id,
                search_index_id=index.id,
                as_of=as_of,
            )
            served = [row["document_id"] for row in seen if row["is_served"]]
            closed_ids = [row["version_id"] for row in seen if not row["is_served"]]
            closed = session.rows(
                "closed_chunks",
                version_ids=closed_ids,
                settings_hash=index.settings_hash,
                language=index.language,
            )
            counts = count_entries(session, closed)
            statistics = session.row("get_statistics", search_index_id=index.id, kind=CHUNK.name)
            languages = {*(statistics["languages"] if statistics else ()), *(row["language"] for row in closed)}
            term_rows = session.rows(
                "question_lexemes", **question_words(index, sorted(languages - {index.language}), request)
            )
            question, average = _question(session, index, place, term_rows, served, counts)
            rows = session.run_template(
                "search_as_of",
                {
                    "shard": row["shard"],
                    "dimensions": index.dimensions,
                    "by_text": request.by_text,
                    "is_weighted": request.vector_weight is not None,
                },
                question=sparse_text(question.weights),
                model=index.model,
                settings_hash=index.settings_hash,
                search_index_id=index.id,
                served_ids=served,
                vector=None if request.vector is None else HalfVector(request.vector),
                vector_weight=request.vector_weight,
                depth=request.depth,
                limit=request.limit,
                **_score_entries(closed, counts, question.weights, average),
            ).fetchall()
        return Candidates(passages=to_passages(rows), terms=question.terms)


def _question(
    session: Session,
    index: SearchIndex,
    place: dict[str, Any],
    asked: Sequence[Row],
    served: list[Any],
    closed: Sequence[TermCounts],
) -> tuple[_Question, float]:
    """The question's terms among the entries of the time, and the average length for which entries are weighed."""
    numbers = {row["lexeme"]: term_id(row["lexeme"]) for row in asked}
    scope = term_scope(index.id)
    rows = session.rows(
        "served_terms",
        **place,
        document_ids=served,
        terms=[term_number ^ scope for term_number in set(numbers.values())],
    )
    entry_counts = {row["term"] ^ scope: row["held"] for row in rows}
    total = (rows[0]["total"] if rows else 0) + len(closed)
    for term_number in entry_counts:
        entry_counts[term_number] += sum(term_number in terms.counts for terms in closed)
    evidence = tuple(
        TermEvidence(
            lexeme=row["lexeme"],
            held=entry_counts[numbers[row["lexeme"]]],
            total=total,
            idf=idf(total, entry_counts[numbers[row["lexeme"]]]),
            words=tuple(row["words"]),
        )
        for row in asked
    )
    average = rows[0]["weighed_length"] if rows and rows[0]["weighed_length"] else 1.0
    return _Question(asked=Counter({row["lexeme"]: row["n"] for row in asked}), terms=evidence), average


def _score_entries(
    closed: Sequence[Row], counts: Sequence[TermCounts], weights: dict[int, float], average: float
) -> dict[str, Any]:
    scores = []
    for terms in counts:
        weights_of_entry = entry_weights(terms, average)
        scores.append(sum(weight * weights_of_entry.get(term, 0.0) for term, weight in weights.items()))
    return {
        "closed_chunk_ids": [row["chunk_id"] for row in closed],
        "closed_version_ids": [row["version_id"] for row in closed],
        "closed_settings": [row["settings_hash"] for row in closed],
        "closed_scores": scores,
    }
