"""The signs of an RTF file: groups, control words, characters.

Belongs here: reading them in their order. Not here: what they mean (`rtf_tree`). Guarantee: the work is linear in the
length of the file; what is no sign is text; binary data is left out.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

OPEN, CLOSE, WORD, SYMBOL, BYTE, TEXT = "{", "}", "w", "s", "b", "t"
"""The kinds of signs."""
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)(?P<number>-?\d{1,10})? ?"
    r"|\\'(?P<byte>[0-9A-Fa-f]{2})"
    r"|\\(?P<symbol>[^A-Za-z'])"
    r"|(?P<open>\{+)"
    r"|(?P<close>\}+)"
    r"|(?P<text>[^\\{}\r\n\0]+)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A sign of a kind, with its text: the name of a control word, or all braces that follow each other."""

    kind: str
    text: str
    value: int | None = None
    """The number of a control word; the code of a byte."""


def iterate_tokens(source: str) -> Iterator[Token]:
    """The signs of a file, decoded as Latin-1: the format is ASCII, and other bytes stay what they are."""
    cursor = 0
    while match := _TOKEN.search(source, cursor):
        cursor = match.end()
        text = match[0]
        if match.lastgroup in ("word", "number"):
            value = int(match["number"]) if match["number"] else None
            if match["word"] == "bin":
                cursor += max(value or 0, 0)
            else:
                yield Token(WORD, match["word"], value)
        elif match.lastgroup == "byte":
            yield Token(BYTE, text, int(match["byte"], 16))
        elif match.lastgroup == "symbol":
            yield Token(SYMBOL, match["symbol"])
        elif match.lastgroup == "text":
            yield Token(TEXT, text)
        else:
            yield Token(text[0], text)
