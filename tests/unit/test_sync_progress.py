"""How far a sync is, and what time is left (SRC-10)."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from headwater.domain.sync_progress import format_time_left, measure_progress

_NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class _Counts:
    stage: str | None = "documents"
    done_count: int = 0
    total_count: int = 0
    documents_total: int | None = 74
    documents_done: int = 37
    embedded_count: int = 0
    to_embed_count: int = 0
    started_at: datetime | None = _NOW - timedelta(minutes=4)
    stage_started_at: datetime | None = _NOW - timedelta(minutes=1)


@pytest.mark.parametrize(
    ("counts", "share", "texts_left", "time_left"),
    [
        (_Counts(documents_total=None, documents_done=0), None, 0, ""),
        (_Counts(documents_done=0), 0.0, 0, ""),
        (_Counts(), 0.5, 0, "about 4 min left"),
        (_Counts(embedded_count=300, to_embed_count=600), 0.25, 300, "about 12 min left"),
        (_Counts(documents_done=74, embedded_count=999, to_embed_count=1000), 0.999, 1, "less than a minute left"),
        (_Counts(stage="embeddings", done_count=74, total_count=74, embedded_count=20, to_embed_count=100), 0.2, 80,
         "about 16 min left"),
        (_Counts(stage="questions", done_count=1, total_count=4, embedded_count=9, to_embed_count=9), 0.25, 0,
         "about 3 min left"),
        (_Counts(stage="links"), None, 0, ""),
        (_Counts(started_at=_NOW - timedelta(seconds=2)), 0.5, 0, ""),
    ],
)  # fmt: skip
def test_a_share_is_of_reading_and_embedding(
    counts: _Counts, share: float | None, texts_left: int, time_left: str
) -> None:
    """A sync whose documents are all read is not done while texts are left; what is not known is not said."""
    progress = measure_progress(counts, _NOW)
    assert (progress.share, progress.texts_left, progress.words) == (share, texts_left, time_left)


def test_a_share_is_never_more_than_one() -> None:
    """Also if a source grew while it was read, or texts were embedded that nobody had counted."""
    grown = _Counts(documents_total=2, documents_done=3, embedded_count=5, to_embed_count=4)
    assert measure_progress(grown, _NOW).share == 1
    assert measure_progress(replace(grown, stage="links", done_count=9, total_count=8), _NOW).share == 1


def test_hours_are_said_as_hours() -> None:
    """Rounded to minutes."""
    assert format_time_left(2 * 3600 + 590) == "about 2 h 10 min left"
