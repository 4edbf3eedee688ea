"""`/kb/<slug>/widgets`: the widgets of web sites, with a preview of each (INT-2).

Belongs here: the pages and their forms. Not here: changing widgets (`headwater.administration.widgets`), the widget
itself (`query_api/static/widget`).
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from headwater.administration.widgets import change_widget, create_widget, delete_widget
from headwater.domain.access import Scope
from headwater.domain.widgets import WidgetSettings
from headwater.errors import HeadwaterError, InvalidInputError
from query_api.app_context import api_root, store
from query_api.guards.route_facts import allow
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.routes.widget_payloads import WidgetPayload

routes = Blueprint("widget_page", __name__)

_WHOLE = ("visitor_per_minute", "address_per_minute", "widget_per_minute", "questions_per_day")
_TEXTS = ("label", "greeting", "placeholder", "theme", "accent")


@routes.get("/kb/<kb>/widgets")
@allow(Scope.ADMIN)
def show_widgets(kb: str) -> Response:
    """List the widgets of a knowledge base, and make one."""
    return _widgets(kb)


@routes.post("/kb/<kb>/widgets")
@allow(Scope.ADMIN, body="form")
def create(kb: str) -> Response:
    """Make a widget, and go on with its looks."""
    try:
        new_widget = create_widget(store(), kb, field("slug"), {"origins": _origins()})
    except HeadwaterError as error:
        return _widgets(kb, error)
    return go_to(_url(kb, new_widget.slug))


@routes.get("/kb/<kb>/widgets/<widget>")
@allow(Scope.ADMIN)
def show_widget(kb: str, widget: str) -> Response:
    """Show a widget with its settings, its preview and its line of HTML."""
    return _widget(kb, widget)


@routes.post("/kb/<kb>/widgets/<widget>")
@allow(Scope.ADMIN, body="form")
def change(kb: str, widget: str) -> Response:
    """Save the settings, or delete the widget, as the button says."""
    try:
        if field("do") == "delete":
            delete_widget(store(), kb, widget)
            return go_to(kb_url(kb, "widgets"))
        change_widget(store(), kb, widget, _read_settings())
    except HeadwaterError as error:
        return _widget(kb, widget, error)
    return go_to(_url(kb, widget))


@routes.get("/kb/<kb>/widgets/<widget>/delete")
@allow(Scope.ADMIN)
def confirm_deletion(kb: str, widget: str) -> Response:
    """Ask before a widget is deleted."""
    owner = store().knowledge_bases.get(kb)
    return render("delete_widget.html", kb=owner, widget=store().widgets.get(owner.slug, widget))


def _read_settings() -> dict[str, Any]:
    """The settings in the form."""
    numbers = {name: _number(name) for name in _WHOLE}
    texts = {name: field(name) for name in _TEXTS}
    cost = field("cost_per_day")
    try:
        cost_per_day = float(cost)
    except ValueError:
        raise InvalidInputError(f"cost_per_day: {cost[:40]!r} is not a number") from None
    enabled = field("enabled") == "on"
    return {"origins": _origins(), **texts, **numbers, "cost_per_day": cost_per_day, "enabled": enabled}


def _number(name: str) -> int:
    text = field(name)
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise InvalidInputError(f"{name}: {text[:40]!r} is not a whole number")
    return int(text)


def _origins() -> list[str]:
    return field("origins").split()


def _widgets(kb: str, error: HeadwaterError | None = None) -> Response:
    owner = store().knowledge_bases.get(kb)
    return render(
        "widgets.html",
        status=error.http_status if error else 200,
        kb=owner,
        widgets=[WidgetPayload.of(store(), widget, api_root()) for widget in store().widgets.all(owner.slug)],
        error=str(error) if error else "",
        slug=field("slug") if error else "",
        origins=field("origins") if error else "",
    )


def _widget(kb: str, slug: str, error: HeadwaterError | None = None) -> Response:
    owner = store().knowledge_bases.get(kb)
    payload = WidgetPayload.of(store(), store().widgets.get(owner.slug, slug), api_root())
    settings: Mapping[str, Any] = payload.settings.model_dump(mode="json")
    if error:
        values = {name: field(name) for name in WidgetSettings.model_fields if name in request.form}
        settings = {**settings, **values, "origins": _origins(), "enabled": field("enabled") == "on"}
    return render(
        "widget.html",
        status=error.http_status if error else 200,
        kb=owner,
        widget=payload,
        settings=settings,
        error=str(error) if error else "",
    )


def _url(kb: str, slug: str) -> str:
    return f"{kb_url(kb, 'widgets')}/{slug}"
