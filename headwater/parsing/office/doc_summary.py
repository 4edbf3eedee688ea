"""The properties of a Word file up to 2003: its title, author, subject, keywords and dates.

Belongs here: reading the stream that has them. Not here: which titles are of use (`package`). Guarantee: the work is
bounded by the properties that are read; a damaged stream has none.
"""

import codecs
import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

_TEXTS = {2: "title", 3: "subject", 4: "author", 5: "keywords"}
_DATES = {12: "created", 13: "modified"}
_CODE_PAGE = 1
_BYTES_TEXT, _WIDE_TEXT, _TIME = 0x1E, 0x1F, 0x40
_UTF_8, _UTF_16, _WINDOWS = 65001, 1200, 1252
_SECTION_PLACE = 44
_MAX_PROPERTIES = 1_000
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_LAST_TICKS = 2 * 10**18  # tenths of a microsecond, in the year 7938
_FIRST_YEAR = 1980  # an older date is none


def read_summary(content: bytes) -> SimpleNamespace:
    """The properties, as those of today's Word files are named.

    Args:
        content: the stream; empty if the file has none.
    """
    try:
        values = _read_values(content)
        page = struct.unpack_from("<H", values[_CODE_PAGE], 4)[0] if _CODE_PAGE in values else _WINDOWS
        texts = {name: _read_text(values[code], page) for code, name in _TEXTS.items() if code in values}
        dates = {name: _read_date(values[code]) for code, name in _DATES.items() if code in values}
    except (struct.error, OverflowError):
        return SimpleNamespace()
    return SimpleNamespace(**texts, **dates)


def _read_values(content: bytes) -> Mapping[int, bytes]:
    """The properties with their types, by their codes; what follows each stands behind it."""
    if not content:
        return {}
    (section,) = struct.unpack_from("<I", content, _SECTION_PLACE)
    (count,) = struct.unpack_from("<I", content, section + 4)
    values = {}
    for index in range(min(count, _MAX_PROPERTIES)):
        code, place = struct.unpack_from("<II", content, section + 8 + 8 * index)
        if code == _CODE_PAGE or code in _TEXTS or code in _DATES:
            values[code] = content[section + place :]
    return values


def _read_text(value: bytes, page: int) -> str:
    kind, length = struct.unpack_from("<II", value)
    if kind == _WIDE_TEXT:
        return value[8 : 8 + 2 * length].decode("utf-16-le", "replace").partition("\0")[0]
    if kind != _BYTES_TEXT:
        return ""
    encoding = {_UTF_8: "utf-8", _UTF_16: "utf-16-le"}.get(page, f"cp{page}")
    try:
        codecs.lookup(encoding)
    except LookupError:
        encoding = "cp1252"
    return value[8 : 8 + length].decode(encoding, "replace").partition("\0")[0]


def _read_date(value: bytes) -> datetime | None:
    kind, ticks = struct.unpack_from("<IQ", value)
    if kind != _TIME or ticks > _LAST_TICKS:
        return None
    date = _EPOCH + timedelta(microseconds=ticks // 10)
    return date if date.year >= _FIRST_YEAR else None
