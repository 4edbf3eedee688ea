"""`/kb/<slug>/new-source`: a source with every field of its kind (UI-2).

Belongs here: choosing a kind, and its form. Not here: the form itself (`schema_forms`), registering
(`headwater.administration`).
"""

from flask import Blueprint, Response, request

from headwater.administration.sources import add_source
from headwater.administration.sync_requests import request_sync
from headwater.domain.access import Scope
from headwater.errors import HeadwaterError
from headwater.sources.connector import connector_of, connectors
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_
from query_api.pages.forms import check_values, field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.schema_forms import CATEGORY, LABELS, TAGS, TIMES, Field, form_of, texts_of, values_of
from query_api.request_shapes import NewSource

routes = Blueprint("new_source_page", __name__)

_EVERY = (
    Field(name="slug", label=N_("Name"), kind="text", is_required=True,
          hint=N_("Lower-case letters, digits, - and _, such as handbook.")),
    *TIMES,
    TAGS,
    CATEGORY,
)  # fmt: skip
"""The fields that every source has."""


@routes.get("/kb/<kb>/new-source")
@allow(Scope.ADMIN)
def show_form(kb: str) -> Response:
    """Show the kinds, and the form of one of them."""
    return _page(kb, request.args.get("kind", ""))


@routes.post("/kb/<kb>/new-source")
@allow(Scope.ADMIN, body="form")
def create_source(kb: str) -> Response:
    """Register a source, and request its first sync."""
    kind = field("kind")
    try:
        slug = _create(kb, kind)
    except HeadwaterError as error:
        return _page(kb, kind, error)
    return go_to(f"{kb_url(kb, 'sources')}#source-{slug}")


def _create(kb: str, kind: str) -> str:
    config = values_of(form_of(connector_of(kind).Config.model_json_schema()).fields, request.form)
    new = check_values(NewSource, {**values_of(_EVERY, request.form), "kind": kind, "config": config}, LABELS)
    source = add_source(store(), kb, new.slug or "", kind=kind, config=new.fields(), settings=new.settings())
    request_sync(store(), kb, [source.slug], "api")
    return source.slug


def _page(kb: str, kind: str, error: HeadwaterError | None = None) -> Response:
    config = connector_of(kind).Config if kind in connectors() else None
    form = form_of(config.model_json_schema()) if config else None
    return render(
        "new_source.html",
        status=error.http_status if error else 200,
        kb=store().knowledge_bases.get(kb),
        kinds=sorted(connectors()),
        kind=kind if config else "",
        every=_EVERY,
        form=form,
        given=texts_of(form.fields, {}) if form and request.method == "GET" else request.form,
        error=str(error) if error else "",
    )
