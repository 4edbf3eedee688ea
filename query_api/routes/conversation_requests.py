"""Shapes of requests about conversations and feedback.

Belongs here: their bodies, paths and queries. Not here: the question's body (`answer_requests`), responses
(`routes.conversation_payloads`). Guarantee: as for all requests, unknown fields are refused.
"""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from headwater.domain.conversations import COMMENT_LIMIT, TITLE_LIMIT, Vote
from query_api.request_shapes import Body

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE_LIMIT)]


class ConversationPath(BaseModel):
    """A conversation by its id."""

    id: UUID


class NewConversation(Body):
    """A conversation to begin; without a title its first question gives it one."""

    title: Title | None = None


class ConversationChange(Body):
    """Another title, or whether it stays at the top of the list; what is missing does not change."""

    title: Title | None = None
    pinned: bool | None = None


class ConversationsQuery(BaseModel):
    """A part of the list: those after a given one. `query` is a text in the title, a question or an answer."""

    query: str = Field(default="", max_length=200)
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class ConversationExportQuery(BaseModel):
    """The format of an export."""

    format: Literal["json", "markdown"] = "json"


class FeedbackBody(Body):
    """What a reader thinks of an answer."""

    vote: Vote
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=COMMENT_LIMIT)] = ""


class FeedbackQuery(BaseModel):
    """A part of the list: what is older than the feedback on a given answer. `vote` limits it to these."""

    vote: Vote | None = None
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class FeedbackStatisticsQuery(BaseModel):
    """The knowledge base, by default all, and how many days, the current one included."""

    knowledge_base: str | None = None
    days: int = Field(default=30, ge=1, le=366)
