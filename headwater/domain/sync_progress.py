"""How far a running sync is: a share of its stage, and the time that is left.

Belongs here: the arithmetic, and the words for a time that is left. Not here: counting (`headwater.syncing`), drawing.
Guarantee: pure; a share is None while it cannot be known, and is never 1 while there are texts to embed.

While documents are read, they are split and embedded in batches, so the share of this stage is of both: half of the
documents read, and half of their texts embedded, is a quarter.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

_EMBEDDING_STAGES = ("documents", "embeddings")
_MIN_SECONDS, _MIN_SHARE = 5.0, 0.01  # below this, a rate says nothing


class Counted(Protocol):
    """The counts of a running sync, of one source or of several."""

    @property
    def stage(self) -> str | None: ...  # noqa: D102
    @property
    def done_count(self) -> int: ...  # noqa: D102
    @property
    def total_count(self) -> int: ...  # noqa: D102
    @property
    def documents_total(self) -> int | None: ...  # noqa: D102
    @property
    def documents_done(self) -> int: ...  # noqa: D102
    @property
    def embedded_count(self) -> int: ...  # noqa: D102
    @property
    def to_embed_count(self) -> int: ...  # noqa: D102
    @property
    def started_at(self) -> datetime | None: ...  # noqa: D102
    @property
    def stage_started_at(self) -> datetime | None: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncProgress:
    """`share` is how much of the stage is done, from 0 to 1; `texts_left` how many known texts have no vector yet."""

    share: float | None
    texts_left: int
    seconds_left: float | None

    @property
    def words(self) -> str:
        """The time that is left, such as `about 3 min left`; empty while it is unknown."""
        return format_time_left(self.seconds_left)


def measure_progress(counted: Counted, now: datetime) -> SyncProgress:
    """How far a running sync is in its stage.

    Args:
        counted: its counts.
        now: the time, with a time zone.
    """
    share = _measure_share(counted)
    is_embedding = counted.stage in _EMBEDDING_STAGES
    began = counted.started_at if is_embedding else counted.stage_started_at
    return SyncProgress(
        share=share,
        texts_left=max(0, counted.to_embed_count - counted.embedded_count),
        seconds_left=_estimate_seconds(share, (now - began).total_seconds()) if began and share else None,
    )


def format_time_left(seconds: float | None) -> str:
    """A time that is left, rounded to what an estimate deserves."""
    if seconds is None:
        return ""
    if seconds < 60:
        return "less than a minute left"
    minutes = round(seconds / 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"about {hours} h {minutes_left} min left" if hours else f"about {minutes} min left"


def _measure_share(counted: Counted) -> float | None:
    embedded = min(1.0, counted.embedded_count / counted.to_embed_count) if counted.to_embed_count else 1.0
    if counted.stage == "documents":
        if not counted.documents_total:
            return None
        return min(1.0, counted.documents_done / counted.documents_total) * embedded
    if counted.stage == "embeddings" and embedded < 1:
        return embedded
    return min(1.0, counted.done_count / counted.total_count) if counted.total_count else None


def _estimate_seconds(share: float, elapsed: float) -> float | None:
    if elapsed < _MIN_SECONDS or share < _MIN_SHARE:
        return None
    return elapsed * (1 - share) / share
