"""The settings that every source has: when it is synced, tags, category, and whether it is paused (SRC-10).

Belongs here: the values, and their written form. Not here: the fields of a kind (`headwater.sources`).
Guarantee: pure; reading a written value returns the same value.
"""

import re
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

from headwater.domain.closed_model import ClosedModel
from headwater.domain.corpus import Slug, Source
from headwater.domain.wrong_fields import LABEL

_UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}  # seconds
_INTERVAL = re.compile(r"([0-9]{1,9})([smhd]?)")


def parse_interval(value: object) -> object:
    """Seconds of an interval such as `15m`, `6h`, `1d` or `900`; None, which means no interval, stays.

    Raises:
        ValueError: it is not an interval, or is shorter than a minute or longer than a year.
    """
    if value is None:
        return None
    match = None if isinstance(value, bool | float) else _INTERVAL.fullmatch(str(value))
    if match is None:
        raise ValueError("must be a number of seconds, or a number with s, m, h or d, such as 15m, 6h or 1d")
    seconds = int(match[1]) * _UNITS[match[2] or "s"]
    if not 60 <= seconds <= 365 * _UNITS["d"]:
        raise ValueError("must be at least 60s and at most 365d")
    return seconds


def format_interval(seconds: int) -> str:
    """An interval in the largest unit that divides it, as `parse_interval` reads it."""
    unit = next(unit for unit, size in _UNITS.items() if seconds % size == 0)
    return f"{seconds // _UNITS[unit]}{unit}"


def check_cron_line(line: str | None) -> str | None:
    """A cron line of five fields that comes to pass, with single spaces; None, which means no schedule, stays.

    Raises:
        ValueError: it is not one.
    """
    if line is None:
        return None
    fields = line.split()
    words = "must be a cron line of five fields, such as 15 5 * * 1-5"
    if len(fields) != 5:
        raise ValueError(words)
    text = " ".join(fields)
    try:
        CronSim(text, datetime(2000, 1, 1))  # noqa: DTZ001 - any time will do
    except CronSimError as error:
        raise ValueError(f"{words} ({error})") from error
    return text


def check_time_zone(name: str) -> str:
    """The name of a time zone.

    Raises:
        ValueError: there is none of that name.
    """
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # KeyError: ZoneInfoNotFoundError; OSError: the name of a folder
        raise ValueError("must be the name of a time zone, such as Europe/Zurich or UTC") from error
    return name


def next_tick(line: str | None, time_zone: str, after: datetime) -> datetime | None:
    """When a cron line next comes to pass in a time zone, after a time; None without a line."""
    return None if line is None else next(CronSim(line, after.astimezone(ZoneInfo(time_zone))))


CronLine = Annotated[
    str | None,
    StringConstraints(max_length=100),
    AfterValidator(check_cron_line),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}], "examples": ["15 5 * * 1-5"]}),
]
TimeZone = Annotated[str, StringConstraints(max_length=100), AfterValidator(check_time_zone)]
Interval = Annotated[
    int | None,
    BeforeValidator(parse_interval),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}], "examples": ["15m", 900]}),
]
Tags = Annotated[tuple[Slug, ...], Field(max_length=20), AfterValidator(lambda tags: tuple(sorted(set(tags))))]
CategoryPath = Annotated[
    str,
    StringConstraints(max_length=200, pattern=LABEL),
    AfterValidator(lambda path: "/".join(name.strip() for name in path.split("/") if name.strip())),
]

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Workers = Annotated[int, Field(ge=1, le=64)]


class SourceSettings(ClosedModel):
    """The settings that every source has.

    `refresh` is the number of seconds after a sync when it is due again, and `schedule` a cron line of times when it is
    due, in `time_zone`; without both, it is never due. `tags` and `category` apply to all its documents; a paused
    source is not synced. `deletion_guard` is the share of its documents above which a sync asks before it removes them;
    1 means never. `workers` is how many runs may work on it at once.
    """

    model_config = ConfigDict(frozen=True)

    refresh: Interval = None
    schedule: CronLine = None
    time_zone: TimeZone = "UTC"
    tags: Tags = ()
    category: CategoryPath = ""
    paused: bool = False
    deletion_guard: Share = 0.5
    workers: Workers = 1

    @classmethod
    def of(cls, source: Source) -> "SourceSettings":
        """The settings of a source."""
        return cls(
            refresh=source.refresh_seconds,
            schedule=source.schedule,
            time_zone=source.time_zone,
            tags=source.tags,
            category=source.category,
            paused=source.paused_at is not None,
            deletion_guard=source.deletion_guard,
            workers=source.workers,
        )
