"""Which past times can be asked about, and what must be said of the answer.

Belongs here: checking the time of `as of`, and the note about what is kept no longer. Not here: searching (`search`,
`headwater.store.content.versions`). Guarantee: pure but for the clock.
"""

from datetime import UTC, datetime, timedelta

from headwater.domain.corpus import KnowledgeBase
from headwater.errors import InvalidInputError
from headwater.settings import Settings


def past_time(as_of: datetime) -> datetime:
    """Return the time with its zone, which is UTC when it names none.

    Raises:
        InvalidInputError: it is still to come.
    """
    moment = as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC)
    if moment > datetime.now(UTC):
        raise InvalidInputError(f"as_of {moment.isoformat()} is still to come. Name a past time, or none for now.")
    return moment


def retention_notes(settings: Settings, knowledge_base: KnowledgeBase, as_of: datetime) -> tuple[str, ...]:
    """Say that versions visible at a time may have been removed since; nothing when none can have been."""
    kept_since = datetime.now(UTC) - timedelta(days=settings.version_retention_days)
    if as_of >= kept_since or as_of < knowledge_base.created_at:
        return ()
    return (
        f"This may be incomplete: versions that were replaced or withdrawn before {kept_since.date()} are not kept.",
    )
