"""Files that people upload to a source, and the names they may have.

Belongs here: these classes and the rule for names. Not here: storing them (`headwater.store.content.uploads`,
`headwater.files`). Guarantee: pure; a name that passes is safe as a part of a path, an address, a header and a line of
text, and is its own normal form.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from headwater.errors import InvalidInputError

MAX_NAME_BYTES = 1000  # bytes of UTF-8, folders included
MAX_PART_BYTES = 255  # bytes of UTF-8, as in most file systems
_FORBIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of surrogate pairs, line ends
_JOINERS = "\u200c\u200d"  # scripts and emoji need them; other characters without width can hide what a name says


class UploadState(StrEnum):
    """How far an uploaded file has come."""

    WAITING = "waiting"
    """No sync has begun since it was uploaded."""
    SYNCING = "syncing"
    """A sync has begun since then, and has not published it yet."""
    READY = "ready"
    """Its document can be found."""
    FAILED = "failed"
    """The last sync could not read it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """An uploaded file: its name within the source, its SHA-256 in hexadecimal digits, and what became of it.

    `media_type` is what the client named; the type of the document is found by content.
    """

    name: str
    hash: str
    size: int
    media_type: str
    uploaded_at: datetime
    state: UploadState = UploadState.WAITING
    error: str | None = None
    document_id: str | None = None
    """What was made of it, if that can be found."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadedFile:
    """An uploaded file as a connector gets it."""

    name: str
    hash: str
    media_type: str
    read: Callable[[], bytes] = field(repr=False)


def upload_name(name: str) -> str:
    """Return a file's name in its normal form (NFC); folders are separated by `/`.

    Raises:
        InvalidInputError: the name cannot be used; the message says why.
    """
    normal = unicodedata.normalize("NFC", name)
    reason = _reason(normal)
    if reason:
        readable = "".join(character if character.isprintable() else "\ufffd" for character in normal[:100])
        raise InvalidInputError(f"A file cannot be named {readable!r}: {reason}.")
    return normal


def _reason(name: str) -> str:
    if not name:
        return "the name is empty"
    if any(unicodedata.category(character) in _FORBIDDEN for character in name):
        return "it contains a control character, or half a surrogate pair"
    if any(unicodedata.category(character) == "Cf" and character not in _JOINERS for character in name):
        return "it contains an invisible character"
    if "\ufffd" in name:
        return "it is not UTF-8, or has lost a character already"
    if "\\" in name:
        return "it contains a backslash; separate folders by /"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"it has more than {MAX_NAME_BYTES:,} bytes"
    return next(filter(None, map(_reason_of_part, name.split("/"))), "")


def _reason_of_part(part: str) -> str:
    if not part:
        return "it begins or ends with /, or has two of them in a row"
    if part in (".", ".."):
        return f"{part} is not the name of a folder or file"
    if part != part.strip():
        return "a folder or file begins or ends with a space"
    return f"a folder or file has more than {MAX_PART_BYTES} bytes" if len(part.encode()) > MAX_PART_BYTES else ""
