"""Errors at the address of MCP.

Belongs here: turning problems into errors of JSON-RPC. Not here: making problems (`query_api.problems`), errors that a
model can act on, which are results of tools (`tools`). Guarantee: every error at `/mcp` has this shape, also those of
routing, guards and JSON.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g, request

from query_api.guards.strict_json import MalformedJsonError
from query_api.mcp.messages import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, Id
from query_api.problems import MEDIA_TYPE

PATH = "/mcp"


def is_mcp(path: str) -> bool:
    """Whether a path is that of MCP."""
    return path == PATH


def error_message(code: int, words: str, data: Mapping[str, Any] | None, to: Id | None = None) -> dict[str, Any]:
    """An error as a message.

    Args:
        code: JSON-RPC's.
        words: what happened, and what to do.
        data: more for programs.
        to: the id of the request; None if it could not be read.
    """
    return {"jsonrpc": "2.0", "id": to, "error": {"code": code, "message": words, **({"data": data} if data else {})}}


def error_of(found: Mapping[str, Any], to: Id | None = None) -> dict[str, Any]:
    """The message for a problem; the problem's stable code is in its data."""
    code = INTERNAL_ERROR if found["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR else INVALID_REQUEST
    if found["code"] == MalformedJsonError.code:
        code = PARSE_ERROR
    return error_message(code, found["detail"], {"code": found["code"]}, to)


def install(app: Flask) -> None:
    """Give every problem at the address of MCP the shape of JSON-RPC."""

    @app.after_request
    def reshape(response: Response) -> Response:
        if is_mcp(request.path) and response.mimetype == MEDIA_TYPE:
            if response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY:
                response.status_code = HTTPStatus.BAD_REQUEST
            response.set_data(json.dumps(error_of(json.loads(response.get_data()), g.get("mcp_id"))))
            response.content_type = "application/json"
        return response
