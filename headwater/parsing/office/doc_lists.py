"""The lists of a Word file up to 2003, in the XML of today's Word files.

Belongs here: the formats of lists, their levels, and the numbers that they start with. Not here: counting
(`docx_numbers`). Guarantee: lists that a damaged file announces and does not have are left out.
"""

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.parsing.office.doc_file import WordFile
from headwater.parsing.office.doc_markup import add_element, clean_text, make_root

_FORMATS, _LISTS = 73, 74
_FORMAT_SIZE, _LIST_SIZE, _LEVEL_SIZE = 28, 16, 28
_LEVELS = 9
_HAS_START, _HAS_LEVEL = 0x10, 0x20
_NAMES = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    10: "ideographDigital", 11: "japaneseCounting", 22: "decimalZero", 23: "bullet", 33: "taiwaneseCounting",
    35: "taiwaneseCountingThousand", 37: "chineseCounting", 39: "chineseCountingThousand", 255: "none",
}  # fmt: skip


class Level(NamedTuple):
    """How a list numbers its paragraphs of a level."""

    start: int
    format: str
    text: str
    """With `%1` for the number of the first level."""
    end: int = 0
    """Where the next structure begins."""


_Levels = dict[int, Level]


def read_lists(word: WordFile) -> Any:
    """The lists of a file as the root of numbering.xml."""
    root = make_root("numbering")
    formats = _read_formats(word)
    for name, levels in formats.items():
        add_format(root, str(name), levels)
    _add_lists(root, word.structure(_LISTS), formats)
    return root


def _read_formats(word: WordFile) -> dict[int, _Levels]:
    """The formats of lists, by their ids. The levels of all of them follow the list of formats."""
    content = word.table[word.offset(_FORMATS) :] if word.has(_FORMATS) else b""
    count = min(int.from_bytes(content[:2], "little"), len(content) // _FORMAT_SIZE)
    cursor = 2 + count * _FORMAT_SIZE
    formats: dict[int, _Levels] = {}
    for index in range(count):
        record = content[2 + index * _FORMAT_SIZE : 2 + (index + 1) * _FORMAT_SIZE]
        (name,) = struct.unpack_from("<I", record)
        levels: _Levels = {}
        for level_number in range(1 if record[26] & 1 else _LEVELS):
            level = _read_level(content, cursor)
            if level is None:
                return formats
            cursor = level.end
            levels[level_number] = level
        formats[name] = levels
    return formats


def _read_level(content: bytes, cursor: int) -> Level | None:
    if cursor + _LEVEL_SIZE + 2 > len(content):
        return None
    start, number_format = struct.unpack_from("<IB", content, cursor)
    text_at = cursor + _LEVEL_SIZE + content[cursor + 24] + content[cursor + 25]
    length = int.from_bytes(content[text_at : text_at + 2], "little")
    end = text_at + 2 + 2 * length
    if end > len(content):
        return None
    text = content[text_at + 2 : end].decode("utf-16-le", "replace")
    return Level(start, name_format(number_format), write_label(text), end)


def name_format(number: int) -> str:
    """The format of numbers that old files give a number."""
    return _NAMES.get(number, "decimal")


def write_label(text: str) -> str:
    """What stands before a paragraph, from a text whose characters 0 to 8 stand for the numbers of levels."""
    return clean_text("".join(f"%{ord(letter) + 1}" if ord(letter) < _LEVELS else letter for letter in text))


def add_format(root: Any, name: str, levels: Mapping[int, Level]) -> None:
    """Add a list.

    Args:
        root: the root of numbering.xml.
        name: its id.
        levels: its levels.
    """
    abstract = add_element(root, "abstractNum", abstractNumId=name)
    for level_number, level in levels.items():
        element = add_element(abstract, "lvl", ilvl=str(level_number))
        add_element(element, "start", val=str(level.start))
        add_element(element, "numFmt", val=level.format)
        add_element(element, "lvlText", val=level.text)


def _add_lists(root: Any, content: bytes, formats: dict[int, _Levels]) -> None:
    """Add the lists; one that changes a format gets a format of its own."""
    count = min(int.from_bytes(content[:4], "little"), len(content) // _LIST_SIZE)
    cursor = 4 + count * _LIST_SIZE
    for index in range(count):
        name, level_count = struct.unpack_from("<I8xB", content, 4 + index * _LIST_SIZE)
        starts, levels, cursor = _read_changes(content, cursor + 4, level_count)
        format_name = str(name)
        if levels:
            format_name = f"{name} {index}"
            add_format(root, format_name, {**formats.get(name, {}), **levels})
        add_list(root, str(index + 1), format_name if levels or name in formats else "", starts)


def add_list(root: Any, name: str, format_name: str, starts: Mapping[int, int]) -> None:
    """Add the use of a list.

    Args:
        root: the root of numbering.xml.
        name: the id by which paragraphs name it.
        format_name: that of the list; empty if there is none.
        starts: the numbers with which its levels start, where they are others than those of the list.
    """
    element = add_element(root, "num", numId=name)
    if format_name:
        add_element(element, "abstractNumId", val=format_name)
    for level_number, start in starts.items():
        change = add_element(element, "lvlOverride", ilvl=str(level_number))
        add_element(change, "startOverride", val=str(start))


def _read_changes(content: bytes, cursor: int, count: int) -> tuple[dict[int, int], _Levels, int]:
    """Where the levels of a list start, the levels that it changes, and where the next list is described."""
    starts: dict[int, int] = {}
    levels: _Levels = {}
    for _ in range(count):
        if cursor + 8 > len(content):
            return starts, levels, len(content)
        start, flags = struct.unpack_from("<II", content, cursor)
        cursor += 8
        if flags & _HAS_LEVEL:
            level = _read_level(content, cursor)
            if level is None:
                return starts, levels, len(content)
            levels[flags & 0xF] = level
            start, cursor = level.start, level.end
        if flags & _HAS_START:
            starts[flags & 0xF] = start
    return starts, levels, cursor
