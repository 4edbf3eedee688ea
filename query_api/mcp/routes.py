"""`POST /mcp`, where programs with a language model find tools (API-7).

Belongs here: the route. Not here: methods (`methods`), tools (`tool_list`). Guarantee: whatever is sent, the reply is
one message of JSON-RPC, or 202 without one.
"""

import json
from typing import Any

from flask import Blueprint, Response, g, request

from headwater.domain.access import Scope
from query_api.guards.route_facts import allow
from query_api.mcp.errors import PATH, error_message
from query_api.mcp.messages import Request, RpcError, id_of, is_notification, read
from query_api.mcp.methods import result_of

routes = Blueprint("mcp", __name__)


@routes.post(PATH)
@allow(Scope.READ, about="visible", works_without_database=True)  # every tool only reads
def handle_message() -> Response:
    """Answer a message."""
    body = request.get_json(silent=True) or {}
    try:
        if is_notification(body):
            return Response(status=202)
        message = read(body, dict(request.headers))
        g.mcp_id = message.id
    except RpcError as error:
        return _reply(error_message(error.code, str(error), error.data, id_of(body)), error.status)
    return _answer(message)


def _answer(message: Request) -> Response:
    try:
        return _reply({"jsonrpc": "2.0", "id": message.id, "result": result_of(message)})
    except RpcError as error:
        status = error.status if message.is_modern else 200  # so the older form has it
        return _reply(error_message(error.code, str(error), error.data, message.id), status)


def _reply(message: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(message, ensure_ascii=False), status, mimetype="application/json")
