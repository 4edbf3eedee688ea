"""The list of conversations: pinned ones, then by day in the reader's time zone (CNV-1, UI-1)."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from headwater.domain.conversations import Conversation
from query_api.pages.history import group_by_day

_NOW = datetime(2026, 11, 26, 1, tzinfo=timezone(timedelta(hours=2)))  # still the 25th in UTC


def _asked(number: int, hours: float, *, is_pinned: bool = False) -> Conversation:
    at = _NOW - timedelta(hours=hours)
    return Conversation(
        id=UUID(int=number), knowledge_base="kb", title=str(number), turn_count=1, created_at=at,
        updated_at=at.astimezone(UTC), pinned_at=at if is_pinned else None,
    )  # fmt: skip


def test_conversations_stand_below_their_days() -> None:
    """Each once; a day begins at the reader's midnight."""
    pinned = [_asked(9, 3000, is_pinned=True)]
    listed = [
        _asked(1, 0.5),
        _asked(2, 2),
        _asked(3, 23),
        _asked(4, 30),
        _asked(5, 24 * 6),
        _asked(6, 24 * 40),
        *pinned,
    ]
    groups = group_by_day(pinned, listed, _NOW)
    shown = [(one.name, [each.title for each in one.conversations]) for one in groups]
    assert shown[:4] == [("pinned", ["9"]), ("today", ["1"]), ("yesterday", ["2", "3"]), ("week", ["4", "5"])]
    assert [(one.name, one.day.isoformat()) for one in groups[4:]] == [("month", "2026-10-01")]


def test_without_pins_there_is_no_group_of_them() -> None:
    """And nothing makes no group at all."""
    assert group_by_day([], [], _NOW) == []
    assert [one.name for one in group_by_day([], [_asked(1, 0)], _NOW)] == ["today"]
