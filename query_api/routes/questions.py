"""`/api/v1/knowledge-bases/{kb}/questions`.

Belongs here: reading questions that a reader may ask. Not here: making them (a stage of the sync), checking them (the
refresh of the knowledge base).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from headwater.questions.suggester import suggest
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, QuestionsQuery, Reply
from query_api.routes.question_payloads import QuestionsPayload

routes = APIBlueprint(
    "questions",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>",
    abp_tags=[Tag(name="Questions")],
    abp_responses={"404": Problem},
)


@routes.get("/questions", responses={"200": QuestionsPayload})
@allow(Scope.READ)
def list_questions(path: KnowledgeBasePath, query: QuestionsQuery) -> Reply:
    """Questions that a reader may ask: of as many documents as possible, or those like a text that is being typed."""
    owner = store().knowledge_bases.get(path.kb)
    suggested = suggest(store(), settings(), owner, like=query.like, source=query.source, limit=query.limit)
    return QuestionsPayload.of(suggested).model_dump(mode="json")
