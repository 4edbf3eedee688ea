"""Feedback on answers in Postgres (CNV-2).

Belongs here: storing votes and comments, listing and counting them. Not here: making golden questions of answers
(`headwater.administration.golden_sets`). Guarantee: an answer has at most one vote.
"""

from collections.abc import Iterator
from uuid import UUID

from headwater.domain.conversations import Feedback, Vote, VoteCount
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.server.typed_rows import from_row

_PAGE = 200  # rows that an export reads at once


class FeedbackStore:
    """The feedback table; with `visible`, as a caller who may see only these knowledge bases."""

    def __init__(self, database: Database, visible: frozenset[int] | None = None) -> None:
        self._database = database
        self._visible = None if visible is None else sorted(visible)

    def put(self, answer_id: UUID, vote: Vote, comment: str = "") -> Feedback:
        """Store a vote on an answer with a comment; it replaces an earlier one.

        Raises:
            NotFoundError: there is no such answer.
        """
        with self._database.transaction() as session:
            if not session.row("put_feedback", answer_id=answer_id, vote=vote, comment=clean_text(comment)):
                raise NotFoundError(f"There is no answer {answer_id}.")
            return from_row(Feedback, session.one("get_feedback", answer_id=answer_id))

    def get(self, answer_id: UUID) -> Feedback | None:
        """Return the feedback on an answer; None if there is none."""
        row = self._database.row("get_feedback", answer_id=answer_id)
        return from_row(Feedback, row) if row else None

    def remove(self, answer_id: UUID) -> Feedback:
        """Take the feedback on an answer back, and return it.

        Raises:
            NotFoundError: there is no feedback on such an answer.
        """
        with self._database.transaction() as session:
            row = session.row("get_feedback", answer_id=answer_id)
            if row is None:
                raise NotFoundError(f"There is no feedback on an answer {answer_id}.")
            session.run("remove_feedback", answer_id=answer_id)
        return from_row(Feedback, row)

    def all(
        self,
        knowledge_base: KnowledgeBase,
        *,
        vote: Vote | None = None,
        before: UUID | None = None,
        limit: int = 50,
    ) -> list[Feedback]:
        """Return the feedback on answers of a knowledge base, newest first.

        Args:
            knowledge_base: the knowledge base.
            vote: lists only these votes.
            before: lists only what is older than the feedback on the answer with this id.
            limit: the maximum number.
        """
        rows = self._database.rows(
            "list_feedback",
            knowledge_base_id=knowledge_base.id,
            knowledge_base=knowledge_base.slug,
            vote=vote,
            before=before,
            limit=limit,
        )
        return [from_row(Feedback, row) for row in rows]

    def every(self, knowledge_base: KnowledgeBase) -> Iterator[Feedback]:
        """Yield all feedback on answers of a knowledge base, newest first, without holding it all."""
        page = self.all(knowledge_base, limit=_PAGE)
        while page:
            yield from page
            page = self.all(knowledge_base, before=page[-1].answer_id, limit=_PAGE)

    def counts(self, knowledge_base: KnowledgeBase | None, days: int) -> list[VoteCount]:
        """Return the votes of the last days, today (UTC) included, by day and knowledge base, newest first."""
        owner = knowledge_base.id if knowledge_base else None
        rows = self._database.rows("count_votes", knowledge_base_id=owner, days=days, visible=self._visible)
        return [from_row(VoteCount, row) for row in rows]
