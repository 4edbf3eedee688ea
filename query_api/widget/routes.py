"""`/widget/v1/…`: what a widget asks on behalf of a visitor (INT-2).

Belongs here: sessions, searching, asking, following, stopping, voting. Not here: who may (`page_admission`), the script
(`scripts`). Guarantee: a visitor reaches only the knowledge base of the widget, without its private sources, and only
answers to questions of their own.
"""

from functools import partial

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.visitors import LIFETIME, begin_session
from headwater.answering import visitor_questions
from headwater.domain.access import Scope
from headwater.errors import HeadwaterError
from query_api.app_context import answer_tasks, app_context, settings, store
from query_api.guards.hosts import WIDGET_API
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Reply
from query_api.routes.answer_events import Steps
from query_api.routes.answer_requests import AnswerPath, EventsHeader
from query_api.routes.search_payloads import HitPayload
from query_api.sse import VISITORS
from query_api.widget.events import visitor_stored_events, visitor_task_events
from query_api.widget.page_admission import admit, count_session, retell, share, visitor, widget_of_page
from query_api.widget.payloads import (
    PublicResults,
    SessionBody,
    SessionPayload,
    ShownSettings,
    VisitorFeedbackBody,
    VisitorQuestionBody,
    VisitorSearchBody,
    WidgetIdPath,
)

routes = APIBlueprint(
    "widget", __name__, url_prefix=WIDGET_API, abp_tags=[Tag(name="Widget")], abp_responses={"404": Problem}
)
routes.before_request(admit)
routes.after_request(share)
routes.register_error_handler(HeadwaterError, retell)
_RESULTS = 5
_KEPT = "private, max-age=60"  # a change of a widget's looks is seen after a minute


@routes.get("/widgets/<id>", responses={"200": ShownSettings})
@allow(Scope.OPEN, visitors="origin")
def get_settings(path: WidgetIdPath) -> Reply:
    """Read how a widget looks; only for pages of its origins."""
    widget, _ = widget_of_page(path.id)
    return ShownSettings.of(widget).model_dump(mode="json"), 200, {"Cache-Control": _KEPT}


@routes.post("/sessions", responses={"200": SessionPayload})
@allow(Scope.OPEN, visitors="origin")
def begin(body: SessionBody) -> Reply:
    """Begin a visitor's session on a page of the widget's origins."""
    widget, origin = widget_of_page(body.widget)
    count_session()
    token = begin_session(widget, origin, body.token)
    return SessionPayload(token=token, expires_in=LIFETIME).model_dump(mode="json")


@routes.post("/search", responses={"200": PublicResults})
@allow(Scope.OPEN, visitors="question")
def search(body: VisitorSearchBody) -> Reply:
    """Find passages of the widget's knowledge base."""
    result = visitor_questions.search(store(), settings(), visitor(), body.query, _RESULTS)
    return PublicResults.of(HitPayload.all_of(body.query, result)).model_dump(mode="json")


@routes.post("/ask", responses={"200": None})
@allow(Scope.OPEN, visitors="question")
def ask(body: VisitorQuestionBody) -> Response:
    """Ask; the answer comes as server-sent events, and `Location` is where to follow it again."""
    who, started = visitor(), []

    def begin_answer() -> Steps:
        started.append(visitor_questions.ask(store(), answer_tasks(), who, body.question, body.follows))
        return visitor_task_events(store(), settings(), app_context().shared, who, started[0])

    response = VISITORS.respond_or_refuse(begin_answer)
    response.headers["Location"] = f"/widget/v1/answers/{started[0].id}/events"
    return response


@routes.get("/answers/<id>/events", responses={"200": None})
@allow(Scope.OPEN, visitors="session")
def follow(path: AnswerPath, header: EventsHeader) -> Response:
    """Follow an answer to a question of the visitor, from the beginning or after `Last-Event-ID`."""
    who, last_event_id, shared = visitor(), header.last_event_id, app_context().shared
    question, task = visitor_questions.get_question(store(), who, path.id), answer_tasks().find(path.id)
    if task is not None:
        visitor_questions.require_public(store(), who, task)
        steps = partial(visitor_task_events, store(), settings(), shared, who, task, after=last_event_id)
    else:
        question = visitor_questions.record_answer(store(), who, question, answer_tasks().stored_id(path.id))
        visitor_questions.answer_to(store(), who, question)
        steps = partial(visitor_stored_events, store(), settings(), shared, who, question, after=last_event_id)
    return VISITORS.respond_or_refuse(steps)


@routes.post("/answers/<id>/cancel", responses={"204": None})
@allow(Scope.OPEN, visitors="session")
def cancel(path: AnswerPath) -> Reply:
    """Stop an answer to a question of the visitor; its text so far stays."""
    question = visitor_questions.get_question(store(), visitor(), path.id)
    task = answer_tasks().find(path.id)
    if task is not None:
        task.cancel()
    elif question.answer_id == question.id:  # another one serves other readers too
        store().answers.cancel(path.id)
    return "", 204


@routes.put("/answers/<id>/feedback", responses={"204": None})
@allow(Scope.OPEN, visitors="session")
def put_feedback(path: AnswerPath, body: VisitorFeedbackBody) -> Reply:
    """Vote on an answer to a question of the visitor; it replaces the visitor's vote before."""
    visitor_questions.vote(store(), visitor(), path.id, body.vote, body.comment)
    return "", 204
