"""Parsing e-mail messages.

Belongs here: their headers, parts and the list of their attachments. Not here: HTML (the parser of `text/html`), the
text of a part (`email_texts`), what is encrypted (`email_encryption`) or quoted (`email_replies`), the files that are
attached (`email_attachments`), mailboxes. Guarantee: attachments are listed, not read; forwarded messages are read to
a small depth; headers are bounded.
"""

import codecs
import email
import email.utils
import re
from collections.abc import Iterator
from datetime import UTC
from email.message import Message
from email.policy import compat32
from typing import ClassVar, NamedTuple

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_encryption import drop_armor, is_encrypted
from headwater.parsing.email_replies import is_reply, own_text
from headwater.parsing.email_texts import decode_header, decode_plain, encode_page, read_payload
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category, parser_of_type
from headwater.parsing.text import decode

_SHOWN = ("From", "To", "Cc", "Date")
_MAX_HEADER_CHARS = 2_000
_HEADER_BEGIN = re.compile(r"(?s).{0,16000}(?![\udc80-\udcbf])")  # no character of UTF-8 goes on behind it
_MAX_PARTS = 500
MAX_MESSAGE_DEPTH = 3
"""Messages within each other."""
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"\S{0,20}://\S+")
_STAND_IN_SHARE = 0.25
"""Of the words of the HTML: the plain part of 62 of 429 public messages has fewer, and none of them says what the HTML
says. The plain parts that do say it begin at 0.25."""
_MAX_STAND_IN_WORDS = 50  # they had at most 23
_CONTROLS = dict.fromkeys(set(range(32)) - {9, 10, 13})
_ID = re.compile(r"<([^<>\s]{1,500})>")
_LAID_OUT = {"text/html": "HTML", "text/rtf": "RTF"}
"""The types of texts that a parser of their own reads, and how people call them."""
_MAX_RTF_BYTES = 300_000  # its parser needs seconds for so many
_RTF_BEGIN = b"{\\rtf"
_RTF_PREFACE_BYTES = 1_024
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_READ = "What is encrypted in the message could not be read."


class _Unread(NamedTuple):
    """What is not read of a message."""

    names: list[str]
    """Of attachments, with their sizes."""
    encrypted: list[Message]
    """Parts of it and of messages within it."""


class EmailParser(Parser):
    """Reads a message as markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("message/rfc822",)
    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    version: ClassVar[str] = "email-7"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=30, megabytes=1_000)

    def parse(self, file: File) -> ParsedDocument:
        """Read a message: its headers, its text, and the names of its attachments.

        Raises:
            DocumentError: it is not a message.
        """
        try:
            message = read_message(file.content)
            encrypted: list[Message] = []
            text = "\n\n".join(block for block in _message(message, file, 1, encrypted) if block.strip())
        except RecursionError as error:
            raise DocumentError("The message has too many parts within each other.") from error
        if not message.keys():
            raise DocumentError("The file has no headers, so it is not a message.")
        headers = {name.lower(): read_header(message, name) for name in _SHOWN}
        return ParsedDocument(
            uri=file.uri,
            title=read_header(message, "Subject"),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata={name: value for name, value in {**headers, **_thread(message)}.items() if value},
            notes=(_NOT_READ,) if encrypted else (),
        )


def _message(message: Message, file: File, depth: int, encrypted: list[Message]) -> Iterator[str]:
    yield f"{'#' * depth} {read_header(message, 'Subject') or 'Message without a subject'}"
    headers = ((name, read_header(message, name)) for name in _SHOWN)
    yield "\n".join(f"- {name}: {value}" for name, value in headers if value)
    unread = _Unread([], encrypted)
    references = read_header(message, "In-Reply-To") or read_header(message, "References")
    answers = is_reply(read_header(message, "Subject"), references)
    yield from _body(message, file, depth, unread, answers=answers)
    if unread.names:
        yield "Attachments:\n\n" + "\n".join(f"- {name}" for name in unread.names)


def _body(part: Message, file: File, depth: int, unread: _Unread, *, answers: bool) -> Iterator[str]:
    """The text of a part without what it quotes; of several forms of the same text, the one that is preferred."""
    media_type = part.get_content_type()
    if media_type == "message/rfc822":
        if depth < MAX_MESSAGE_DEPTH:
            for enclosed in inner_parts(part)[:1]:
                yield from _message(enclosed, file, depth + 1, unread.encrypted)
        return
    if is_encrypted(part):
        unread.encrypted.append(part)
        return
    if part.is_multipart():
        subparts = inner_parts(part)
        if media_type == "multipart/alternative":
            subparts = [preferred_part(subparts, file)] if subparts else []
        for subpart in subparts:
            yield from _body(subpart, file, depth, unread, answers=answers)
        return
    if is_attachment(part):
        unread.names.append(_describe_attachment(part))
        return
    text = _text(part, file)
    open_text = drop_armor(text)
    if open_text != text:
        unread.encrypted.append(part)
    yield own_text(open_text.strip(), answers=answers)


def read_message(content: bytes) -> Message:
    """Take a file apart.

    Raises:
        DocumentError: it has too many parts to do so in reasonable time, or is not text.
    """
    if content.startswith(_WIDE):  # saved by an editor
        content = decode(content).encode("utf-8", "replace")
    if content.count(b"boundary=") > _MAX_PARTS:  # each may be within the one before
        raise DocumentError(f"The message has more than {_MAX_PARTS} groups of parts.")
    return email.message_from_bytes(content.removeprefix(codecs.BOM_UTF8), policy=compat32)


def is_attachment(part: Message) -> bool:
    """Whether a part without parts is a file, and not the message's text."""
    is_text = part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"
    return not is_text or bool(part.get_filename())


def inner_parts(part: Message) -> list[Message]:
    """The parts of a part, as many as are read."""
    payload = part.get_payload()
    return (
        [subpart for subpart in payload[:_MAX_PARTS] if isinstance(subpart, Message)]
        if isinstance(payload, list)
        else []
    )


def preferred_part(parts: list[Message], file: File) -> Message:
    """Of several forms of a text the plain one, unless it only asks for a program that shows the other."""
    texts = [candidate for candidate in parts if candidate.get_content_type() == "text/plain"]
    plain = next((candidate for candidate in texts if len(read_payload(candidate).strip()) > 1), None)
    if plain is None:
        return parts[-1]
    page_parts = ((candidate, page) for candidate in parts if (page := _find_page(candidate)) is not None)
    candidate, page = next(page_parts, (plain, None))
    words = len(_WORD.findall(_ADDRESS.sub("", _text(plain, file))))
    if page is None or words > _MAX_STAND_IN_WORDS:
        return plain
    page_words = len(_WORD.findall(_ADDRESS.sub("", _text(page, file))))
    return candidate if words < _STAND_IN_SHARE * page_words else plain


def _find_page(part: Message) -> Message | None:
    """The HTML of a form of the text, which may come with the pictures that it shows."""
    if part.get_content_type() == "text/html":
        return part
    subparts = inner_parts(part) if part.get_content_type() == "multipart/related" else []
    return next((subpart for subpart in subparts if subpart.get_content_type() == "text/html"), None)


def _text(part: Message, file: File) -> str:
    """The text of a part, also what is encrypted in it."""
    kind = part.get_content_type()
    if kind not in _LAID_OUT or (kind == "text/rtf" and _RTF_BEGIN not in read_payload(part)[:_RTF_PREFACE_BYTES]):
        return decode_plain(part).translate(_CONTROLS).strip("\n")
    content, media_type = encode_page(part) if kind == "text/html" else (read_payload(part), kind)
    if kind == "text/rtf" and len(content) > _MAX_RTF_BYTES:
        return f"(A part in RTF could not be read: it has more than {_MAX_RTF_BYTES:,} bytes.)"
    try:
        page = File(content=content, uri=file.uri, root=file.root, media_type=media_type)
        return parser_of_type(media_type).parse(page).text
    except DocumentError as error:
        return f"(A part in {_LAID_OUT[kind]} could not be read: {error})"


def _describe_attachment(part: Message) -> str:
    name = _readable(part.get_filename() or "")[:200] or "without a name"
    return f"{name} ({max(1, len(read_payload(part)) // 1000):,} KB)"


def read_header(message: Message, name: str) -> str:
    """A header, decoded, on one line; empty if there is none."""
    value = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return _readable(value)


def _readable(value: str) -> str:
    """A header, decoded, on one line."""
    match = _HEADER_BEGIN.match(value)
    value = decode_header(match[0] if match else "")[:_MAX_HEADER_CHARS]
    return " ".join(value.encode("utf-8", "replace").decode("utf-8", "replace").translate(_CONTROLS).split())


def _thread(message: Message) -> dict[str, str]:
    """The date, and the ids of the message, of the one that it answers, and of the first one of its thread."""
    ids_by_header = {
        name: _ID.findall(read_header(message, name)) for name in ("Message-ID", "In-Reply-To", "References")
    }
    message_ids, answered, references = ids_by_header.values()
    answered = answered[:1] or references[-1:]
    thread = (references or answered or message_ids)[:1]
    ids = {"message_id": message_ids[:1], "in_reply_to": answered, "thread": thread}
    return {"date": read_date(message), **{name: id_list[0] for name, id_list in ids.items() if id_list}}


def read_date(message: Message) -> str:
    """When a message was sent, in ISO 8601; empty if it does not say."""
    try:
        date = email.utils.parsedate_to_datetime(str(message.get("Date", ""))[:100])
    except (ValueError, TypeError, IndexError):
        return ""
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).isoformat()
