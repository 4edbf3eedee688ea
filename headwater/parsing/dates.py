"""The date that a document names itself.

Belongs here: which of its metadata that is. Not here: when it was fetched. Guarantee: pure; what is no date is no
error.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_NAMES = (
    "updated", "last_updated", "updated_at", "lastmod", "last_modified", "modified", "date", "published",
    "published_at", "created", "created_at",
)  # fmt: skip
_FIRST, _LAST = 1, 9998  # years; at the ends of the calendar, another zone's time would fall out of it


def document_date(metadata: Mapping[str, Any]) -> datetime | None:
    """Return when a document says it was last changed, else written; None when it says neither.

    Args:
        metadata: its own, such as front matter. Dates are ISO 8601, UTC when they name no zone.
    """
    named = {str(name).lower().replace("-", "_"): value for name, value in metadata.items()}
    for name in _NAMES:
        found = _date(named.get(name))
        if found is not None:
            return found
    return None


def _date(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    if not _FIRST < found.year < _LAST:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
