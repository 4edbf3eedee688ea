"""Lines of office texts that look like headings, though no style says that they are.

Belongs here: which lines stand out, their levels, the title. Not here: how large and bold a line is (`docx_lines`, and
`headwater.parsing.opendocument.odf_lines`). Guarantee: a line that a style makes a heading is not asked for; sentences,
captions, lists of bold lines and the last line of a file are no headings.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from headwater.parsing.office.package import one_line

_LARGE = 1.15  # times the size of the text
_LIKE = 1.1  # times a size: those that are nearer are of one level
_TITLE = 1.3
_MAX_WORDS = 15
_MAX_CHARS = 120
_MAX_RUN = 2  # bold lines one below the other: more of them are a list, or an address
_SIZES = 3  # levels that sizes tell apart
_FIRST = 12  # lines in which a title stands
_FIRST_CHARS = 2_000
_WORDS_OF_TEXT = 0.75  # share of a title's words that the beginning of the text has
_LETTERS = re.compile(r"[^\W\d_]\W*[^\W\d_]")
_MAX_CJK = 45  # characters of a heading without spaces between its words
_NAME_WORDS = 4
_LABEL_WORDS = 6
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_CODE = re.compile(r"[{}]|</?\w+[^<>]*>|==|;$|\)\s*->")
_SECTION = re.compile(r"[§第]|\d+(?:\.\d+)+\.?\s|\d+[.)]\s|\w{2,9}\s\d{1,4}[.:]\s")  # `18.33.010 Purpose.`
# `Decision: approved`, `Beginn der Sitzung: 18:00 Uhr`, `Date : 3 mai 2020`; not `Step 2: Clean it`
_VALUE = re.compile(
    r"(?:\S+\s)?\S*(?<![\dIVX])(?<![\dIVX]\s)\s?(?::\s+|：)\S"
    r"|(?:\S+\s){0,4}\S*(?<![\dIVX])(?<![\dIVX]\s)\s?(?::\s+|：).*\d"
)
_NO_HEADING = re.compile(
    r"[-–—_(]|.*(?:www\.|https?://|\w@\w)|.*\d\s?(?:€|EUR|USD|\$|£|CHF|円)$|(?:€|EUR|USD|\$|£|CHF)\s?\d"
)
_SENTENCE_END = (".", ",", ";", "!", "。", "，", "；", "！", "、", "،", "؛", "۔", "।")
_PAGE_NUMBER = re.compile(r"(?:\t|\.{3,}+|…)\s*+[\divxlc-]+$")


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
    list: str = ""
    """The list and the level of a numbered line; empty for others."""

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
        self._is_text_bold = _is_text_bold(self._lines)
        self._cover = self._find_cover()
        self._levels: dict[Any, int] = dict(self._find_levels())
        self.title = self._find_title()
        """The largest lines on the first page, if they are much larger than the text; empty otherwise."""

    def level(self, element: Any) -> int:
        """The level of a paragraph, from 1; 0 if it does not look like a heading."""
        return self._levels.get(element, 0)

    def _find_levels(self) -> Iterator[tuple[Any, int]]:
        candidates = {line.element: line for line in self._drop_lists() if line.element not in self._cover}
        sizes = _tell_sizes_apart(line.size for line in candidates.values() if self._is_large(line))
        styled = _StyledLevels(self._lines)
        level_above = 0
        for line in self._lines[:-1]:  # what nothing follows is no heading
            if line.level:
                level_above = line.level
            elif line.element in candidates and styled:
                yield line.element, styled.level_beside(line, level_above, is_large=self._is_large(line))
            elif line.element in candidates and self._is_large(line):
                yield line.element, next(level for level, size in enumerate(sizes, start=1) if line.size >= size)
            elif line.element in candidates:
                yield line.element, max(len(sizes) + 1, self._top_level)

    def _find_cover(self) -> set[Any]:
        """The large lines above the first heading of a style, on the first page: they name the document."""
        first_heading = next((position for position, line in enumerate(self._lines) if line.level), 0)
        return {line.element for line in self._lines[: min(first_heading, _FIRST)] if self._is_large(line)}

    def _is_large(self, line: TextLine) -> bool:
        return 0 < _LARGE * self._text_size <= line.size

    def _drop_lists(self) -> Iterator[TextLine]:
        """The lines that may be headings, without those that stand in rows, such as names with what people are."""
        looks = Counter((line.list, self._look(line)[0]) for line in self._lines if line.list)
        plain_lists = {name for name, stands_out in looks if looks[name, False] > looks[name, True]}
        runs = [(look, list(group)) for look, group in groupby(self._lines, key=self._look)]
        for position, ((stands_out, is_large), run) in enumerate(runs):
            text_below = runs[position + 1][1] if position + 1 < len(runs) else []
            if stands_out and (is_large or (len(run) <= _MAX_RUN and not _is_label(run[-1], text_below))):
                yield from (line for line in run if line.list not in plain_lists)

    def _look(self, line: TextLine) -> tuple[bool, bool]:
        """Whether a line may be a heading, and whether it is large."""
        is_large = self._is_large(line) and (line.is_bold or not line.text.endswith(":"))
        is_marked = is_large or (
            line.is_bold
            and not self._is_text_bold
            and not _VALUE.match(line.text[:_MAX_CHARS])
            and not line.text[:1].islower()
        )
        return is_marked and not line.level and _may_be_heading(line), is_large

    def _find_title(self) -> str:
        first_lines = self._lines[:_FIRST]
        largest = max((line.size for line in first_lines if _may_be_heading(line) or line.level), default=0)
        if not largest or largest < _TITLE * self._text_size:
            return ""
        runs = groupby(
            first_lines, key=lambda line: (line.size == largest and len(line.text) <= _MAX_CHARS, line.level)
        )
        run = next((list(group) for (is_largest, _), group in runs if is_largest), [])
        words = one_line(" ".join(line.words for line in (run[:1] if run and run[0].level else run)))
        return words if len(words) <= _MAX_CHARS and _LETTERS.search(words) else ""


class _StyledLevels:
    """The levels of the headings that styles name, by their looks."""

    def __init__(self, lines: Iterable[TextLine]) -> None:
        counts: dict[tuple[float, bool], Counter[int]] = defaultdict(Counter)
        for line in lines:
            if line.level:
                counts[line.size, line.is_bold][line.level] += 1
        self._levels = {look: levels.most_common(1)[0][0] for look, levels in counts.items()}
        self._highest: list[tuple[float, int]] = []  # by size, the highest level of those that are as small or smaller
        for size, level in sorted((size, min(levels)) for (size, _), levels in counts.items()):
            self._highest.append((size, min(level, self._highest[-1][1] if self._highest else level)))

    def __bool__(self) -> bool:
        return bool(self._levels)

    def level_beside(self, line: TextLine, level_above: int, *, is_large: bool) -> int:
        """The level of a heading: of those that look the same, or below the one above."""
        level_alike = self._levels.get((line.size, line.is_bold), 0)
        if is_large:
            index = bisect_right(self._highest, line.size, key=lambda entry: entry[0])
            return level_alike or (self._highest[index - 1][1] if index else level_above + 1)
        return level_alike if level_alike >= max(level_above, 1) else level_above + 1


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
    is_of_text = is_of_text or property_title.casefold() in text[:_FIRST_CHARS].casefold()
    titles = (property_title if is_of_text else "", largest_line, property_title, first_heading)
    return next(filter(None, titles), "")


def _is_label(line: TextLine, text_below: Sequence[TextLine]) -> bool:
    """Whether a line is no heading of the line below, but a name above what somebody is."""
    words = text_below[0].text[:_MAX_CHARS] if len(text_below) == 1 and text_below[0].is_text else ""
    is_name = len(line.text.split()) <= _NAME_WORDS and not line.text[:1].isdecimal() and not _CJK.search(line.text)
    return is_name and 0 < len(words.split()) <= _LABEL_WORDS and not words.endswith(_SENTENCE_END)


def _may_be_heading(line: TextLine) -> bool:
    text = line.text
    if not line.is_text or len(text) > (_MAX_CJK if _CJK.search(text[:_MAX_CJK]) else _MAX_CHARS):
        return False
    is_section = line.is_bold and text.endswith(".") and _SECTION.match(text)
    is_sentence = text.rstrip("\"'»”’」』)").endswith(_SENTENCE_END) and not is_section
    is_short = len(text.split()) <= _MAX_WORDS and not _PAGE_NUMBER.search(text) and not _NO_HEADING.match(text)
    return is_short and not is_sentence and _LETTERS.search(text) is not None and _CODE.search(text) is None


def _is_text_bold(lines: Sequence[TextLine]) -> bool:
    bold_length = sum(len(line.text) for line in lines if line.is_bold)
    return 2 * bold_length > sum(len(line.text) for line in lines if line.size)


def _find_text_size(lines: Sequence[TextLine]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += 0 if line.is_code or not line.size else len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _tell_sizes_apart(sizes: Iterator[float]) -> list[float]:
    """The smallest sizes of the levels, from the largest; sizes that differ little are of one level."""
    levels: list[float] = []
    largest = 0.0  # of the level
    for size in sorted(set(sizes), reverse=True):
        if levels and (largest < size * _LIKE or len(levels) == _SIZES):
            levels[-1] = size
        else:
            levels.append(size)
            largest = size
    return levels
