"""Parsing e-mail messages.

Belongs here: their headers, text and the list of their attachments. Not here: HTML (the parser of `text/html`),
mailboxes. Guarantee: attachments are listed, not read; forwarded messages are read to a small depth; headers are
bounded.
"""

import email
import email.errors
import email.header
import email.utils
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC
from email.message import Message
from email.policy import compat32
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category, parser_of_type
from headwater.parsing.text import decode

_SHOWN = ("From", "To", "Cc", "Date")
_MAX_HEADER_CHARS = 2_000
_MAX_PARTS = 500
_MAX_DEPTH = 3  # messages within each other


class EmailParser(Parser):
    """Reads a message as markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("message/rfc822",)
    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    version: ClassVar[str] = "email-1"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=30, megabytes=1_000)

    def parse(self, file: File) -> ParsedDocument:
        """Read a message: its headers, its text, and the names of its attachments.

        Raises:
            DocumentError: it is not a message.
        """
        if file.content.count(b"boundary=") > _MAX_PARTS:  # each may be within the one before
            raise DocumentError(f"The message has more than {_MAX_PARTS} groups of parts.")
        try:
            message = email.message_from_bytes(file.content, policy=compat32)
            text = "\n\n".join(block for block in _message(message, file, 1) if block.strip())
        except RecursionError as error:
            raise DocumentError("The message has too many parts within each other.") from error
        if not message.keys():
            raise DocumentError("The file has no headers, so it is not a message.")
        known = {name.lower(): _header(message, name) for name in _SHOWN}
        return ParsedDocument(
            uri=file.uri,
            title=_header(message, "Subject"),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata={name: value for name, value in {**known, "date": _date(message)}.items() if value},
        )


def _message(message: Message, file: File, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {_header(message, 'Subject') or 'Message without a subject'}"
    headers = ((name, _header(message, name)) for name in _SHOWN)
    yield "\n".join(f"- {name}: {value}" for name, value in headers if value)
    attached: list[str] = []
    yield from _body(message, file, depth, attached)
    if attached:
        yield "Attachments:\n\n" + "\n".join(f"- {name}" for name in attached)


def _body(part: Message, file: File, depth: int, attached: list[str]) -> Iterator[str]:
    """The text of a part; of several forms of the same text, the plain one."""
    media_type = part.get_content_type()
    if media_type == "message/rfc822":
        if depth < _MAX_DEPTH:
            for inner in _parts(part)[:1]:
                yield from _message(inner, file, depth + 1)
        return
    if part.is_multipart():
        parts = _parts(part)
        if media_type == "multipart/alternative":
            parts = [_best(parts)] if parts else []
        for each in parts:
            yield from _body(each, file, depth, attached)
        return
    name = part.get_filename()
    if name or part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text":
        attached.append(_describe_attachment(part, name))
        return
    yield _text(part, file)


def _parts(part: Message) -> list[Message]:
    found = part.get_payload()
    return [each for each in found[:_MAX_PARTS] if isinstance(each, Message)] if isinstance(found, list) else []


def _best(parts: list[Message]) -> Message:
    """The plain text, unless it is empty: some programs write only a line that asks for another program."""
    plain = [part for part in parts if part.get_content_type() == "text/plain"]
    return next((part for part in plain if len(_payload(part).strip()) > 1), parts[-1])


def _text(part: Message, file: File) -> str:
    content, charset = _payload(part), part.get_content_charset() or ""
    if part.get_content_type() == "text/html":
        stated = f"text/html; charset={charset}" if charset else "text/html"
        try:
            page = File(content=content, uri=file.uri, root=file.root, media_type=stated)
            return parser_of_type(stated).parse(page).text.strip()
        except DocumentError as error:
            return f"(A part in HTML could not be read: {error})"
    try:
        text = content.decode(charset or "ascii")
    except (LookupError, UnicodeDecodeError):
        text = decode(content)
    return text.replace("\r\n", "\n").replace("\x00", "").strip()


def _payload(part: Message) -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _describe_attachment(part: Message, name: str | None) -> str:
    shown = _readable(name or "")[:200] or "without a name"
    return f"{shown} ({part.get_content_type()}, {max(1, len(_payload(part)) // 1000):,} KB)"


def _header(message: Message, name: str) -> str:
    return _readable(str(message.get(name, "")))


def _readable(value: str) -> str:
    """A header, decoded, on one line."""
    value = value[:_MAX_HEADER_CHARS]
    with suppress(LookupError, ValueError, email.errors.MessageError):  # an unknown charset, broken base64
        value = str(email.header.make_header(email.header.decode_header(value)))
    return " ".join(value.encode("utf-8", "replace").decode("utf-8", "replace").split())


def _date(message: Message) -> str:
    try:
        found = email.utils.parsedate_to_datetime(str(message.get("Date", ""))[:100])
    except (ValueError, TypeError, IndexError):
        return ""
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
