"""The messages between Headwater and the process of yt-dlp.

Belongs here: a message's two frames, requests, responses and errors as JSON. Not here: who sends them (`ytdlp_client`,
`ytdlp_process`). Guarantee: reading a message runs no code of it; of an error only its code and its text count.

Either side may call the other while it is called itself: yt-dlp asks for pages while it looks at an address, and the
client asks for cookies while it fetches one. So a message is either a call, or the answer to the latest call.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from headwater.confinement.process import InvalidAnswerError
from headwater.errors import DocumentError, FetchError, FetchRefusedError, HeadwaterError, SourceError, TooLargeError
from headwater.fetching.http_client import Response
from headwater.fetching.http_request import Cookies, HttpRequest

LIMIT = 50_000_000
"""Bytes of one frame."""
_MESSAGE_LIMIT = 2_000  # characters of an error's message
_ERRORS: tuple[type[HeadwaterError], ...] = (
    FetchRefusedError, FetchError, TooLargeError, DocumentError, SourceError,
)  # fmt: skip
_KINDS = {kind.code: kind for kind in _ERRORS}
Fields = dict[str, Any]


def to_frame(fields: Mapping[str, Any]) -> bytes:
    """The first frame of a message; the second is content."""
    return json.dumps(fields, default=lambda _: None).encode()


def read_frame(frame: bytes) -> Fields:
    """Read the first frame of a message.

    Raises:
        InvalidAnswerError: it is none.
    """
    try:
        fields = json.loads(frame)
    except (ValueError, RecursionError) as error:
        raise InvalidAnswerError(str(error)) from error
    if not isinstance(fields, dict):
        raise InvalidAnswerError("fields")
    return fields


def error_fields(error: HeadwaterError) -> Fields:
    """An answer that says why there is no other."""
    kind = next((kind for kind in _ERRORS if isinstance(error, kind)), DocumentError)
    return {"error": {"code": kind.code, "message": str(error)[:_MESSAGE_LIMIT]}}


def result(fields: Fields) -> Any:
    """What a call returned.

    Raises:
        HeadwaterError: it failed. InvalidAnswerError: the answer is none.
    """
    try:
        if "error" in fields:
            error = _KINDS[fields["error"]["code"]](str(fields["error"]["message"])[:_MESSAGE_LIMIT])
        else:
            return fields["result"]
    except (KeyError, TypeError) as problem:
        raise InvalidAnswerError("answer") from problem
    raise error


def message_fields(message: HttpRequest) -> Fields:
    """A request without its content."""
    return {
        "method": message.method, "headers": dict(message.headers), "has_content": message.content is not None,
        "has_cookies": message.cookies is not None, "unread": list(message.unread),
        "is_redirected": message.is_redirected,
    }  # fmt: skip


def read_message(fields: Any, content: bytes, cookies: Cookies) -> HttpRequest:
    """A request that yt-dlp wants sent.

    Raises:
        InvalidAnswerError: it is none.
    """
    try:
        return HttpRequest(
            method="POST" if fields["method"] == "POST" else "HEAD" if fields["method"] == "HEAD" else "GET",
            headers={_text(name): _text(value) for name, value in fields["headers"].items()},
            content=content if fields["has_content"] else None,
            cookies=cookies if fields["has_cookies"] else None,
            unread=tuple(map(_text, fields["unread"])),
            is_redirected=bool(fields["is_redirected"]),
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise InvalidAnswerError("message") from problem


def response_fields(response: Response) -> Fields:
    """A response without its content."""
    return {**asdict(response), "content": None, "headers": dict(response.headers)}


def read_response(fields: Any, content: bytes) -> Response:
    """A response.

    Raises:
        InvalidAnswerError: it is none.
    """
    try:
        return Response(
            url=_text(fields["url"]),
            status=int(fields["status"]),
            headers={_text(name): _text(value) for name, value in fields["headers"].items()},
            content=content,
            media_type=_text(fields["media_type"]),
            validator=_text(fields["validator"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InvalidAnswerError("response") from problem


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value
