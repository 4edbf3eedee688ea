"""`/api/v1/deletions`.

Belongs here: reading receipts. Not here: deleting (`sources`, `knowledge_bases`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import DeletionPath, DeletionQuery, Reply
from query_api.routes.deletion_payloads import DeletionPage, DeletionPayload

routes = APIBlueprint(
    "deletions",
    __name__,
    url_prefix="/api/v1/deletions",
    abp_tags=[Tag(name="Deletions")],
    abp_responses={"404": Problem},
)


@routes.get("", responses={"200": DeletionPage})
@allow(Scope.ADMIN, about="visible")
def list_deletions(query: DeletionQuery) -> Reply:
    """List deletions, newest first."""
    receipts = store().deletions.all(before=query.after, limit=query.limit + 1)
    return DeletionPage.of(receipts, query.limit).model_dump(mode="json")


@routes.get("/<id>", responses={"200": DeletionPayload})
@allow(Scope.ADMIN, about="deletion")
def get_deletion(path: DeletionPath) -> Reply:
    """Read a receipt."""
    return DeletionPayload.of(store().deletions.get(path.id)).model_dump(mode="json")
