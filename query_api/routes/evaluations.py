"""`/api/v1/knowledge-bases/{kb}/golden-questions` and `…/evaluations`, and promoting an answer.

Belongs here: reading and changing a golden set, evaluating, comparing and tuning on request, and the shapes of these
requests. Not here: responses (`evaluation_payloads`), evaluating after every change, which Dagster does.
"""

from typing import Any, Self

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field, model_validator

from headwater.administration.evaluation_runs import compare_with, evaluate, tune_and_apply
from headwater.administration.golden_sets import (
    add_golden_questions,
    generate_golden_questions,
    promote_answer,
    remove_golden_question,
    replace_golden_set,
)
from headwater.domain.access import Scope
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from query_api.app_context import settings, store
from query_api.guards.route_facts import EVALUATION, allow
from query_api.problems import Problem
from query_api.request_shapes import Body, KnowledgeBasePath, Reply
from query_api.routes.answer_requests import AnswerPath
from query_api.routes.evaluation_payloads import (
    ComparisonPayload,
    EvaluationPage,
    EvaluationReport,
    GeneratedPayload,
    GoldenQuestionPayload,
    GoldenSetChange,
    GoldenSetPayload,
    TuningPayload,
)


class EvaluationsQuery(BaseModel):
    """A part of the list of evaluations."""

    after: int | None = Field(default=None, ge=1, lt=2**63)
    limit: int = Field(default=50, ge=1, le=200)


class GoldenQuestionsBody(Body):
    """The complete part of a golden set that comes from files; an empty one removes that part."""

    questions: list[GoldenQuestion]


class NewGoldenQuestion(Body, GoldenQuestion):
    """A golden question to add; one with the same words is replaced."""


class GoldenQuestionPath(KnowledgeBasePath):
    """A golden question by its number."""

    id: int = Field(ge=1, lt=2**63)


class PromotionBody(Body):
    """What is right instead of the answer: documents, a text, or that the question ought to be refused.

    By default the documents that the answer cites, with its own text.
    """

    relevant: list[RelevantDocument] | None = None
    answer: str | None = Field(default=None, min_length=1, max_length=20_000)
    unanswerable: bool = False

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if self.unanswerable and (self.relevant or self.answer):
            raise ValueError("an unanswerable question has neither documents nor an answer")
        return self


class GenerationBody(Body):
    """How many golden questions to make of the documents."""

    count: int = Field(default=20, ge=1, le=200)


class EvaluationBody(Body):
    """Whether to evaluate answers beside the ranking of documents."""

    answers: bool = True


class ComparisonBody(EvaluationBody):
    """The settings to compare with those of the knowledge base; single settings that are not given are the same."""

    settings: dict[str, Any]


class TuningBody(Body):
    """Whether to apply the chosen settings if they are at least as good on the other half."""

    apply: bool = False


routes = APIBlueprint(
    "evaluations",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Evaluations")],
    abp_responses={"404": Problem, "409": Problem},
)
_GOLDEN = "/knowledge-bases/<kb>/golden-questions"
_EVALUATIONS = "/knowledge-bases/<kb>/evaluations"


@routes.put(_GOLDEN, responses={"200": GoldenSetChange})
@allow(Scope.WRITE)
def put_golden_questions(path: KnowledgeBasePath, body: GoldenQuestionsBody) -> Reply:
    """Replace the golden questions that came from a file; the others stay."""
    counts = replace_golden_set(store(), path.kb, body.questions)
    return GoldenSetChange.model_validate(counts).model_dump(mode="json")


@routes.get(_GOLDEN, responses={"200": GoldenSetPayload})
@allow(Scope.READ)
def get_golden_questions(path: KnowledgeBasePath) -> Reply:
    """Read the golden set."""
    golden_set = store().evaluations.golden_set(store().knowledge_bases.get(path.kb))
    return GoldenSetPayload.of(golden_set).model_dump(mode="json", exclude_none=True)


@routes.post(_GOLDEN, responses={"201": GoldenQuestionPayload})
@allow(Scope.WRITE)
def add_golden_question(path: KnowledgeBasePath, body: NewGoldenQuestion) -> Reply:
    """Add a golden question; one with the same words is replaced."""
    (stored_question,) = add_golden_questions(store(), path.kb, [body])
    return GoldenQuestionPayload.of(stored_question).model_dump(mode="json", exclude_none=True), 201


@routes.delete(f"{_GOLDEN}/<id>", responses={"200": GoldenQuestionPayload})
@allow(Scope.WRITE)
def delete_golden_question(path: GoldenQuestionPath) -> Reply:
    """Remove a golden question, and return it."""
    removed = remove_golden_question(store(), path.kb, path.id)
    return GoldenQuestionPayload.of(removed).model_dump(mode="json", exclude_none=True)


@routes.post(f"{_GOLDEN}/generate", responses={"201": GeneratedPayload})
@allow(Scope.WRITE, cost=EVALUATION)
def create_golden_questions(path: KnowledgeBasePath, body: GenerationBody) -> Reply:
    """Make golden questions of the documents, and add those whose own document search finds."""
    stored_questions, not_found = generate_golden_questions(store(), settings(), path.kb, body.count)
    return GeneratedPayload.made(stored_questions, not_found).model_dump(mode="json", exclude_none=True), 201


@routes.post("/answers/<id>/promote", responses={"201": GoldenQuestionPayload})
@allow(Scope.WRITE, about="answer")
def create_promotion(path: AnswerPath, body: PromotionBody) -> Reply:
    """Make a golden question of an answer, with what is right instead of it."""
    stored_question = promote_answer(store(), path.id, **dict(body))
    return GoldenQuestionPayload.of(stored_question).model_dump(mode="json", exclude_none=True), 201


@routes.post(_EVALUATIONS, responses={"201": EvaluationReport})
@allow(Scope.WRITE, cost=EVALUATION)
def create_evaluation(path: KnowledgeBasePath, body: EvaluationBody) -> Reply:
    """Evaluate the active index, and answers, now; 409 without a golden set."""
    evaluation, row = evaluate(store(), settings(), path.kb, with_answers=body.answers)
    return EvaluationReport.made(evaluation, row).model_dump(mode="json"), 201


@routes.get(_EVALUATIONS, responses={"200": EvaluationPage})
@allow(Scope.READ)
def list_evaluations(path: KnowledgeBasePath, query: EvaluationsQuery) -> Reply:
    """List evaluations, newest first."""
    knowledge_base = store().knowledge_bases.get(path.kb)
    stored_evaluations = store().evaluations.all(knowledge_base, before=query.after, limit=query.limit + 1)
    return EvaluationPage.of(stored_evaluations, query.limit).model_dump(mode="json")


@routes.post(f"{_EVALUATIONS}/compare", responses={"200": ComparisonPayload})
@allow(Scope.WRITE, cost=EVALUATION)
def create_comparison(path: KnowledgeBasePath, body: ComparisonBody) -> Reply:
    """Measure the golden set with the present settings and with others; nothing is changed."""
    comparison = compare_with(store(), settings(), path.kb, body.settings, with_answers=body.answers)
    return ComparisonPayload.of(comparison).model_dump(mode="json")


@routes.post(f"{_EVALUATIONS}/tune", responses={"200": TuningPayload})
@allow(Scope.ADMIN, cost=EVALUATION)  # it may change settings
def create_tuning(path: KnowledgeBasePath, body: TuningBody) -> Reply:
    """Choose settings of retrieval on half of the golden set, and measure them on the other half."""
    tuning, is_applied = tune_and_apply(store(), settings(), path.kb, apply=body.apply)
    return TuningPayload.of(tuning, is_applied=is_applied).model_dump(mode="json")
