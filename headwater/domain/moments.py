"""Times in sentences for people.

Belongs here: how a time reads in a sentence. Not here: times in JSON fields, which are ISO 8601. Guarantee: pure; the
zone is always said.
"""

from datetime import UTC, datetime


def format_moment(moment: datetime) -> str:
    """The time to the minute, such as `2026-11-27 07:30 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
