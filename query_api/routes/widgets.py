"""`/api/v1/knowledge-bases/{kb}/widgets`: the widgets of web sites (INT-2).

Belongs here: configuring them, and the shapes of these requests. Not here: their visitors (`query_api.widget`),
responses (`widget_payloads`).
"""

from typing import Any, Literal

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.widgets import change_widget as change
from headwater.administration.widgets import create_widget as create
from headwater.administration.widgets import delete_widget as delete
from headwater.domain.access import Scope
from headwater.domain.widgets import Widget, WidgetSettings
from query_api.app_context import api_root, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Body, KnowledgeBasePath, Reply
from query_api.routes.widget_payloads import WidgetList, WidgetPayload


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


routes = APIBlueprint(
    "widgets",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>/widgets",
    abp_tags=[Tag(name="Widgets")],
    abp_responses={"404": Problem},
)


@routes.get("", responses={"200": WidgetList})
@allow(Scope.ADMIN)
def list_widgets(path: KnowledgeBasePath) -> Reply:
    """List the widgets of a knowledge base, with what each has used of its budget of today."""
    owner = store().knowledge_bases.get(path.kb)
    return WidgetList.of(store(), store().widgets.all(owner.slug), api_root()).model_dump(mode="json")


@routes.post("", responses={"201": WidgetPayload})
@allow(Scope.ADMIN)
def create_widget(path: KnowledgeBasePath, body: WidgetBody) -> Reply:
    """Make a widget; `origins` are the sites that may use it, such as `https://docs.example.com`."""
    return _payload(create(store(), path.kb, body.slug, body.values())), 201


@routes.get("/<widget>", responses={"200": WidgetPayload})
@allow(Scope.ADMIN)
def get_widget(path: WidgetPath) -> Reply:
    """Read a widget, with the line of HTML for the site."""
    return _payload(store().widgets.get(store().knowledge_bases.get(path.kb).slug, path.widget))


@routes.patch("/<widget>", responses={"200": WidgetPayload})
@allow(Scope.ADMIN)
def change_widget(path: WidgetPath, body: WidgetChangeBody) -> Reply:
    """Change some settings of a widget; an origin that is removed is refused from the next request on."""
    return _payload(change(store(), store().knowledge_bases.get(path.kb).slug, path.widget, body.values()))


@routes.delete("/<widget>", responses={"200": WidgetPayload})
@allow(Scope.ADMIN)
def delete_widget(path: WidgetPath) -> Reply:
    """Delete a widget, and return what it was. The answers to its visitors stay."""
    return _payload(delete(store(), store().knowledge_bases.get(path.kb).slug, path.widget))


def _payload(widget: Widget) -> "dict[str, object]":
    return WidgetPayload.of(store(), widget, api_root()).model_dump(mode="json")
