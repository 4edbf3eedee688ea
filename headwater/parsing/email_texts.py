"""The plain text of a part of an e-mail message, and of its headers.

Belongs here: encodings as mail programs state them, and lines that were broken for sending (RFC 3676). Not here: which
parts a message has (`email_messages`), what it quotes (`email_replies`). Guarantee: every word stays; a text without
`format=flowed` keeps its lines.
"""

import email.errors
import email.header
import re
from contextlib import suppress
from email.message import Message

from headwater.errors import DocumentError
from headwater.parsing.encodings import find_superset
from headwater.parsing.text import decode

_WESTERN = frozenset(
    ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "l1", "windows-1252", "cp1252", "x-cp1252"]
)
_SINGLE_BYTE = ("iso-8859", "iso8859", "iso_8859", "windows-125", "cp125", "latin")
_SEVEN_BITS = ("us-ascii", "ascii")  # what most programs state that know nothing
_MAIL_ONLY = "utf-7"
_BROKEN_CHARS = 60  # of a line with the next word, which would have fitted: its sender broke it, and no program did
_FLOWED = re.compile(r"(?P<quotes>>*) ?(?P<words>.*)")  # the blank only keeps a line from being read otherwise
_SIGNED = "-- "
_ENCODED_WORD = r"=\?[^?\s]{1,60}\?[BbQq]\?(?:[^?=]|=(?!\?)|\?(?!=))*=?\?="
_ENCODED = re.compile(rf"(?P<words>{_ENCODED_WORD}(?:\s*{_ENCODED_WORD})*)(?P<address><)?")  # RFC 2047


def find_charset(content: bytes, stated: str) -> str:
    """The encoding of a text: many programs state a Western one whatever it is, and browsers never take it literally.

    Args:
        content: the text.
        stated: the encoding that its part states; may be empty.
    """
    stated = stated.lower()
    is_western, superset = stated in _WESTERN, find_superset(stated)
    if is_western or stated.startswith(_SINGLE_BYTE):
        candidates = ["utf-8", "cp1252"] if is_western else ["utf-8", superset, stated]
    elif stated in _SEVEN_BITS or superset == stated:
        return stated
    else:
        candidates = [stated, "utf-8", superset]
    for name in candidates:
        with suppress(LookupError, ValueError):
            content.decode(name)
            return name
    return "latin-1" if is_western else superset


def decode_header(value: str) -> str:
    """A header, with the characters that it encodes, and those that it should have encoded.

    Args:
        value: the header as it travelled; bytes beyond ASCII are surrogates.
    """
    if not value.isascii():
        with suppress(UnicodeError, DocumentError):
            value = decode(value.encode("utf-8", "surrogateescape"))
    return _ENCODED.sub(_decode_words, value)


def _decode_words(match: re.Match[str]) -> str:
    """Words of a header that are encoded; those that stand behind each other may share a character."""
    text = match["words"]
    with suppress(LookupError, ValueError, email.errors.MessageError):  # an unknown charset, broken base64 or bytes
        text = "".join(
            chunk if isinstance(chunk, str) else chunk.decode(find_charset(chunk, charset or "ascii"))
            for chunk, charset in email.header.decode_header(text)
        )
    return f"{text} <" if match["address"] else text


def read_payload(part: Message) -> bytes:
    """The bytes of a part without parts."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def encode_page(part: Message) -> tuple[bytes, str]:
    """A part in HTML, and the type to read it as: pages are never in UTF-7, so that their parser does not know it.

    Args:
        part: the part.
    """
    content = read_payload(part)
    charset = find_charset(content, part.get_content_charset() or "")
    if charset.endswith(_MAIL_ONLY):
        with suppress(LookupError, ValueError):
            content, charset = _replace_halves(content.decode(charset)).encode(), "utf-8"
    return content, f"text/html; charset={charset}" if charset else "text/html"


def decode_plain(part: Message) -> str:
    """The text of a part that is no HTML, with whole paragraphs if it says how they were broken into lines.

    Args:
        part: the part.
    """
    content = read_payload(part)
    try:
        text = content.decode(find_charset(content, part.get_content_charset() or "ascii"))
    except (LookupError, ValueError):
        text = decode(content)
    text = _replace_halves(text).replace("\r\n", "\n")
    if _read_parameter(part, "format") != "flowed":
        return text
    return _join_lines(text, drops_blank=_read_parameter(part, "delsp") == "yes")


def _replace_halves(text: str) -> str:
    """A text in which halves of characters, which UTF-7 can encode alone, are whole or replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
