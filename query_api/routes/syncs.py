"""`/api/v1/knowledge-bases/{kb}/syncs`, `/api/v1/syncs` and `/api/v1/syncs/{id}`.

Belongs here: requesting a sync, following it, listing them. Not here: running it: a Dagster sensor finds the
request.
"""

from typing import Any

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration import sync_requests
from headwater.domain.access import Scope
from query_api.answer_access import check_caller
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, NewSync, Reply, SyncPath, SyncsQuery
from query_api.routes.sync_events import sync_events
from query_api.routes.sync_payloads import SyncPage, SyncPayload

routes = APIBlueprint(
    "syncs",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Syncs")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.post("/knowledge-bases/<kb>/syncs", responses={"202": SyncPayload})
@allow(Scope.WRITE)
def create_sync(path: KnowledgeBasePath, body: NewSync) -> Reply:
    """Request a sync; 409 while one of the sources is being synced. It joins a waiting request for the same sources."""
    sync_id, _ = sync_requests.request_sync(
        store(), path.kb, body.sources, "api", is_full=body.full, confirms_deletions=body.confirm_deletions
    )
    return _payload(sync_id), 202, {"Location": f"/api/v1/syncs/{sync_id}"}


@routes.get("/syncs", responses={"200": SyncPage})
@allow(Scope.READ, about="visible")
def list_syncs(query: SyncsQuery) -> Reply:
    """List syncs, newest first: what ran, when, who asked, how it ended, what it cost."""
    owner = None if query.knowledge_base is None else store().knowledge_bases.get(query.knowledge_base)
    stored_syncs = store().sync_history.all(owner, before=query.after, limit=query.limit + 1)
    builds = [] if owner is None else store().index_builds.of(owner)
    return SyncPage.of(stored_syncs, query.limit, builds).model_dump(mode="json")


@routes.get("/syncs/<id>", responses={"200": SyncPayload})
@allow(Scope.READ, about="sync")
def get_sync(path: SyncPath) -> Reply:
    """Read a sync."""
    return _payload(path.id)


@routes.get("/syncs/<id>/events", responses={"200": None})
@allow(Scope.READ, about="sync")
def get_sync_events(path: SyncPath) -> Response:
    """Follow a sync as server-sent events: `progress` for each change, `done` at its end."""
    return sync_events(store(), check_caller(), path.id)


@routes.post("/syncs/<id>/cancel", responses={"202": SyncPayload})
@allow(Scope.WRITE, about="sync")
def cancel_sync(path: SyncPath) -> Reply:
    """Cancel the rest of a sync; published documents stay."""
    sync_requests.cancel_sync(store(), path.id)
    return _payload(path.id), 202


def _payload(sync_id: int) -> dict[str, Any]:
    return SyncPayload.of(store().syncs.get(sync_id)).model_dump(mode="json")
