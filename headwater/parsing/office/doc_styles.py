"""The styles of a Word file up to 2003, in the XML of today's Word files.

Belongs here: names, bases and properties of styles. Not here: what they mean (`docx_styles`). Guarantee: a built-in
style has its English name, whatever the language of Word; a damaged style ends the list.
"""

import struct
from typing import Any, NamedTuple

from headwater.parsing.office.doc_file import WordFile
from headwater.parsing.office.doc_markup import (
    add_element,
    add_paragraph_properties,
    add_run_properties,
    clean_text,
    make_root,
    name_style,
    read_fonts,
)
from headwater.parsing.office.doc_properties import Sprms, read_sprms

_STYLES = 1
_BASE = 10  # bytes that each style begins with
_NO_BASE = 0xFFF
_BASES = 20  # that a style may have above it
_OFF, _ON, _LIKE_BASE = b"\0", b"\x01", b"\x80"
_PARAGRAPH, _CHARACTER = 1, 2

RENAMED = {"Contents Heading": "TOC Heading"}
"""Styles that LibreOffice gives a name of its own."""
_BUILT_IN = {
    0: "Normal",
    **{style_number: f"heading {style_number}" for style_number in range(1, 10)},
    **{9 + style_number: f"index {style_number}" for style_number in range(1, 10)},
    **{18 + style_number: f"toc {style_number}" for style_number in range(1, 10)},
    33: "index heading", 34: "caption", 35: "table of figures", 45: "macro text", 48: "List Bullet", 49: "List Number",
    **{52 + style_number: f"List Bullet {style_number}" for style_number in range(2, 6)},
    **{56 + style_number: f"List Number {style_number}" for style_number in range(2, 6)},
    62: "Title", 84: "Block Text", 98: "HTML Code", 101: "HTML Preformatted", 102: "HTML Sample",
    103: "HTML Typewriter",
}  # fmt: skip


class _Style(NamedTuple):
    kind: int
    base: int
    name: str
    paragraph: Sprms
    characters: Sprms


class StyleSheet:
    """The styles of a file."""

    def __init__(self, word: WordFile) -> None:
        """Read them.

        Args:
            word: the file.
        """
        self._fonts = read_fonts(word)
        self._styles = _read_records(word.structure(_STYLES))

    def make_root(self) -> Any:
        """The styles as the root of styles.xml."""
        root = make_root("styles")
        for style_number, style in self._styles.items():
            _add_style(root, style_number, style, self._fonts)
        return root

    def is_switched_on(self, style_number: int, code: int) -> bool:
        """Whether a style, or one that it is based on, switches a property of characters on."""
        is_opposite = False
        for _ in range(_BASES):
            style = self._styles.get(style_number)
            if style is None:
                break
            value = style.characters.get(code, _LIKE_BASE)
            if value in (_OFF, _ON):
                return (value == _ON) != is_opposite
            is_opposite ^= value != _LIKE_BASE
            style_number = style.base
        return is_opposite


def _read_records(content: bytes) -> dict[int, _Style]:
    """The styles by their numbers."""
    styles: dict[int, _Style] = {}
    if len(content) < 6:
        return styles
    length, count, size = struct.unpack_from("<HHH", content)
    cursor = 2 + length
    for style_number in range(min(count, len(content) // 2)):
        if cursor + 2 > len(content):
            break
        (length,) = struct.unpack_from("<H", content, cursor)
        record = content[cursor + 2 : cursor + 2 + length]
        cursor += 2 + length + length % 2
        if len(record) > size >= _BASE:
            styles[style_number] = _read_style(record, size)
    return styles


def _read_style(record: bytes, size: int) -> _Style:
    first, second, third = struct.unpack_from("<HHH", record)
    kind, base, count = second & 0xF, second >> 4, third & 0xF
    length = int.from_bytes(record[size : size + 2], "little")
    cursor = size + 2 + 2 * length
    name = clean_text(record[size + 2 : cursor].decode("utf-16-le", "replace"))
    cursor += 2
    lists = []
    for _ in range(count):
        length = int.from_bytes(record[cursor : cursor + 2], "little")
        lists.append(record[cursor + 2 : cursor + 2 + length])
        cursor += 2 + length + length % 2
    paragraph = lists.pop(0)[2:] if kind == _PARAGRAPH and lists else b""
    name = name.partition(",")[0]  # its other names follow
    return _Style(
        kind,
        base,
        _BUILT_IN.get(first & 0xFFF, RENAMED.get(name, name)),
        read_sprms(paragraph),
        read_sprms(lists[0]) if kind in (_PARAGRAPH, _CHARACTER) and lists else {},
    )


def _add_style(root: Any, style_number: int, style: _Style, fonts: list[str]) -> None:
    if style.kind not in (_PARAGRAPH, _CHARACTER):
        return
    kind = "paragraph" if style.kind == _PARAGRAPH else "character"
    element = add_element(
        root, "style", type=kind, styleId=name_style(style_number), default="1" if style_number == 0 else "0"
    )
    add_element(element, "name", val=style.name)
    if style.base != _NO_BASE:
        add_element(element, "basedOn", val=name_style(style.base))
    add_paragraph_properties(element, style.paragraph)
    add_run_properties(element, style.characters, fonts)
