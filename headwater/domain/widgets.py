"""Widgets on web sites: where each may be used, how it looks, what it may spend (INT-2).

Belongs here: these classes, their fields and limits. Not here: rows (`headwater.store`), tokens of visitors
(`headwater.administration.visitors`), the script (`query_api/static/widget`). Guarantee: nothing here does input or
output; settings name at least one site, and never every site.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from headwater.domain.closed_model import ClosedModel
from headwater.domain.conversations import Vote
from headwater.domain.origins import read_origin

Theme = Literal["auto", "light", "dark"]
Origin = Annotated[str, StringConstraints(max_length=300), AfterValidator(read_origin)]
Origins = Annotated[
    tuple[Origin, ...],
    Field(min_length=1, max_length=50),
    AfterValidator(lambda origins: tuple(dict.fromkeys(origins))),
]
_PerMinute = Annotated[int, Field(ge=1, le=100_000)]

PRIVATE = "private"
"""The tag of sources that no visitor of a widget gets anything from."""
MAX_TURNS = 10
"""Earlier questions of a visitor that go along with the next one."""


class WidgetSettings(ClosedModel):
    """What a person decides about a widget.

    `origins` are the sites that may use it. `label` is on its button, `greeting` above the first question,
    `placeholder` in the empty field; `accent` is the colour of buttons, such as `#0b6b72`. `visitor_per_minute`,
    `address_per_minute` and `widget_per_minute` limit questions and searches. `questions_per_day` and `cost_per_day`
    (US dollars) are its budget for a day (UTC). A widget that is not `enabled` answers nobody.
    """

    model_config = ConfigDict(frozen=True)

    origins: Origins
    label: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)] = "Ask a question"
    greeting: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = (
        "Ask about our documentation. Every answer shows its sources."
    )
    placeholder: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)] = (
        "Type your question"
    )
    theme: Theme = "auto"
    accent: Annotated[str, StringConstraints(to_lower=True, pattern=r"^#[0-9a-fA-F]{6}$")] = "#0b6b72"
    visitor_per_minute: _PerMinute = 10
    address_per_minute: _PerMinute = 30
    widget_per_minute: _PerMinute = 60
    questions_per_day: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    cost_per_day: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] = 5.0
    enabled: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Widget:
    """A widget of one knowledge base. Its `id` is public; its `secret` signs the tokens of its visitors."""

    id: str
    knowledge_base_id: int
    knowledge_base: str
    slug: str
    settings: WidgetSettings
    secret: bytes = field(repr=False)
    created_at: datetime
    updated_at: datetime

    @property
    def key(self) -> str:
        """Its name for people."""
        return f"{self.knowledge_base}/{self.slug}"


@dataclass(frozen=True, kw_only=True, slots=True)
class WidgetDay:
    """What a widget has used of its budget on a day (UTC); `cost` is in US dollars."""

    day: date
    questions: int
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Visitor:
    """A browser tab that uses a widget on a page of an origin; `id` is random and says nothing about a person."""

    widget: Widget
    origin: str
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WidgetQuestion:
    """A question that a visitor asked; `answer_id` is the stored answer that serves it, by default its own."""

    id: UUID
    visitor: str
    answer_id: UUID
    vote: Vote | None
