"""Decoding bytes to text.

Belongs here: encodings and line ends. Not here: formats. Guarantee: lines end only with newlines; bytes that are not
text raise `DocumentError`.
"""

import codecs
import re

from headwater.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NOT_WESTERN = re.compile(r"[A-Za-z][^\x00-\x7fÀ-ÖØ-öø-ÿŒœŠšŽžŸ‘’“”–—…]+[A-Za-z]|[^\x00-\x7f]{4}")
_WESTERN_SHARE = 0.25  # of bytes beyond ASCII: French has about 4 %, Russian 80 %


def decode(content: bytes) -> str:
    """Decode text: by its byte order mark, as UTF-8, or by a guess from its bytes.

    Raises:
        DocumentError: it is not text.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = _guess(content)
    if "\x00" in text:
        raise DocumentError("The file is binary, not text. Save it as plain text, or remove it from the source.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _guess(content: bytes) -> str:
    from charset_normalizer import from_bytes  # slow to import, seldom needed

    if not _CONTROL.search(content):
        western = _western(content)
        if western is not None:
            return western
        best = from_bytes(content).best()
        if best is not None:
            return str(best)
    raise DocumentError("The file is not text in any known encoding. Save it as UTF-8.")


def _western(content: bytes) -> str | None:
    """Windows-1252, which includes Latin-1, if it is likely: other guesses need longer texts."""
    beyond = content.translate(None, delete=bytes(range(128)))
    if len(beyond) > _WESTERN_SHARE * len(content) + 1:
        return None
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return None if _NOT_WESTERN.search(text) else text
