"""Refusals by the server itself, before a route sees the request.

Belongs here: which error is refused how, and the bytes of the response. Not here: when (`worker`), the refusals of
requests that have not arrived (`arriving`). Guarantee: each is a problem with a stable code.
"""

from http import HTTPStatus

from gunicorn.http import errors

from query_api.arriving import RefusedError
from query_api.problems import MEDIA_TYPE, problem_json

MOST_UPLOADS = 16  # that arrive at the same time
NO_SPACE = RefusedError(507, "STORAGE_FULL", "The server has no room for this upload. Free some space on its disk.")
TOO_MANY_UPLOADS = RefusedError(
    429, "TOO_MANY_UPLOADS", f"{MOST_UPLOADS} uploads are arriving already. Try again when one of them is complete."
)


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


def response_of(refusal: RefusedError) -> bytes:
    """The bytes of the response, after which the connection ends."""
    body = problem_json(refusal.status, refusal.code, refusal.detail).encode()
    head = (
        f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    )
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
