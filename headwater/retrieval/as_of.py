"""Checking the past time of a question, and warning about versions that are no longer kept.

Belongs here: checking the time of `as of`, and the note about removed versions. Not here: searching (`search`,
`headwater.store.content.versions`). Guarantee: pure except for the clock.
"""

from datetime import UTC, datetime, timedelta

from headwater.domain.corpus import KnowledgeBase
from headwater.errors import InvalidInputError
from headwater.settings import Settings


def past_time(as_of: datetime) -> datetime:
    """Return the time with its zone, by default UTC.

    Raises:
        InvalidInputError: it is in the future.
    """
    moment = as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC)
    if moment > datetime.now(UTC):
        raise InvalidInputError(f"as_of {moment.isoformat()} is in the future. Give a past time, or leave it out.")
    return moment


def retention_notes(settings: Settings, knowledge_base: KnowledgeBase, as_of: datetime) -> tuple[str, ...]:
    """A note that versions visible at a time may have been removed since; empty if none can have been."""
    kept_since = datetime.now(UTC) - timedelta(days=settings.version_retention_days)
    if as_of >= kept_since or as_of < knowledge_base.created_at:
        return ()
    return (
        f"This may be incomplete: versions that were replaced or withdrawn before {kept_since.date()} are not kept.",
    )
