"""Answers, their citations and their lineage in Postgres.

Belongs here: storing answers and tracing them. Not here: making them, reading what they cite
(`headwater.store.content.versions`). Guarantee: an answer and its citations are written together; a citation of a
version that does not exist is impossible.
"""

import dataclasses
from datetime import timedelta
from typing import Any
from uuid import UUID

from headwater.domain.access import EVERY_READER, Reader
from headwater.domain.answers import Answer, AnswerSummary, ChangedSource, StoredAnswer, StoredCitation, SummaryCitation
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.domain.usage import DayUsage, Usage
from headwater.errors import AnswerInterruptedError, ConflictError, NotFoundError
from headwater.store.catalogue.knowledge_bases import unknown_knowledge_base_error
from headwater.store.content.places import to_range
from headwater.store.content.versions import publications
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text, to_json
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row
from headwater.store.work.answer_extras import (
    find_stored_versions,
    further_values,
    read_further,
    read_statements,
    statement_values,
)
from headwater.store.work.answer_reuse import AnswerIdentity, identity_values

SILENCE = timedelta(seconds=10)
"""How long a growing answer may go without being saved; it is saved each second while its process lives."""
INTERRUPTED = AnswerInterruptedError()


class AnswerStore:
    """The answers and citations tables.

    Lists leave out the turns of conversations that the reader may not read; the answers of others are not ended.
    """

    def __init__(self, database: Database, reader: Reader = EVERY_READER) -> None:
        self._database = database
        self._reader = reader

    def put(
        self,
        knowledge_base: KnowledgeBase,
        answer: Answer,
        embedding_model: str,
        identity: AnswerIdentity,
        *,
        cited: int = 0,
        is_stored: bool = False,
    ) -> bool:
        """Store an answer with its citations, or the text so far of one that grows.

        Args:
            knowledge_base: the knowledge base that was asked.
            answer: the answer; citations are only ever added to it.
            embedding_model: the model that found its passages; empty if none did.
            identity: what it is found by when it is asked for again.
            cited: how many of its citations are stored already.
            is_stored: whether its row is: one that was deleted since then does not come back.

        Returns:
            False if the stored answer has ended, such as by a cancellation; then nothing was stored.

        Raises:
            ConflictError: a cited document, or the conversation, was deleted meanwhile; nothing was stored.
            NotFoundError: the knowledge base, or the stored row, was deleted meanwhile.
        """
        with self._database.transaction() as session:
            if answer.conversation_id and not session.row("hold_conversation", id=answer.conversation_id):
                raise ConflictError(f"Conversation {answer.conversation_id} was deleted while it was answered.")
            if is_stored and not session.row("hold_answer", id=answer.id):
                raise unknown_answer_error(answer.id)
            if not insert_answer(session, knowledge_base, answer, embedding_model, identity):
                return False
            _cite(session, answer, embedding_model, cited)
        return True

    def grow(self, answer: Answer, embedding_model: str, *, cited: int) -> bool:
        """Store the text so far, and new citations, of an answer that was stored with its passages.

        Args:
            answer: the answer.
            embedding_model: the model that found its passages; empty if none did.
            cited: how many of its citations are stored already.

        Returns:
            False if the stored answer has ended; then nothing was stored.

        Raises:
            ConflictError: a cited document was deleted meanwhile; nothing was stored.
        """
        with self._database.transaction() as session:
            is_growing = session.run(
                "grow_answer",
                id=answer.id,
                answer=clean_text(answer.answer),
                usage=to_json(dict(answer.usage)),
                timings_ms=to_json(dict(answer.timings_ms)),
                saved_at=answer.saved_at,
                asked_by=answer.asked_by,
            )
            if is_growing:
                _cite(session, answer, embedding_model, cited)
        return bool(is_growing)

    def interrupt_lost(self, answer_id: UUID | None = None) -> int:
        """Mark growing answers whose process has stopped saving them: one of them, or all; returns how many."""
        return self._database.run(
            "interrupt_answers", id=answer_id, silence=SILENCE, code=INTERRUPTED.code, detail=str(INTERRUPTED)
        )

    def touch(self, answer_id: UUID) -> None:
        """Show that the process of an answer which waits for its turn is alive."""
        self._database.run("touch_answer", id=answer_id)

    def cancel(self, answer_id: UUID) -> bool:
        """Cancel an answer that grows in another process; False if it does not grow, or the reader may not end it."""
        return bool(self._database.run("cancel_answer", id=answer_id, **dataclasses.asdict(self._reader)))

    def require(self, knowledge_base: KnowledgeBase, answer_id: UUID, *, is_stored: bool) -> None:
        """Make sure that an answer of which something is in memory was not deleted.

        Raises:
            NotFoundError: its knowledge base was deleted, or its row, if it was stored.
        """
        row = _find_row(self._database, knowledge_base, answer_id, is_stored=is_stored)
        if not row["is_there"]:
            raise unknown_answer_error(answer_id)

    def usage(self, knowledge_base: KnowledgeBase, days: int) -> list[DayUsage]:
        """What the answers of the last days cost, today (UTC) included, by day and model, newest first."""
        rows = self._database.rows("usage_by_day", knowledge_base_id=knowledge_base.id, days=days)
        return [
            DayUsage(
                day=row["day"],
                kind="answers",
                source=None,
                model=row["model"],
                count=row["answers"],
                usage=Usage(**{name: row[name] for name in ("prompt_tokens", "completion_tokens", "cost")}),
            )
            for row in rows
        ]

    def all(self, knowledge_base: KnowledgeBase, *, before: UUID | None = None, limit: int = 50) -> list[AnswerSummary]:
        """Return answers of a knowledge base, newest first.

        Args:
            knowledge_base: the knowledge base.
            before: lists only answers older than the one with this id; none if there is no such answer.
            limit: the maximum number of answers.
        """
        rows = self._database.rows(
            "list_answers",
            knowledge_base_id=knowledge_base.id,
            before=before,
            limit=limit,
            **dataclasses.asdict(self._reader),
        )
        return [from_row(AnswerSummary, row) for row in rows]

    def get(self, answer_id: UUID) -> StoredAnswer:
        """Return an answer and its citations, with their lineage and when readers saw the cited versions.

        Raises:
            NotFoundError: there is no such answer.
        """
        answer = self._get(answer_id)
        is_lost = answer.state == "generating" and self.interrupt_lost(answer_id)
        return self._get(answer_id) if is_lost else answer

    def _get(self, answer_id: UUID) -> StoredAnswer:
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_answer", id=answer_id)
            if row is None:
                raise unknown_answer_error(answer_id)
            cited = session.rows("list_citations", answer_id=answer_id)
            visible = publications(session, [citation["document_version_id"] for citation in cited])
            changed_rows = session.rows("changed_sources", answer_id=answer_id)
            summaries = session.rows("list_summary_citations", answer_id=answer_id)
            available = find_stored_versions(session, row["further"])
        citations = [
            from_row(
                StoredCitation,
                citation,
                visible=visible[citation["document_version_id"]],
                place=to_range(citation["place"]),
            )
            for citation in cited
        ]
        sources = tuple(from_row(ChangedSource, source_row) for source_row in changed_rows)
        return from_row(
            StoredAnswer,
            row,
            citations=tuple(citations),
            changed_sources=sources,
            summaries=tuple(from_row(SummaryCitation, summary) for summary in summaries),
            changed_summaries=tuple(summary["marker"] for summary in summaries if not summary["is_current"]),
            statements=read_statements(row["statements"]),
            further=read_further(row["further"], available),
        )


def insert_answer(
    session: Session, knowledge_base: KnowledgeBase, answer: Answer, embedding_model: str, identity: AnswerIdentity
) -> bool:
    """Store an answer without its citations; false if the stored one has ended.

    Raises:
        NotFoundError: the knowledge base was deleted.
    """
    values = _values(knowledge_base, answer, embedding_model)
    is_stored = bool(session.run("put_answer", **values, **identity_values(identity)))
    if not is_stored:
        _find_row(session, knowledge_base, answer.id, is_stored=False)
    return is_stored


def unknown_answer_error(answer_id: UUID) -> NotFoundError:
    """The error that there is no such answer."""
    return NotFoundError(f"There is no answer {answer_id}.")


def _find_row(database: Session | Database, knowledge_base: KnowledgeBase, answer_id: UUID, *, is_stored: bool) -> Row:
    row = database.row("answer_is_there", knowledge_base_id=knowledge_base.id, answer_id=answer_id, is_stored=is_stored)
    if row is None:
        raise unknown_knowledge_base_error(database, knowledge_base.slug)
    return row


def _values(knowledge_base: KnowledgeBase, answer: Answer, embedding_model: str) -> dict[str, Any]:
    """The columns of an answer."""
    values = _columns(answer)
    del values["knowledge_base"], values["citations"], values["summaries"]
    return {
        **values,
        "knowledge_base_id": knowledge_base.id,
        "question": clean_text(answer.question),
        "search_text": clean_text(answer.search_text),
        "answer": clean_text(answer.answer),
        "passages": to_json([_to_stored(passage) for passage in answer.passages]),
        "embedding_model": embedding_model,
        "usage": to_json(dict(answer.usage)),
        "timings_ms": to_json(dict(answer.timings_ms)),
        "notes": [clean_text(note) for note in answer.notes],
        "error_detail": answer.error_detail and clean_text(answer.error_detail),
        "statements": statement_values(answer.statements),
        "further": further_values(answer.further),
        "readings": [clean_text(reading) for reading in answer.readings],
    }


def _cite(session: Session, answer: Answer, embedding_model: str, cited: int) -> None:
    """Store the citations after the first `cited`, and the summaries that are not stored yet."""
    for position, summary in enumerate(answer.summaries, start=1):
        values = {**_columns(summary), "title": clean_text(summary.title), "text": clean_text(summary.text)}
        session.run("insert_summary_citation", answer_id=answer.id, position=position, **values)
    for position, citation in enumerate(answer.citations[cited:], start=cited + 1):
        row_count = session.run(
            "insert_citation",
            answer_id=answer.id,
            marker=citation.marker,
            position=position,
            breadcrumb=list(citation.breadcrumb),
            chunk_id=citation.chunk_id,
            document_version_id=citation.document_version_id,
            start=citation.start,
            end=citation.end,
            score=citation.score,
            embedding_model=embedding_model,
            place=citation.place and to_json(dataclasses.asdict(citation.place)),
            node_id=citation.node_id,
            trust=citation.trust,
        )
        if not row_count:
            raise ConflictError(f"{citation.uri} was deleted while the answer was made. Ask again.")


def _to_stored(passage: Passage) -> dict[str, Any]:
    """A passage as it is stored with an answer: with its place, without the places of its parts."""
    place = passage.place
    return {
        **_columns(passage),
        "scores": _columns(passage.scores),
        "places": None,
        "place": None if place is None else _columns(place),
    }


def _columns(noun: Any) -> dict[str, Any]:
    """The fields of a dataclass, uncopied: `asdict` would copy every value."""
    return {field.name: getattr(noun, field.name) for field in dataclasses.fields(noun)}
