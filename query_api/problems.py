"""Errors as problem+json (RFC 9457).

Belongs here: the only mapping from errors to responses. Not here: raising them. Guarantee: no response shows a stack
trace or an address with a password, and every error has a stable code.
"""

import logging
import math
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, make_response, request
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from headwater.domain.wrong_fields import MISSING, WrongField, wrong_fields
from headwater.errors import HeadwaterError
from headwater.store.server.json_values import clean_text

MEDIA_TYPE = "application/problem+json"
_CODES = {413: "REQUEST_ENTITY_TOO_LARGE", 414: "URI_TOO_LONG"}  # newer versions of Python name these differently
UNEXPECTED = "An unexpected error occurred. See the server's log."
_log = logging.getLogger("headwater.api")


def problem(status: int, code: str, detail: str, errors: list[dict[str, Any]] | None = None) -> Response:
    """Make a problem+json response."""
    response = make_response(problem_json(status, code, detail, errors), status)
    response.content_type = MEDIA_TYPE
    return response


def problem_json(status: int, code: str, detail: str, errors: list[dict[str, Any]] | None = None) -> str:
    """The JSON of a problem; refusals by the server itself never reach Flask."""
    body = Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=clean_text(detail),
        code=code,
        errors=[{name: clean_text(str(value)) for name, value in error.items()} for error in errors or []],
    )
    return body.model_dump_json()


def problem_of(error: HeadwaterError, detail: str | None = None) -> Response:
    """The response to an error of ours; `detail` replaces its own words."""
    response = problem(error.http_status, error.code, str(error) if detail is None else detail)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if error.http_status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="Headwater"'
    return response


def status_of(code: str) -> int:
    """The HTTP status of an error by its stable code; 500 if no error has it."""
    errors = [HeadwaterError]
    for error in errors:
        if error.code == code:
            return error.http_status
        errors += error.__subclasses__()
    return HTTPStatus.INTERNAL_SERVER_ERROR


def invalid_request(error: ValidationError) -> Response:
    """List the wrong fields of a request."""
    fields = wrong_fields(error)
    detail = "; ".join(map(_detail, fields[:3]))
    errors = [{"field": ".".join(map(str, field.location)), "message": field.message} for field in fields]
    return problem(422, "INVALID_INPUT", detail, errors)


def _detail(field: WrongField) -> str:
    """The place and the message; a missing field of the body itself needs no place."""
    place = ".".join(map(str, field.place)) or ("" if field.kind == MISSING else "body")
    return f"{place}: {field.message}" if place else field.message


def _http_detail(error: HTTPException, allowed: str) -> str:
    """Werkzeug's own description, except where it does not say what to do."""
    if isinstance(error, NotFound):
        return "There is nothing at this address. The addresses of the API are listed at /openapi/swagger."
    if isinstance(error, MethodNotAllowed):
        return f"This address does not take {request.method}. It takes {allowed}."
    return error.description or HTTPStatus(error.code or 500).phrase


def install(app: Flask) -> None:
    """Make an app answer every error with a problem."""

    @app.errorhandler(HeadwaterError)
    def expected(error: HeadwaterError) -> Response:
        return problem_of(error)

    @app.errorhandler(ValidationError)
    def invalid(error: ValidationError) -> Response:
        return invalid_request(error)

    @app.errorhandler(UnicodeEncodeError)
    def unwritable(_: UnicodeEncodeError) -> Response:
        return problem(422, "INVALID_INPUT", "A text contains half a surrogate pair, which is not a character.")

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        status = error.code or 500
        code = _CODES.get(status) or HTTPStatus(status).name
        allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or []))
        response = problem(status, code, _http_detail(error, allowed))
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["Allow"] = allowed
        if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            response.headers["Content-Range"] = f"bytes */{getattr(error, 'length', None) or 0}"
        return response

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        _log.exception("%s %s failed", request.method, request.path, exc_info=error)
        return problem(500, HeadwaterError.code, UNEXPECTED)


class Problem(BaseModel):
    """An error (RFC 9457); `code` is stable, `errors` names wrong fields."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, Any]] = []
