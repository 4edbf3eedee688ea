"""The shape of feedback in the HTTP API, in exports and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby
from operator import attrgetter
from typing import Self
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.conversations import Feedback, Vote, VoteCount


class FeedbackPayload(BaseModel):
    """What a reader thinks of an answer. `golden_question_id` is the golden question that was made of the answer.

    `question` is as it was asked, `search_text` as it was searched for.
    """

    answer_id: UUID
    knowledge_base: str
    vote: Vote
    comment: str
    created_at: datetime
    question: str
    search_text: str
    answer: str
    refused: bool
    model: str
    golden_question_id: int | None

    @classmethod
    def of(cls, feedback: Feedback) -> "FeedbackPayload":
        """Make it from the kernel's object."""
        values = {name: getattr(feedback, name) for name in cls.model_fields if name != "refused"}
        return cls(**values, refused=feedback.is_refused)


class FeedbackPage(BaseModel):
    """Feedback, newest first; `next` is what to ask `after` for the rest, null at the end."""

    feedback: list[FeedbackPayload]
    next: UUID | None

    @classmethod
    def of(cls, found: Sequence[Feedback], limit: int) -> "FeedbackPage":
        """Make a page of one more than it holds, if there are so many."""
        page = [FeedbackPayload.of(vote) for vote in found[:limit]]
        return cls(feedback=page, next=page[-1].answer_id if len(found) > limit else None)


class VotesPayload(BaseModel):
    """How many answers were voted up and down."""

    up: int
    down: int

    @classmethod
    def sum(cls, counts: Sequence[VoteCount], **more: object) -> Self:
        """Add counts up; `more` are the fields of a subclass."""
        return cls(up=sum(count.up for count in counts), down=sum(count.down for count in counts), **more)


class DayVotesPayload(VotesPayload):
    """The votes of a day (UTC)."""

    day: date


class KnowledgeBaseVotesPayload(VotesPayload):
    """The votes on answers of a knowledge base."""

    knowledge_base: str


class FeedbackStatistics(VotesPayload):
    """The votes of the last days in sum, by day, newest first, and by knowledge base, the most voted down first."""

    days: list[DayVotesPayload]
    knowledge_bases: list[KnowledgeBaseVotesPayload]

    @classmethod
    def of(cls, counts: Sequence[VoteCount]) -> "FeedbackStatistics":
        """Make it from the counts of each day and knowledge base, newest first."""
        days = [DayVotesPayload.sum([*day_counts], day=day) for day, day_counts in groupby(counts, attrgetter("day"))]
        by_name = sorted(counts, key=attrgetter("knowledge_base"))
        bases = [
            KnowledgeBaseVotesPayload.sum([*base_counts], knowledge_base=slug)
            for slug, base_counts in groupby(by_name, attrgetter("knowledge_base"))
        ]
        return cls.sum(counts, days=days, knowledge_bases=sorted(bases, key=lambda payload: -payload.down))
