"""Versions and dates, as questions and documents write them.

Belongs here: how they are written, in eight languages. Not here: what is asked about them (`change_questions`), what a
document says of them (`headwater.retrieval.changes`). Guarantee: pure; Python and Postgres read the public
patterns alike.
"""

import re
from datetime import date

NUMBERS = r"\d{1,4}(?:\.\d{1,4}){0,3}"
"""Of a version that a word such as "version" says to be one."""
DOTTED_NUMBERS = r"\d{1,4}(?:\.\d{1,4}){1,3}"
"""Of a version that nothing else says to be one."""
NUMERIC_MONTH = r"(?:19|20)\d\d(?:(?:[-/]\d{1,2}){1,2}|年\d{1,2}月(?:\d{1,2}日)?)"
"""A month or a day in numbers, with its year."""
NUMERIC_DATE = rf"(?:{NUMERIC_MONTH}|(?:19|20)\d\d年?)"
"""The same, or a year."""
_FROM, _TO = r"(?<![a-z\d_])", r"(?![a-z\d_])"  # a number stands between Japanese words without a blank
_VERSION = re.compile(rf"(?:\bv(?:ersion)?\.?\s*|{_FROM})({NUMBERS}){_TO}", re.IGNORECASE)
_NUMERIC = re.compile(
    rf"{_FROM}((?:19|20)\d\d)(?:[-/.年](\d{{1,2}})(?:[-/.月](\d{{1,2}}))?)?{_TO}",
    re.IGNORECASE,
)
_MONTHS = (
    r"jan(?:uary?|uari?|eiro|vier)?|jänner|ene(?:ro)?|gennaio",
    r"feb(?:ruary?|ruari?|rero|braio)?|fevereiro|fév(?:r|rier)?",
    r"mar(?:ch|s|zo|ço)?|märz|maart",
    r"apr(?:ile?)?|abril|avril",
    r"ma[iy]|mayo|maio|maggio|mei",
    r"june?|jun[ih]o?|juin|giugno",
    r"july?|jul[ih]o?|juil(?:let)?|luglio",
    r"aug(?:ust|ustus)?|agosto|août",
    r"sept?(?:i?embre|ember)?|setembro|settembre",
    r"o[ck]t(?:ober|obre|ubre)?|outubro|ottobre",
    r"nov(?:i?embre|ember|embro)?",
    r"de[cz](?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)",
)
MONTH = "|".join(_MONTHS)
"""The names of months, as Python and Postgres read them, in seven languages.

"Marketing 2024" names none; "Mars 2020" is March, as in French."""
_NAMED = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º)?\.? (?:de )?)?(?P<month>{MONTH})\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?)?,? (?:del? )?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)

Version = tuple[int, ...]


def day_of(text: str) -> date | None:
    """The first date in a text; a month or a year counts as its first day."""
    if match := _NAMED.search(text):
        day = match["day"] or match["after"] or "1"
        month = next(index for index, names in enumerate(_MONTHS, 1) if re.fullmatch(names, match["month"], re.I))
        return _date(match["year"], str(month), day)
    match = _NUMERIC.search(text)
    return _date(match[1], match[2] or "1", match[3] or "1") if match else None


def version_of(text: str) -> Version:
    """The first version in a text, as numbers; empty if there is none."""
    match = _VERSION.search(text)
    return tuple(map(int, match[1].split("."))) if match else ()


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
