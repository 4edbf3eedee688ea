"""Joining lines to running text.

Belongs here: what stands between two lines, and whether a hyphen at the end of a line belongs to the word. Not here:
which lines belong to one paragraph (`paragraphs`). Guarantee: a word that the document also has in one piece is joined
as it is there.
"""

import re
from collections.abc import Iterable, Sequence

from headwater.parsing.pdf.characters import is_wide

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUSPENDED = ("and", "or", "to", "und", "oder", "bis", "bzw", "et", "ou", "y", "o", "e", "en", "of")
_MANY = 0.04  # of the lines end with a hyphen
SOFT_HYPHEN = "\u00ad"


class Words:
    """The words of a document, as far as they are not broken at the end of a line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._known: set[str] = set()
        was_broken, last_word = False, ""
        broken: list[tuple[str, str]] = []
        count = 0
        for line in lines:
            count += 1
            words = _WORD.findall(line.lower())
            is_broken = line.endswith(("-", SOFT_HYPHEN))
            self._known.update(words[was_broken : len(words) - is_broken])
            if was_broken and words and last_word and line[:1].islower():
                broken.append((last_word, words[0]))
            was_broken, last_word = is_broken, words[-1] if words else ""
        self._breaks_words = self._are_broken(broken, count)

    def _are_broken(self, broken: Sequence[tuple[str, str]], lines: int) -> bool:
        """Whether the program that wrote the document broke words, so that most hyphens at ends of lines are its own.

        Otherwise, as in most documents of a word processor, they belong to the words.
        """
        joined_count = sum(front.rpartition("-")[2] + back in self._known for front, back in broken)
        real = sum(f"{front}-{back}" in self._known for front, back in broken)
        return joined_count > real or (joined_count == real == 0 and len(broken) > _MANY * lines and len(broken) > 2)

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
        front, back = last[1].lower(), first[0].lower()
        if not after[:1].islower() or f"{front}-{back}" in self._known:
            return 0, ""
        if front + back in self._known or self._tail(front) + back in self._known:
            return 1, ""
        is_compound = not self._breaks_words or "-" in front or (self._has(front) and self._has(back.partition("-")[0]))
        return (0 if is_compound else 1), ""

    def _has(self, word: str) -> bool:
        return word in self._known

    def _tail(self, word: str) -> str:
        return word.rpartition("-")[2]
