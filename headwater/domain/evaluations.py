"""Golden questions and the results of a golden set, as frozen value objects.

Belongs here: their fields. Not here: judging and measuring (`headwater.evaluation`), other classes
(`headwater.domain`). Guarantee: nothing here does input or output.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints, ValidationInfo, field_validator

from headwater.domain.closed_model import ClosedModel

Origin = Literal["file", "added", "generated", "promoted"]
"""Where a golden question comes from: a file, a person, chunks, or an answer."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]


class RelevantDocument(ClosedModel):
    """A document that answers a golden question, by its URI; `page` if only one of its pages does.

    `quote` are words of it that state the answer.
    """

    model_config = ConfigDict(frozen=True)

    uri: str
    page: int | None = Field(default=None, ge=1)
    quote: _Text | None = None

    @field_validator("uri")
    @classmethod
    def _names_a_document(cls, uri: str) -> str:
        if not uri.strip() or "\x00" in uri:
            raise ValueError("must be the URI of a document")
        return uri


class GoldenQuestion(ClosedModel):
    """A question with the documents that answer it, and the expected `answer` if it is known.

    An `unanswerable` question has neither: the knowledge base ought to refuse it.
    """

    model_config = ConfigDict(frozen=True)

    question: str
    unanswerable: bool = False
    relevant: tuple[RelevantDocument, ...] = Field(default=(), validate_default=True)
    answer: _Text | None = None

    @field_validator("relevant")
    @classmethod
    def _has_documents(
        cls, relevant: tuple[RelevantDocument, ...], info: ValidationInfo
    ) -> tuple[RelevantDocument, ...]:
        is_unanswerable = info.data.get("unanswerable", False)
        if not relevant and not is_unanswerable:
            raise ValueError("it must list at least 1 document, or the question must be `unanswerable`")
        if relevant and is_unanswerable:
            raise ValueError("an `unanswerable` question has no relevant documents")
        return relevant

    @field_validator("answer")
    @classmethod
    def _can_be_answered(cls, answer: str | None, info: ValidationInfo) -> str | None:
        if answer is not None and info.data.get("unanswerable", False):
            raise ValueError("an `unanswerable` question has no answer")
        return answer

    def to_line(self) -> dict[str, Any]:
        """The object that a file of golden questions has for it."""
        return self.model_dump(mode="json", exclude_defaults=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredGoldenQuestion:
    """A stored golden question; `answer_id` is the answer that it was promoted from."""

    id: int
    golden: GoldenQuestion
    origin: Origin
    answer_id: UUID | None
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionResult:
    """The result of one golden question: `found` are the URIs of the documents that search returned, best first.

    `metrics` has only what can be measured for it: an unanswerable question has no right documents. `answer` is the
    text of the answer that was judged, None if no answer was made. `unsupported` are the claims in it that their
    citations do not support.
    """

    question: str
    relevant: tuple[RelevantDocument, ...]
    found: tuple[str, ...]
    metrics: Mapping[str, float]
    answer: str | None = None
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """The results of a golden set on a search index: `metrics` are means over its questions, `results` worst first.

    `golden_hash` identifies the questions, `index_digest` the state of the knowledge base that was searched. `counts`
    says of how many questions each metric is the mean. `answer_model` made the answers, None if none were made;
    `judge_model` judged them with the prompt `judge_prompt`, None if rules did.
    """

    search_index_id: int
    model: str
    golden_hash: bytes
    index_digest: str
    question_count: int
    metrics: Mapping[str, float]
    results: tuple[QuestionResult, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    answer_model: str | None = None
    judge_model: str | None = None
    judge_prompt: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedEvaluation:
    """A stored evaluation; `run_id` is the Dagster run that made it, None if a command or a request did."""

    id: int
    search_index_id: int
    model: str
    golden_hash: bytes
    index_digest: str
    question_count: int
    metrics: Mapping[str, float]
    counts: Mapping[str, int]
    answer_model: str | None
    judge_model: str | None
    judge_prompt: str | None
    run_id: str | None
    created_at: datetime
