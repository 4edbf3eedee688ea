"""The shape of lists of answers.

Belongs here: response models of lists. Not here: one answer (`answer_payloads`). Guarantee: as in `answer_payloads`.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.answers import AnswerState, AnswerSummary


class AnswerItem(BaseModel):
    """An answer in a list; `title` is the corrected question, cut short, and empty if questions are not stored.

    `stale` means that a new answer is made when the question is asked again.
    """

    id: UUID
    title: str
    state: AnswerState
    refused: bool
    reason: str | None
    model: str
    stale: bool
    created_at: datetime
    as_of: datetime | None

    @classmethod
    def of(cls, answer: AnswerSummary) -> "AnswerItem":
        """Make it from the kernel's object."""
        return cls(
            id=answer.id,
            title=answer.title or answer.question[:60],  # an older release made no titles
            state=answer.state,
            refused=answer.is_refused,
            reason=answer.reason,
            model=answer.model,
            stale=answer.is_stale,
            created_at=answer.created_at,
            as_of=answer.as_of,
        )


class AnswerPage(BaseModel):
    """Answers, newest first; `next` is what to ask `after` for the rest, null at the end."""

    answers: list[AnswerItem]
    next: UUID | None

    @classmethod
    def of(cls, found: Sequence[AnswerSummary], limit: int) -> "AnswerPage":
        """Make a page of one answer more than it holds, if there are so many."""
        page = [AnswerItem.of(answer) for answer in found[:limit]]
        return cls(answers=page, next=page[-1].id if len(found) > limit else None)
