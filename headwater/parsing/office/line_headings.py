"""Lines of office texts that look like headings, though no style says that they are.

Belongs here: which lines stand out, their levels, the title. Not here: how large and bold a line is (`docx_lines`, and
`headwater.parsing.opendocument.odf_lines`). Guarantee: a line that a style makes a heading is not asked for; sentences,
captions, lists of bold lines and the last line of a file are no headings.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from headwater.parsing.office.package import one_line

_LARGE = 1.15  # times the size of the text
_TITLE = 1.3
_MAX_WORDS = 15
_MAX_CHARS = 120
_MAX_RUN = 2  # bold lines one below the other: more of them are a list, or an address
_SIZES = 3  # levels that sizes tell apart
_FIRST = 12  # lines in which a title stands
_FIRST_CHARS = 2_000
_WORDS_OF_TEXT = 0.75  # share of a title's words that the beginning of the text has
_LETTERS = re.compile(r"[^\W\d_]\W*[^\W\d_]")
_SENTENCE_END = (".", ",", ";", "!", "。", "，", "；", "！", "、")
_PAGE_NUMBER = re.compile(r"(?:\t|\.{3,}|…)\s*[\divxlc-]+$")


class TextLine(NamedTuple):
    """A paragraph, or a table, which has no size."""

    element: Any
    """The element, by which it is asked for."""
    level: int = 0
    """The level of a heading by its style, from 1; 0 for others."""
    size: float = 0
    """The size of most of its letters, in any unit."""
    is_bold: bool = False
    text: str = "|"
    """Its text, with its tabs."""
    is_text: bool = False
    """Whether it is plain text, which may be a heading: no code, quotation, caption or item with a bullet."""
    is_code: bool = False

    @property
    def words(self) -> str:
        """Its text on one line, with single spaces."""
        return one_line(self.text)


class LineHeadings:
    """The levels of the lines that look like headings."""

    def __init__(self, lines: Iterable[TextLine], *, has_title: bool) -> None:
        """Look at all lines.

        Args:
            lines: those outside of tables, and the tables between them, in their order.
            has_title: whether a paragraph is styled as the title, which is above all headings.
        """
        self._top_level = 1 if has_title else 2
        self._lines = [line for line in lines if line.text]  # keeps the elements, so that they can be keys
        self._text_size = _find_text_size(self._lines)
        self._cover = self._find_cover()
        self._levels: dict[Any, int] = dict(self._find_levels())
        self.title = self._find_title()
        """The largest lines on the first page, if they are much larger than the text; empty otherwise."""

    def level(self, element: Any) -> int:
        """The level of a paragraph, from 1; 0 if it does not look like a heading."""
        return self._levels.get(element, 0)

    def _find_levels(self) -> Iterator[tuple[Any, int]]:
        candidates = {line.element for line in self._drop_lists() if line.element not in self._cover}
        styled = Counter((line.level, line.size, line.is_bold) for line in self._lines if line.level)
        sizes = _tell_sizes_apart(
            line.size for line in self._lines if line.element in candidates and self._is_large(line)
        )
        level_above = 0
        for line in self._lines[:-1]:  # what nothing follows is no heading
            if line.level:
                level_above = line.level
            elif line.element in candidates and styled:
                yield line.element, self._level_beside(line, styled, level_above)
            elif line.element in candidates and self._is_large(line):
                yield line.element, next(level for level, size in enumerate(sizes, start=1) if line.size >= size)
            elif line.element in candidates:
                yield line.element, max(len(sizes) + 1, self._top_level)

    def _find_cover(self) -> set[Any]:
        """The large lines above the first heading of a style, on the first page: they name the document."""
        first_heading = next((position for position, line in enumerate(self._lines) if line.level), 0)
        return {line.element for line in self._lines[: min(first_heading, _FIRST)] if self._is_large(line)}

    def _level_beside(self, line: TextLine, styled: Counter[tuple[int, float, bool]], level_above: int) -> int:
        """The level of a heading among those of styles: of those that look the same, or below the one above."""
        alike = {level: count for (level, *look), count in styled.items() if look == [line.size, line.is_bold]}
        level_alike = max(alike, key=lambda level: alike[level], default=0)
        if self._is_large(line):
            return level_alike or min(
                (level for level, size, _ in styled if line.size >= size), default=level_above + 1
            )
        return level_alike if level_alike >= max(level_above, 1) else level_above + 1

    def _is_large(self, line: TextLine) -> bool:
        return line.size >= _LARGE * self._text_size

    def _drop_lists(self) -> Iterator[TextLine]:
        """The lines that may be headings, without those that stand in rows, such as names or an address."""
        for (stands_out, is_large), group in groupby(self._lines, key=self._stands_out):
            run = list(group)
            if stands_out and (is_large or len(run) <= _MAX_RUN):
                yield from run

    def _stands_out(self, line: TextLine) -> tuple[bool, bool]:
        is_large = self._is_large(line) and (line.is_bold or not line.words.endswith(":"))
        return _may_be_heading(line) and not line.level and (line.is_bold or is_large), is_large

    def _find_title(self) -> str:
        first_lines = [line for line in self._lines[:_FIRST] if _may_be_heading(line) or line.level]
        largest = max((line.size for line in first_lines), default=0)
        if not largest or largest < _TITLE * self._text_size:
            return ""
        runs = groupby(first_lines, key=lambda line: line.size == largest)
        words = next(one_line(" ".join(line.words for line in run)) for is_largest, run in runs if is_largest)
        return words if len(words) <= _MAX_CHARS and _LETTERS.search(words) else ""


def choose_title(property_title: str, *, largest_line: str, first_heading: str, text: str) -> str:
    """The title of a file without a paragraph in the style Title.

    Properties are often those of the file that was copied, or the first words of a draft; what the file says counts.

    Args:
        property_title: the title in the file's properties.
        largest_line: the largest lines on its first page.
        first_heading: its first heading.
        text: its text.
    """
    words, first_words = property_title.casefold().split(), set(text[:_FIRST_CHARS].casefold().split())
    is_of_text = sum(word in first_words for word in words) >= _WORDS_OF_TEXT * len(words)
    titles = (property_title if is_of_text else "", largest_line, property_title, first_heading)
    return next(filter(None, titles), "")


def _may_be_heading(line: TextLine) -> bool:
    words = line.words
    is_short = len(words.split()) <= _MAX_WORDS and len(words) <= _MAX_CHARS
    is_sentence = words.endswith(_SENTENCE_END) or _PAGE_NUMBER.search(line.text[-_MAX_CHARS:]) is not None
    return line.is_text and is_short and not is_sentence and _LETTERS.search(words) is not None


def _find_text_size(lines: Sequence[TextLine]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += 0 if line.is_code or not line.size else len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _tell_sizes_apart(sizes: Iterator[float]) -> list[float]:
    """The smallest sizes of the levels, from the largest; sizes that differ little are of one level."""
    levels: list[float] = []
    for size in sorted(set(sizes), reverse=True):
        if levels and (levels[-1] < size * _LARGE or len(levels) == _SIZES):
            levels[-1] = size
        else:
            levels.append(size)
    return levels
