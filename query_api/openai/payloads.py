"""The shape of responses in OpenAI's API.

Belongs here: response models, for the OpenAPI document too. Not here: errors (`errors`), how they come to be
(`completions`, `contexts`). Guarantee: every field of OpenAI's has its name and its type; ours are in `headwater`,
`citations` and `/v1/context`.
"""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.answers import Degraded
from headwater.domain.corpus import KnowledgeBase
from headwater.prompts.invisible import without_invisible
from headwater.retrieval.context import ContextPart
from query_api.routes.citation_payloads import CitationPayload, FurtherPayload, StatementPayload
from query_api.routes.place_payloads import place_link

PREFIX = "headwater/"
"""What comes before the slug of a knowledge base in a model's name."""


class ModelPayload(BaseModel):
    """A knowledge base as a model; `name` and `description` are its own."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "headwater"
    name: str
    description: str

    @classmethod
    def of(cls, found: KnowledgeBase) -> "ModelPayload":
        """Make it from a knowledge base."""
        return cls(
            id=f"{PREFIX}{found.slug}",
            created=int(found.created_at.timestamp()),
            name=found.name,
            description=found.description,
        )


class ModelsPayload(BaseModel):
    """All knowledge bases as models."""

    object: Literal["list"] = "list"
    data: list[ModelPayload]


class TokenUsage(BaseModel):
    """The tokens of the models that were called; 0 without a model."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0

    @classmethod
    def of(cls, prompt_tokens: int, completion_tokens: int) -> "TokenUsage":
        """Make it from both counts."""
        total = prompt_tokens + completion_tokens
        return cls(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, total_tokens=total)


class AnnotationLink(BaseModel):
    """A place in the text, in characters, and what it cites."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    """A citation in OpenAI's form."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: AnnotationLink


class ReplyMessage(BaseModel):
    """The answer; `tool_calls` are those of a model to which the request was passed on."""

    role: str = "assistant"
    content: str | None
    refusal: str | None = None
    annotations: list[Annotation] = []
    tool_calls: list[dict[str, Any]] | None = None


class Choice(BaseModel):
    """The only choice."""

    index: int = 0
    message: ReplyMessage
    logprobs: dict[str, Any] | None = None
    finish_reason: str | None = "stop"


class LinkedCitation(CitationPayload):
    """A citation with the address at which it can be read."""

    url: str


class LinkedFurther(FurtherPayload):
    """A further passage with the address at which it can be read."""

    url: str


class AnswerFields(BaseModel):
    """What OpenAI's API has no field for: the stored answer, its citations in full, whether and why it is a refusal.

    `statements`, `quote`, `further` and `degraded` are as in an answer; further passages have their addresses.
    """

    answer_id: UUID
    citations: list[LinkedCitation] = []
    refused: bool = False
    reason: str | None = None
    cached: bool = False
    notes: list[str] = []
    statements: list[StatementPayload] = []
    quote: str = ""
    further: list[LinkedFurther] = []
    degraded: Degraded | None = None


class CompletionPayload(BaseModel):
    """A chat completion; `citations` are the addresses of its sources."""

    id: str
    object: str = "chat.completion"
    created: int
    model: str
    system_fingerprint: str | None = None
    choices: list[Choice]
    usage: TokenUsage
    citations: list[str] = []
    headwater: AnswerFields | None = None


class ContextMessage(BaseModel):
    """A message to send to a model; `content` has parts if the question had."""

    role: str
    content: str | list[dict[str, Any]]


class PassageContext(BaseModel):
    """A passage of the context: its text from `start` to `end` in a document version."""

    number: int
    title: str
    breadcrumb: list[str]
    uri: str
    link: str | None
    source: str
    document_id: UUID
    document_version_id: UUID
    start: int
    end: int
    chunk_ids: list[UUID]
    trust: float | None
    text: str

    @classmethod
    def of(cls, part: ContextPart) -> "PassageContext":
        """Make it from a part of a context; its trust is the best of its passages."""
        first = part.passages[0]
        trusts = [passage.scores.trust for passage in part.passages if passage.scores.trust is not None]
        return cls(
            number=part.number,
            title=without_invisible(first.title),
            breadcrumb=list(map(without_invisible, first.breadcrumb)),
            uri=first.uri,
            link=place_link(first.uri, None),
            source=first.source,
            document_id=first.document_id,
            document_version_id=first.document_version_id,
            start=part.start,
            end=part.end,
            chunk_ids=[passage.chunk_id for passage in part.passages],
            trust=max(trusts, default=None),
            text=without_invisible(part.text),
        )


class ContextPayload(BaseModel):
    """A question with the passages that may answer it, for any chat model.

    `message` replaces the newest message, `system_message` is a proposal. `token_count` is the estimate for both.
    `search_text` is the question as it can be understood without its conversation, `intent` the kind of answer that it
    wants. `contexts` are the passages on their own, null unless requested. `usage` is that of the cheap model.
    """

    object: Literal["context"] = "context"
    model: str
    intent: str
    search_text: str
    message: ContextMessage
    system_message: ContextMessage
    token_count: int
    contexts: list[PassageContext] | None
    notes: list[str]
    usage: TokenUsage
