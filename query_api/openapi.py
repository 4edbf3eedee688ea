"""The OpenAPI document: who may read it, and the problem responses in it beside those of each route.

Belongs here: which problems any request may get. Not here: making them (`problems`). Guarantee: every
status that is sent is described, with its media type and shape.
"""

from functools import partial
from http import HTTPStatus
from typing import Any

from flask_openapi3.openapi import OpenAPI

from headwater.domain.access import Scope
from query_api.guards.route_facts import allow
from query_api.openai.errors import is_openai
from query_api.problems import MEDIA_TYPE

_ANY = (400, 401, 403, 408, 413, 414, 417, 422, 429, 431, 500)  # for any request
_CHANGING = (415,)
_STORED = (404, 503)  # for any route that needs the database
_READING = ("get", "head")
_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_STREAM = {"text/event-stream": {"schema": {"type": "string"}}}
_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_OPENAI = (404, 409, 502, 503)
_OPENAI_SCHEMA = {"$ref": "#/components/schemas/ErrorPayload"}
_BLUEPRINTS = ("openapi", "swagger")
"""Those of flask-openapi3, whose routes show the document."""


def open_document(app: OpenAPI) -> None:
    """Let everyone read the document of an app."""
    for endpoint, view in app.view_functions.items():
        if endpoint.split(".")[0] in _BLUEPRINTS:
            app.view_functions[endpoint] = allow(Scope.OPEN)(partial(view))


def describe_problems(app: OpenAPI) -> None:
    """Complete the document of an app that has all its routes."""
    components = app.api_doc["components"]
    if not components.get("securitySchemes"):
        components.pop("securitySchemes", None)  # Swagger shows a button for an empty table: "Authorize"
    for path, item in app.api_doc["paths"].items():
        for method, operation in item.items():
            if is_openai(path):
                _describe_openai(operation, is_changing=method not in _READING)
                if path.endswith("/completions"):
                    operation["responses"]["200"]["content"] |= _STREAM
                continue
            _describe(operation["responses"], [*_ANY, *_of(path, method)])
            if path.endswith("/files/{name}") and method == "put":
                operation["requestBody"] = {"description": "The file itself.", "required": True, "content": _FILE}
            if path.endswith("/events"):
                operation["responses"]["200"]["content"] = _STREAM
            if path.endswith("/answers") and method == "post":
                operation["responses"]["200"]["content"] |= _STREAM


def _describe_openai(operation: dict[str, Any], *, is_changing: bool) -> None:
    """Errors in OpenAI's shape, in which a wrong field is a 400."""
    statuses = {*_ANY, *_OPENAI, *(_CHANGING if is_changing else ())} - {HTTPStatus.UNPROCESSABLE_ENTITY}
    operation["responses"].pop("422", None)
    for status in sorted(statuses):
        response = operation["responses"].setdefault(str(status), {"description": HTTPStatus(status).phrase})
        response["content"] = {"application/json": {"schema": _OPENAI_SCHEMA}}


def _of(path: str, method: str) -> list[int]:
    stored = _STORED if path.startswith("/api/") else ()
    return [*stored, *(() if method in _READING else _CHANGING)]


def _describe(responses: dict[str, Any], statuses: list[int]) -> None:
    for status in statuses:
        responses.setdefault(str(status), {"description": HTTPStatus(status).phrase})
    for name, response in responses.items():
        if int(name) < HTTPStatus.BAD_REQUEST:
            continue
        content = response.get("content", {})
        json_schema = content.get("application/json", {}).get("schema", {})
        is_a_problem = (
            json_schema.get("$ref") == _SCHEMA["$ref"] or json_schema.get("type") == "array"
        )  # the list is never sent
        response["content"] = {MEDIA_TYPE: {"schema": _SCHEMA}, **({} if is_a_problem or not json_schema else content)}
