"""Shapes of golden sets and evaluations, over HTTP and with `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.evaluations import (
    Evaluation,
    Origin,
    RecordedEvaluation,
    RelevantDocument,
    StoredGoldenQuestion,
)
from headwater.evaluation.comparison import Comparison
from headwater.evaluation.significance import Difference
from headwater.evaluation.tuner import Tuning

_WORST = 10  # questions shown


class GoldenQuestionPayload(BaseModel):
    """A golden question; `answer_id` is the answer that it was promoted from."""

    id: int
    question: str
    relevant: list[RelevantDocument]
    answer: str | None
    unanswerable: bool
    origin: Origin
    answer_id: UUID | None
    created_at: datetime

    @classmethod
    def of(cls, kept: StoredGoldenQuestion) -> "GoldenQuestionPayload":
        """Make it from a stored golden question."""
        return cls(
            id=kept.id,
            question=kept.golden.question,
            relevant=list(kept.golden.relevant),
            answer=kept.golden.answer,
            unanswerable=kept.golden.unanswerable,
            origin=kept.origin,
            answer_id=kept.answer_id,
            created_at=kept.created_at,
        )


class GoldenSetPayload(BaseModel):
    """A knowledge base's golden set: questions from files, and those that were added, generated or promoted."""

    questions: list[GoldenQuestionPayload]

    @classmethod
    def of(cls, kept: Sequence[StoredGoldenQuestion]) -> "GoldenSetPayload":
        """Make it from stored golden questions."""
        return cls(questions=[GoldenQuestionPayload.of(question) for question in kept])


class GeneratedPayload(GoldenSetPayload):
    """The golden questions that were made; `not_found` were dropped because search did not find their document."""

    not_found: int

    @classmethod
    def made(cls, kept: Sequence[StoredGoldenQuestion], not_found: int) -> "GeneratedPayload":
        """Make it from what was stored."""
        return cls(questions=[GoldenQuestionPayload.of(question) for question in kept], not_found=not_found)


class GoldenSetChange(BaseModel):
    """The changes made by replacing a golden set, in questions."""

    question_count: int
    added: int
    changed: int
    removed: int
    unchanged: int


class EvaluationPayload(BaseModel):
    """The result of a golden set on a search index.

    `metrics` are means over the questions that have them, which `counts` counts; docs/evaluation.md defines them.
    `answer_model` made the answers, null if none were made; `judge_model` judged them with the prompt `judge_prompt`,
    null if rules did. Only evaluations of the same `golden_hash` can be compared; `run_id` is null when a command or a
    request made it.
    """

    id: int
    search_index_id: int
    model: str
    golden_hash: str
    question_count: int
    metrics: dict[str, float]
    counts: dict[str, int]
    answer_model: str | None
    judge_model: str | None
    judge_prompt: str | None
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

    @classmethod
    def of(cls, found: Sequence[RecordedEvaluation], limit: int) -> "EvaluationPage":
        """Make it from evaluations, one more than there may be on a page if there are more."""
        page = [EvaluationPayload.of(row) for row in found[:limit]]
        return cls(evaluations=page, next=page[-1].id if len(found) > limit else None)


class QuestionResultPayload(BaseModel):
    """The result of one golden question; `found` are the URIs of the documents that search returned, best first.

    `answer` is the answer that was judged, null if none was made; `unsupported` are its claims without support.
    """

    question: str
    relevant: list[RelevantDocument]
    found: list[str]
    metrics: dict[str, float]
    answer: str | None
    unsupported: list[str]


class EvaluationReport(EvaluationPayload):
    """A new evaluation; `worst` are the questions with the worst results, at most ten."""

    worst: list[QuestionResultPayload]

    @classmethod
    def made(cls, evaluation: Evaluation, kept: RecordedEvaluation) -> "EvaluationReport":
        """Make it from an evaluation and its stored record."""
        worst = [
            QuestionResultPayload.model_validate(result, from_attributes=True)
            for result in evaluation.results[:_WORST]
            if result.metrics.get("ndcg_at_10", result.metrics.get("unanswerable_refused", 1.0)) < 1
        ]
        return cls(**dict(EvaluationPayload.of(kept)), worst=worst)


class DifferencePayload(BaseModel):
    """The difference of one metric: the value now, with the other settings, and the other minus the present one.

    `low` and `high` are its 95 % interval, `p` the chance of so large a difference between equal settings, corrected
    for the number of metrics; `is_significant` is whether so many questions can show a difference.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    question_count: int
    is_significant: bool


class ComparisonPayload(BaseModel):
    """Two settings on one golden set: `changed` are the settings that differ, with the present and the other value."""

    changed: dict[str, tuple[Any, Any]]
    question_count: int
    is_different: bool
    differences: dict[str, DifferencePayload]

    @classmethod
    def of(cls, found: Comparison) -> "ComparisonPayload":
        """Make it from a comparison."""
        return cls.model_validate(
            {
                "changed": found.changed,
                "question_count": found.question_count,
                "is_different": found.is_different,
                "differences": _differences(found.differences),
            }
        )


class TuningPayload(BaseModel):
    """The settings that tuning chose on `chosen_on` questions, and the differences on the `measured_on` others.

    `changed` is empty if the present settings were the best of those `tried`. `is_applied` is whether they are changed.
    """

    chosen_on: int
    measured_on: int
    tried: int
    changed: dict[str, tuple[Any, Any]]
    differences: dict[str, DifferencePayload]
    is_applied: bool

    @classmethod
    def of(cls, found: Tuning, *, is_applied: bool) -> "TuningPayload":
        """Make it from the result of tuning."""
        return cls.model_validate(
            {
                "chosen_on": found.chosen_on,
                "measured_on": found.measured_on,
                "tried": found.tried,
                "changed": found.changed,
                "differences": _differences(found.differences),
                "is_applied": is_applied,
            }
        )


def _differences(differences: Mapping[str, Difference]) -> dict[str, dict[str, Any]]:
    return {
        name: {**asdict(difference), "difference": difference.difference, "is_significant": difference.is_significant}
        for name, difference in differences.items()
    }
