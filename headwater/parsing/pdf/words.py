"""Joining lines to running text.

Belongs here: what stands between two lines, and whether a hyphen at the end of a line belongs to the word. Not here:
which lines belong to one paragraph (`paragraphs`). Guarantee: a word that the document also has in one piece is joined
as it is there.
"""

import re
from collections.abc import Iterable

from headwater.parsing.pdf.characters import is_wide

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUSPENDED = ("and", "or", "to", "und", "oder", "bis", "bzw", "et", "ou", "y", "o", "e", "en", "of")
SOFT_HYPHEN = "\u00ad"


class Words:
    """The words of a document, as far as they are not broken at the end of a line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._known: set[str] = set()
        was_broken = False
        for line in lines:
            found = _WORD.findall(line.lower())
            is_broken = line.endswith(("-", SOFT_HYPHEN))
            self._known.update(found[was_broken : len(found) - is_broken])
            was_broken = is_broken

    def joint(self, before: str, after: str) -> tuple[int, str]:
        """How many characters to remove from the end of a line, and what to put between it and the next one."""
        last = before[-1:]
        if last == SOFT_HYPHEN:
            return 1, ""
        if last == "-":
            return self._at_hyphen(before, after)
        if is_wide(last) and is_wide(after[:1]):
            return 0, ""
        if last in "—/" and "://" in before.rpartition(" ")[2]:
            return 0, ""
        return 0, "" if last == "—" and before[-2:-1] != " " else " "

    def _at_hyphen(self, before: str, after: str) -> tuple[int, str]:
        last, first = _LAST.search(before), _FIRST.match(after)
        if not last or not first:
            return 0, "" if before[-2:-1].isalnum() and after[:1].isalnum() else " "
        if first[0] in _SUSPENDED:
            return 0, " "
        one, two = last[1].lower(), first[0].lower()
        if not after[:1].islower() or f"{one}-{two}" in self._known:
            return 0, ""
        if one + two in self._known or self._tail(one) + two in self._known:
            return 1, ""
        is_compound = "-" in one or (self._has(one) and self._has(two.partition("-")[0]))
        return (0 if is_compound else 1), ""

    def _has(self, word: str) -> bool:
        return word in self._known

    def _tail(self, word: str) -> str:
        return word.rpartition("-")[2]
