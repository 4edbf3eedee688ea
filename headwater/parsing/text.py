"""Bytes into characters.

Belongs here: encodings and line ends. Not here: formats. Guarantee: lines end by a newline only; bytes that are no text
raise `DocumentError`.
"""

import codecs

from headwater.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(content: bytes) -> str:
    """Decode text: by its byte order mark, as UTF-8, or by what its bytes look like.

    Raises:
        DocumentError: it is not text.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = _guess(content)
    if "\x00" in text:
        raise DocumentError("The file is binary, not text.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _guess(content: bytes) -> str:
    from charset_normalizer import from_bytes  # slow to import, seldom needed

    best = None if b"\x00" in content else from_bytes(content).best()
    if best is None:
        raise DocumentError("The file is not text in any known encoding. Save it as UTF-8.")
    return str(best)
