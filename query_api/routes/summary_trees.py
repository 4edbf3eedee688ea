"""`/api/v1/knowledge-bases/{kb}/tree`, `…/sources/{source}/tree` and `…/summary-estimate`.

Belongs here: reading summary trees, and what the next summaries would cost. Not here: building trees (a stage of the
sync, and the asset `knowledge_base_summary`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.summaries.estimating import estimate_all
from headwater.summaries.knowledge_base_tree import is_current
from query_api.context import store
from query_api.problem import Problem
from query_api.requests import EstimateQuery, KnowledgeBasePath, Reply, SourcePath, TreeQuery
from query_api.routes.summary_payloads import EstimatePayload, KnowledgeBaseTreePayload, SummaryTreePayload

routes = APIBlueprint(
    "summary_trees",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>",
    abp_tags=[Tag(name="Summaries")],
    abp_responses={"404": Problem},
)


@routes.get("/sources/<source>/tree", responses={"200": SummaryTreePayload})
def get_tree(path: SourcePath, query: TreeQuery) -> Reply:
    """Read the summary tree of a source from its top down to a depth; empty if it has none."""
    found = store().sources.get(path.kb, path.source)
    nodes = store().summaries.nodes(found, depth=query.depth, limit=query.limit + 1)
    return SummaryTreePayload.of(path.source, nodes, query.limit).model_dump(mode="json")


@routes.get("/tree", responses={"200": KnowledgeBaseTreePayload})
def get_knowledge_base_tree(path: KnowledgeBasePath, query: TreeQuery) -> Reply:
    """Read the summary tree of a knowledge base from its top down to a depth; empty if it has none."""
    owner = store().knowledge_bases.get(path.kb)
    nodes = store().knowledge_base_summaries.nodes(owner, depth=query.depth, limit=query.limit + 1)
    current = is_current(store(), owner)
    return KnowledgeBaseTreePayload.of(path.kb, nodes, query.limit, current=current).model_dump(mode="json")


@routes.get("/summary-estimate", responses={"200": EstimatePayload})
def get_summary_estimate(path: KnowledgeBasePath, query: EstimateQuery) -> Reply:
    """Estimate what the summaries of a sync would cost at most now, without calling a model."""
    owner, chosen = store().knowledge_bases.get(path.kb), store().sources.select(path.kb, query.source)
    return EstimatePayload.of(owner, estimate_all(store(), owner, chosen)).model_dump(mode="json")
