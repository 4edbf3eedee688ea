"""Golden questions and evaluations in Postgres.

Belongs here: storing both. Not here: making them (`headwater.evaluation`). Guarantee: a golden set is changed in one
transaction, and replacing a question with an equal one writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import (
    Evaluation,
    GoldenQuestion,
    Origin,
    RecordedEvaluation,
    StoredGoldenQuestion,
)
from headwater.domain.search import SearchIndex
from headwater.errors import NotFoundError
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row


@dataclass(frozen=True, kw_only=True, slots=True)
class AskableChunk:
    """A chunk that a golden question may be made of; `start` and `end` are offsets in the document version's text."""

    chunk_id: UUID
    document_version_id: UUID
    uri: str
    title: str
    breadcrumb: tuple[str, ...]
    text: str
    start: int
    end: int
    language: str


class EvaluationStore:
    """The golden_questions and evaluations tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def golden_questions(self, knowledge_base: KnowledgeBase) -> tuple[GoldenQuestion, ...]:
        """Return the golden set in its original order."""
        return tuple(question.golden for question in self.golden_set(knowledge_base))

    def golden_set(self, knowledge_base: KnowledgeBase) -> list[StoredGoldenQuestion]:
        """Return the golden set in its original order, with ids and origins."""
        rows = self._database.rows("golden_questions_of", knowledge_base_id=knowledge_base.id)
        return [_to_golden_question(row) for row in rows]

    def replace_golden_questions(self, slug: str, questions: Sequence[GoldenQuestion]) -> dict[str, int]:
        """Replace the part of a knowledge base's golden set that came from files.

        Args:
            slug: the knowledge base.
            questions: the complete new part, each question once; it also replaces equal questions of other origin.

        Returns:
            How many questions were added, changed, removed and left unchanged.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            session.row("lock_knowledge_base", slug=slug)
            knowledge_base = find_knowledge_base(session, slug)
            removed = session.run(
                "delete_other_golden_questions",
                knowledge_base_id=knowledge_base.id,
                questions=[question.question for question in questions],
            )
            rows = _put(session, knowledge_base, questions, "file")
        added = sum(row["is_added"] for row in rows)
        return {
            "added": added,
            "changed": len(rows) - added,
            "removed": removed,
            "unchanged": len(questions) - len(rows),
        }

    def put_golden_questions(
        self, slug: str, questions: Sequence[GoldenQuestion], origin: Origin, answer_id: UUID | None = None
    ) -> list[StoredGoldenQuestion]:
        """Add golden questions; one that exists is replaced.

        Args:
            slug: the knowledge base.
            questions: each question once.
            origin: where they come from.
            answer_id: the answer that they were promoted from.

        Returns:
            The stored questions, in the given order.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            session.row("lock_knowledge_base", slug=slug)
            knowledge_base = find_knowledge_base(session, slug)
            _put(session, knowledge_base, questions, origin, answer_id)
            rows = session.rows("golden_questions_of", knowledge_base_id=knowledge_base.id)
        by_question = {row["question"]: _to_golden_question(row) for row in rows}
        return [by_question[question.question] for question in questions]

    def remove_golden_question(self, knowledge_base: KnowledgeBase, golden_id: int) -> StoredGoldenQuestion:
        """Remove a golden question, and return it.

        Raises:
            NotFoundError: the knowledge base has no golden question with this id.
        """
        row = self._database.row("delete_golden_question", knowledge_base_id=knowledge_base.id, id=golden_id)
        if row is None:
            raise NotFoundError(
                f"{knowledge_base.slug} has no golden question {golden_id}."
                f" `headwater golden list {knowledge_base.slug}` shows those that it has."
            )
        return _to_golden_question(row)

    def chunks_to_ask_about(self, index: SearchIndex, limit: int) -> list[AskableChunk]:
        """Return chunks of the documents that readers see, from as many documents as possible, always in one order."""
        rows = self._database.rows("chunks_to_ask_about", search_index_id=index.id, shard=index.shard, limit=limit)
        return [from_row(AskableChunk, row) for row in rows]

    def add(
        self, knowledge_base: KnowledgeBase, evaluation: Evaluation, run_id: str | None = None
    ) -> RecordedEvaluation:
        """Store an evaluation.

        Args:
            knowledge_base: the evaluated knowledge base.
            evaluation: the results.
            run_id: the Dagster run that made it; None if a command or a request did.

        Returns:
            The stored record.
        """
        row = self._database.one(
            "insert_evaluation",
            knowledge_base_id=knowledge_base.id,
            search_index_id=evaluation.search_index_id,
            model=evaluation.model,
            golden_hash=evaluation.golden_hash,
            index_digest=evaluation.index_digest,
            question_count=evaluation.question_count,
            metrics=to_json(dict(evaluation.metrics)),
            run_id=run_id,
            counts=to_json(dict(evaluation.counts)),
            answer_model=evaluation.answer_model,
            judge_model=evaluation.judge_model,
            judge_prompt=evaluation.judge_prompt,
        )
        return from_row(RecordedEvaluation, row)

    def all(
        self, knowledge_base: KnowledgeBase, *, before: int | None = None, limit: int = 100
    ) -> list[RecordedEvaluation]:
        """Return evaluations, newest first, those before a given id."""
        rows = self._database.rows("list_evaluations", knowledge_base_id=knowledge_base.id, before=before, limit=limit)
        return [from_row(RecordedEvaluation, row) for row in rows]

    def last_of_runs(self, knowledge_base: KnowledgeBase) -> RecordedEvaluation | None:
        """Return the newest evaluation that a Dagster run made."""
        row = self._database.row("last_evaluation_of_runs", knowledge_base_id=knowledge_base.id)
        return from_row(RecordedEvaluation, row) if row else None

    def before(self, evaluation: RecordedEvaluation) -> RecordedEvaluation | None:
        """Return the previous results of the same golden set, on another index or another state of this one."""
        row = self._database.row("evaluation_before", id=evaluation.id)
        return from_row(RecordedEvaluation, row) if row else None


def _put(
    session: Session,
    knowledge_base: KnowledgeBase,
    questions: Sequence[GoldenQuestion],
    origin: Origin,
    answer_id: UUID | None = None,
) -> list[Row]:
    """Write those questions that are new or differ, and return their rows."""
    return session.rows(
        "put_golden_questions",
        knowledge_base_id=knowledge_base.id,
        questions=to_json([question.to_line() for question in questions]),
        origin=origin,
        answer_id=answer_id,
    )


def _to_golden_question(row: Row) -> StoredGoldenQuestion:
    golden = GoldenQuestion(
        question=row["question"],
        unanswerable=row["is_unanswerable"],
        relevant=row["relevant"],
        answer=row["answer"],
    )
    return from_row(StoredGoldenQuestion, row, golden=golden)
