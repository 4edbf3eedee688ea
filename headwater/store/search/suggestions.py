"""Checked questions in Postgres, and those that readers are offered.

Belongs here: which questions have to be checked, what the checks found, the questions for a text or an answer. Not
here: checking (`headwater.questions.question_checks`), making questions (`headwater.store.content.questions`).
Guarantee: a question is offered only while readers see its document, whatever happens to its source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from pgvector import HalfVector

from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.questions import CheckState, QuestionToCheck, SuggestedQuestion
from headwater.domain.search import SearchIndex
from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row

_EMBEDDING_COLUMNS = ("model", "text_hash", "vector", "token_count", "run_id", "code_version")
_EMBEDDING_TYPES = ("text", "bytea", "halfvec", "int4", "text", "text")
_MAX_COMPARED_QUESTIONS = 5_000
"""Questions that are all compared with a text, in about 25 ms; of more, those that an index finds (`_candidates`)."""
_CHUNKS = 100  # the nearest ones, whose documents' questions are compared
_MAX_WORD_CHARS = 400  # characters; Postgres takes no word of more than 2,046 bytes
_MAX_CANDIDATES = 500  # questions that are compared because of their words, and because of their documents


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """A kept question close to another; `similarity` is the cosine of their vectors."""

    id: UUID
    question: str
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """What the check of a question found; `words` are those that a reader's text is compared with."""

    id: UUID
    version_id: UUID | None
    state: CheckState
    words: str
    embedding_hash: bytes
    vector: Vectors
    same_as: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvanceCost:
    """What today's answers that nobody had asked for cost in US dollars, and how many have an unknown price."""

    cost: float
    unknown_count: int


class SuggestionStore:
    """The suggestions and answers_ahead tables, and the view offered_questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def to_check(self, index: SearchIndex, *, limit: int) -> list[QuestionToCheck]:
        """Questions that have to be checked against an index, the first ones of each document first."""
        rows = self._rows(
            "questions_to_check",
            search_index_id=index.id,
            knowledge_base_id=index.knowledge_base_id,
            limit=limit,
        )
        return [from_row(QuestionToCheck, row) for row in rows]

    def vectors(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The stored vectors of some texts, each of shape (dimensions,), by hash."""
        import numpy as np

        rows = self._rows("question_vectors", model=model, hashes=list(hashes))
        return {row["text_hash"]: np.asarray(row["vector"], dtype=np.float32) for row in rows}

    def put_vectors(self, model: str, hashes: Sequence[bytes], part: Embedded, by: Lineage) -> None:
        """Store vectors of texts."""
        rows = [
            (model, text_hash, HalfVector(vector), count, by.run_id, by.code_version)
            for text_hash, vector, count in zip(hashes, part.vectors, part.token_counts, strict=True)
        ]
        with self._database.transaction() as session:
            session.copy("embeddings", _EMBEDDING_COLUMNS, rows, _EMBEDDING_TYPES)

    def nearest(
        self, index: SearchIndex, question_id: UUID, vector: Vectors, *, documents: Sequence[UUID], limit: int = 5
    ) -> list[Near]:
        """The kept questions of some documents, and of whole sources, that are closest to a question, without itself.

        Args:
            index: the index.
            question_id: the question.
            vector: its vector, shape (dimensions,).
            documents: the documents.
            limit: how many.
        """
        rows = self._rows(
            "nearest_kept",
            search_index_id=index.id,
            knowledge_base_id=index.knowledge_base_id,
            id=question_id,
            vector=HalfVector(vector),
            document_ids=list(documents),
            limit=limit,
        )
        return [Near(**row) for row in rows]

    def put(self, index: SearchIndex, check: Check, by: Lineage) -> None:
        """Store what a check found; nothing if the question was deleted meanwhile."""
        self._database.run(
            "put_suggestion",
            id=check.id,
            search_index_id=index.id,
            version_id=check.version_id,
            state=check.state.value,
            same_as=check.same_as,
            words=check.words,
            embedding_hash=check.embedding_hash,
            vector=HalfVector(check.vector),
            run_id=by.run_id,
            code_version=by.code_version,
        )

    def refuse(self, question_id: UUID) -> None:
        """No longer offer a question, because its answer was refused."""
        self._database.run("refuse_suggestion", id=question_id)

    def counts(self, knowledge_base: KnowledgeBase) -> tuple[dict[CheckState, int], str]:
        """How many questions were checked, by result, and a digest of the results."""
        rows = self._rows("suggestion_counts", knowledge_base_id=knowledge_base.id)
        return {CheckState(row["state"]): row["count"] for row in rows}, ",".join(row["digest"] for row in rows)

    def select_varied(
        self, knowledge_base: KnowledgeBase, *, source: str | None, limit: int
    ) -> list[SuggestedQuestion]:
        """Offered questions of as many documents and sources as possible."""
        rows = self._rows("varied_suggestions", knowledge_base_id=knowledge_base.id, source=source, limit=limit)
        return [from_row(SuggestedQuestion, row, similarity=None) for row in rows]

    def like(
        self,
        knowledge_base: KnowledgeBase,
        words: Sequence[str],
        vector: Vectors | None,
        *,
        similarity: float,
        source: str | None,
        limit: int,
    ) -> list[SuggestedQuestion]:
        """Offered questions that begin with some words, those that have them, then those that mean something similar.

        Args:
            knowledge_base: the knowledge base.
            words: at least one, in the form of `Check.words`; the last one may be incomplete.
            vector: of the text, shape (dimensions,), by the active index's model; None to compare only words.
            similarity: the least cosine similarity of those that do not have the words.
            source: the slug of a source, None for all.
            limit: how many.
        """
        text = {"beginning": " " + " ".join(words), "words": [f" {word}" for word in words]}
        with self._database.transaction() as session:
            compared = _compare(session, knowledge_base.id, None if source is None else [source])
            ids = _candidates(session, compared, vector, words=words) if compared["is_large"] else None
            rows = session.rows(
                "suggestions_like",
                **text,
                vector=None if vector is None else HalfVector(vector),
                source_ids=compared["source_ids"],
                ids=ids,
                similarity=similarity,
                limit=limit,
            )
        return [from_row(SuggestedQuestion, row) for row in rows]

    def related(
        self, answer_id: UUID, vector: Vectors | None, *, similarity: float, cited_similarity: float, limit: int
    ) -> list[SuggestedQuestion]:
        """Offered questions of the documents that a stored answer cites, then those that are near its question.

        Args:
            answer_id: the answer.
            vector: of its question, shape (dimensions,); by default the one that is stored with the answer.
            similarity: the least cosine similarity of those of other documents.
            cited_similarity: the same of the documents that are cited.
            limit: how many.
        """
        with self._database.transaction() as session:
            answer_row = session.row("asked_of_answer", answer_id=answer_id)
            if answer_row is None:
                return []
            vector = answer_row["vector"] if vector is None else vector
            compared = _compare(session, answer_row["knowledge_base_id"], answer_row["sources"])
            ids = _candidates(session, compared, vector, answer_id=answer_id) if compared["is_large"] else None
            rows = session.rows(
                "related_questions",
                answer_id=answer_id,
                vector=None if vector is None else HalfVector(vector),
                source_ids=compared["source_ids"],
                ids=ids,
                similarity=similarity,
                cited_similarity=cited_similarity,
                limit=limit,
            )
        return [from_row(SuggestedQuestion, row) for row in rows]

    def likely(
        self, knowledge_base: KnowledgeBase, *, age: timedelta, answers: int, limit: int
    ) -> list[SuggestedQuestion]:
        """Offered questions of the documents that the newest answers to readers cite.

        Args:
            knowledge_base: the knowledge base.
            age: of the oldest answer that counts.
            answers: how many answers count at most.
            limit: how many questions.
        """
        rows = self._rows(
            "likely_questions", knowledge_base_id=knowledge_base.id, age=age, answers=answers, limit=limit
        )
        return [from_row(SuggestedQuestion, row, similarity=None) for row in rows]

    def put_ahead(self, answer_id: UUID, by: Lineage) -> None:
        """Note that nobody had asked for an answer."""
        self._database.run("put_answer_ahead", answer_id=answer_id, run_id=by.run_id, code_version=by.code_version)

    def count_spent_ahead(self, knowledge_base: KnowledgeBase) -> AdvanceCost:
        """What today's answers ahead cost (the day is that of UTC)."""
        (row,) = self._rows("spent_ahead", knowledge_base_id=knowledge_base.id)
        return AdvanceCost(**row)

    def _rows(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, **values)


def _compare(session: Session, knowledge_base_id: int, sources: Sequence[str] | None) -> Row:
    return session.one(
        "questions_to_compare", knowledge_base_id=knowledge_base_id, sources=sources, most=_MAX_COMPARED_QUESTIONS
    )


def _candidates(
    session: Session,
    compared: Row,
    vector: "Vectors | Sequence[float] | None",
    *,
    words: Sequence[str] = (),
    answer_id: UUID | None = None,
) -> list[UUID]:
    """The questions, of very many, that may be like a text or near an answer: found by indexes, and not very many."""
    if compared["search_index_id"] is None:
        return []
    if compared["ef_search"] and compared["shard"]:
        session.run("set_ef_search", ef_search=compared["ef_search"])
    numbers: dict[str, int | str] = {name: compared[name] for name in ("search_index_id", "shard", "dimensions")}
    rows = session.run_template(
        "questions_near",
        numbers | {"by_vector": vector is not None, "chunks": _CHUNKS, "most": _MAX_CANDIDATES},
        vector=None if vector is None else HalfVector(vector),
        source_ids=compared["source_ids"],
        answer_id=answer_id,
    ).fetchall()
    if words:
        rows += session.rows(
            "questions_with_words",
            source_ids=compared["source_ids"],
            beginning=" " + " ".join(words),
            terms=_terms(words, compared["source_ids"]),
            most=_MAX_CANDIDATES,
        )
    return [row["id"] for row in rows]


def _terms(words: Sequence[str], source_ids: Sequence[int]) -> str:
    """A query for questions of some sources that have words with some beginnings (see `suggestions_by_words`)."""
    beginnings = ["'" + word[:_MAX_WORD_CHARS].replace("\\", "\\\\").replace("'", "''") + "':*" for word in words]
    return " & ".join(beginnings) + " & (" + " | ".join(f"' {source_id}'" for source_id in source_ids) + ")"
