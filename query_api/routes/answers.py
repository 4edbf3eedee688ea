"""`/api/v1/knowledge-bases/{kb}/answers`, `/api/v1/answers/{id}` with its events and lineage, and what answers cost.

Belongs here: asking, following, cancelling, reading answers again, tracing them. Not here: answering, the events
(`answer_events`).
"""

from functools import partial

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.usage_report import usage_by_day
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.conversation_questions import in_conversation
from headwater.domain.access import Scope
from headwater.errors import InvalidInputError
from query_api.answer_access import check_caller, check_of, end_answer, find_task, start_answer
from query_api.app_context import answer_tasks, settings, store
from query_api.guards.route_facts import ANSWER, allow
from query_api.problems import Problem
from query_api.request_shapes import KnowledgeBasePath, Reply
from query_api.routes.answer_events import Steps, follow_stored, task_events
from query_api.routes.answer_lists import AnswerPage
from query_api.routes.answer_payloads import AnswerPayload, UsagePayload
from query_api.routes.answer_requests import (
    AnswerPath,
    AnswersQuery,
    EventsHeader,
    EventsQuery,
    QuestionBody,
    UsageQuery,
)
from query_api.routes.lineage_payloads import AnswerLineage
from query_api.sse import ANSWERS, MIME_TYPE

routes = APIBlueprint(
    "answers", __name__, url_prefix="/api/v1", abp_tags=[Tag(name="Answers")], abp_responses={"404": Problem}
)
_streams = ANSWERS
_FIRST = 3.0  # seconds to wait for the first event, before the stream begins without it


@routes.post("/knowledge-bases/<kb>/answers", responses={"200": AnswerPayload})
@allow(Scope.READ, cost=ANSWER, returns="answer")
def create_answer(path: KnowledgeBasePath, body: QuestionBody) -> Reply | Response:
    """Answer a question with citations, or refuse; with `as_of`, use what readers saw at that time.

    With `stream`, or the header `Accept: text/event-stream`, the answer comes as server-sent events while it is made.
    It is made to its end even if the client disconnects; `Location` is where to follow it again. With `conversation`,
    the answer becomes a turn of it.
    """
    question = body.to_request(store().knowledge_bases.get(path.kb))
    answer_request = in_conversation(store(), question, body.conversation, body.follows)
    accepted = request.accept_mimetypes
    if body.stream or accepted.quality(MIME_TYPE) > accepted.quality("application/json"):
        return _stream(answer_request, html=body.render == "html")
    if body.render:
        raise InvalidInputError("render needs a stream: add stream: true.")
    answer = start_answer(answer_request).result()
    payload = AnswerPayload.of(answer).with_originals(store().originals)
    return payload.with_related(store(), settings()).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/answers", responses={"200": AnswerPage})
@allow(Scope.READ)
def list_answers(path: KnowledgeBasePath, query: AnswersQuery) -> Reply:
    """List the stored answers of a knowledge base, newest first, and whether each is stale."""
    owner = store().knowledge_bases.get(path.kb)
    stored_answers = store().answers.all(owner, before=query.after, limit=query.limit + 1)
    return AnswerPage.of(stored_answers, query.limit).model_dump(mode="json")


@routes.get("/answers/<id>", responses={"200": AnswerPayload})
@allow(Scope.READ, about="answer")
def get_answer(path: AnswerPath) -> Reply:
    """Read an answer again; `state` says whether it is complete."""
    return _get_stored(path)


@routes.get("/answers/<id>/events", responses={"200": None})
@allow(Scope.READ, about="answer")
def get_answer_events(path: AnswerPath, query: EventsQuery, header: EventsHeader) -> Response:
    """Follow an answer as server-sent events, from the beginning or after `Last-Event-ID`."""
    last_event_id, html = header.last_event_id, query.render == "html"
    task = find_task(path.id)
    if task is not None:
        steps = partial(task_events, store(), settings(), task, check_of(task), after=last_event_id, html=html)
    else:
        stored = store().answers.get(answer_tasks().stored_id(path.id))
        steps = partial(follow_stored, store(), settings(), stored.id, check_caller(), after=last_event_id, html=html)
    return _streams.respond_or_refuse(steps)


@routes.post("/answers/<id>/cancel", responses={"200": AnswerPayload, "403": Problem})
@allow(Scope.READ, about="answer", returns="answer")  # of what the same key asked: `running_answers`
def cancel_answer(path: AnswerPath) -> Reply:
    """End an answer that is being made; its text so far is kept. An answer that has ended stays as it is.

    Only the key that asked may, and one with the scope `admin`: else 403.
    """
    end_answer(path.id)
    return _get_stored(path)


@routes.get("/knowledge-bases/<kb>/usage", responses={"200": UsagePayload})
@allow(Scope.READ)
def get_usage(path: KnowledgeBasePath, query: UsageQuery) -> Reply:
    """What answers and summaries cost: tokens and US dollars by day (UTC), kind, source and model, newest first."""
    owner = store().knowledge_bases.get(path.kb)
    return UsagePayload.of(owner.slug, usage_by_day(store(), owner, query.days)).model_dump(mode="json")


def _stream(answer_request: AnswerRequest, *, html: bool) -> Response:
    """Begin an answer and follow it."""
    started = []

    def begin() -> Steps:
        task = start_answer(answer_request, is_followed=True)
        started.append(task)
        return task_events(store(), settings(), task, check_of(task), html=html)

    response = _streams.respond_or_refuse(begin)
    query = "?render=html" if html else ""
    response.headers["Location"] = f"/api/v1/answers/{started[0].stored_id(_FIRST)}/events{query}"
    return response


def _get_stored(path: AnswerPath) -> Reply:
    payload = AnswerPayload.from_stored(store().answers.get(path.id))
    return payload.with_originals(store().originals).with_related(store(), settings()).model_dump(mode="json")


@routes.get("/answers/<id>/lineage", responses={"200": AnswerLineage})
@allow(Scope.READ, about="answer")
def get_answer_lineage(path: AnswerPath) -> Reply:
    """Trace an answer upstream to the runs that fetched its citations."""
    return AnswerLineage.of(store().answers.get(path.id), settings().dagster_url).model_dump(mode="json")
