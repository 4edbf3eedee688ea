"""The lists on PowerPoint slides: signs, numbers, levels.

Belongs here: what stands before a paragraph, how numbers are counted, and items as markdown. Not here: which texts a
shape has (`pptx_text`). Guarantee: numbers are those that PowerPoint shows; a format that is not known becomes a plain
number.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from headwater.parsing.numerals import write_letters, write_roman

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_NUMBER = f"{_A}buAutoNum"
_NONE = f"{_A}buNone"
MARKS = (f"{_A}buChar", _NUMBER, f"{_A}buBlip")
"""The elements that say which sign an item has."""
_FORMAT = re.compile(r"(alpha|roman)(Lc|Uc)")
_SIMPLE = re.compile(r"\d{1,9}[.)]")  # a number that markdown reads as a list's
_BULLET = re.compile(r"^[-–•·▪*]\s+")  # typed by hand


class Item(NamedTuple):
    """A paragraph of a list; one with a sign has no label."""

    level: int
    label: str
    words: str


def is_item(paragraph: Any) -> bool | None:
    """Whether a paragraph has a sign or a number; None if neither it nor its shape says anything about it."""
    mark = _find_mark(paragraph)
    return None if mark is None else mark.tag != _NONE


def number_paragraphs(paragraphs: Iterable[Any]) -> Iterator[str]:
    """The numbers of the paragraphs of one shape; empty for those without.

    A number follows that of the paragraph above with the same level and format; deeper ones may stand between them.
    """
    counts: dict[int, tuple[str, int]] = {}  # by level: the format, and the last number
    for paragraph in paragraphs:
        level, mark = paragraph.level, _find_mark(paragraph)
        counts = {upper: count for upper, count in counts.items() if upper <= level}
        if mark is None or mark.tag != _NUMBER:
            counts.pop(level, None)
            yield ""
            continue
        start = mark.get("startAt", "")
        number_format = f"{mark.get('type', '')} {start}"
        first = int(start) or 1 if start.isdecimal() and len(start) < 6 else 1
        last_format, last = counts.get(level, ("", 0))
        counts[level] = number_format, last + 1 if last_format == number_format else first
        yield _write_number(counts[level][1], mark.get("type", ""))


def write_items(items: Iterable[Item]) -> str:
    """A list as markdown: an item stands below the words of the item that it belongs to."""
    lines = []
    outer: list[tuple[int, int]] = []  # the open lists: level, and the column of their words
    for item in items:
        while outer and outer[-1][0] >= item.level:
            outer.pop()
        column = outer[-1][1] if outer else 0
        is_simple = _SIMPLE.fullmatch(item.label) is not None
        mark = item.label if is_simple else "-"
        words = item.words if item.label else _BULLET.sub("", item.words)
        lines.append(f"{' ' * column}{mark} {words if is_simple else f'{item.label} {words}'.lstrip()}")
        outer.append((item.level, column + len(mark) + 1))
    return "\n".join(lines)


def _find_mark(paragraph: Any) -> Any:
    """What a paragraph, or else the list style of its shape, says about its sign."""
    element = paragraph._p  # noqa: SLF001 - it has no public property for bullets
    style = element.getparent().find(f"{_A}lstStyle/{_A}lvl{paragraph.level + 1}pPr")
    for properties in (element.pPr, style):
        mark = None if properties is None else next(properties.iterchildren(*MARKS, _NONE), None)
        if mark is not None:
            return mark
    return None


def _write_number(value: int, number_format: str) -> str:
    match = _FORMAT.match(number_format)
    numeral = str(value)
    if match:
        numeral = (write_letters if match[1] == "alpha" else write_roman)(value)
        numeral = numeral.upper() if match[2] == "Uc" else numeral
    if number_format.endswith("ParenBoth"):
        return f"({numeral})"
    return f"{numeral})" if number_format.endswith("ParenR") else f"{numeral}."
