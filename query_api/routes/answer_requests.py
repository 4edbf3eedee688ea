"""Shapes of requests about answers.

Belongs here: the question's body, and paths and queries of answers. Not here: other requests
(`query_api.request_shapes`), responses (`routes.answer_payloads`). Guarantee: as for all requests, unknown fields are
refused.
"""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from headwater.answering.answer_request import AnswerRequest, with_settings
from headwater.answering.conversation_questions import LAST
from headwater.domain.answers import Turn
from headwater.domain.closed_model import ClosedModel
from headwater.domain.corpus import KnowledgeBase
from headwater.retrieval.finder import Mode
from headwater.retrieval.query import QUERY_LIMIT
from query_api.request_shapes import Body, Filters


class AnswerPath(BaseModel):
    """An answer by its id."""

    id: UUID


class AnswersQuery(BaseModel):
    """A part of the list of answers: those older than a given one."""

    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class TurnBody(ClosedModel):
    """An earlier question of the conversation, and its answer."""

    question: str = Field(min_length=1, max_length=QUERY_LIMIT)
    answer: str = Field(default="", max_length=20_000)


class QuestionBody(Body):
    """A question; `as_of` is a past time whose documents are used, ISO 8601, in UTC if it names no zone.

    `history` are the earlier turns of a conversation that is not stored, oldest first. `conversation` is a stored one:
    the question becomes its next turn. `parent` is the turn that it follows, by default the one that was asked last;
    null follows none. `top_k`, `temperature` and `model` count instead of the knowledge base's settings; `model` is one
    of those that the settings name, or `builtin/extractive`. `mode` searches by words and by vector, or only by one of
    them. `fresh` makes the answer even if a stored one would do. `stream` returns server-sent events, as the header
    `Accept: text/event-stream` does; with `render: html` they include the answer as HTML, block by block.
    """

    question: str
    filters: Filters = Filters()
    as_of: datetime | None = None
    history: list[TurnBody] = Field(default=[], max_length=10)
    conversation: UUID | None = None
    parent: UUID | None = None
    top_k: int | None = Field(default=None, ge=1, le=50)
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    model: str | None = Field(default=None, max_length=200)
    mode: Mode = "hybrid"
    fresh: bool = False
    stream: bool = False
    render: Literal["html"] | None = None

    def to_request(self, knowledge_base: KnowledgeBase) -> AnswerRequest:
        """The same for the kernel.

        Raises:
            InvalidInputError: the question is empty, or the model is not one to choose. QuestionTooLongError: the
                question is too long.
        """
        return AnswerRequest(
            knowledge_base=with_settings(
                knowledge_base, top_k=self.top_k, temperature=self.temperature, answer_model=self.model
            ),
            question=self.question,
            filters=self.filters.to_filters(),
            as_of=self.as_of,
            mode=self.mode,
            history=tuple(Turn(question=turn.question, answer=turn.answer) for turn in self.history),
            is_fresh=self.fresh,
        )

    @property
    def follows(self) -> UUID | str | None:
        """The turn that the question follows, for `in_conversation`."""
        is_given = "parent" in self.model_fields_set and (self.parent or self.conversation) is not None
        return self.parent if is_given else LAST


class EventsQuery(BaseModel):
    """How to follow an answer: `html` adds its text as HTML, block by block."""

    render: Literal["html"] | None = None


class EventsHeader(BaseModel):
    """The id of the last event that was seen; those after it follow."""

    last_event_id: int = Field(default=0, ge=0, lt=2**53, alias="Last-Event-ID")


class UsageQuery(BaseModel):
    """How many days, the current one included."""

    days: int = Field(default=30, ge=1, le=366)
