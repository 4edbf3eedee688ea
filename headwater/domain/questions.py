"""Questions that documents answer.

Belongs here: questions as they are made, stored, checked and offered. Not here: making or checking them
(`headwater.questions`). Guarantee: no imports but of the domain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from headwater.domain.usage import ModelResult

PaidQuestions = ModelResult[Sequence[str]]
"""The questions that were made of a text; there may be none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionRow:
    """A question to store; without a document it is one of the whole source."""

    id: UUID
    document_id: UUID | None
    position: int
    question: str
    set_key: bytes


class CheckState(StrEnum):
    """What a check found: readers are offered a question that is kept."""

    KEPT = "kept"
    NOT_FOUND = "not_found"
    """Its own document is not among the passages that an answer would use."""
    SAME = "same"
    """Another question of the knowledge base asks for the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionToCheck:
    """A question that was not checked yet as the search index is now; `version_id` is what readers see."""

    id: UUID
    question: str
    source: str
    document_id: UUID | None
    version_id: UUID | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SuggestedQuestion:
    """A question that readers are offered. Without a document it is about the whole source.

    `similarity` is the cosine to the text that was asked for; None if there is none.
    """

    id: UUID
    question: str
    source: str
    document_id: UUID | None
    uri: str | None
    title: str
    similarity: float | None = None
