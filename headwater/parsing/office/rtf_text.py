"""The characters of an RTF file between two control words that change something.

Belongs here: bytes, characters of Unicode, and what repeats them for programs that do not know Unicode. Not here: code
pages (`rtf_fonts`). Guarantee: a character of two bytes, or of two halves, is whole; a half alone is
U+FFFD.
"""

import sys

from headwater.parsing.office.rtf_fonts import Fonts

_MISSING = "\N{REPLACEMENT CHARACTER}"


class Text:
    """Collects characters."""

    def __init__(self, fonts: Fonts) -> None:
        """Make an empty one.

        Args:
            fonts: those of the file.
        """
        self._fonts = fonts
        self._texts: list[str] = []
        self._bytes = bytearray()
        self._repeated = 0  # characters that are still to come of those that repeat one of Unicode

    def add_byte(self, code: int) -> None:
        """Add a byte."""
        if self._repeated:
            self._repeated -= 1
        else:
            self._bytes.append(code)

    def add_bytes(self, text: str) -> None:
        """Add bytes, decoded as Latin-1."""
        self._bytes += text[self._repeated :].encode("latin-1")
        self._repeated = max(self._repeated - len(text), 0)

    def add_character(self, character: str, font: int | None) -> None:
        """Add a character that a control word stands for; `font` is that of the bytes before it."""
        if self._repeated:
            self._repeated -= 1
        else:
            self._decode_bytes(font)
            self._texts.append(character)

    def add_unicode(self, number: int | None, font: int | None, repeated: int) -> None:
        """Add a character of Unicode.

        Args:
            number: its number; one above 32,767 may be negative.
            font: the font of the bytes before it.
            repeated: how many characters repeat it.
        """
        self._decode_bytes(font)
        code = (number or 0) + (0x10000 if number and number < 0 else 0)
        self._texts.append(chr(code) if 0 <= code <= sys.maxunicode else _MISSING)
        self._repeated = repeated

    def end_repetition(self) -> None:
        """End what repeats a character of Unicode."""
        self._repeated = 0

    def take(self, font: int | None) -> str:
        """The text since the last call."""
        self._decode_bytes(font)
        text = "".join(self._texts)
        self._texts.clear()
        return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _decode_bytes(self, font: int | None) -> None:
        if self._bytes:
            self._texts.append(self._fonts.decode(bytes(self._bytes), font))
            self._bytes.clear()
