"""The text of a message that Outlook keeps in RTF.

Belongs here: unpacking it (MS-OXRTFCP), and taking out the HTML that such a text was made of (MS-OXRTFEX). Not here:
reading RTF (`office.rtf`) or HTML. Guarantee: the work is linear in the text; one that ends too early has what stands
before; what is packed is at most nine times as long afterwards.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from headwater.parsing.office.rtf_fonts import Fonts
from headwater.parsing.office.rtf_text import Text
from headwater.parsing.office.rtf_tokens import BYTE, CLOSE, OPEN, SYMBOL, TEXT, WORD, Token, iterate_tokens
from headwater.parsing.office.rtf_words import CHARACTERS, SYMBOLS

_PACKED, _PLAIN = b"LZFu", b"MELA"
_HEADER = struct.Struct("<II4sI")
_WINDOW = 4_096  # bytes that the text may repeat
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
"""What the window holds before the text begins."""
_MADE_OF_HTML = "fromhtml"
_HTML = "htmltag"
_BLANKS = {"par": "\n", "line": "\n"}
_MAX_DEPTH = 1_000  # of groups that are told apart
_MAX_FALLBACK = 100
_LEFT_OUT = ("colortbl", "stylesheet", "info", "pict")


def unpack_rtf(content: bytes) -> bytes:
    """The RTF of what a message stores; empty if it is damaged."""
    if len(content) < _HEADER.size:
        return b""
    _, length, kind, _ = _HEADER.unpack_from(content)
    if kind == _PLAIN:
        return content[_HEADER.size : _HEADER.size + length]
    return _repeat_parts(content[_HEADER.size :])[:length] if kind == _PACKED else b""


def _repeat_parts(content: bytes) -> bytes:
    """The text of bytes and of places in the window, each of which a bit of the byte before eight of them announces."""
    text = bytearray(_DICTIONARY)
    place = 0
    while place < len(content):
        control = content[place]
        place += 1
        for bit in range(8):
            if not control >> bit & 1:
                text += content[place : place + 1]
                place += 1
                continue
            reference = int.from_bytes(content[place : place + 2], "big")
            distance = (len(text) - (reference >> 4)) % _WINDOW
            if not 0 < distance <= len(text) or place + 2 > len(content):
                return bytes(text[len(_DICTIONARY) :])
            place += 2
            _repeat(text, distance, (reference & 15) + 2)
    return bytes(text[len(_DICTIONARY) :])


def _repeat(text: bytearray, distance: int, length: int) -> None:
    """Add what stands at a distance before the end; it may reach into what is added."""
    pattern = text[-distance:][:length]
    text += (pattern * length)[:length]


def take_html_out(rtf: bytes) -> str:
    """The HTML that a text was made of; empty if it was made of none."""
    return _Page(rtf.decode("latin-1")).html


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within a group."""

    is_skipped: bool = False
    is_for_rtf: bool = False
    """Whether its text is only for programs that show the RTF."""
    is_font_table: bool = False
    font: int | None = None
    fallback: int = 1
    """How many characters stand behind one of Unicode for programs that do not know it."""


class _Page:
    """Collects the HTML of a text."""

    def __init__(self, source: str) -> None:
        self._fonts = Fonts()
        self._text = Text(self._fonts)
        self._groups = [_Group()]
        self._depth = 0  # of the groups that are not told apart
        self._is_starred = self._is_page = False
        self._pieces: list[str] = []
        handlers: Mapping[str, Callable[[Token], None]] = {
            OPEN: self._open, CLOSE: self._close, WORD: self._read_word, SYMBOL: self._read_symbol,
            BYTE: lambda token: self._text.add_byte(token.value or 0),
            TEXT: lambda token: self._text.add_bytes(token.text),
        }  # fmt: skip
        for token in iterate_tokens(source):
            handlers[token.kind](token)
        self._flush()

    @property
    def html(self) -> str:
        """What was collected; empty if the text does not say that it was made of HTML."""
        return "".join(self._pieces) if self._is_page else ""

    def _open(self, token: Token) -> None:
        self._flush()
        self._is_starred = False
        groups = min(len(token.text), _MAX_DEPTH - len(self._groups))
        self._groups += [self._groups[-1]] * groups
        self._depth += len(token.text) - groups

    def _close(self, token: Token) -> None:
        self._flush()
        groups = max(0, len(token.text) - self._depth)
        self._depth -= len(token.text) - groups
        del self._groups[max(1, len(self._groups) - groups) :]

    def _read_symbol(self, token: Token) -> None:
        if token.text == "*":
            self._is_starred = True
        elif token.text in SYMBOLS:
            self._text.add_character(SYMBOLS[token.text], self._groups[-1].font)

    def _read_word(self, token: Token) -> None:
        is_starred, self._is_starred = self._is_starred, False
        group, word = self._groups[-1], token.text
        if character := CHARACTERS.get(word) or _BLANKS.get(word):
            self._text.add_character(character, group.font)
        elif word == "u":
            self._text.add_unicode(token.value, group.font, group.fallback)
        else:
            self._flush()
            self._is_page |= word == _MADE_OF_HTML
            if word in _LEFT_OUT or (is_starred and word != _HTML):
                self._groups[-1] = replace(group, is_skipped=True)
            else:
                self._groups[-1] = self._change(group, word, token.value)

    def _change(self, group: _Group, word: str, number: int | None) -> _Group:
        """A group behind a control word."""
        self._fonts.read_header(word, number)
        if group.is_font_table:
            self._fonts.read_word(word, number)
        elif word == "fonttbl":
            return replace(group, is_font_table=True)
        elif word == "htmlrtf":
            return replace(group, is_for_rtf=number != 0)
        elif word in ("f", "plain"):
            return replace(group, font=number)
        elif word == "uc":
            return replace(group, fallback=min(max(number or 0, 0), _MAX_FALLBACK))
        return group

    def _flush(self) -> None:
        """Take the text since the last call, before something changes that holds for what follows."""
        group = self._groups[-1]
        self._text.end_repetition()
        text = self._text.take(group.font)
        if group.is_font_table:
            self._fonts.read_text(text)
        elif not group.is_skipped and not group.is_for_rtf:
            self._pieces.append(text)
