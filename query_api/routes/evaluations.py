"""`/api/v1/knowledge-bases/{kb}/golden-questions` and `…/evaluations`.

Belongs here: setting and reading a golden set, evaluating on request. Not here: evaluating after every change, which
Dagster does.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.golden_sets import replace_golden_set
from headwater.evaluation.evaluating import evaluate_and_record
from query_api.context import settings, store
from query_api.problem import Problem
from query_api.requests import EvaluationsQuery, GoldenQuestionsBody, KnowledgeBasePath, Reply
from query_api.routes.evaluation_payloads import (
    EvaluationPage,
    EvaluationPayload,
    EvaluationReport,
    GoldenSetChange,
    GoldenSetPayload,
)

routes = APIBlueprint(
    "evaluations",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>",
    abp_tags=[Tag(name="Evaluations")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.put("/golden-questions", responses={"200": GoldenSetChange})
def put_golden_questions(path: KnowledgeBasePath, body: GoldenQuestionsBody) -> Reply:
    """Replace the whole golden set."""
    counts = replace_golden_set(store(), path.kb, body.questions)
    return GoldenSetChange.model_validate(counts).model_dump(mode="json")


@routes.get("/golden-questions", responses={"200": GoldenSetPayload})
def get_golden_questions(path: KnowledgeBasePath) -> Reply:
    """Read the golden set."""
    questions = store().evaluations.golden_questions(store().knowledge_bases.get(path.kb))
    return GoldenSetPayload(questions=list(questions)).model_dump(mode="json", exclude_none=True)


@routes.post("/evaluations", responses={"201": EvaluationReport})
def create_evaluation(path: KnowledgeBasePath) -> Reply:
    """Evaluate the active index now; 409 without a golden set."""
    made, row = evaluate_and_record(store(), settings(), store().knowledge_bases.get(path.kb))
    return EvaluationReport.made(made, row).model_dump(mode="json"), 201


@routes.get("/evaluations", responses={"200": EvaluationPage})
def list_evaluations(path: KnowledgeBasePath, query: EvaluationsQuery) -> Reply:
    """List evaluations, newest first."""
    knowledge_base = store().knowledge_bases.get(path.kb)
    found = store().evaluations.all(knowledge_base, before=query.after, limit=query.limit + 1)
    page = [EvaluationPayload.of(row) for row in found[: query.limit]]
    following = page[-1].id if len(found) > query.limit else None
    return EvaluationPage(evaluations=page, next=following).model_dump(mode="json")
