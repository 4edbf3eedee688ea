"""The shape of answers in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.answering.staleness import stale_because
from headwater.domain.answers import Answer, Citation, KeptAnswer
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


class AnswerPayload(BaseModel):
    """An answer, or a refusal: then `reason` says why and there are no citations.

    `question` is empty if the knowledge base stores no questions. `stale` means that the documents have changed since,
    as `stale_because` says; when the question is asked again, a new answer is made. `cached` means that this answer was
    made when the question was asked before. `as_of` is the past time of the question, null for the present; `notes` say
    what a reader must know to interpret the answer.
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
    stale_because: list[str] = []
    cached: bool = False
    created_at: datetime
    as_of: datetime | None
    notes: list[str]

    @classmethod
    def of(cls, answer: Answer | KeptAnswer) -> "AnswerPayload":
        """Make it from the answer to a request: a new one, or a stored one that is served again."""
        if isinstance(answer, KeptAnswer):
            return cls.stored(answer).model_copy(update={"cached": True})
        return cls.model_validate(answer, from_attributes=True)

    def with_originals(self, originals: OriginalStore) -> "AnswerPayload":
        """Add the paths of originals; returns itself."""
        held = originals.among({citation.document_version_id for citation in self.citations})
        for citation in self.citations:
            if citation.document_version_id in held:
                citation.original = original_url(citation.document_version_id, citation.place)
        return self

    @classmethod
    def stored(cls, kept: KeptAnswer) -> "AnswerPayload":
        """Make it from a stored answer that is read again."""
        because = list(stale_because(kept))
        values = {**asdict(kept), "refused": kept.is_refused, "stale": bool(because), "stale_because": because}
        return cls.model_validate(values)
