"""Reading what a mail server answers.

Belongs here: folders, their status, and records of messages. Not here: asking (`session`). Guarantee: pure; what has
another form is left out, and a name that cannot be decoded is shown as it is.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

Data = bytes | tuple[bytes, bytes] | None
"""A line of an answer; with what follows it, if that was sent by its length."""

_LISTED = re.compile(rb'\((?P<flags>[^)]*)\) (?P<separator>"\\?."|NIL) ?(?P<name>.*)', re.DOTALL)
_STATUS = re.compile(rb"(?P<name>.*?) ?\((?P<values>[A-Z0-9 ]+)\)\Z", re.DOTALL)
_RECORD = re.compile(rb"\d+ \(")
_UID = re.compile(rb"\bUID (\d{1,10})\b")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d{1,12})\b")
_RECEIVED = re.compile(rb'\bINTERNALDATE "([^"]{1,40})"')
_LENGTH = re.compile(rb"\{\d+\}\Z")
_MESSAGE_ID = re.compile(rb"^message-id:[^<]{0,200}<([^<>\s]{1,500})>", re.IGNORECASE | re.MULTILINE)
_SHIFTED = re.compile(r"&([^-]*)-")
_CODE = re.compile(r"\[([A-Z-]{1,40})[ \]]")


class Status(NamedTuple):
    """What tells whether messages came or went: if all three are the same, none did."""

    messages: int
    next_uid: int
    validity: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """A folder: its name as it is sent and as people read it, with slashes between levels, and its flags."""

    sent_name: str
    name: str
    flags: frozenset[str] = field(default=frozenset())


class Record(NamedTuple):
    """What was said about a message: `content` is its text, or the part of it that was asked for."""

    uid: int
    size: int
    received: int
    content: bytes

    @property
    def message_id(self) -> str:
        """The id in its header, without angle brackets; empty if it has none."""
        return read_message_id(self.content)


def read_folders(data: Iterable[Data]) -> list[Folder]:
    """The folders of a list, in its order."""
    folders = []
    for entry in data:
        line, literal = entry if isinstance(entry, tuple) else (entry or b"", None)
        match = _LISTED.match(line)
        if match is None:
            continue
        name = _unquote(match["name"]) if literal is None else literal
        with suppress(UnicodeDecodeError):
            sent = name.decode("utf-8")
            separator = _unquote(match["separator"]).decode("ascii", "replace")
            flags = frozenset(match["flags"].decode("ascii", "replace").lower().split())
            folders.append(Folder(sent_name=sent, name=_readable(sent, separator), flags=flags))
    return folders


def read_statuses(data: Iterable[Data]) -> dict[str, Status]:
    """The status of folders, by their names as they are sent."""
    statuses: dict[str, Status] = {}
    pending = b""
    for entry in data:
        line = entry or b""
        if isinstance(line, tuple):
            pending = line[1]
            continue
        match = _STATUS.match(line)
        if match is None:
            continue
        words = match["values"].split()
        values = {name: int(value) for name, value in zip(words[::2], words[1::2], strict=False) if value.isdigit()}
        name = _unquote(match["name"]) if match["name"] else pending
        pending = b""
        with suppress(KeyError, UnicodeDecodeError):
            status = Status(values[b"MESSAGES"], values[b"UIDNEXT"], values[b"UIDVALIDITY"])
            statuses[name.decode("utf-8")] = status
    return statuses


def read_records(data: Iterable[Data]) -> Iterator[Record]:
    """The messages of an answer; what the server says about others unasked has no UID and is left out."""
    head, content = b"", b""
    for entry in (*data, b"0 ("):
        line, literal = entry if isinstance(entry, tuple) else (entry or b"", b"")
        if _RECORD.match(line):
            uid = _UID.search(head)
            if uid is not None:
                size, received = _SIZE.search(head), _RECEIVED.search(head)
                yield Record(int(uid[1]), int(size[1]) if size else 0, _seconds(received and received[1]), content)
            head, content = b"", b""
        head += b" " + _LENGTH.sub(b"", line)
        content = literal or content


def read_message_id(header: bytes) -> str:
    """The id in a header, without angle brackets; empty if it has none that is valid."""
    match = _MESSAGE_ID.search(header)
    text = match[1].decode("ascii", "replace") if match else ""
    return text if text.isprintable() and "\ufffd" not in text else ""


def read_code(text: str) -> str:
    """The code at the beginning of a server's refusal, such as AUTHENTICATIONFAILED; empty without one."""
    match = _CODE.search(text)
    return match[1] if match else ""


def quote_name(name: str) -> str:
    """A folder's name as it is sent in a command."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _unquote(text: bytes) -> bytes:
    if len(text) >= 2 and text.startswith(b'"') and text.endswith(b'"'):
        return re.sub(rb"\\(.)", rb"\1", text[1:-1])
    return text


def _readable(name: str, separator: str) -> str:
    """A folder's name for people: its letters decoded (RFC 3501, 5.1.3), its levels divided by slashes."""
    decoded = _SHIFTED.sub(_decode, name)
    if separator not in ("", "/", "NIL"):
        decoded = decoded.replace("/", "_").replace(separator, "/")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in decoded)[:500]


def _decode(match: re.Match[str]) -> str:
    if not match[1]:
        return "&"
    encoded = match[1].replace(",", "/")
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-16-be")
    except (binascii.Error, ValueError):
        return match[0]


def _seconds(text: bytes | None) -> int:
    with suppress(ValueError, OverflowError):
        moment = datetime.strptime((text or b"").decode("ascii", "replace").strip(), "%d-%b-%Y %H:%M:%S %z")
        return int(moment.astimezone(UTC).timestamp())
    return 0
