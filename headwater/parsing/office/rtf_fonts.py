"""The fonts of an RTF file, and the characters of its bytes.

Belongs here: the table of fonts, code pages. Not here: signs of the font Symbol (`symbol_fonts`). Guarantee: a code
page that Python does not know is that of Windows in western Europe; a byte that a page does not have is U+FFFD.
"""

import codecs
import re

from headwater.parsing.office.doc_markup import clean_text
from headwater.parsing.office.symbol_fonts import read_symbol, replace_signs

_WINDOWS = "cp1252"
_ENCODINGS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850", "ansi": _WINDOWS}
_CHARSETS = {
    77: "mac_roman", 78: "cp932", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8"}
_SIGNS = re.compile(r"symbol$|.*dings\b", re.IGNORECASE)
_MAX_NAME_CHARS = 200

UNKNOWN_SIGN = "\ue000"
"""Stands for a sign of a font of signs that is not known."""


class Fonts:
    """The fonts by their numbers; reads the table of them."""

    def __init__(self) -> None:
        """Make an empty table."""
        self._page = _WINDOWS
        self._pages: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._current = 0
        self._default = 0

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word of the table."""
        if word == "f":
            self._current = number or 0
            self._names[self._current] = ""
        elif word == "fcharset" and number in _CHARSETS:
            self._pages[self._current] = _CHARSETS[number]
        elif word == "cpg" and number:
            self._pages[self._current] = _find_page(number)

    def read_text(self, text: str) -> None:
        """Read a text of the table: names that end with a semicolon."""
        name = self._names.get(self._current, "") + clean_text(text).strip(" ;")
        self._names[self._current] = name[:_MAX_NAME_CHARS]

    def read_header(self, word: str, number: int | None) -> None:
        """Read a control word of the file, which may say its code page, or the font of text that names none."""
        if word in _ENCODINGS:
            self._page = _ENCODINGS[word]
        elif word == "ansicpg":
            self._page = _find_page(number or 0)
        elif word == "deff":
            self._default = number or 0

    def name(self, font_number: int | None) -> str:
        """The name of a font; empty if it is not in the table."""
        return self._names.get(self._default if font_number is None else font_number, "")

    def decode(self, content: bytes, font_number: int | None) -> str:
        """The text of bytes in a font."""
        name = self.name(font_number)
        if _SIGNS.match(name):
            return "".join(read_symbol(name, code) or UNKNOWN_SIGN for code in content)
        page = self._pages.get(self._default if font_number is None else font_number, self._page)
        return content.decode(page, "replace")

    def replace_signs(self, text: str, font_number: int | None) -> str:
        """A text with the signs that a font has at its private characters, without unknown ones."""
        return replace_signs(self.name(font_number), text).replace(UNKNOWN_SIGN, "")


def _find_page(number: int) -> str:
    encoding: str = _PAGES.get(number, f"cp{number}")
    try:
        codecs.lookup(encoding)
    except LookupError:
        return _WINDOWS
    return encoding
