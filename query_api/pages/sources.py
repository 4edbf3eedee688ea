"""`/kb/<slug>/sources`: everything that a knowledge base reads (UI-2).

Belongs here: the list of sources, adding one by its address, and the events that keep the list up to date. Not here:
one source (`source`), the form of a kind (`new_source`), registering and syncing (`headwater.administration`).
"""

import re
from typing import Any

from flask import Blueprint, Response, request, stream_with_context

from headwater.administration.sources import NewAddress, add_address, guess_address
from headwater.administration.sync_requests import request_sync
from headwater.domain.access import Scope
from headwater.domain.corpus import Deletion
from headwater.errors import HeadwaterError, NotFoundError
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.source_events import source_events
from query_api.pages.source_views import SourceView, source_views
from query_api.server.client_disconnect import Client
from query_api.sse import PAGES

routes = Blueprint("sources_page", __name__)

_MAX_ADDRESS_CHARS = 2_000  # characters


@routes.get("/kb/<kb>/sources")
@allow(Scope.READ)
def show_sources(kb: str) -> Response:
    """List the sources of a knowledge base."""
    return _sources(kb)


@routes.post("/kb/<kb>/sources")
@allow(Scope.ADMIN, body="form")
def add_source(kb: str) -> Response:
    """Add a source by its address, and request its first sync."""
    try:
        source = add_address(settings(), store(), kb, _new(field("address"), field("kind"))).source
        request_sync(store(), kb, [source.slug], "api")
    except HeadwaterError as error:
        return _sources(kb, error, field("address"))
    return go_to(f"{kb_url(kb, 'sources')}#source-{source.slug}")


@routes.post("/kb/<kb>/sync")
@allow(Scope.WRITE, body="form")
def sync_all(kb: str) -> Response:
    """Request a sync of every source that is not paused."""
    try:
        request_sync(store(), kb, [], "api")
    except HeadwaterError as error:
        return _sources(kb, unsynced=error)
    return go_to(f"{kb_url(kb, 'sources')}#list-title")


@routes.get("/kb/<kb>/guess")
@allow(Scope.ADMIN)  # it tells which local folders exist
def guess(kb: str) -> dict[str, Any]:
    """Say what Headwater would read at an address; an address that is not complete yet is no error."""
    store().knowledge_bases.get(kb)
    try:
        guessed, _ = guess_address(settings(), _new(request.args.get("address", ""), ""))
    except HeadwaterError as error:
        return {"problem": str(error)}
    return {"kind": guessed.kind, "words": guessed.guess.words, "others": list(guessed.others)}


@routes.get("/kb/<kb>/source-events")
@allow(Scope.READ)
def get_events(kb: str) -> Response:
    """Stream the cards of the sources whenever they change."""
    store().knowledge_bases.get(kb)
    events = source_events(store(), kb, Client(request.environ))
    return PAGES.respond(stream_with_context(events))  # type: ignore[type-var]  # Flask's type knows only texts


def _new(address: str, kind: str) -> NewAddress:
    return NewAddress(text=address[:_MAX_ADDRESS_CHARS], kind=kind or None)


def _sources(
    kb: str, error: HeadwaterError | None = None, address: str = "", unsynced: HeadwaterError | None = None
) -> Response:
    views = source_views(store(), kb)
    problem = error or unsynced
    return render(
        "sources.html",
        status=problem.http_status if problem else 200,
        kb=store().knowledge_bases.get(kb),
        views=views,
        targets=[view for view in views if view.takes_files],
        has_documents=has_documents(views),
        upload_limit=settings().upload_limit,
        receipt=_receipt(kb, request.args.get("receipt", "")),
        error=str(error) if error else "",
        unsynced=str(unsynced) if unsynced else "",
        address=address,
    )


def _receipt(kb: str, number: str) -> Deletion | None:
    """The receipt that an address names, if it is of a source of this knowledge base."""
    if not re.fullmatch(r"[0-9]{1,18}", number):
        return None
    try:
        deletion = store().deletions.get(int(number))
    except NotFoundError:
        return None
    return deletion if deletion.key.startswith(f"{kb}/") else None


def has_documents(views: list[SourceView]) -> bool:
    """Whether there is something to ask."""
    return any(view.source.document_count for view in views)
