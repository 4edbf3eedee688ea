"""The shape of widgets in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask, responses to visitors
(`query_api.widget.payloads`). Guarantee: a field's name and meaning do not change within `/api/v1`; a widget's
secret is in none.
"""

from collections.abc import Sequence
from datetime import date, datetime

from pydantic import BaseModel

from headwater.administration.widgets import policy, snippet
from headwater.domain.widgets import Widget, WidgetDay, WidgetSettings
from headwater.store.store import Store


class WidgetDayPayload(BaseModel):
    """What a widget used on a day (UTC); `cost` is in US dollars."""

    day: date
    questions: int
    cost: float

    @classmethod
    def of(cls, day: WidgetDay) -> "WidgetDayPayload":
        """Make it from the kernel's object."""
        return cls.model_validate(day, from_attributes=True)


class WidgetPayload(BaseModel):
    """A widget; `snippet` is the line of HTML for the site, `policy` what a site with such a policy adds to it.

    `today` is what it has used of its budget of this day (UTC); `up` and `down` are its visitors' votes in 30 days.
    """

    id: str
    knowledge_base: str
    slug: str
    settings: WidgetSettings
    snippet: str
    policy: str
    today: WidgetDayPayload
    up: int
    down: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, store: Store, widget: Widget, api_url: str) -> "WidgetPayload":
        """Make it from the kernel's object, and what its visitors did.

        Args:
            store: the store.
            widget: the widget, which may be deleted.
            api_url: the address of this API.
        """
        up, down = store.widget_questions.votes(widget)
        return cls(
            id=widget.id,
            knowledge_base=widget.knowledge_base,
            slug=widget.slug,
            settings=widget.settings,
            snippet=snippet(widget, api_url),
            policy=policy(api_url),
            today=WidgetDayPayload.of(store.widget_questions.days(widget)[0]),
            up=up,
            down=down,
            created_at=widget.created_at,
            updated_at=widget.updated_at,
        )


class WidgetList(BaseModel):
    """The widgets of a knowledge base, by slug."""

    widgets: list[WidgetPayload]

    @classmethod
    def of(cls, store: Store, found: Sequence[Widget], api_url: str) -> "WidgetList":
        """Make it from the kernel's objects."""
        return cls(widgets=[WidgetPayload.of(store, widget, api_url) for widget in found])
