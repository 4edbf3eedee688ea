"""What a client remembers of a response, to ask later whether the content has changed.

Belongs here: the text that is remembered, and the headers that it becomes. Not here: sending them (`http_client`).
Guarantee: pure; what a server sent becomes no header that a server could misread.
"""

import json
from collections.abc import Mapping

_MAX_VALIDATOR_CHARS = 500  # characters of each part


def validator_of(headers: Mapping[str, str]) -> str:
    """The ETag and the date of the last change as one text; empty without both."""
    parts = [headers.get(name, "") for name in ("etag", "last-modified")]
    parts = [part if _is_sendable(part) else "" for part in parts]
    return json.dumps(parts) if any(parts) else ""


def conditions(validator: str) -> dict[str, str]:
    """The headers of a conditional request; none if the validator is not one of ours.

    Args:
        validator: that of an earlier response, empty for none.
    """
    try:
        etag, changed = json.loads(validator) if validator else ("", "")
    except (ValueError, TypeError):
        return {}
    named = {"If-None-Match": etag, "If-Modified-Since": changed}
    return {name: text for name, text in named.items() if isinstance(text, str) and text and _is_sendable(text)}


def _is_sendable(text: str) -> bool:
    return len(text) <= _MAX_VALIDATOR_CHARS and text.isascii() and text.isprintable()
