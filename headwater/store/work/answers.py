"""Answers, their citations and their lineage in Postgres.

Belongs here: storing answers and tracing them. Not here: making them, reading what they cite (`versions`). Guarantee:
an answer and its citations are written together; a citation of a version that does not exist is impossible.
"""

import dataclasses
from typing import Any
from uuid import UUID

from headwater.domain.answers import Answer, ChangedSource, KeptAnswer, KeptCitation
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.errors import ConflictError, NotFoundError
from headwater.store.content.places import to_range
from headwater.store.content.versions import publications
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text, to_json
from headwater.store.server.typed_rows import typed
from headwater.store.work.answer_reuse import AnswerIdentity, identity_values


class AnswerStore:
    """The answers and citations tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, knowledge_base: KnowledgeBase, answer: Answer, embedding_model: str, identity: AnswerIdentity
    ) -> None:
        """Store an answer with its citations.

        Args:
            knowledge_base: the knowledge base that was asked.
            answer: the answer.
            embedding_model: the model that found its passages, empty without one.
            identity: what it is found by when it is asked for again.

        Raises:
            ConflictError: a cited document was deleted meanwhile; nothing was stored.
        """
        with self._database.transaction() as session:
            session.run(
                "insert_answer",
                id=answer.id,
                knowledge_base_id=knowledge_base.id,
                question=clean_text(answer.question),
                answer=answer.answer,
                refused=answer.refused,
                reason=answer.reason,
                passages=to_json([_kept(passage) for passage in answer.passages]),
                model=answer.model,
                embedding_model=embedding_model,
                usage=to_json(dict(answer.usage)),
                timings_ms=to_json(dict(answer.timings_ms)),
                created_at=answer.created_at,
                as_of=answer.as_of,
                notes=list(answer.notes),
                **identity_values(identity),
            )
            for position, citation in enumerate(answer.citations, start=1):
                kept = session.run(
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
                )
                if not kept:
                    raise ConflictError(f"{citation.uri} was deleted while the answer was made. Ask again.")

    def get(self, answer_id: UUID) -> KeptAnswer:
        """Return an answer and its citations, with their lineage and when readers saw the cited versions.

        Raises:
            NotFoundError: there is no such answer.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_answer", id=answer_id)
            if row is None:
                raise NotFoundError(f"There is no answer {answer_id}.")
            cited = session.rows("list_citations", answer_id=answer_id)
            visible = publications(session, [citation["document_version_id"] for citation in cited])
            changed = session.rows("changed_sources", answer_id=answer_id)
        citations = [
            typed(KeptCitation, one, visible=visible[one["document_version_id"]], place=to_range(one["place"]))
            for one in cited
        ]
        sources = tuple(typed(ChangedSource, one) for one in changed)
        return typed(KeptAnswer, row, citations=tuple(citations), changed_sources=sources)


def _kept(passage: Passage) -> dict[str, Any]:
    """A passage as it is stored with an answer: with its place, without the places of its parts."""
    place = passage.place and dataclasses.asdict(passage.place)
    return {**dataclasses.asdict(dataclasses.replace(passage, places=None)), "place": place}
