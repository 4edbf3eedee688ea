"""The plain text of a part of an e-mail message.

Belongs here: encodings as mail programs name them, and lines that were broken for sending (RFC 3676). Not here: which
parts a message has (`email_messages`), what it quotes (`email_replies`). Guarantee: every word stays; a text without
`format=flowed` keeps its lines.
"""

import re
from email.message import Message

from headwater.parsing.text import decode

_WESTERN = frozenset(
    ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "l1", "windows-1252", "cp1252", "x-cp1252"]
)
_SINGLE_BYTE = ("iso-8859", "iso8859", "iso_8859", "windows-125", "cp125", "latin")
_BROKEN_CHARS = 60  # of a line with the next word, which would have fitted: its sender broke it, and no program did
_FLOWED = re.compile(r"(?P<quotes>>*) ?(?P<words>.*)")  # the blank only keeps a line from being read otherwise
_SIGNED = "-- "


def find_charset(content: bytes, stated: str) -> str:
    """The encoding of a text: many programs state a Western one whatever it is, and browsers never take it literally.

    Args:
        content: the text.
        stated: the encoding that its part states; may be empty.
    """
    is_western = stated.lower() in _WESTERN
    if not is_western and not stated.lower().startswith(_SINGLE_BYTE):
        return stated
    for name in ("utf-8", "cp1252" if is_western else stated):
        try:
            content.decode(name)
        except (LookupError, ValueError):
            continue
        return name
    return "latin-1" if is_western else stated


def decode_plain(part: Message, content: bytes) -> str:
    """The text of a part that is no HTML, with whole paragraphs if it says how they were broken into lines.

    Args:
        part: the part, for its parameters.
        content: its bytes.
    """
    try:
        text = content.decode(find_charset(content, part.get_content_charset() or "ascii"))
    except (LookupError, ValueError):
        text = decode(content)
    text = text.replace("\r\n", "\n")
    if _read_parameter(part, "format") != "flowed":
        return text
    return _join_lines(text, drops_blank=_read_parameter(part, "delsp") == "yes")


def _read_parameter(part: Message, name: str) -> str:
    value = part.get_param(name)
    return value.strip().lower() if isinstance(value, str) else ""


def _join_lines(text: str, *, drops_blank: bool) -> str:
    """A text whose paragraphs were broken at blanks, which stay at the ends of lines, with each in one line."""
    paragraphs: list[list[str]] = []
    open_quotes: str | None = None  # of the paragraph that goes on
    previous_chars = 0
    for line in text.split("\n"):
        match = _FLOWED.fullmatch(line)
        quotes, words = (match["quotes"], match["words"]) if match else ("", line)
        goes_on = words.endswith(" ") and words != _SIGNED
        next_chars = previous_chars + len(words.split(maxsplit=1)[0]) if words.strip() else 0
        if open_quotes == quotes and words != _SIGNED and (drops_blank or next_chars > _BROKEN_CHARS):
            paragraphs[-1].append(words)
        else:
            paragraphs.append([f"{quotes} {words}" if quotes else words])
        if goes_on and drops_blank:
            paragraphs[-1][-1] = paragraphs[-1][-1][:-1]
        open_quotes, previous_chars = quotes if goes_on else None, len(line)
    lines = ("".join(pieces) for pieces in paragraphs)
    return "\n".join(line if line.endswith(_SIGNED) else line.rstrip() for line in lines)
