"""The shape of answers in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Container
from dataclasses import asdict
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.domain.answers import Answer, AnswerState, Citation, KeptAnswer
from headwater.domain.usage import DayUsage
from headwater.store.content.originals import OriginalStore
from query_api.routes.place_payloads import PlacePayload, original_url, place_link
from query_api.routes.search_payloads import PassagePayload


class CitationPayload(BaseModel):
    """The citation of a marker in the answer.

    `place` is the position of the quoted sentences in the original, null if unknown; `link` opens the document
    there, null if its URI is not an address. `original` is the path in this API of the file that was read, at that
    place; null if the text is the whole document.
    """

    marker: str
    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    score: float
    place: PlacePayload | None = None
    link: str | None = None
    original: str | None = None

    @model_validator(mode="after")
    def _opened(self) -> "CitationPayload":
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, citation: Citation) -> "CitationPayload":
        """Make it from a citation."""
        return cls.model_validate(citation, from_attributes=True)

    def with_original(self, originals: OriginalStore) -> "CitationPayload":
        """Add the path of its original; returns itself."""
        return self.opened_in(originals.among({self.document_version_id}))

    def opened_in(self, held: Container[UUID]) -> "CitationPayload":
        """Add the path of its original if that is one of these; returns itself."""
        if self.document_version_id in held:
            self.original = original_url(self.document_version_id, self.place)
        return self


class AnswerPayload(BaseModel):
    """An answer, or a refusal: then `reason` says why and there are no citations.

    `state` is `done`; `generating` while it grows; `cancelled`, `interrupted` or `failed` with the text so far, and
    then `error_code` and `error_detail` may say why. `cached` is true if it was made for an earlier question. `title`,
    `slug` and `description` are made from the question, `intent` is the kind of answer that it wants. `usage` has
    tokens and cost (US dollars, null if a price is unknown), in sum and for each step in `stages`. `stale` is true
    after a source that it cites was deleted. `as_of` is the past time of the question, null for the present; `notes`
    say what a reader must know to interpret the answer.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    refused: bool
    reason: str | None
    citations: list[CitationPayload]
    passages: list[PassagePayload]
    model: str
    usage: dict[str, Any]
    timings_ms: dict[str, float]
    stale: bool = False
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

    @classmethod
    def of(cls, answer: Answer | KeptAnswer) -> "AnswerPayload":
        """Make it from the result of a run: a new answer, or one that was served from the store."""
        if isinstance(answer, KeptAnswer):
            return cls.stored(answer).model_copy(update={"cached": True})
        return cls.model_validate(answer, from_attributes=True)

    def with_originals(self, originals: OriginalStore) -> "AnswerPayload":
        """Add the paths of originals; returns itself."""
        held = originals.among({citation.document_version_id for citation in self.citations})
        for citation in self.citations:
            citation.opened_in(held)
        return self

    @classmethod
    def stored(cls, kept: KeptAnswer) -> "AnswerPayload":
        """Make it from a stored answer."""
        values = {**asdict(kept), "refused": kept.is_refused, "stale": kept.stale_at is not None}
        return cls.model_validate(values)


class DayUsagePayload(BaseModel):
    """What the answers of one day (UTC) by one model cost; `cost` is in US dollars, null if a price is unknown."""

    day: date
    model: str
    answers: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None

    @classmethod
    def of(cls, found: DayUsage) -> "DayUsagePayload":
        """Make it from the kernel's object."""
        return cls(day=found.day, model=found.model, answers=found.answers, **asdict(found.usage))


class UsagePayload(BaseModel):
    """What the answers of a knowledge base cost, by day and model, newest first."""

    knowledge_base: str
    days: list[DayUsagePayload]
