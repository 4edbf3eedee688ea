"""The shape of answers in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime
from operator import attrgetter
from typing import Any, get_args
from uuid import UUID

from pydantic import BaseModel, field_validator, model_validator

from headwater.answering.staleness import stale_because
from headwater.domain.answers import Answer, AnswerState, Degraded, StoredAnswer, SummaryCitation
from headwater.domain.usage import DayUsage, UsageKind
from headwater.errors import HeadwaterError
from headwater.questions.suggester import find_related_questions
from headwater.settings import Settings
from headwater.store.content.originals import OriginalStore
from headwater.store.store import Store
from query_api.routes.citation_payloads import (
    CitationPayload,
    CitedPayload,
    FurtherPayload,
    StatementPayload,
    SummaryCitationPayload,
    join_citations,
)
from query_api.routes.question_payloads import QuestionPayload
from query_api.routes.search_payloads import PassagePayload


class AnswerPayload(BaseModel):
    """An answer, or a refusal: then `reason` says why and there are no citations.

    `cited` is the list of its sources: the citations, those of neighbouring places as one. `state` is `done`;
    `generating` while it grows; `cancelled`, `interrupted` or `failed` with the text so far, and then `error_code` and
    `error_detail` may say why. `cached` is true if it was made for an earlier question. `title`, `slug` and
    `description` are made from the question, `intent` is the kind of answer that it wants. `usage` has tokens and cost
    (US dollars, null if a price is unknown), in sum and for each step in `stages`. `stale` is true if the documents
    have changed since, as `stale_because` says; if the question is asked again, a new answer is made. `as_of` is the
    past time of the question, null for the present; `notes` say what a reader must know to interpret the answer.
    `question`, `search_text`, `title`, `slug` and `description` are empty if the knowledge base stores no questions.
    `search_text` is the question as it was searched for: a follow-up with what it is about. An answer of a conversation
    follows the one with the id `parent_id`, null at a beginning. `summaries` are the citations of summaries, from which
    broad questions are answered; the documents that they were made of are `citations` of the kind `summary`.
    `related_questions` are at most four that the reader may ask next.

    `statements` are what a chat model wrote, sentence by sentence; empty for an answer without one. `quote` is the
    marker of the passage that is quoted beneath its answer, empty without a quote. `further` are passages that the
    answer does not cite; they may be open to the reader on request. `degraded` says why a quote stands in for the
    model: `model_unavailable`, `too_slow`, `broke_off`, or `declined` if the model found no answer; null if none does.
    `readings` are the two questions that a follow-up may mean, if the answer asks which (reason `unclear`); ask one of
    them, as it is, in the same conversation.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    refused: bool
    reason: str | None
    citations: list[CitationPayload]
    summaries: list[SummaryCitationPayload] = []
    cited: list[CitedPayload] = []
    passages: list[PassagePayload]
    model: str
    usage: dict[str, Any]
    timings_ms: dict[str, float]
    stale: bool = False
    stale_because: list[str] = []
    created_at: datetime
    as_of: datetime | None
    notes: list[str]
    state: AnswerState
    error_code: str | None
    error_detail: str | None
    cached: bool = False
    title: str
    slug: str
    description: str
    intent: str
    prompt_version: str | None
    search_text: str
    conversation_id: UUID | None
    parent_id: UUID | None
    related_questions: list[QuestionPayload] = []
    statements: list[StatementPayload] = []
    quote: str = ""
    further: list[FurtherPayload] = []
    degraded: Degraded | None = None
    readings: list[str] = []

    @model_validator(mode="after")
    def _list_sources(self) -> "AnswerPayload":
        self.cited = join_citations(self.citations)
        for summary in self.summaries:
            summary.below(self.citations)
        return self

    @field_validator("summaries", mode="before")
    @classmethod
    def _of_summaries(cls, citations: Sequence[SummaryCitation]) -> list[SummaryCitationPayload]:
        return [SummaryCitationPayload.made(citation) for citation in citations]

    @classmethod
    def of(cls, answer: Answer | StoredAnswer) -> "AnswerPayload":
        """Make it from the result of a run: a new answer, or one that was served from the store."""
        if isinstance(answer, StoredAnswer):
            is_served = answer.state == "done"  # otherwise it is the request's own, which another process has cancelled
            return cls.from_stored(answer).model_copy(update={"cached": is_served})
        return cls.model_validate(answer, from_attributes=True)

    def with_originals(self, originals: OriginalStore) -> "AnswerPayload":
        """Add the paths of originals; returns itself."""
        linkable: list[CitationPayload | FurtherPayload] = [*self.citations, *self.further]
        stored_ids = originals.among({payload.document_version_id for payload in linkable})
        for payload in linkable if stored_ids else ():
            payload.add_original(stored_ids)
        self.cited = join_citations(self.citations) if stored_ids else self.cited
        return self

    def with_related(self, store: Store, settings: Settings) -> "AnswerPayload":
        """Add related questions, unless the answer is of the past or not complete; returns itself."""
        if self.state == "done" and self.as_of is None:
            with suppress(HeadwaterError):  # such as a knowledge base that was deleted meanwhile
                owner = store.knowledge_bases.get(self.knowledge_base)
                questions = find_related_questions(store, settings, owner, self.id, self.question)
                self.related_questions = [QuestionPayload.of(question) for question in questions]
        return self

    @classmethod
    def from_stored(cls, kept: StoredAnswer) -> "AnswerPayload":
        """Make it from a stored answer."""
        because = list(stale_because(kept))
        stored_values = dict(zip(_KEPT, _kept(kept), strict=True))
        values = {**stored_values, "refused": kept.is_refused, "stale": bool(because), "stale_because": because}
        return cls.model_validate(values, from_attributes=True)


_KEPT = tuple(AnswerPayload.model_fields.keys() & StoredAnswer.__dataclass_fields__.keys())
_kept = attrgetter(*_KEPT)


class DayUsagePayload(BaseModel):
    """What one model cost on one day (UTC); `cost` is in US dollars, null if it is unknown.

    `kind` is `answers`, `summaries` or `questions`; the fields of these names count them, `questions` the texts that
    questions were made of. `source` is the source that they were made for, null if they belong to the whole knowledge
    base, or if the source was deleted since.
    """

    day: date
    kind: UsageKind
    source: str | None
    model: str
    answers: int
    summaries: int
    questions: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None

    @classmethod
    def of(cls, found: DayUsage) -> "DayUsagePayload":
        """Make it from the kernel's object."""
        counts = {kind: found.count if kind == found.kind else 0 for kind in get_args(UsageKind)}
        return cls(
            day=found.day, kind=found.kind, source=found.source, model=found.model, **counts, **asdict(found.usage)
        )


class UsagePayload(BaseModel):
    """What the answers and the summaries of a knowledge base cost, by day, kind, source and model, newest first."""

    knowledge_base: str
    days: list[DayUsagePayload]

    @classmethod
    def of(cls, knowledge_base: str, days: Iterable[DayUsage]) -> "UsagePayload":
        """Make it from the kernel's objects."""
        return cls(knowledge_base=knowledge_base, days=[DayUsagePayload.of(day) for day in days])
