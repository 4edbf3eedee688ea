"""`/api/v1/knowledge-bases`.

Belongs here: creating, reading, changing, deleting knowledge bases, and searching one. Not here: its sources and
answers.
"""

from typing import Any

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.deletion import delete_knowledge_base as delete
from headwater.administration.knowledge_bases import change_knowledge_base as change
from headwater.administration.knowledge_bases import create_knowledge_base as create
from headwater.domain.access import Scope
from headwater.domain.corpus import KnowledgeBase
from headwater.retrieval.context_builder import gather
from headwater.retrieval.search import search
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import (
    KnowledgeBaseChange,
    KnowledgeBasePath,
    NewKnowledgeBase,
    PageQuery,
    Reply,
    SearchBody,
)
from query_api.routes.deletion_payloads import DeletionPayload
from query_api.routes.knowledge_base_payloads import KnowledgeBasePage, KnowledgeBasePayload
from query_api.routes.search_payloads import SearchPayload

routes = APIBlueprint(
    "knowledge_bases",
    __name__,
    url_prefix="/api/v1/knowledge-bases",
    abp_tags=[Tag(name="Knowledge bases")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.post("", responses={"201": KnowledgeBasePayload})
@allow(Scope.ADMIN, about="server", returns="knowledge_base")
def create_knowledge_base(body: NewKnowledgeBase) -> Reply:
    """Create a knowledge base."""
    knowledge_base = create(store(), body.slug, name=body.name, description=body.description, settings=body.settings)
    return _payload(knowledge_base), 201, {"Location": f"/api/v1/knowledge-bases/{knowledge_base.slug}"}


@routes.get("", responses={"200": KnowledgeBasePage})
@allow(Scope.READ, about="visible")
def list_knowledge_bases(query: PageQuery) -> Reply:
    """List knowledge bases by slug."""
    knowledge_bases = store().knowledge_bases.all(after=query.after, limit=query.limit + 1)
    page = knowledge_bases[: query.limit]
    following = page[-1].slug if len(knowledge_bases) > query.limit else None
    return {"knowledge_bases": [_payload(knowledge_base) for knowledge_base in page], "next": following}


@routes.get("/<kb>", responses={"200": KnowledgeBasePayload})
@allow(Scope.READ)
def get_knowledge_base(path: KnowledgeBasePath) -> Reply:
    """Read a knowledge base."""
    return _payload(store().knowledge_bases.get(path.kb))


@routes.patch("/<kb>", responses={"200": KnowledgeBasePayload})
@allow(Scope.ADMIN)
def change_knowledge_base(path: KnowledgeBasePath, body: KnowledgeBaseChange) -> Reply:
    """Change a knowledge base; fields that are not given stay."""
    changes = body.model_dump(exclude={"slug"})
    return _payload(change(store(), path.kb, new_slug=body.slug, **changes))


@routes.delete("/<kb>", responses={"200": DeletionPayload})
@allow(Scope.ADMIN)
def delete_knowledge_base(path: KnowledgeBasePath) -> Reply:
    """Delete a knowledge base with everything that came from it; returns the receipt."""
    return DeletionPayload.of(delete(settings(), store(), path.kb)).model_dump(mode="json")


@routes.post("/<kb>/search", responses={"200": SearchPayload})
@allow(Scope.READ, keeps_response=False)  # it changes nothing
def search_knowledge_base(path: KnowledgeBasePath, body: SearchBody) -> Reply:
    """Find passages; with `as_of`, in what readers saw at that time."""
    knowledge_base = store().knowledge_bases.get(path.kb)
    result = search(store(), settings(), knowledge_base, body.query, body.to_options())
    gathered = gather(store(), knowledge_base, result) if body.context else None
    return SearchPayload.of(body.query, result, gathered=gathered, explain=body.explain).model_dump(mode="json")


def _payload(knowledge_base: KnowledgeBase) -> dict[str, Any]:
    categories = store().knowledge_bases.categories(knowledge_base)
    summary = store().knowledge_base_summaries.text(knowledge_base)
    return KnowledgeBasePayload.of(knowledge_base, categories, summary).model_dump(mode="json")
