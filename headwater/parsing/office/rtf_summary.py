"""The properties of an RTF file: its title, author, subject, keywords and dates.

Belongs here: reading them. Not here: which titles are of use (`package`). Guarantee: a date that is none is left out.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from types import SimpleNamespace

from headwater.parsing.office.doc_markup import clean_text

_TEXTS = ("title", "subject", "author", "keywords")
_DATES = {"creatim": "created", "revtim": "modified"}
_FIELDS = ("yr", "mo", "dy", "hr", "min")
_FIRST_YEAR = 1980  # an older date is none


class Summary:
    """Reads the group of properties."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._texts: dict[str, list[str]] = {}
        self._dates: dict[str, dict[str, int]] = {}
        self._date: dict[str, int] = {}
        self._current = ""

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word: the name of a property, or a number of a date."""
        if word in _TEXTS:
            self._current = word
            self._texts[word] = []  # the last one counts: LibreOffice writes the author twice
        elif word in _DATES:
            self._current = ""
            self._date = self._dates[word] = {}
        elif word in _FIELDS:
            self._date[word] = number or 0

    def read_text(self, text: str) -> None:
        """Read a stretch of a property."""
        if self._current:
            self._texts[self._current].append(text)

    def collect(self) -> SimpleNamespace:
        """The properties, as those of today's Word files are named."""
        values: dict[str, object] = {name: clean_text("".join(stretches)) for name, stretches in self._texts.items()}
        for word, fields in self._dates.items():
            with suppress(ValueError, OverflowError):
                date = _make_date(fields)
                values |= {_DATES[word]: date} if date.year >= _FIRST_YEAR else {}
        return SimpleNamespace(**values)


def _make_date(fields: Mapping[str, int]) -> datetime:
    year, month, day, hour, minute = (fields.get(name, 0) for name in _FIELDS)
    return datetime(year, month, day, hour, minute)  # noqa: DTZ001 - the format has no time zones
