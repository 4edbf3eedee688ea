"""Summary trees of knowledge bases and sources, their nodes and pictures, and what the next summaries would cost.

Belongs here: reading summary trees and their nodes, and estimates. Not here: building trees (a stage of the sync, and
the asset `knowledge_base_summary`), drawing them (`query_api.tree_drawing`).
"""

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from headwater.summaries.knowledge_base_tree import is_current
from headwater.syncing.estimate import estimate_all
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import (
    DrawingQuery,
    EstimateQuery,
    KnowledgeBasePath,
    NodePath,
    Reply,
    SourcePath,
    TreeQuery,
)
from query_api.routes.summary_payloads import (
    EstimatePayload,
    KnowledgeBaseTreePayload,
    NodeLineage,
    NodePayload,
    SummaryTreePayload,
)
from query_api.tree_drawing import draw_trees, read_trees

_PICTURE = {"description": "A picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}

routes = APIBlueprint(
    "summary_trees",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Summaries")],
    abp_responses={"404": Problem},
)


@routes.get("/knowledge-bases/<kb>/sources/<source>/tree", responses={"200": SummaryTreePayload})
@allow(Scope.READ)
def get_tree(path: SourcePath, query: TreeQuery) -> Reply:
    """Read the summary tree of a source from its top down to a depth; empty if it has none."""
    source = store().sources.get(path.kb, path.source)
    nodes = store().summaries.nodes(source, depth=query.depth, limit=query.limit + 1)
    return SummaryTreePayload.of(path.source, nodes, query.limit).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/tree", responses={"200": KnowledgeBaseTreePayload})
@allow(Scope.READ)
def get_knowledge_base_tree(path: KnowledgeBasePath, query: TreeQuery) -> Reply:
    """Read the summary tree of a knowledge base from its top down to a depth; empty if it has none."""
    owner = store().knowledge_bases.get(path.kb)
    nodes = store().knowledge_base_summaries.nodes(owner, depth=query.depth, limit=query.limit + 1)
    current = is_current(store(), owner)
    return KnowledgeBaseTreePayload.of(path.kb, nodes, query.limit, current=current).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/summary-estimate", responses={"200": EstimatePayload})
@allow(Scope.READ)
def get_summary_estimate(path: KnowledgeBasePath, query: EstimateQuery) -> Reply:
    """Estimate what the summaries of a sync would cost at most now, without calling a model."""
    owner, selected = store().knowledge_bases.get(path.kb), store().sources.select(path.kb, query.source)
    return EstimatePayload.of(owner, estimate_all(store(), owner, selected)).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/tree.svg", responses={"200": _PICTURE})
@allow(Scope.READ)
def draw_tree(path: KnowledgeBasePath, query: DrawingQuery) -> Response:
    """Draw the summary trees of a knowledge base, or of some of its sources, as SVG."""
    trees = read_trees(
        store(), store().sources.select(path.kb, [query.source] if query.source else ()), depth=query.depth
    )
    return Response(draw_trees(path.kb, trees), mimetype="image/svg+xml", headers=_SAFE)


@routes.get("/summary-nodes/<id>", responses={"200": NodePayload})
@allow(Scope.READ, about="summary")
def get_node(path: NodePath) -> Reply:
    """Read a summary with the ones that it was made of."""
    return NodePayload.of(store().summary_nodes.get(path.id), settings().dagster_url).model_dump(mode="json")


@routes.get("/summary-nodes/<id>/lineage", responses={"200": NodeLineage})
@allow(Scope.READ, about="summary")
def get_node_lineage(path: NodePath) -> Reply:
    """Trace a summary upstream: its chunks, their document versions and sources, and the runs that made them."""
    return NodeLineage.of(*store().summary_nodes.lineage(path.id), settings().dagster_url).model_dump(mode="json")
