"""Golden questions and the results of a golden set, as frozen value objects.

Belongs here: their fields. Not here: judging (`golden`), measuring (`evaluating`), other classes
(`headwater.domain`). Guarantee: nothing here does input or output.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import ConfigDict, Field, field_validator

from headwater.domain.closed_model import ClosedModel


class RelevantDocument(ClosedModel):
    """A document that answers a golden question, by its URI; `page` if only one of its pages does."""

    model_config = ConfigDict(frozen=True)

    uri: str
    page: int | None = Field(default=None, ge=1)

    @field_validator("uri")
    @classmethod
    def _names_a_document(cls, uri: str) -> str:
        if not uri.strip() or "\x00" in uri:
            raise ValueError("must be the URI of a document")
        return uri


class GoldenQuestion(ClosedModel):
    """A question with the documents that answer it."""

    model_config = ConfigDict(frozen=True)

    question: str
    relevant: tuple[RelevantDocument, ...] = Field(min_length=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionResult:
    """The result of one golden question: `found` are the URIs of the documents that search returned, best first."""

    question: str
    relevant: tuple[RelevantDocument, ...]
    found: tuple[str, ...]
    metrics: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """The results of a golden set on a search index: `metrics` are means over its questions, `results` worst first.

    `golden_hash` identifies the questions, `index_digest` the state of the knowledge base that was searched.
    """

    search_index_id: int
    model: str
    golden_hash: bytes
    index_digest: str
    question_count: int
    metrics: Mapping[str, float]
    results: tuple[QuestionResult, ...]


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
    run_id: str | None
    created_at: datetime
