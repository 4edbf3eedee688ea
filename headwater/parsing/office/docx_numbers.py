"""The numbers of lists and headings in a Word file, as Word shows them.

Belongs here: counting, and the formats of numbers. Not here: where they are shown (`docx`). Guarantee: an unknown
format becomes a plain number; the numbers of a list are counted by its abstract list, as in Word.
"""

from typing import Any, NamedTuple

from headwater.parsing.numerals import write_letters, write_roman
from headwater.parsing.office.docx_xml import W, child_value

_LEVELS = 9
_CHINESE = "〇一二三四五六七八九"
_CHINESE_FORMATS = ("chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting",
                    "taiwaneseCounting", "taiwaneseCountingThousand")  # fmt: skip
_ROMAN_LIMIT = 4000
_CHINESE_LIMIT = 100


class Label(NamedTuple):
    """The number of a paragraph; a bullet has no text."""

    text: str
    level: int
    is_bullet: bool


class _Level(NamedTuple):
    format: str
    text: str
    start: int


class Numbers:
    """Counts the paragraphs of a document's lists."""

    def __init__(self, numbering: Any) -> None:
        """Read the lists.

        Args:
            numbering: the root of numbering.xml, or None.
        """
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._of: dict[str, str] = {}
        self._overrides: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int]] = {}
        self._begun: set[str] = set()
        if numbering is None:
            return
        linked: dict[str, dict[int, _Level]] = {}
        for abstract in numbering.iterchildren(f"{W}abstractNum"):
            name = abstract.get(f"{W}abstractNumId", "")
            self._abstract[name] = dict(map(_level, abstract.iterchildren(f"{W}lvl")))
            linked[child_value(abstract, "styleLink")] = self._abstract[name]
        for abstract in numbering.iterchildren(f"{W}abstractNum"):  # the levels may be those of a list style
            if style := child_value(abstract, "numStyleLink"):
                self._abstract[abstract.get(f"{W}abstractNumId", "")] = linked.get(style, {})
        for num in numbering.iterchildren(f"{W}num"):
            name = num.get(f"{W}numId", "")
            self._of[name] = child_value(num, "abstractNumId")
            self._overrides[name] = {
                _integer(change.get(f"{W}ilvl"), 0): _integer(child_value(change, "startOverride"), 1)
                for change in num.iterchildren(f"{W}lvlOverride")
                if change.find(f"{W}startOverride") is not None
            }

    def has_items(self, number: str, level: int, *, is_listing: bool) -> bool:
        """Whether paragraphs of a list are items: numbers, also without a sign beside them, count lines of code, too.

        Args:
            number: the id of the list.
            level: their level, from 0.
            is_listing: whether its lines look like code.
        """
        definition = self._abstract.get(self._of.get(number, ""), {}).get(level)
        if definition is None:
            return False
        return definition.format == "bullet" or (not is_listing and definition.text.strip() != f"%{level + 1}")

    def label(self, number: str, level: int) -> Label | None:
        """Count a paragraph.

        Args:
            number: the id of its list.
            level: its level, from 0.

        Returns:
            Its number, or None if it has none.
        """
        abstract = self._of.get(number)
        levels = self._abstract.get(abstract or "", {})
        if abstract is None or level not in levels:
            return None
        counts = self._counts.setdefault(abstract, [0] * _LEVELS)
        if number not in self._begun:
            self._begun.add(number)
            for overridden_level, start in self._overrides[number].items():
                if 0 <= overridden_level < _LEVELS:
                    counts[overridden_level] = start - 1
        for upper_level in range(level):
            counts[upper_level] = counts[upper_level] or levels.get(upper_level, _Level("decimal", "", 1)).start
        counts[level] = max(counts[level] + 1, levels[level].start)
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        definition = levels[level]
        if definition.format == "bullet":
            return Label("", level, is_bullet=True)
        text = definition.text
        for upper_level in range(level + 1):
            text = text.replace(
                f"%{upper_level + 1}", _number(counts[upper_level], levels.get(upper_level, definition).format)
            )
        return Label(text.strip(), level, is_bullet=False) if text.strip() else None


def _level(element: Any) -> tuple[int, _Level]:
    index = min(max(_integer(element.get(f"{W}ilvl"), 0), 0), _LEVELS - 1)
    start = max(_integer(child_value(element, "start"), 1), 0)
    return index, _Level(child_value(element, "numFmt") or "decimal", child_value(element, "lvlText"), start)


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 8 else default


def _number(value: int, kind: str) -> str:
    if kind in ("lowerLetter", "upperLetter") and value > 0:
        return write_letters(value).upper() if kind == "upperLetter" else write_letters(value)
    if kind in ("lowerRoman", "upperRoman") and 0 < value < _ROMAN_LIMIT:
        return write_roman(value).upper() if kind == "upperRoman" else write_roman(value)
    if kind in _CHINESE_FORMATS and 0 < value < _CHINESE_LIMIT:
        return _chinese(value)
    if kind == "none":
        return ""
    return f"{value:02}" if kind == "decimalZero" else str(value)


def _chinese(value: int) -> str:
    tens, ones = divmod(value, 10)
    head = {0: "", 1: "十"}.get(tens, f"{_CHINESE[tens]}十")
    return head + (_CHINESE[ones] if ones else "")
