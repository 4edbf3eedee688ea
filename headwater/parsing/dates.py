"""The date in a document's metadata.

Belongs here: which field is used. Not here: the time of fetching. Guarantee: pure; an invalid date is not an
error.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_NAMES = (
    "updated", "last_updated", "updated_at", "lastmod", "last_modified", "modified", "date", "published",
    "published_at", "created", "created_at",
)  # fmt: skip
_FIRST, _LAST = 1, 9998  # years; beyond them, converting to another time zone would overflow


def document_date(metadata: Mapping[str, Any]) -> datetime | None:
    """Return when a document says it was last changed, or else written; None if it says neither.

    Args:
        metadata: the document's, such as front matter. Dates are ISO 8601, in UTC if they name no zone.
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
