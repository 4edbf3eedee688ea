"""`Idempotency-Key`: a repeated POST gets the first response, and does nothing a second time (API-1).

Belongs here: what a repeat gets. Not here: which routes keep no response (`route_facts`), keeping them
(`headwater.store.work.idempotent_responses`). Guarantee: every POST below `/api/` takes the header unless it says that
it keeps no response: pages, visitors of widgets and protocols that are not ours know no such header. Only successful
responses are kept, so a request that failed can be corrected or tried again with the same key. Of a stream
only its Location is kept, and a repeat follows that. Callers with keys share no header: each has its own. What was
deleted since is not told again.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Flask, Response, g, make_response, request
from flask_openapi3.openapi import OpenAPI

from headwater.store.work.idempotent_responses import StoredResponse
from query_api.app_context import store
from query_api.guards.authentication import caller
from query_api.guards.route_facts import facts_of, request_facts
from query_api.guards.visibility import owner_of
from query_api.problems import problem
from query_api.sse import LAST_SEEN, MIME_TYPE

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT_HEADERS = ("Content-Type", "Location")
_RETRY_AFTER = 2  # seconds
_WRONG_KEY = "The header Idempotency-Key must have 1 to 255 visible ASCII characters, such as a UUID."
_USED = (
    "Another request was sent with this Idempotency-Key in the last 24 hours. Send the same request again, or use a new"
    " key."
)
_RUNNING = "A request with this Idempotency-Key is still running. Send this one again in a few seconds."
_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "A key of your choice, such as a UUID. A repeat within 24 hours gets the first response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
View = Callable[..., Any]


def takes_key(app: Flask, rule: Any) -> bool:
    """Whether a route takes the header."""
    return "POST" in rule.methods and rule.rule.startswith("/api/") and facts_of(app, rule.endpoint).keeps_response


def install(app: OpenAPI) -> None:
    """Make every POST of an app that has all its routes take the header, and describe it."""
    for rule in app.url_map.iter_rules():
        if takes_key(app, rule):
            app.view_functions[rule.endpoint] = _repeatable(app, app.view_functions[rule.endpoint], rule.rule)
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            operation = app.api_doc["paths"][path]["post"]
            operation.setdefault("parameters", []).append(_PARAMETER)
            operation["responses"].setdefault("409", {"description": HTTPStatus.CONFLICT.phrase})


def _repeatable(app: Flask, view: View, rule: str) -> View:
    scope = f"POST {rule}"

    @wraps(view)
    def answer(**values: Any) -> Any:
        key = request.headers.get(HEADER)
        if key is None:
            return view(**values)
        if not _KEY.fullmatch(key):
            return problem(422, "INVALID_INPUT", _WRONG_KEY, [{"field": HEADER, "message": _WRONG_KEY}])
        who = caller()
        own = scope if who is None or who.actor.kind == "anyone" else f"{who.bucket} {scope}"
        with store().kept_responses.running(own, key) as is_ours:
            if not is_ours:
                return _still_running()
            return _first_or_same(app, view, own, key, values)

    return answer


def _first_or_same(app: Flask, view: View, scope: str, key: str, values: dict[str, Any]) -> Any:
    asked = _request_hash()
    kept = store().kept_responses.get(scope, key)
    if kept is not None and kept.request_hash != asked:
        return problem(409, "IDEMPOTENCY_KEY_USED", _USED)
    if kept is not None:
        return _repeat_response(app, kept)
    response = app.make_response(view(**values))
    if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        body = b"" if response.mimetype == MIME_TYPE else response.get_data()
        first = StoredResponse(request_hash=asked, status=response.status_code, headers=headers, body=body)
        store().kept_responses.put(scope, key, first, knowledge_base_id=_owner(values, response))
    return response


def _repeat_response(app: Flask, kept: StoredResponse) -> Response:
    if kept.headers["Content-Type"].startswith(MIME_TYPE):
        response = _follow_stream(app, kept.headers["Location"])
    else:
        _require_row(kept)
        response = make_response(kept.body, kept.status)
    response.headers.update(kept.headers)
    response.headers[REPLAYED] = "true"
    return response


def _require_row(kept: StoredResponse) -> None:
    """Make sure that an answer or a conversation was not deleted while its response was kept.

    Raises:
        NotFoundError: it was.
    """
    returned = request_facts().returns
    if returned == "answer":
        store().answers.get(UUID(json.loads(kept.body)["id"]))
    elif returned == "conversation":
        store().conversations.get(UUID(json.loads(kept.body)["id"]))


def _owner(values: dict[str, Any], response: Response) -> int | None:
    """The id of the knowledge base that a response tells about; None for the whole server."""
    facts = request_facts()
    if facts.returns == "knowledge_base":
        return store().owners.of("knowledge_base", response.get_json()["slug"])
    return owner_of(store(), request.url_rule, facts, values) if request.url_rule else None


def _follow_stream(app: Flask, location: str) -> Response:
    """What a stream streamed, from its beginning or after the last event that the client saw."""
    last = {name: value for name, value in request.headers.items() if name == LAST_SEEN}
    who = caller()
    client = {"gunicorn.socket": request.environ.get("gunicorn.socket")}
    with app.test_request_context(location, headers=last, environ_overrides=client):
        g.caller = who
        return app.make_response(app.dispatch_request())


def _still_running() -> Response:
    response = problem(409, "REQUEST_STILL_RUNNING", _RUNNING)
    response.headers["Retry-After"] = str(_RETRY_AFTER)
    return response


def _request_hash() -> bytes:
    """The identity of a request: its address and its body, in whatever order its fields are."""
    body = request.get_json() if request.is_json and request.get_data() else None
    shown = json.dumps([request.path, request.query_string.decode("latin-1"), body], sort_keys=True)
    return hashlib.sha256(shown.encode()).digest()
