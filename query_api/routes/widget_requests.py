"""Shapes of requests about widgets, and of their visitors' requests.

Belongs here: their bodies and paths. Not here: responses (`routes.widget_payloads`, `widget.payloads`). Guarantee: as
for all requests, unknown fields are refused.
"""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from headwater.domain.widgets import WidgetSettings
from query_api.request_shapes import Body, KnowledgeBasePath

_MAX_QUESTION_CHARS = 20_000  # characters; the kernel says what is too long for a question
_TOKEN = 1_000  # characters


class WidgetPath(KnowledgeBasePath):
    """A widget by its slug."""

    widget: str


class WidgetBody(WidgetSettings):
    """A new widget: its slug, and its settings."""

    slug: str

    def values(self) -> dict[str, Any]:
        """The settings."""
        return self.model_dump(exclude={"slug"})


class WidgetChangeBody(Body):
    """Settings to change; those that are not given stay."""

    origins: list[str] | None = None
    label: str | None = None
    greeting: str | None = None
    placeholder: str | None = None
    theme: Literal["auto", "light", "dark"] | None = None
    accent: str | None = None
    visitor_per_minute: int | None = None
    address_per_minute: int | None = None
    widget_per_minute: int | None = None
    questions_per_day: int | None = None
    cost_per_day: float | None = None
    enabled: bool | None = None

    def values(self) -> dict[str, Any]:
        """The settings that are given."""
        return self.model_dump(exclude_none=True)


class WidgetIdPath(BaseModel):
    """A widget by its public id."""

    id: str = Field(max_length=40)


class SessionBody(Body):
    """The widget that a page has; `token` is that of the visitor's session before."""

    widget: str = Field(max_length=40)
    token: str = Field(default="", max_length=_TOKEN)


class VisitorSearchBody(Body):
    """What a visitor searches for."""

    query: str = Field(max_length=_MAX_QUESTION_CHARS)


class VisitorQuestionBody(Body):
    """A visitor's question; `follows` is the id of the answer before it in the visitor's conversation."""

    question: str = Field(max_length=_MAX_QUESTION_CHARS)
    follows: UUID | None = None


class VisitorFeedbackBody(Body):
    """What a visitor thinks of an answer."""

    vote: Literal["up", "down"]
    comment: str = Field(default="", max_length=1_000)
