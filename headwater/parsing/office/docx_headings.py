"""The headings of a Word file that no style names: lines that look like headings.

Belongs here: how large and bold paragraphs are, and what follows from it. Not here: styles and outline levels
(`docx_styles`), making markdown (`docx_blocks`). Guarantee: a paragraph that a style makes a heading is not asked for;
lines in tables, items with bullets, captions and the last line of a file are no headings.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from headwater.parsing.office.docx_styles import Style, Styles, read_look
from headwater.parsing.office.docx_xml import W
from headwater.parsing.office.package import one_line

_LARGE = 1.15  # times the size of the text
_TITLE = 1.3
_MAX_WORDS = 15
_MAX_CHARS = 120
_MAX_RUN = 2  # bold lines one below the other: more of them are a list, or an address
_SIZES = 3  # levels that sizes tell apart
_FIRST = 12  # paragraphs in which a title stands
_LETTERS = re.compile(r"[^\W\d_]\W*[^\W\d_]")
_SENTENCE_END = (".", ",", ";", "!", "。", "，", "；", "！", "、")
_PAGE_NUMBER = re.compile(r"(?:\t|\.{3,}|…)\s*[\divxlc-]+$")


class _Line(NamedTuple):
    paragraph: Any
    style: Style
    size: float
    is_bold: bool
    words: str
    may_be_heading: bool


_TABLE = _Line(None, Style(), 0, is_bold=False, words="|", may_be_heading=False)


class Headings:
    """The levels of the paragraphs that look like headings."""

    def __init__(self, body: Any, styles: Styles, *, has_title: bool) -> None:
        """Look at all paragraphs outside of tables.

        Args:
            body: the document's body.
            styles: its styles.
            has_title: whether a paragraph is styled as the title, which is above all headings.
        """
        self._top_level = 1 if has_title else 2
        self._lines = [_read_line(paragraph, styles) for paragraph in _list_blocks(body)]
        self._lines = [line for line in self._lines if line.words]  # keeps the elements, so that they can be keys
        self._text_size = _find_text_size(self._lines)
        self._levels = dict(self._find_levels())
        self.title = self._find_title()
        """The largest lines on the first page, if they are much larger than the text; empty otherwise."""

    def level(self, paragraph: Any) -> int:
        """The level of a paragraph, from 1; 0 if it does not look like a heading."""
        return self._levels.get(paragraph, 0)

    def _find_levels(self) -> Iterator[tuple[Any, int]]:
        candidates = {line.paragraph for line in self._drop_lists()}
        styled = [line for line in self._lines if line.style.heading]
        sizes = _tell_sizes_apart(
            line.size for line in self._lines if line.paragraph in candidates and self._is_large(line)
        )
        level_above = 0
        for line, following in pairwise([*self._lines, None]):
            if line is None or line.style.heading:
                level_above = line.style.heading if line else 0
            elif line.paragraph in candidates and following is not None:
                level = self._level_of(line, sizes, styled, level_above)
                yield line.paragraph, level

    def _level_of(self, line: _Line, sizes: Sequence[float], styled: Sequence[_Line], level_above: int) -> int:
        """The level of a heading: that of those that look the same, or below the one above."""
        alike = Counter(
            heading.style.heading for heading in styled if (heading.size, heading.is_bold) == (line.size, line.is_bold)
        )
        if alike:
            return alike.most_common(1)[0][0]
        if styled:
            smaller = [heading.style.heading for heading in styled if line.size >= heading.size]
            return min(smaller, default=level_above + 1) if self._is_large(line) else level_above + 1
        if self._is_large(line):
            return next(level for level, size in enumerate(sizes, start=1) if line.size >= size)
        return max(len(sizes) + 1, self._top_level)

    def _is_large(self, line: _Line) -> bool:
        return line.size >= _LARGE * self._text_size

    def _drop_lists(self) -> Iterator[_Line]:
        """The lines that may be headings, without those that stand in rows, such as names or an address."""
        for (stands_out, is_large), group in groupby(self._lines, key=self._stands_out):
            run = list(group)
            if stands_out and (is_large or len(run) <= _MAX_RUN):
                yield from run

    def _stands_out(self, line: _Line) -> tuple[bool, bool]:
        is_large = self._is_large(line) and (line.is_bold or not line.words.endswith(":"))
        return line.may_be_heading and not line.style.heading and (line.is_bold or is_large), is_large

    def _find_title(self) -> str:
        first_lines = [line for line in self._lines[:_FIRST] if line.may_be_heading or line.style.heading]
        largest = max((line.size for line in first_lines), default=0)
        if not largest or largest < _TITLE * self._text_size:
            return ""
        runs = groupby(first_lines, key=lambda line: line.size == largest)
        words = next(one_line(" ".join(line.words for line in run)) for is_largest, run in runs if is_largest)
        return words if len(words) <= _MAX_CHARS else ""


def _list_blocks(body: Any) -> Iterator[Any]:
    """The paragraphs and the tables of a body."""
    for element in body.iterchildren():
        if element.tag in (f"{W}p", f"{W}tbl"):
            yield element
        else:
            yield from _list_blocks(element)


def _read_line(paragraph: Any, styles: Styles) -> _Line:
    if paragraph.tag == f"{W}tbl":
        return _TABLE._replace(paragraph=paragraph)
    style = styles.of(paragraph)
    size, is_bold, text = read_look(paragraph, styles)
    words = one_line(text)
    return _Line(paragraph, style, size, is_bold, words, _may_be_heading(paragraph, style, text.strip()))


def _may_be_heading(paragraph: Any, style: Style, text: str) -> bool:
    is_short = len(text.split()) <= _MAX_WORDS and len(text) <= _MAX_CHARS
    if not is_short or text.endswith(_SENTENCE_END) or not _LETTERS.search(text) or _PAGE_NUMBER.search(text):
        return False
    if style.is_code or style.is_quote or style.is_contents or style.is_caption or style.bullet is not None:
        return False
    fields = [element.text or "" for element in paragraph.iter(f"{W}instrText")]
    return not any(" SEQ " in f" {field} " for field in fields)


def _find_text_size(lines: Sequence[_Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += 0 if line.style.is_code or not line.size else len(line.words)
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
