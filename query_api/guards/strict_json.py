"""JSON as the API accepts it.

Belongs here: reading a body's bytes. Not here: the fields of a body (`query_api.request_shapes`). Guarantee: accepted
values can be stored, compared and returned: UTF-8, at most 32 levels deep, no key twice in one object, numbers that are
numbers, and text without NUL and without halves of surrogate pairs.
"""

import json
import math
from typing import Any

from flask.json.provider import DefaultJSONProvider

from headwater.errors import HeadwaterError, InvalidInputError

_MAX_DEPTH = 32  # levels; the deepest meaningful body has six
_MAX_NUMBER_DIGITS = 1000  # digits; Python refuses to convert more than 4,300, and databases store fewer
_MALFORMED = "The body is not valid JSON: {}."
_SURROGATES = range(0xD800, 0xE000)


class MalformedJsonError(HeadwaterError):
    """A body is not JSON; the message gives the position of the error."""

    code = "MALFORMED_JSON"
    http_status = 400


class StrictJson(DefaultJSONProvider):
    """Flask's JSON, stricter in what it reads."""

    def loads(self, s: str | bytes, **_: Any) -> Any:
        """Read a document.

        Raises:
            MalformedJsonError: it is not JSON.
            InvalidInputError: it is JSON, but contains text that cannot be stored.
        """
        try:
            text = s.decode("utf-8") if isinstance(s, bytes) else s  # json.loads lets halves of surrogate pairs pass
            value = json.loads(
                text,
                parse_constant=_no_number,
                parse_float=_finite,
                parse_int=_short,
                object_pairs_hook=_object_with_unique_keys,
            )
            _check(value)
        except RecursionError:
            raise MalformedJsonError(_MALFORMED.format("it is nested too deeply")) from None
        except ValueError as error:
            raise MalformedJsonError(_MALFORMED.format(error)) from error
        return value


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _short(digits: str) -> int:
    if len(digits) > _MAX_NUMBER_DIGITS:
        raise ValueError("a number is too large")
    return int(digits)


def _object_with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("an object has a key twice")
    return fields


def _check(document: Any) -> None:
    """Check every text and the depth, level by level: an attacker could exhaust recursion."""
    level, depth = [document], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise ValueError(f"it is nested more than {_MAX_DEPTH} levels deep")
        following: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                following += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                following += value
        level = following


def _check_text(text: str) -> None:
    if text.isascii():
        is_unstorable = "\x00" in text
    else:
        is_unstorable = "\x00" in text or any(ord(character) in _SURROGATES for character in text)
    if is_unstorable:
        raise InvalidInputError("A text contains a NUL or half a surrogate pair. Neither can be stored; leave it out.")
