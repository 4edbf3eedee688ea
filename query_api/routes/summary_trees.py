"""`/api/v1/knowledge-bases/{kb}/sources/{source}/tree`.

Belongs here: reading a source's summary tree. Not here: building it (a stage of the sync).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from query_api.context import store
from query_api.problem import Problem
from query_api.requests import Reply, SourcePath, TreeQuery
from query_api.routes.summary_payloads import SummaryTreePayload

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
