"""The date that a document names (RET-2)."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from headwater.parsing.dates import document_date


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({}, None),
        ({"date": "2024-05-01"}, datetime(2024, 5, 1, tzinfo=UTC)),
        ({"Last-Modified": "2024-05-01T10:00:00Z", "date": "2020-01-01"}, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ({"date": "2024-05-01T10:00:00+02:00"}, datetime(2024, 5, 1, 10, tzinfo=timezone(timedelta(hours=2)))),
        ({"updated": "soon", "created": "2021-02-03"}, datetime(2021, 2, 3, tzinfo=UTC)),
        ({"date": None}, None),
        ({"date": 7}, None),
        ({"date": ["2024-05-01"]}, None),
        ({"date": "0001-01-01"}, None),
    ],
)
def test_the_last_change_counts_before_the_first_writing(metadata: dict[str, Any], found: datetime | None) -> None:
    """ISO 8601 alone is read; what is something else is no date."""
    assert document_date(metadata) == found
