"""Values for jsonb columns.

Belongs here: wrapping them. Not here: their meaning. Guarantee: text that Postgres cannot store (NUL, lone
surrogates) is replaced, never an error.
"""

import json
from typing import Any

from psycopg.types.json import Jsonb


def to_json(value: Any) -> Jsonb:
    """Wrap a JSON value for a jsonb parameter."""
    return Jsonb(_clean(value), dumps=_dumps)


def clean_text(text: str) -> str:
    """Replace characters that Postgres text cannot store by U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(name)): _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
