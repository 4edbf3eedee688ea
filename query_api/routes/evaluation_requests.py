"""Shapes of requests about golden sets and evaluations.

Belongs here: their bodies, paths and queries. Not here: other requests (`query_api.request_shapes`), responses
(`routes.evaluation_payloads`). Guarantee: as for all requests, unknown fields are refused.
"""

from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from query_api.request_shapes import Body, KnowledgeBasePath


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
