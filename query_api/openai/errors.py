"""Errors in OpenAI's shape.

Belongs here: turning problems into that shape, and telling clients whether a repeat may help. Not here: making problems
(`query_api.problems`). Guarantee: every error below `/v1` has this shape, also those of routing, guards and JSON.
"""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from flask import Flask, Response, g, request
from pydantic import BaseModel

from headwater.errors import HeadwaterError, InvalidInputError, NotFoundError
from query_api.problems import MEDIA_TYPE, problem, problem_json

REQUEST_ID = "x-request-id"
_TYPES = {401: "authentication_error", 403: "permission_error", 409: "conflict_error", 429: "rate_limit_error"}
_CODES = {
    "RATE_LIMITED": "rate_limit_exceeded",
    "UNAUTHENTICATED": "invalid_api_key",
}  # by the name that OpenAI's clients know
_REPEATED = (HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
_PASSING = ("rate_limit_exceeded", "processing_incomplete", "database_unavailable", "answer_interrupted")
"""Codes after which the same request may succeed soon; OpenAI's clients would repeat any 409, 429 and 5xx."""
_NO_SUCH = "There is nothing at this address. Below /v1 there are /models, /chat/completions and /context."
_NO_RESPONSES = "The Responses API is not available here. Use chat completions: POST /v1/chat/completions."
_log = logging.getLogger("headwater.api")


class WrongFieldError(InvalidInputError):
    """A field of a request is wrong; `field` is its place."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class ModelNotFoundError(NotFoundError):
    """No knowledge base has this name."""

    code = "MODEL_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The model `{name[:200]}` does not exist. A model is headwater/ and the slug of a knowledge base; "
            "GET /v1/models lists them."
        )


class ErrorObject(BaseModel):
    """An error as OpenAI's clients read it; `code` is stable, `param` names a wrong field."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorPayload(BaseModel):
    """The body of an error."""

    error: ErrorObject


def is_openai(path: str) -> bool:
    """Whether a path belongs to OpenAI's API."""
    return path == "/v1" or path.startswith("/v1/")


def new_request_id() -> str:
    """An id for a request that made no answer."""
    return f"req_{uuid4().hex}"


def error_of(found: Mapping[str, Any]) -> tuple[int, ErrorPayload]:
    """The status and the body for a problem."""
    status = found["status"] if found["status"] != HTTPStatus.UNPROCESSABLE_ENTITY else HTTPStatus.BAD_REQUEST
    code = _CODES.get(found["code"], found["code"].lower())
    fields = [error["field"] for error in found["errors"] if "field" in error]
    param = "model" if code == "model_not_found" else next(iter(fields), None)
    kind = _TYPES.get(status, "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error")
    return int(status), ErrorPayload(error=ErrorObject(message=found["detail"], type=kind, param=param, code=code))


def error_body(error: HeadwaterError) -> dict[str, Any]:
    """The body for an error that comes while a reply is streamed."""
    body = json.loads(problem_json(error.http_status, error.code, str(error)))
    return error_of(body)[1].model_dump()


def install(app: Flask) -> None:
    """Give every response below `/v1` an id, and every error there OpenAI's shape."""

    @app.errorhandler(WrongFieldError)
    def wrong(error: WrongFieldError) -> Response:
        detail = str(error)
        return problem(error.http_status, error.code, detail, [{"field": error.field, "message": detail}])

    @app.after_request
    def reshape(response: Response) -> Response:
        if not is_openai(request.path):
            return response
        name = g.get("openai_request_id") or new_request_id()
        response.headers[REQUEST_ID] = name
        if response.mimetype == MEDIA_TYPE:
            _reshape(response, name)
        return response


def _reshape(response: Response, name: str) -> None:
    reply = json.loads(response.get_data())
    if reply["code"] == NotFoundError.code and request.url_rule is None:
        reply["detail"] = _NO_RESPONSES if request.path.startswith("/v1/responses") else _NO_SUCH
    status, body = error_of(reply)
    response.status_code = status
    response.set_data(body.model_dump_json())
    response.content_type = "application/json"
    is_fault = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if (is_fault or status in _REPEATED) and body.error.code not in _PASSING:
        response.headers["x-should-retry"] = "false"
    if is_fault:
        _log.warning("%s: %s %s", name, status, body.error.code)
