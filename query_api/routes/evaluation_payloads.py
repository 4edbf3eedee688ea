"""Shapes of golden sets and evaluations, over HTTP and with `--json`.

Belongs here: response models and how they are made from the kernel's objects. Not here: Flask. Guarantee: a field's
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
    """What replacing a golden set changed, in questions."""

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
        """Make it from what is kept of an evaluation."""
        return cls.model_validate({**asdict(kept), "golden_hash": kept.golden_hash.hex()})


class EvaluationPage(BaseModel):
    """Some evaluations, newest first; ask again with `after=next` while `next` is there."""

    evaluations: list[EvaluationPayload]
    next: int | None


class QuestionResultPayload(BaseModel):
    """The result of one golden question; `found` are the URIs of the documents that search returned, best first."""

    question: str
    relevant: list[RelevantDocument]
    found: list[str]
    metrics: dict[str, float]


class EvaluationReport(EvaluationPayload):
    """An evaluation just made; `worst` are the questions that search answered worst, at most ten."""

    worst: list[QuestionResultPayload]

    @classmethod
    def made(cls, evaluation: Evaluation, kept: RecordedEvaluation) -> "EvaluationReport":
        """Make it from an evaluation and what is kept of it."""
        worst = [
            QuestionResultPayload.model_validate(result, from_attributes=True)
            for result in evaluation.results[:_WORST]
            if result.metrics["ndcg_at_10"] < 1
        ]
        return cls(**dict(EvaluationPayload.of(kept)), worst=worst)
