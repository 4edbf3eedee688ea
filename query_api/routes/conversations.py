"""`/api/v1/knowledge-bases/{kb}/conversations` and `/api/v1/conversations/{id}` (CNV-1).

Belongs here: beginning, listing, reading, renaming, exporting and deleting conversations, and the shapes of these
requests. Not here: asking (`answers`), responses (`conversation_payloads`).
"""

from typing import Annotated, Literal
from uuid import UUID

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field, StringConstraints

from headwater.answering.conversation_questions import begin_conversation, delete_conversation, share_conversation
from headwater.domain.access import Scope
from headwater.domain.conversations import TITLE_LIMIT
from query_api.app_context import answer_tasks, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Body, KnowledgeBasePath, Reply
from query_api.routes.conversation_payloads import ConversationItem, ConversationPage, ConversationPayload
from query_api.routes.transcripts import transcript

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE_LIMIT)]


class ConversationPath(BaseModel):
    """A conversation by its id."""

    id: UUID


class NewConversation(Body):
    """A conversation to begin; without a title its first question gives it one."""

    title: Title | None = None


class ConversationChange(Body):
    """Another title, or whether it stays at the top of the list; what is missing does not change."""

    title: Title | None = None
    pinned: bool | None = None


class ConversationsQuery(BaseModel):
    """A part of the list: those after a given one. `query` is a text in the title, a question or an answer."""

    query: str = Field(default="", max_length=200)
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class ConversationExportQuery(BaseModel):
    """The format of an export."""

    format: Literal["json", "markdown"] = "json"


routes = APIBlueprint(
    "conversations",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Conversations")],
    abp_responses={"404": Problem},
)
_MARKDOWN = "text/markdown; charset=utf-8"
_EXPORTED = {
    "description": "The conversation",
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/ConversationPayload"}},
        "text/markdown": {"schema": {"type": "string"}},
    },
}


@routes.post("/knowledge-bases/<kb>/conversations", responses={"201": ConversationItem})
@allow(Scope.READ, returns="conversation")
def create_conversation(path: KnowledgeBasePath, body: NewConversation) -> Reply:
    """Begin a conversation. Questions with its id as `conversation` become its turns."""
    conversation = begin_conversation(store(), store().knowledge_bases.get(path.kb), body.title or "")
    location = {"Location": f"/api/v1/conversations/{conversation.id}"}
    return ConversationItem.of(conversation).model_dump(mode="json"), 201, location


@routes.get("/knowledge-bases/<kb>/conversations", responses={"200": ConversationPage})
@allow(Scope.READ)
def list_conversations(path: KnowledgeBasePath, query: ConversationsQuery) -> Reply:
    """List conversations, the one that was asked last first; `query` is a text that they have."""
    owner = store().knowledge_bases.get(path.kb)
    stored_conversations = store().conversations.all(owner, text=query.query, before=query.after, limit=query.limit + 1)
    return ConversationPage.of(stored_conversations, query.limit).model_dump(mode="json")


@routes.get("/conversations/<id>", responses={"200": ConversationPayload})
@allow(Scope.READ, about="conversation")
def get_conversation(path: ConversationPath) -> Reply:
    """Read a conversation with all its turns, which are a tree."""
    return ConversationPayload.read(store(), path.id).model_dump(mode="json")


@routes.patch("/conversations/<id>", responses={"200": ConversationItem})
@allow(Scope.READ, about="conversation")  # it belongs to the reader who asks in it
def change_conversation(path: ConversationPath, body: ConversationChange) -> Reply:
    """Give a conversation another title, or pin it to the top of the list."""
    conversations = store().conversations
    conversation = conversations.get(path.id)
    if body.title is not None:
        conversation = conversations.rename(path.id, body.title)
    if body.pinned is not None:
        conversation = conversations.pin(path.id, is_pinned=body.pinned)
    return ConversationItem.of(conversation).model_dump(mode="json")


@routes.delete("/conversations/<id>", responses={"200": ConversationItem})
@allow(Scope.READ, about="conversation")
def delete_one_conversation(path: ConversationPath) -> Reply:
    """Delete a conversation with its turns and the feedback on them, and return it."""
    return ConversationItem.of(delete_conversation(store(), answer_tasks(), path.id)).model_dump(mode="json")


@routes.put("/conversations/<id>/share", responses={"200": ConversationItem})
@allow(Scope.WRITE, about="conversation")  # who has the link needs no key
def share(path: ConversationPath) -> Reply:
    """Let everyone who has the link in `shared` read a conversation, without a key."""
    return ConversationItem.of(share_conversation(store(), path.id)).model_dump(mode="json")


@routes.delete("/conversations/<id>/share", responses={"200": ConversationItem})
@allow(Scope.WRITE, about="conversation")
def unshare(path: ConversationPath) -> Reply:
    """Withdraw the link."""
    return ConversationItem.of(store().conversations.share(path.id, None)).model_dump(mode="json")


@routes.get("/conversations/<id>/export", responses={"200": _EXPORTED})
@allow(Scope.READ, about="conversation")
def export_conversation(path: ConversationPath, query: ConversationExportQuery) -> Response:
    """Read a conversation as a file: JSON as `GET` shows it, or markdown for people."""
    payload = ConversationPayload.read(store(), path.id)
    is_markdown = query.format == "markdown"
    text = transcript(payload) if is_markdown else payload.model_dump_json(indent=2) + "\n"
    response = Response(text, content_type=_MARKDOWN if is_markdown else "application/json")
    name = f"conversation-{path.id}.{'md' if is_markdown else 'json'}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
