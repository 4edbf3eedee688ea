"""`/kb/<slug>/sources/<source>/edit`: every field of a source that is there (UI-2).

Belongs here: the page and its form. Not here: the inputs (`schema_forms`), changing a source
(`headwater.administration`). Guarantee: fields that no input can show stay as they are; a form that is wrong keeps what
was entered.
"""

from typing import Any

from flask import Blueprint, Response, request

from headwater.administration.sources import SourceEdit, change_source
from headwater.administration.sync_requests import request_sync
from headwater.domain.access import Scope
from headwater.domain.corpus import Source
from headwater.domain.source_settings import format_interval
from headwater.errors import HeadwaterError
from headwater.sources.connector import connector_of
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.pages.forms import check_values, field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.schema_forms import CATEGORY, LABELS, TAGS, TIMES, Form, form_of, texts_of, values_of
from query_api.request_shapes import SourceChange

routes = Blueprint("edit_source_page", __name__)
_EVERY = (*TIMES, TAGS, CATEGORY)


@routes.get("/kb/<kb>/sources/<source>/edit")
@allow(Scope.ADMIN)
def show_form(kb: str, source: str) -> Response:
    """Show the fields of a source as they are."""
    stored_source = store().sources.get(kb, source)
    return _page(stored_source, _texts(stored_source, _form(stored_source)))


@routes.post("/kb/<kb>/sources/<source>/edit")
@allow(Scope.ADMIN, body="form")
def change(kb: str, source: str) -> Response:
    """Save the fields, and sync if the button says so."""
    stored_source = store().sources.get(kb, source)
    form = _form(stored_source)
    try:
        change_source(store(), kb, source, _edit(stored_source, form))
        if field("do") == "sync":
            request_sync(store(), kb, [source], "api")
    except HeadwaterError as error:
        values = {name: request.form.get(name, "") for name in (*_texts(stored_source, form), "paused")}
        return _page(stored_source, values, error)
    return go_to(f"{kb_url(kb, 'sources')}/{source}")


def _form(source: Source) -> Form:
    return form_of(connector_of(source.kind).Config.model_json_schema())


def _texts(source: Source, form: Form) -> dict[str, str]:
    """The texts of the inputs, as the source is."""
    every = {
        "refresh": format_interval(source.refresh_seconds) if source.refresh_seconds else "",
        "schedule": source.schedule or "",
        "time_zone": source.time_zone if source.schedule else "",
        "tags": source.tags,
        "category": source.category,
    }
    paused = "1" if source.paused_at is not None else ""
    return {**texts_of(form.fields, source.config), **texts_of(_EVERY, every), "paused": paused}


def _edit(source: Source, form: Form) -> SourceEdit:
    """What the form changes: all fields of the kind together, so that an empty input clears its field."""
    config = values_of(form.fields, request.form)
    for form_field in form.fields:
        if (
            form_field.kind == "check"
            and form_field.name not in source.config
            and str(config[form_field.name]) == (form_field.default or "False")
        ):
            del config[form_field.name]
    untouched = {name: source.config[name] for name in form.left_out if name in source.config}
    every: dict[str, Any] = {form_field.name: field(form_field.name) or None for form_field in _EVERY}
    every["tags"] = field("tags").split()
    settings = check_values(SourceChange, {**every, "paused": bool(field("paused"))}, LABELS).edit().settings
    return SourceEdit(config={**untouched, **config}, settings=settings)


def _page(source: Source, given: dict[str, str], error: HeadwaterError | None = None) -> Response:
    form = _form(source)
    return render(
        "edit_source.html",
        status=error.http_status if error else 200,
        kb=store().knowledge_bases.get(source.knowledge_base),
        source=source,
        form=form,
        every=_EVERY,
        given=given,
        url=f"{kb_url(source.knowledge_base, 'sources')}/{source.slug}",
        error=str(error) if error else "",
    )
