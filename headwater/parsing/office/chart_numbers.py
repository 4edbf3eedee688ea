"""The numbers of charts as texts: values, shares, dates and times.

Belongs here: what the format of a chart's number means. Not here: where the numbers of a chart are (`charts`), how a
cell of a sheet shows its value (`xlsx_formats`). Guarantee: what is no number stays as it is; no digits are lost, and
dates and times are ISO 8601.
"""

import math
import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|General|AM/PM|A/P', re.IGNORECASE)
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_MINUTES = re.compile(r"(?<=h)[^a-z]*m+|m+[^a-z]*(?=s)")
_DATE = re.compile(r"[ymd]")
_TIME = re.compile(r"[hs]")
_MAX_PATTERN_CHARS = 200
_EXACT = 2**53  # integers below it are exact
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets know no time zones
_DAYS_TO_1904 = 1462  # in files that count from 1904


class _Format(NamedTuple):
    is_date: bool = False
    is_time: bool = False
    is_elapsed: bool = False
    is_percent: bool = False


def is_general(pattern: str) -> bool:
    """Whether a format says nothing about how numbers look."""
    return pattern.strip().lower() in ("", "general")


def write_number(text: str, pattern: str, *, counts_from_1904: bool) -> str:
    """A number as its format means it.

    Args:
        text: what the chart has.
        pattern: the format, such as `0.0%`.
        counts_from_1904: whether the days of dates are counted from 1904.
    """
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return ""
    number_format = _read_format(pattern[:_MAX_PATTERN_CHARS])
    if number_format.is_date or number_format.is_time:
        return _write_moment(value + _DAYS_TO_1904 * counts_from_1904 * number_format.is_date, number_format) or text
    if number_format.is_percent:
        return f"{_write_plain(value * 100)}%"
    return _write_plain(value)


@lru_cache(maxsize=512)
def _read_format(pattern: str) -> _Format:
    """What a format says of positive numbers; `m` beside hours or seconds are minutes."""
    plain = _LITERAL.sub("", pattern).partition(";")[0].lower()
    is_elapsed = _ELAPSED.search(pattern) is not None
    is_date = not is_elapsed and _DATE.search(_MINUTES.sub("", plain)) is not None
    return _Format(is_date, is_elapsed or _TIME.search(plain) is not None, is_elapsed, "%" in plain)


def _write_plain(value: float) -> str:
    """A number without the noise of its last digits."""
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else f"{value:.15g}"


def _write_moment(days: float, number_format: _Format) -> str:
    """A date, a time or both, or how many hours went by; empty if no calendar has it."""
    try:
        seconds = round(days * 86_400)
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    if number_format.is_elapsed:
        minutes = abs(seconds) // 60
        second = f":{abs(seconds) % 60:02}" if seconds % 60 else ""
        return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02}{second}"
    date = f"{moment.date()}" if number_format.is_date else ""
    time = f"{moment.time()}".removesuffix(":00") if number_format.is_time else ""
    return f"{date} {time}".strip()
