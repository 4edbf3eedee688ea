"""The shape of questions that readers are offered, in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: choosing questions (`headwater.questions`).
Guarantee: a field's name and meaning do not change within `/api/v1`.
"""

from collections.abc import Iterable
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.questions import SuggestedQuestion


class QuestionPayload(BaseModel):
    """A question that the knowledge base answers.

    `document` is the URI of the document that it was made of and `title` that document's title. For a question about a
    whole source `document` is null, and `title` is the source's name.
    """

    id: UUID
    question: str
    source: str
    document: str | None
    title: str

    @classmethod
    def of(cls, found: SuggestedQuestion) -> "QuestionPayload":
        """Make it from the kernel's object."""
        return cls(id=found.id, question=found.question, source=found.source, document=found.uri, title=found.title)


class QuestionsPayload(BaseModel):
    """Questions that the knowledge base answers, the best ones first."""

    questions: list[QuestionPayload]

    @classmethod
    def of(cls, found: Iterable[SuggestedQuestion]) -> "QuestionsPayload":
        """Make it from the kernel's objects."""
        return cls(questions=[QuestionPayload.of(question) for question in found])
