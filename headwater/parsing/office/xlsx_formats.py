"""The values of cells as a spreadsheet shows them.

Belongs here: number formats. Not here: cells and sheets (`xlsx`). Guarantee: every value has a text; a format that is
not understood shows the value itself; dates whose format depends on the reader's country are ISO 8601.
"""

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]')
_NUMBER = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*,*)?(?:E[+-]0+)?")
_DIGITS = 10
_PROTECTED = "\ue000"  # in the place of a text within a format


def format_cell(value: Any, number_format: str) -> str:
    """The text of a cell.

    Args:
        value: what openpyxl read.
        number_format: the cell's format, such as `0.0%`.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _format_number(value, number_format)
    if isinstance(value, datetime | date):
        return _format_date(value, number_format)
    if isinstance(value, time):
        return value.isoformat("minutes" if not value.second else "seconds")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)


def _format_date(value: date, number_format: str) -> str:
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    pattern = number_format.split(";")[0].lower()
    has_time = "h" in _LITERAL.sub("", pattern) or bool(moment.hour or moment.minute or moment.second)
    plain = _LITERAL.sub("", pattern).strip()
    if plain in (
        "yyyy",
        "mmm yy",
        "mmm-yy",
        "mmmm yyyy",
        "mmm yyyy",
        "mmmm yy",
        "mmm-yyyy",
        "mm/yyyy",
        "mm.yyyy",
        "yyyy-mm",
    ):
        return moment.strftime("%Y" if plain == "yyyy" else "%Y-%m")
    if "d" not in plain and "y" not in plain and "h" in plain:
        return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")
    return moment.strftime("%Y-%m-%d" + ((" %H:%M:%S" if moment.second else " %H:%M") if has_time else ""))


def _format_number(value: float, number_format: str) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return ""
    sections = _sections(number_format)
    if sections is None:
        return general(value)
    if value < 0 and len(sections) > 1:
        return _in_format(-value, sections[1])
    if value == 0 and len(sections) > 2:
        return _in_format(value, sections[2])
    return _in_format(value, sections[0])


def general(value: float) -> str:
    """A number without a format."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.{_DIGITS}g}"


@lru_cache(maxsize=512)
def _sections(number_format: str) -> tuple[str, ...] | None:
    if number_format.lower() in ("general", "@", "") or len(number_format) > 200:
        return None
    return tuple(re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format))


class _Pattern(NamedTuple):
    """One section of a format: the texts before and after the digits, and how to show these."""

    before: str
    digits: str
    after: str
    is_general: bool
    is_percent: bool


@lru_cache(maxsize=512)
def _pattern(section: str) -> _Pattern:
    protected: list[str] = []

    def protect(match: re.Match[str]) -> str:
        protected.append(match[1] or match[2] or match[3] or "")
        return _PROTECTED

    def restored(text: str) -> str:
        return re.sub(_PROTECTED, lambda _: texts.pop(0), text)

    plain = _LITERAL.sub(protect, section)
    texts = protected
    general_at = re.search("general", plain, re.IGNORECASE)
    number_match = general_at or _NUMBER.search(plain)
    if "/" in plain or not plain.strip():  # a fraction
        return _Pattern("", "", "", is_general=True, is_percent=False)
    if number_match is None:  # only a text
        return _Pattern(restored(plain), "", "", is_general=False, is_percent=False)
    prefix, suffix = restored(plain[: number_match.start()]), restored(plain[number_match.end() :])
    return _Pattern(prefix, number_match[0], suffix, is_general=general_at is not None, is_percent="%" in plain)


def _in_format(value: float, section: str) -> str:
    """A number in one section of a format."""
    pattern = _pattern(section)
    digits = pattern.digits
    if pattern.is_general:
        digits = general(value)
    elif digits:
        digits = _digits(value * 100 if pattern.is_percent else value, digits)
    return f"{pattern.before}{digits}{pattern.after}".strip()


def _digits(value: float, pattern: str) -> str:
    pattern, _, exponent = pattern.partition("E")
    digits = pattern.rstrip(",")
    value /= 1000.0 ** (len(pattern) - len(digits))
    integer, _, fraction = digits.partition(".")
    places = min(len(fraction), 15)
    least = len(re.sub(r"[^0]", "", fraction))
    if exponent:
        return f"{value:.{places}E}"
    text = f"{value:{',' if ',' in integer else ''}.{places}f}"
    if least < places:
        head, _, tail = text.partition(".")
        tail = tail[:least] + tail[least:].rstrip("0")
        text = f"{head}.{tail}" if tail else head
    digit_count = integer.count("0")
    return text.zfill(digit_count + len(text) - len(text.partition(".")[0])) if "," not in text else text
