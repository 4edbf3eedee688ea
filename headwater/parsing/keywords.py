"""Keywords of a document, one by one.

Belongs here: splitting what a file says in one line. Not here: reading files, filters (`headwater.store.search`).
Guarantee: lists and words without a separator stay as they are; the order stays, and each keyword occurs once.
"""

import re
from collections.abc import Mapping
from typing import Any

_NAMES = ("keywords", "tags")
_SEPARATORS = ";,，、；\n"
_SEPARATOR_PATTERN = re.compile(f"[{_SEPARATORS}]")
_AROUND = " \t\"'“”„»«"
_MAX_KEYWORDS = 500


def split_keywords(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with keywords and tags as lists, where they are several in one text, such as `oil; pump`.

    Programs that write PDF and office files put all keywords into one field, and people write front matter so.
    """
    values = {name: value for name, value in metadata.items() if str(name).lower() in _NAMES and _is_list(value)}
    return {**metadata, **{name: _split(value) for name, value in values.items()}}


def _is_list(value: Any) -> bool:
    return isinstance(value, str) and _SEPARATOR_PATTERN.search(value) is not None


def _split(text: str) -> list[str]:
    keywords = (" ".join(keyword.strip(_AROUND).split()) for keyword in _SEPARATOR_PATTERN.split(text))
    return list(dict.fromkeys(filter(None, keywords)))[:_MAX_KEYWORDS]
