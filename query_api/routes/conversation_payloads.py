"""The shape of conversations in the HTTP API, in exports and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask, markdown
(`query_api.routes.transcripts`). Guarantee: a field's name and meaning do not change within `/api/v1`.
"""

from collections.abc import Container, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.answers import AnswerState, Degraded
from headwater.domain.conversations import Conversation, ConversationTurn, Vote
from headwater.store.store import Store
from query_api.routes.citation_payloads import (
    CitationPayload,
    CitedPayload,
    FurtherPayload,
    StatementPayload,
    join_citations,
)

_MADE = ("refused", "cited", "statements", "further")


class ConversationItem(BaseModel):
    """A conversation in a list. `title` is empty until it is asked; `updated_at` is when it was asked last.

    `shared` is the path of the page at which everyone who knows it reads the conversation; null if it is not shared.
    `pinned` is whether it stays at the top of the list.
    """

    id: UUID
    knowledge_base: str
    title: str
    turn_count: int
    created_at: datetime
    updated_at: datetime
    shared: str | None = None
    pinned: bool = False

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationItem":
        """Make it from the kernel's object."""
        return cls(**conversation_values(conversation))


def conversation_values(conversation: Conversation) -> dict[str, Any]:
    """The fields of an item."""
    values = asdict(conversation)
    token, pinned_at = values.pop("share_token"), values.pop("pinned_at")
    return {**values, "pinned": pinned_at is not None, "shared": f"/shared/{token}" if token else None}


class ConversationPage(BaseModel):
    """Conversations, the one that was asked last first; `next` is what to ask `after` for the rest, null at the end."""

    conversations: list[ConversationItem]
    next: UUID | None

    @classmethod
    def of(cls, found: Sequence[Conversation], limit: int) -> "ConversationPage":
        """Make a page of one conversation more than it holds, if there are so many."""
        page = [ConversationItem.of(conversation) for conversation in found[:limit]]
        return cls(conversations=page, next=page[-1].id if len(found) > limit else None)


class TurnPayload(BaseModel):
    """A question and its answer: `id` is the answer's. It follows the turn `parent_id`, null at a beginning.

    `question` is as it was asked, `search_text` as it was searched for, empty if it has not been read. `cited` are the
    sources, and the other fields as in an answer. `vote` and `comment` are the feedback on it, null if there is none.
    """

    id: UUID
    parent_id: UUID | None
    question: str
    search_text: str
    answer: str
    state: AnswerState
    refused: bool
    reason: str | None
    error_code: str | None
    error_detail: str | None
    model: str
    usage: dict[str, Any]
    timings_ms: dict[str, float]
    created_at: datetime
    vote: Vote | None
    comment: str | None
    cited: list[CitedPayload]
    notes: list[str] = []
    statements: list[StatementPayload] = []
    quote: str = ""
    further: list[FurtherPayload] = []
    degraded: Degraded | None = None
    readings: list[str] = []

    @classmethod
    def of(cls, turn: ConversationTurn, held: Container[UUID]) -> "TurnPayload":
        """Make it from the kernel's object; `held` are the document versions whose originals are stored."""
        citations = [CitationPayload.of(citation).add_original(held) for citation in turn.citations]
        values = {name: getattr(turn, name) for name in cls.model_fields if name not in _MADE}
        return cls(
            **values,
            refused=turn.is_refused,
            cited=join_citations(citations),
            statements=[StatementPayload.of(statement) for statement in turn.statements],
            further=[FurtherPayload.of(passage).add_original(held) for passage in turn.further],
        )


class ConversationPayload(ConversationItem):
    """A conversation with all its turns, oldest first: a tree by their `parent_id`."""

    turns: list[TurnPayload]

    @classmethod
    def read(cls, store: Store, conversation_id: UUID) -> "ConversationPayload":
        """Read it from the store.

        Raises:
            NotFoundError: there is no such conversation.
        """
        conversation = store.conversations.get(conversation_id)
        turns = store.conversations.turns(conversation_id)
        cited_ids = {citation.document_version_id for turn in turns for citation in turn.citations}
        further_ids = {passage.document_version_id for turn in turns for passage in turn.further}
        with_originals = store.originals.among(cited_ids | further_ids)
        return cls(**conversation_values(conversation), turns=[TurnPayload.of(turn, with_originals) for turn in turns])
