"""`/api/v1/documents/{id}`, `/api/v1/document-versions/{id}` and `/api/v1/chunks/{id}`.

Belongs here: reading stored documents, including old versions. Not here: changing them, which only a sync does.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import ChunkPath, DocumentPath, Reply, SpanQuery, VersionPath
from query_api.routes.document_payloads import ChunkPayload, DocumentPayload, VersionList, VersionPayload
from query_api.routes.lineage_payloads import ChunkLineage

routes = APIBlueprint(
    "documents",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Documents")],
    abp_responses={"404": Problem, "410": Problem},
)


@routes.get("/documents/<id>", responses={"200": DocumentPayload})
@allow(Scope.READ, about="document")
def get_document(path: DocumentPath) -> Reply:
    """Read a document's metadata and its current version."""
    return DocumentPayload.of(store().versions.document(path.id), settings().dagster_url).model_dump(mode="json")


@routes.get("/documents/<id>/versions", responses={"200": VersionList})
@allow(Scope.READ, about="document")
def list_versions(path: DocumentPath) -> Reply:
    """List the versions of a document that are kept, and when readers saw each."""
    return VersionList.of(store().versions.history(path.id), settings().dagster_url).model_dump(mode="json")


@routes.get("/document-versions/<id>", responses={"200": VersionPayload})
@allow(Scope.READ, about="version")
def get_version(path: VersionPath, query: SpanQuery) -> Reply:
    """Read a version, or a span of it with its context; 410 if it is no longer kept."""
    version = store().versions.get(path.id)
    payload = VersionPayload.part(
        version, settings().dagster_url, start=query.start, end=query.end, context=query.context
    )
    return payload.model_dump(mode="json")


@routes.get("/chunks/<id>", responses={"200": ChunkPayload})
@allow(Scope.READ, about="chunk")
def get_chunk(path: ChunkPath) -> Reply:
    """Read a chunk with its place in its document."""
    return ChunkPayload.of(store().versions.chunk(path.id), settings().dagster_url).model_dump(mode="json")


@routes.get("/chunks/<id>/lineage", responses={"200": ChunkLineage})
@allow(Scope.READ, about="chunk")
def get_chunk_lineage(path: ChunkPath) -> Reply:
    """Trace a chunk upstream through every version that contains it."""
    return ChunkLineage.of(store().versions.chunk_lineage(path.id), settings().dagster_url).model_dump(mode="json")
