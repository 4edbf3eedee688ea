"""`/api/v1/knowledge-bases/{kb}/answers`, `/api/v1/answers/{id}` and the lineage of answers.

Belongs here: asking, reading answers again, tracing them. Not here: answering.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.answering.asking import serve
from headwater.answering.request import AnswerRequest
from query_api.context import settings, store
from query_api.problem import Problem
from query_api.requests import AnswerPath, KnowledgeBasePath, QuestionBody, Reply
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.lineage_payloads import AnswerLineage

routes = APIBlueprint(
    "answers", __name__, url_prefix="/api/v1", abp_tags=[Tag(name="Answers")], abp_responses={"404": Problem}
)


@routes.post("/knowledge-bases/<kb>/answers", responses={"200": AnswerPayload})
def create_answer(path: KnowledgeBasePath, body: QuestionBody) -> Reply:
    """Answer a question with citations, or refuse; with `as_of`, use what readers saw at that time."""
    request = AnswerRequest(
        knowledge_base=store().knowledge_bases.get(path.kb),
        question=body.question,
        filters=body.filters.to_filters(),
        as_of=body.as_of,
        is_fresh=body.fresh,
    )
    answer = serve(store(), settings(), request)
    return AnswerPayload.of(answer).with_originals(store().originals).model_dump(mode="json")


@routes.get("/answers/<id>", responses={"200": AnswerPayload})
def get_answer(path: AnswerPath) -> Reply:
    """Read an answer again."""
    kept = AnswerPayload.stored(store().answers.get(path.id))
    return kept.with_originals(store().originals).model_dump(mode="json")


@routes.get("/answers/<id>/lineage", responses={"200": AnswerLineage})
def get_answer_lineage(path: AnswerPath) -> Reply:
    """Trace an answer upstream to the runs that fetched its citations."""
    return AnswerLineage.of(store().answers.get(path.id), settings().dagster_url).model_dump(mode="json")
