"""What a client remembers of a response, to ask later whether the content has changed.

Belongs here: the text that is remembered, and the headers that it becomes. Not here: sending them (`http_client`).
Guarantee: pure; what a server sent becomes no header that a server could misread.
"""

import json
from collections.abc import Mapping

_MAX_VALIDATOR_CHARS = 500  # characters of each part


def validator_of(headers: Mapping[str, str]) -> str:
    """The ETag and the date of the last change as one text; empty without both."""
    values = [headers.get(name, "") for name in ("etag", "last-modified")]
    values = [value if _is_sendable(value) else "" for value in values]
    return json.dumps(values) if any(values) else ""


def conditions(validator: str) -> dict[str, str]:
    """The headers of a conditional request; none if the validator is not one of ours.

    Args:
        validator: that of an earlier response, empty for none.
    """
    try:
        etag, modified = json.loads(validator) if validator else ("", "")
    except (ValueError, TypeError):
        return {}
    headers = {"If-None-Match": etag, "If-Modified-Since": modified}
    return {name: text for name, text in headers.items() if isinstance(text, str) and text and _is_sendable(text)}


def _is_sendable(text: str) -> bool:
    return len(text) <= _MAX_VALIDATOR_CHARS and text.isascii() and text.isprintable()
