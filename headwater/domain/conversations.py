"""Conversations, and feedback on answers.

Belongs here: these classes, their fields and their limits. Not here: answers (`answers`). Guarantee: nothing here does
input or output.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from headwater.domain.answers import AnswerState, Citation, Degraded, FurtherPassage, Statement

MAX_TURNS = 200
"""Turns that a conversation may have, on all its branches."""
TITLE_LIMIT = 200
"""Characters of a conversation's title."""
COMMENT_LIMIT = 2_000
"""Characters of a comment on an answer."""

Vote = Literal["up", "down"]
Stale = Literal["deleted", "cited", "changed"]
"""Why an answer is stale: a cited source was deleted, what it cites has changed or is gone, or other documents have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """A conversation; `title` is empty before its first question; `updated_at` is when it was asked last.

    Who has the `share_token` may read it; None if it is not shared. `pinned_at` is None unless it stays at the top of
    the list.
    """

    id: UUID
    knowledge_base: str
    title: str
    turn_count: int
    created_at: datetime
    updated_at: datetime
    share_token: str | None = field(default=None, repr=False)
    pinned_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationTurn:
    """A turn: the answer with this id, which follows the one with `parent_id`, None at a beginning.

    `search_text` is the question as it was searched for, empty before it was read. `usage` and `timings_ms` are what it
    cost. `vote` and `comment` are the feedback on it. `notes`, `statements`, `further`, `quote`, `degraded`
    and `readings` are as in `Answer`.
    """

    id: UUID
    parent_id: UUID | None
    question: str
    search_text: str
    answer: str
    state: AnswerState
    is_refused: bool
    reason: str | None
    error_code: str | None
    error_detail: str | None
    model: str
    usage: Mapping[str, Any]
    timings_ms: Mapping[str, float]
    created_at: datetime
    vote: Vote | None
    comment: str | None
    citations: tuple[Citation, ...]
    notes: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    further: tuple[FurtherPassage, ...] = ()
    quote: str = ""
    degraded: Degraded | None = None
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnState:
    """What may change of a turn while somebody looks at it; `stale` is None as long as its answer holds."""

    id: UUID
    parent_id: UUID | None
    state: AnswerState
    stale: Stale | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """What a reader thinks of an answer; `golden_question_id` is the golden question that was made of it."""

    answer_id: UUID
    knowledge_base: str
    vote: Vote
    comment: str
    created_at: datetime
    question: str
    search_text: str
    answer: str
    is_refused: bool
    model: str
    golden_question_id: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteCount:
    """How many answers were voted up and down, of a knowledge base on a day (UTC)."""

    knowledge_base: str
    day: date
    up: int
    down: int
