"""`/api/v1/knowledge-bases/{kb}/search-indexes`.

Belongs here: listing search indexes, and choosing the active one. Not here: building them, which
syncs do.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.indexes import roll_back, switch
from headwater.domain.access import Scope
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, Reply, SearchIndexPath
from query_api.routes.index_payloads import SearchIndexList, SwitchPayload

routes = APIBlueprint(
    "search_indexes",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>/search-indexes",
    abp_tags=[Tag(name="Search indexes")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.get("", responses={"200": SearchIndexList})
@allow(Scope.READ)
def list_search_indexes(path: KnowledgeBasePath) -> Reply:
    """List the search indexes of a knowledge base, and why one may not become active."""
    return SearchIndexList.of(store(), path.kb).model_dump(mode="json")


@routes.post("/<id>/switch", responses={"200": SwitchPayload})
@allow(Scope.ADMIN)
def switch_search_index(path: SearchIndexPath) -> Reply:
    """Make an index active if it passes the gate; otherwise 409 `GATE_FAILED` with the reason."""
    switched = switch(store(), settings(), path.kb, path.id)
    return SwitchPayload.of(store(), path.kb, switched).model_dump(mode="json")


@routes.post("/rollback", responses={"200": SwitchPayload})
@allow(Scope.ADMIN)
def roll_back_search_index(path: KnowledgeBasePath) -> Reply:
    """Make the previous index active again."""
    switched = roll_back(store(), path.kb)
    return SwitchPayload.of(store(), path.kb, switched).model_dump(mode="json")
