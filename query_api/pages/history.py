"""The list of conversations beside a chat: pinned ones, then by day.

Belongs here: which heading a conversation stands below. Not here: reading them (`headwater.store`), HTML
(`templates/history.html`). Guarantee: pure, but for the reader's time zone, which a cookie of our script names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import groupby

from flask import request

from headwater.domain.conversations import Conversation
from headwater.domain.corpus import KnowledgeBase
from headwater.store.store import Store

_MAX_LISTED, _MAX_PINNED = 30, 20
_MAX_OFFSET_MINUTES = 14 * 60
_OFFSET_COOKIE = "headwater_utc_offset"
_WEEK = 7  # days


@dataclass(frozen=True, kw_only=True, slots=True)
class DayGroup:
    """Conversations below one heading: `name` is pinned, today, yesterday, week or month; `day` says which month."""

    name: str
    day: date
    conversations: Sequence[Conversation]


def read_history(store: Store, kb: KnowledgeBase, text: str = "") -> list[DayGroup]:
    """The groups of the list; with a text, of the conversations that have it.

    Args:
        store: the store.
        kb: the knowledge base.
        text: what the conversations have in their title, a question or an answer.
    """
    pinned = [] if text else store.conversations.find_pinned(kb, limit=_MAX_PINNED)
    listed = store.conversations.all(kb, text=text, limit=_MAX_LISTED)
    return group_by_day(pinned, listed, datetime.now(read_time_zone()))


def group_by_day(pinned: Sequence[Conversation], listed: Sequence[Conversation], now: datetime) -> list[DayGroup]:
    """Pinned conversations, then the others below the days on which they were asked last.

    Args:
        pinned: the first group.
        listed: the others, newest first; pinned ones among them stand above only.
        now: the time in the reader's time zone.
    """
    today, ids = now.date(), {conversation.id for conversation in pinned}
    unpinned = [conversation for conversation in listed if conversation.id not in ids]
    groups = groupby(
        unpinned, key=lambda conversation: _name_day(conversation.updated_at.astimezone(now.tzinfo).date(), today)
    )
    days = [DayGroup(name=name, day=day, conversations=list(group)) for (name, day), group in groups]
    return [DayGroup(name="pinned", day=today, conversations=pinned), *days] if pinned else days


def read_time_zone() -> timezone:
    """The reader's time zone as the script has noted it; UTC without one."""
    text = request.cookies.get(_OFFSET_COOKIE, "")
    minutes = int(text) if text.lstrip("-").isdecimal() and len(text) <= len("-840") else 0
    return timezone(timedelta(minutes=minutes)) if abs(minutes) <= _MAX_OFFSET_MINUTES else UTC


def _name_day(day: date, today: date) -> tuple[str, date]:
    age = (today - day).days
    if age <= 0:
        return "today", today
    if age == 1:
        return "yesterday", day
    if age < _WEEK:
        return "week", today
    return "month", day.replace(day=1)
