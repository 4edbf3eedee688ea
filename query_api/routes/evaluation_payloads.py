"""Shapes of golden sets and evaluations, over HTTP and with `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from dataclasses import asdict
from datetime import datetime

from pydantic import BaseModel

from headwater.domain.evaluations import Evaluation, GoldenQuestion, RecordedEvaluation, RelevantDocument

_WORST = 10  # questions shown


class GoldenSetPayload(BaseModel):
    """A knowledge base's golden set."""

    questions: list[GoldenQuestion]


class GoldenSetChange(BaseModel):
    """The changes made by replacing a golden set, in questions."""

    question_count: int
    added: int
    changed: int
    removed: int
    unchanged: int


class EvaluationPayload(BaseModel):
    """The result of a golden set on a search index; `metrics` are ndcg_at_10, recall_at_10 and mrr.

    Only evaluations of the same `golden_hash` can be compared; `run_id` is null when a command or a request made it.
    """

    id: int
    search_index_id: int
    model: str
    golden_hash: str
    question_count: int
    metrics: dict[str, float]
    run_id: str | None
    created_at: datetime

    @classmethod
    def of(cls, kept: RecordedEvaluation) -> "EvaluationPayload":
        """Make it from a stored evaluation."""
        return cls.model_validate({**asdict(kept), "golden_hash": kept.golden_hash.hex()})


class EvaluationPage(BaseModel):
    """Some evaluations, newest first; if `next` is not null, request the next page with `after` set to it."""

    evaluations: list[EvaluationPayload]
    next: int | None


class QuestionResultPayload(BaseModel):
    """The result of one golden question; `found` are the URIs of the documents that search returned, best first."""

    question: str
    relevant: list[RelevantDocument]
    found: list[str]
    metrics: dict[str, float]


class EvaluationReport(EvaluationPayload):
    """A new evaluation; `worst` are the questions with the worst results, at most ten."""

    worst: list[QuestionResultPayload]

    @classmethod
    def made(cls, evaluation: Evaluation, kept: RecordedEvaluation) -> "EvaluationReport":
        """Make it from an evaluation and its stored record."""
        worst = [
            QuestionResultPayload.model_validate(result, from_attributes=True)
            for result in evaluation.results[:_WORST]
            if result.metrics["ndcg_at_10"] < 1
        ]
        return cls(**dict(EvaluationPayload.of(kept)), worst=worst)
