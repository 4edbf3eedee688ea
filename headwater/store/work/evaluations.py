"""Golden questions and evaluations in Postgres.

Belongs here: storing both. Not here: making them (`headwater.evaluation`). Guarantee: a golden set is replaced in one
transaction, and replacing it with an equal one writes nothing.
"""

from collections.abc import Sequence

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import Evaluation, GoldenQuestion, RecordedEvaluation
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.typed_rows import typed


class EvaluationStore:
    """The golden_questions and evaluations tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def golden_questions(self, knowledge_base: KnowledgeBase) -> tuple[GoldenQuestion, ...]:
        """Return the golden set in its original order."""
        with self._database.transaction() as session:
            rows = session.rows("golden_questions_of", knowledge_base_id=knowledge_base.id)
        return tuple(GoldenQuestion.model_validate(row) for row in rows)

    def replace_golden_questions(self, slug: str, questions: Sequence[GoldenQuestion]) -> dict[str, int]:
        """Replace a knowledge base's golden set.

        Args:
            slug: the knowledge base.
            questions: the complete new set, each question once.

        Returns:
            How many questions were added, changed, removed and left unchanged.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        values = [question.model_dump(mode="json", exclude_none=True) for question in questions]
        with self._database.transaction() as session:
            session.row("lock_knowledge_base", slug=slug)
            knowledge_base = find_knowledge_base(session, slug)
            removed = session.run(
                "delete_other_golden_questions",
                knowledge_base_id=knowledge_base.id,
                questions=[question.question for question in questions],
            )
            written = session.rows(
                "put_golden_questions", knowledge_base_id=knowledge_base.id, questions=to_json(values)
            )
        added = sum(row["is_added"] for row in written)
        return {
            "added": added,
            "changed": len(written) - added,
            "removed": removed,
            "unchanged": len(values) - len(written),
        }

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
        with self._database.transaction() as session:
            row = session.one(
                "insert_evaluation",
                knowledge_base_id=knowledge_base.id,
                search_index_id=evaluation.search_index_id,
                model=evaluation.model,
                golden_hash=evaluation.golden_hash,
                index_digest=evaluation.index_digest,
                question_count=evaluation.question_count,
                metrics=to_json(dict(evaluation.metrics)),
                run_id=run_id,
            )
        return typed(RecordedEvaluation, row)

    def all(
        self, knowledge_base: KnowledgeBase, *, before: int | None = None, limit: int = 100
    ) -> list[RecordedEvaluation]:
        """Return evaluations, newest first, those before a given id."""
        with self._database.transaction() as session:
            rows = session.rows("list_evaluations", knowledge_base_id=knowledge_base.id, before=before, limit=limit)
        return [typed(RecordedEvaluation, row) for row in rows]

    def last_of_runs(self, knowledge_base: KnowledgeBase) -> RecordedEvaluation | None:
        """Return the newest evaluation that a Dagster run made."""
        with self._database.transaction() as session:
            row = session.row("last_evaluation_of_runs", knowledge_base_id=knowledge_base.id)
        return typed(RecordedEvaluation, row) if row else None

    def before(self, evaluation: RecordedEvaluation) -> RecordedEvaluation | None:
        """Return the previous results of the same golden set, on another index or another state of this one."""
        with self._database.transaction() as session:
            row = session.row("evaluation_before", id=evaluation.id)
        return typed(RecordedEvaluation, row) if row else None
