"""Refusals by the server itself, before a route sees the request.

Belongs here: which error is refused how, and the bytes of the response. Not here: when (`gunicorn_worker`), the
refusals of requests that have not arrived (`request_reader`). Guarantee: each is a problem with a stable code.
"""

import json
from http import HTTPStatus

from gunicorn.http import errors

from query_api.guards.hosts import WIDGET_API
from query_api.mcp.errors import error_of as mcp_error_of
from query_api.mcp.errors import is_mcp
from query_api.openai.errors import REQUEST_ID, error_of, is_openai, new_request_id
from query_api.problems import MEDIA_TYPE, problem_json
from query_api.server.request_reader import RefusedError

NO_SPACE = RefusedError(507, "STORAGE_FULL", "The server has no room for this upload. Free some space on its disk.")


def refusal_of(error: BaseException) -> RefusedError:
    """The refusal for a request that gunicorn could not parse, or for an error of ours."""
    if isinstance(error, errors.InvalidResponseHeader | errors.InvalidResponseHeaderName):
        return RefusedError(500, "HEADWATER_ERROR", "An unexpected error occurred. See the server's log.")
    if isinstance(error, errors.LimitRequestLine):
        return RefusedError(414, "URI_TOO_LONG", "The request line is too long.")
    if isinstance(error, errors.LimitRequestHeaders):
        return RefusedError(431, "HEADERS_TOO_LARGE", "The request has too many header fields, or one is too long.")
    if isinstance(error, errors.ExpectationFailed):
        return RefusedError(
            417, "EXPECTATION_FAILED", "The header Expect has an unknown value. Leave it out, or send 100-continue."
        )
    if isinstance(error, errors.ParseException):
        return RefusedError(400, "MALFORMED_REQUEST", "The request is not HTTP/1.1 as defined in RFC 9112.")
    return RefusedError(500, "HEADWATER_ERROR", "An unexpected error occurred. See the server's log.")


def response_of(refusal: RefusedError, request: bytes = b"") -> bytes:
    """The bytes of the response, after which the connection ends.

    Args:
        refusal: why.
        request: what has arrived of the request, if it is known; its address decides the shape of the error,
            and whether pages of other sites may read it.
    """
    body, kind, extra_headers = (
        problem_json(refusal.status, refusal.code, refusal.detail),
        MEDIA_TYPE,
        tuple[str, ...](),
    )
    target = request[:200].partition(b" ")[2].partition(b" ")[0].decode("latin-1")
    path = target.partition("?")[0]
    if is_mcp(path):
        body, kind = json.dumps(mcp_error_of(json.loads(body))), "application/json"
    if is_openai(path):
        body, kind = error_of(json.loads(body))[1].model_dump_json(), "application/json"
        extra_headers = (f"{REQUEST_ID}: {new_request_id()}",)
    if path.startswith(f"{WIDGET_API}/"):  # any page may read it: these words are the same for every request
        extra_headers = ("Access-Control-Allow-Origin: *",)
    head = (
        f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body.encode())}",
        "X-Content-Type-Options: nosniff",
        *extra_headers,
        "Connection: close",
    )
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body.encode()
