"""`/api/v1/knowledge-bases/{kb}/sources`.

Belongs here: registering, reading, changing, deleting sources. Not here: syncing them (`syncs`).
"""

from typing import Any

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.deletion import delete_source as delete
from headwater.administration.sources import add_address, add_source
from headwater.administration.sources import change_source as change
from headwater.domain.access import Scope
from headwater.domain.corpus import Source
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, NewSource, Reply, SourceChange, SourcePath
from query_api.routes.deletion_payloads import DeletionPayload
from query_api.routes.source_payloads import SourceList, SourcePayload

routes = APIBlueprint(
    "sources",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>/sources",
    abp_tags=[Tag(name="Sources")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.post("", responses={"201": SourcePayload})
@allow(Scope.ADMIN)
def create_source(path: KnowledgeBasePath, body: NewSource) -> Reply:
    """Register a source, by its fields or by its address alone; sync it to read its documents."""
    if body.address is not None:
        source = add_address(settings(), store(), path.kb, body.new_address(body.address)).source
    else:
        source = add_source(
            store(), path.kb, body.slug or "", kind=body.kind or "", config=body.fields(), settings=body.settings()
        )
    return _payload(source), 201, {"Location": f"/api/v1/knowledge-bases/{path.kb}/sources/{source.slug}"}


@routes.get("", responses={"200": SourceList})
@allow(Scope.READ)
def list_sources(path: KnowledgeBasePath) -> Reply:
    """List the sources of a knowledge base with their states."""
    return {"sources": [_payload(source) for source in store().sources.all(path.kb, with_deleting=True)]}


@routes.get("/<source>", responses={"200": SourcePayload})
@allow(Scope.READ)
def get_source(path: SourcePath) -> Reply:
    """Read a source."""
    return _payload(store().sources.get(path.kb, path.source))


@routes.patch("/<source>", responses={"200": SourcePayload})
@allow(Scope.ADMIN)
def change_source(path: SourcePath, body: SourceChange) -> Reply:
    """Change a source; the next sync updates its documents. 409 while it is being deleted."""
    return _payload(change(store(), path.kb, path.source, body.edit()))


@routes.delete("/<source>", responses={"200": DeletionPayload})
@allow(Scope.ADMIN)
def delete_source(path: SourcePath) -> Reply:
    """Delete a source with everything that came from it; returns the receipt."""
    return DeletionPayload.of(delete(settings(), store(), path.kb, path.source)).model_dump(mode="json")


def _payload(source: Source) -> dict[str, Any]:
    return SourcePayload.of(source, settings().dagster_url).model_dump(mode="json")
