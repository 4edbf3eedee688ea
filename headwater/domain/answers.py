"""Answers and their citations.

Belongs here: these nouns and their fields. Not here: how an answer is made. Guarantee: nothing here does input or
output; names are the table names' singular.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.places import PlaceRange
from headwater.domain.search import Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A quoted span's evidence: `start` and `end` are offsets in the text of the document version.

    `place` is where the span stands in the original, None when nobody knows.
    """

    marker: str
    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    score: float
    place: PlaceRange | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Text with citations, or an honest refusal: then `citations` is empty and `reason` says why.

    `as_of` is the past time that it was asked as of, None for the present; `notes` is what must be known to read it
    rightly.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    refused: bool
    reason: str | None
    citations: tuple[Citation, ...]
    passages: tuple[Passage, ...]
    model: str
    usage: Mapping[str, Any]
    timings_ms: Mapping[str, float]
    created_at: datetime
    as_of: datetime | None = None
    notes: tuple[str, ...] = ()
