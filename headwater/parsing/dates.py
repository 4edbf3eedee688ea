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
    fields = {str(name).lower().replace("-", "_"): value for name, value in metadata.items()}
    for name in _NAMES:
        date = _date(fields.get(name))
        if date is not None:
            return date
    return None


def _date(value: Any) -> datetime | None:
    try:
        date = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    if not _FIRST < date.year < _LAST:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
