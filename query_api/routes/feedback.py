"""`/api/v1/answers/{id}/feedback`, `/api/v1/knowledge-bases/{kb}/feedback` and `/api/v1/feedback/statistics` (CNV-2).

Belongs here: giving feedback, taking it back, listing, exporting and counting it, and the shapes of these requests. Not
here: making a golden question of an answer that was voted down (`evaluations`), responses (`feedback_payloads`).
"""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field, StringConstraints

from headwater.domain.access import Scope
from headwater.domain.conversations import COMMENT_LIMIT, Vote
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Body, KnowledgeBasePath, Reply
from query_api.routes.answer_requests import AnswerPath
from query_api.routes.feedback_payloads import FeedbackPage, FeedbackPayload, FeedbackStatistics


class FeedbackBody(Body):
    """What a reader thinks of an answer."""

    vote: Vote
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=COMMENT_LIMIT)] = ""


class FeedbackQuery(BaseModel):
    """A part of the list: what is older than the feedback on a given answer. `vote` limits it to these."""

    vote: Vote | None = None
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class FeedbackStatisticsQuery(BaseModel):
    """The knowledge base, by default all, and how many days, the current one included."""

    knowledge_base: str | None = None
    days: int = Field(default=30, ge=1, le=366)


routes = APIBlueprint(
    "feedback", __name__, url_prefix="/api/v1", abp_tags=[Tag(name="Feedback")], abp_responses={"404": Problem}
)
_TYPE = "application/jsonl"
_DESCRIBED = {"description": "Feedback on an answer per line", "content": {_TYPE: {"schema": {"type": "string"}}}}


@routes.put("/answers/<id>/feedback", responses={"200": FeedbackPayload})
@allow(Scope.READ, about="answer")
def put_feedback(path: AnswerPath, body: FeedbackBody) -> Reply:
    """Vote an answer up or down, with a comment; it replaces the vote before."""
    return FeedbackPayload.of(store().feedback.put(path.id, body.vote, body.comment)).model_dump(mode="json")


@routes.delete("/answers/<id>/feedback", responses={"200": FeedbackPayload})
@allow(Scope.READ, about="answer")  # a reader of an answer may judge it
def delete_feedback(path: AnswerPath) -> Reply:
    """Take the feedback on an answer back, and return it."""
    return FeedbackPayload.of(store().feedback.remove(path.id)).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/feedback", responses={"200": FeedbackPage})
@allow(Scope.WRITE)
def list_feedback(path: KnowledgeBasePath, query: FeedbackQuery) -> Reply:
    """List the feedback on answers of a knowledge base, newest first; with `vote` only these."""
    owner = store().knowledge_bases.get(path.kb)
    votes = store().feedback.all(owner, vote=query.vote, before=query.after, limit=query.limit + 1)
    return FeedbackPage.of(votes, query.limit).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/feedback/export", responses={"200": _DESCRIBED})
@allow(Scope.WRITE)  # of every reader
def export_feedback(path: KnowledgeBasePath) -> Response:
    """Read all feedback on answers of a knowledge base as JSONL, newest first."""
    owner = store().knowledge_bases.get(path.kb)
    lines = [FeedbackPayload.of(vote).model_dump_json() + "\n" for vote in store().feedback.every(owner)]
    response = Response("".join(lines), mimetype=_TYPE)
    name = f"{owner.slug}-feedback-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@routes.get("/feedback/statistics", responses={"200": FeedbackStatistics})
@allow(Scope.WRITE, about="visible")
def get_feedback_statistics(query: FeedbackStatisticsQuery) -> Reply:
    """Count the votes of the last days by day (UTC) and by knowledge base."""
    owner = None if query.knowledge_base is None else store().knowledge_bases.get(query.knowledge_base)
    return FeedbackStatistics.of(store().feedback.counts(owner, query.days)).model_dump(mode="json")
