"""The lists of an RTF file, in the XML of today's Word files.

Belongs here: the tables of lists, and the labels that old files type before an item. Not here: counting
(`docx_numbers`). Guarantee: a typed label is the label; one without a letter or a digit is a bullet.
"""

from collections.abc import Mapping
from typing import Any

from headwater.parsing.office.doc_lists import Level, add_format, add_list, name_format, write_label
from headwater.parsing.office.doc_markup import clean_text, make_root

_LEVELS = 9
_BULLET = 23
_MAX_LABEL_CHARS = 40
_LABEL_FORMATS = ("levelnfc", "levelnfcn")


class _Level:
    """A level of the table; the first character of its text counts the others."""

    def __init__(self) -> None:
        self.start = 1
        self.format = 0
        self.text = ""

    def build(self) -> Level:
        text = self.text[1 : 1 + ord(self.text[0])] if self.text else ""
        return Level(self.start, name_format(self.format), write_label(text))


class _Use:
    """A use of a list, with what it changes of its levels."""

    def __init__(self) -> None:
        self.list = 0
        self.starts: dict[int, int] = {}
        self.levels: dict[int, _Level] = {}
        self.level = -1


class ListTable:
    """Reads the lists of a file, and the table of their uses, which paragraphs name."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._lists: dict[int, list[_Level]] = {}
        self._uses: dict[int, _Use] = {}
        self._levels: list[_Level] = []
        self._level = _Level()
        self._use: _Use | None = None
        self._is_in_text = False
        self._labels: dict[tuple[str, int], str] = {}

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word of the tables."""
        if word in ("leveltext", "levelnumbers", "listname"):
            self._is_in_text = word == "leveltext"
        elif word == "list":
            self._levels, self._use = [], None
        elif word == "listoverride":
            self._use = _Use()
        elif word == "listlevel":
            self._add_level()
        elif word in _LABEL_FORMATS:
            self._level.format = number or 0
        elif number is not None:
            self._read_number(word, number)
        elif word == "lfolevel" and self._use:
            self._use.level += 1
            self._level = _Level()

    def read_text(self, text: str) -> None:
        """Read a text: that of a level counts."""
        if self._is_in_text and len(self._level.text) <= _MAX_LABEL_CHARS:
            self._level.text += text

    def has(self, name: int, level: int) -> bool:
        """Whether the tables say how paragraphs of a level look that name a use."""
        use = self._uses.get(name)
        return use is not None and level < max(len(self._lists.get(use.list, [])), 1 + max(use.levels, default=-1))

    def name_label(self, label: str, level: int) -> str:
        """The id of a list whose items have a typed label; empty if there is nothing to be seen of it."""
        text = clean_text(label).strip()[:_MAX_LABEL_CHARS].replace("%", "")
        if not text:
            return ""
        key = (text if is_number(text) else "", level)
        return self._labels.setdefault(key, f"label{len(self._labels)}")

    def make_root(self) -> Any:
        """The lists as the root of numbering.xml."""
        root = make_root("numbering")
        built = {name: _build(dict(enumerate(levels))) for name, levels in self._lists.items()}
        for list_name, levels in built.items():
            add_format(root, str(list_name), levels)
        for name, use in self._uses.items():
            format_name = str(use.list) if use.list in built else ""
            if use.levels:
                format_name = f"{use.list} {name}"
                add_format(root, format_name, {**built.get(use.list, {}), **_build(use.levels)})
            add_list(root, str(name), format_name, use.starts)
        for (text, level), label_name in self._labels.items():
            kind = Level(1, "decimal" if text else name_format(_BULLET), text)
            add_format(root, label_name, {level: kind})
            add_list(root, label_name, label_name, {})
        return root

    def _add_level(self) -> None:
        self._level = _Level()
        if self._use is None:
            if len(self._levels) < _LEVELS:
                self._levels.append(self._level)
        elif 0 <= self._use.level < _LEVELS:
            self._use.levels[self._use.level] = self._level

    def _read_number(self, word: str, number: int) -> None:
        if word == "levelstartat":
            self._level.start = number
            if self._use and 0 <= self._use.level < _LEVELS:
                self._use.starts[self._use.level] = number
        elif word == "listid":
            if self._use:
                self._use.list = number
            else:
                self._lists[number] = self._levels
        elif word == "ls" and self._use:
            self._uses[number] = self._use


def is_number(label: str) -> bool:
    """Whether a label is no bullet; Word draws one with the letter `o`."""
    return any(map(str.isalnum, label)) and label.strip() != "o"


def _build(levels: Mapping[int, _Level]) -> dict[int, Level]:
    return {level_number: level.build() for level_number, level in levels.items()}
