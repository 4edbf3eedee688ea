"""Questions of documents in Postgres.

Belongs here: which documents lack questions, paid questions, the questions of documents and sources. Not here: making
them (`headwater.questions`), checking and offering them (`headwater.store.search.suggestions`). Guarantee: paid
questions are stored by themselves, so no text is paid for twice; the questions of a document change in one transaction,
and equal ones write nothing; every write checks the sync's fencing token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.corpus import Lineage, Source
from headwater.domain.questions import PaidQuestions, QuestionRow
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row
from headwater.store.work.fencing_tokens import SyncLease, require_token
from headwater.store.work.sync_usage import add_spending


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryToQuestion:
    """The summary of a document's newest version."""

    document_id: UUID
    version_id: UUID
    title: str
    language: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What the questions of a document were made of: a version, by its summary if it has one."""

    version_id: UUID
    summary_key: bytes | None


class QuestionStore:
    """The question_sets, questions and questioned_documents tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents_to_question(
        self, source: Source, settings_hash: bytes, recipe_hash: bytes, *, by_summary: bool
    ) -> dict[UUID, bytes | None]:
        """Documents whose questions were not made so of what they say now, with the key of the summary if there is one.

        Args:
            source: the source.
            settings_hash: of the chunks.
            recipe_hash: how questions are made.
            by_summary: whether they are made of summaries.
        """
        rows = self._rows(
            "documents_to_question",
            source_id=source.id,
            settings_hash=settings_hash,
            recipe_hash=recipe_hash,
            by_summary=by_summary,
        )
        return {row["id"]: row["summary_key"] for row in rows}

    def summaries(self, document_ids: Sequence[UUID]) -> list[SummaryToQuestion]:
        """The summaries of some documents; those without one are left out."""
        rows = self._rows("summaries_to_question", document_ids=list(document_ids))
        return [SummaryToQuestion(**row) for row in rows]

    def source_summary(self, source: Source) -> str | None:
        """The summary of a source; None without one."""
        rows = self._rows("source_to_question", source_id=source.id)
        return rows[0]["text"] if rows else None

    def sets(self, keys: Sequence[bytes]) -> dict[bytes, list[str]]:
        """The questions that were made of some texts, by key."""
        return {row["key"]: row["questions"] for row in self._rows("question_sets", keys=list(keys))}

    def put_sets(
        self, work: SyncLease, paid: Sequence[PaidQuestions], *, model: str, prompt_version: str, by: Lineage
    ) -> int:
        """Store paid questions; returns how many sets were new.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            usages = [paid_questions.usage for paid_questions in paid]
            add_spending(session, "questions", usages, model=model, source_id=work.source.id)
            return session.run(
                "put_question_sets",
                sets=to_json([_json(paid_questions) for paid_questions in paid]),
                model=model,
                prompt_version=prompt_version,
                source_id=work.source.id,
                run_id=by.run_id,
                code_version=by.code_version,
            )

    def documents_without_text(self, source: Source, settings_hash: bytes) -> list[UUID]:
        """Documents that were asked about, but were removed or have no text any more."""
        rows = self._rows("questioned_without_text", source_id=source.id, settings_hash=settings_hash)
        return [row["document_id"] for row in rows]

    def put(
        self,
        work: SyncLease,
        rows: Sequence[QuestionRow],
        asked: Mapping[UUID, Asked],
        *,
        settings_hash: bytes,
        recipe_hash: bytes,
    ) -> int:
        """Put the new questions of some documents in the place of the old ones; returns how many rows were written.

        Args:
            work: the sync.
            rows: all questions of these documents.
            asked: the documents, and what their questions were made of.
            settings_hash: of the chunks.
            recipe_hash: how the questions were made.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            row_ids = [row.id for row in rows]
            count = session.run("delete_other_questions", source_id=work.source.id, kept=row_ids, of_source=False,
                                  document_ids=list(asked))  # fmt: skip
            count += session.run("put_questions", source_id=work.source.id, **_columns(rows))
            session.run(
                "note_questioned",
                document_ids=list(asked),
                version_ids=[asked_version.version_id for asked_version in asked.values()],
                summary_keys=[asked_version.summary_key for asked_version in asked.values()],
                settings_hash=settings_hash,
                recipe_hash=recipe_hash,
            )
        return count

    def put_of_source(self, work: SyncLease, rows: Sequence[QuestionRow]) -> int:
        """Put new questions of the whole source in the place of the old ones; returns how many rows were written.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            row_ids = [row.id for row in rows]
            count = session.run("delete_other_questions", source_id=work.source.id, kept=row_ids, of_source=True,
                                  document_ids=[])  # fmt: skip
            return count + session.run("put_questions", source_id=work.source.id, **_columns(rows))

    def delete_of(self, work: SyncLease, document_ids: Sequence[UUID]) -> int:
        """Delete the questions of some documents; returns how many there were.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            session.run("forget_questioned", document_ids=list(document_ids))
            return session.run("delete_other_questions", source_id=work.source.id, kept=[], of_source=False,
                               document_ids=list(document_ids))  # fmt: skip

    def delete_all(self, work: SyncLease) -> int:
        """Delete a source's questions; what was paid for stays for a while, in case they come back.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            if not session.one("has_questions", source_id=work.source.id)["has_any"]:
                return 0
            session.run("forget_all_questioned", source_id=work.source.id)
            return session.run("delete_all_questions", source_id=work.source.id)

    def digest(self, source: Source) -> tuple[str, int, int]:
        """A digest of a source's questions, how many there are, and of how many documents."""
        (row,) = self._rows("questions_digest", source_id=source.id)
        return row["data_version"], row["row_count"], row["document_count"]

    def delete_unused_sets(self, before: datetime) -> int:
        """Delete paid questions that no document has any more, and that were made before a time; returns how many."""
        return self._database.run("delete_unused_question_sets", before=before)

    def _rows(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, **values)


def _columns(rows: Sequence[QuestionRow]) -> dict[str, Any]:
    return {
        "ids": [row.id for row in rows],
        "document_ids": [row.document_id for row in rows],
        "positions": [row.position for row in rows],
        "questions": [row.question for row in rows],
        "keys": [row.set_key for row in rows],
    }


def _json(paid_questions: PaidQuestions) -> dict[str, Any]:
    return {
        "key": paid_questions.key.hex(),
        "questions": list(paid_questions.value),
        "prompt_tokens": paid_questions.usage.prompt_tokens,
        "completion_tokens": paid_questions.usage.completion_tokens,
        "cost": paid_questions.usage.cost,
    }
