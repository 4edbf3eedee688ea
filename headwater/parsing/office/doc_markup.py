"""Properties of a Word file up to 2003 in the XML of today's Word files.

Belongs here: elements, and the properties of paragraphs and characters that `docx_blocks` looks at. Not here: where
they are stored (`doc_properties`), styles (`doc_styles`). Guarantee: a text that XML does not allow is left out.
"""

import re
from collections.abc import Sequence
from typing import Any

from headwater.parsing.office.doc_file import WordFile
from headwater.parsing.office.doc_properties import Sprms, is_set, read_number
from headwater.parsing.office.docx_xml import W

_FONTS = 15
_FONT_NAME = 39  # bytes before it
_FONT, _SIZE, _CHARACTER_STYLE = 0x4A4F, 0x4A43, 0x4A30
_LEVEL, _LIST, _OUTLINE = 0x260A, 0x460B, 0x2640
_INDENTS = (0x845E, 0x840F)
_NO_LIST = 0xF801
_OFF = b"\0"
_STRETCH = re.compile("[\t\x0b\x0e\x1e]|[^\t\x0b\x0e\x1e]+")
_ELEMENTS = {"\t": "tab", "\x0b": "br", "\x0e": "br", "\x1e": "noBreakHyphen"}
_NOT_ALLOWED = re.compile("[\0-\x08\x0a-\x1f\ud800-\udfff\ufffe\uffff]")

TOGGLES = {0x0835: "b", 0x083C: "vanish"}
"""Properties of characters that are on or off, or unlike their style."""


def add_element(parent: Any, name: str, **attributes: str) -> Any:
    """Add a child element.

    Args:
        parent: its parent.
        name: its name, without the prefix.
        attributes: its attributes, without the prefix.
    """
    from lxml.etree import SubElement

    return SubElement(parent, f"{W}{name}", {f"{W}{key}": value for key, value in attributes.items()})


def make_root(name: str) -> Any:
    """An element without a parent."""
    from lxml.etree import Element

    return Element(f"{W}{name}")


def clean_text(text: str) -> str:
    """A text without the characters that XML does not allow."""
    return _NOT_ALLOWED.sub("", text)


def add_text(run: Any, text: str) -> None:
    """Add a text to a run, with its tabs and the breaks of its lines."""
    for stretch in _STRETCH.findall(text):
        if stretch in _ELEMENTS:
            add_element(run, _ELEMENTS[stretch])
        elif words := clean_text(stretch):
            add_element(run, "t").text = words


def name_style(style_number: int) -> str:
    """The id of a style."""
    return f"s{style_number}"


def read_fonts(word: WordFile) -> list[str]:
    """The names of the fonts, by their numbers."""
    content = word.structure(_FONTS)
    names = []
    cursor = 4
    while cursor < len(content):
        length = content[cursor]
        stored = content[cursor + 1 + _FONT_NAME : cursor + 1 + length]
        names.append(clean_text(stored[: len(stored) // 2 * 2].decode("utf-16-le", "replace").partition("\0")[0]))
        cursor += 1 + length
    return names


def add_paragraph_properties(parent: Any, sprms: Sprms, style: int | None = None) -> None:
    """Add what a paragraph or a style sets.

    Args:
        parent: the paragraph or the style.
        sprms: what it sets.
        style: the style of a paragraph.
    """
    properties = add_element(parent, "pPr")
    if style is not None:
        add_element(properties, "pStyle", val=name_style(style))
    level, list_number = read_number(sprms, _LEVEL), read_number(sprms, _LIST)
    if level is not None or list_number is not None:
        numbering = add_element(properties, "numPr")
        if level is not None:
            add_element(numbering, "ilvl", val=str(level))
        if list_number is not None:
            add_element(numbering, "numId", val=str(_decode_list(list_number)))
    indent = next((value for code in _INDENTS if (value := read_number(sprms, code)) is not None), 0)
    if 0 < indent < 0x8000:
        add_element(properties, "ind", left=str(indent))
    outline = read_number(sprms, _OUTLINE)
    if outline is not None:
        add_element(properties, "outlineLvl", val=str(outline))


def add_run_properties(parent: Any, sprms: Sprms, fonts: Sequence[str]) -> None:
    """Add what a run or a style sets.

    Args:
        parent: the run or the style.
        sprms: what it sets.
        fonts: the names of the fonts.
    """
    properties = add_element(parent, "rPr")
    style, font = read_number(sprms, _CHARACTER_STYLE), read_number(sprms, _FONT)
    if style is not None:
        add_element(properties, "rStyle", val=name_style(style))
    if font is not None and font < len(fonts):
        add_element(properties, "rFonts", ascii=fonts[font])
    if size := read_number(sprms, _SIZE):
        add_element(properties, "sz", val=str(size))
    for code, name in TOGGLES.items():
        if is_set(sprms, code):
            add_element(properties, name)
        elif sprms.get(code) == _OFF:
            add_element(properties, name, val="0")


def _decode_list(list_number: int) -> int:
    """The number of a list; 0 for none, and for the numbering of Word 6."""
    if list_number > _NO_LIST:
        return 0x10000 - list_number
    return 0 if list_number == _NO_LIST else list_number
