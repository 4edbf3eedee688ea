"""`/api/v1/knowledge-bases/{kb}/widgets`: the widgets of web sites (INT-2).

Belongs here: configuring them. Not here: their visitors (`query_api.widget`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.widgets import change_widget as change
from headwater.administration.widgets import create_widget as create
from headwater.administration.widgets import delete_widget as delete
from headwater.domain.access import Scope
from headwater.domain.widgets import Widget
from query_api.app_context import api_root, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, Reply
from query_api.routes.widget_payloads import WidgetList, WidgetPayload
from query_api.routes.widget_requests import WidgetBody, WidgetChangeBody, WidgetPath

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
