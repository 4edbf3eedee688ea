"""Parsing e-mail messages.

Belongs here: their headers, parts and the list of their attachments. Not here: HTML (the parser of `text/html`), the
text of a part (`email_texts`), what is quoted (`email_replies`), the files that are attached (`email_attachments`),
mailboxes. Guarantee: attachments are listed, not read; forwarded messages are read to a small depth; headers are
bounded.
"""

import codecs
import email
import email.errors
import email.header
import email.utils
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC
from email.message import Message
from email.policy import compat32
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_replies import is_reply, own_text
from headwater.parsing.email_texts import decode_plain, find_charset
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category, parser_of_type
from headwater.parsing.text import decode

_SHOWN = ("From", "To", "Cc", "Date")
_MAX_HEADER_CHARS = 2_000
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
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SEALED_NAMES = ("", "smime.p7m")  # RFC 8551; of other names, it is a file that is signed, such as an invoice
_SIGNED_ONLY = "signed-data"  # its text is open, but packed together with the signature
_NOT_READ = "What is encrypted in the message could not be read."


class EmailParser(Parser):
    """Reads a message as markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("message/rfc822",)
    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    version: ClassVar[str] = "email-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=30, megabytes=1_000)

    def parse(self, file: File) -> ParsedDocument:
        """Read a message: its headers, its text, and the names of its attachments.

        Raises:
            DocumentError: it is not a message.
        """
        try:
            message = read_message(file.content)
            is_unread = any(map(is_encrypted, message.walk()))
            text = "\n\n".join(block for block in _message(message, file, 1) if block.strip())
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
            notes=(_NOT_READ,) if is_unread else (),
        )


def _message(message: Message, file: File, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {read_header(message, 'Subject') or 'Message without a subject'}"
    headers = ((name, read_header(message, name)) for name in _SHOWN)
    yield "\n".join(f"- {name}: {value}" for name, value in headers if value)
    attached: list[str] = []
    references = read_header(message, "In-Reply-To") or read_header(message, "References")
    answers = is_reply(read_header(message, "Subject"), references)
    yield from _body(message, file, depth, attached, answers=answers)
    if attached:
        yield "Attachments:\n\n" + "\n".join(f"- {name}" for name in attached)


def _body(part: Message, file: File, depth: int, attached: list[str], *, answers: bool) -> Iterator[str]:
    """The text of a part without what it quotes; of several forms of the same text, the one that is preferred."""
    media_type = part.get_content_type()
    if media_type == "message/rfc822":
        if depth < MAX_MESSAGE_DEPTH:
            for enclosed in inner_parts(part)[:1]:
                yield from _message(enclosed, file, depth + 1)
        return
    if is_encrypted(part):
        return
    if part.is_multipart():
        subparts = inner_parts(part)
        if media_type == "multipart/alternative":
            subparts = [preferred_part(subparts, file)] if subparts else []
        for subpart in subparts:
            yield from _body(subpart, file, depth, attached, answers=answers)
        return
    if is_attachment(part):
        attached.append(_describe_attachment(part))
        return
    yield own_text(_text(part, file), answers=answers)


def read_message(content: bytes) -> Message:
    """Take a file apart.

    Raises:
        DocumentError: it has too many parts to do so in reasonable time, or is not text.
    """
    if content.startswith(_WIDE):  # saved by an editor
        content = decode(content).encode("utf-8", "replace")
    if content.count(b"boundary=") > _MAX_PARTS:  # each may be within the one before
        raise DocumentError(f"The message has more than {_MAX_PARTS} groups of parts.")
    return email.message_from_bytes(content, policy=compat32)


def is_encrypted(part: Message) -> bool:
    """Whether the parts of a part are no texts and files, but what only its receiver can open."""
    is_sealed = part.get_content_type() in _SEALED and (part.get_filename() or "").lower() in _SEALED_NAMES
    is_open = str(part.get_param("smime-type") or "").lower() == _SIGNED_ONLY
    return (is_sealed and not is_open) or part.get_content_type() == "multipart/encrypted"


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
    content = read_payload(part)
    if part.get_content_type() == "text/html":
        charset = find_charset(content, part.get_content_charset() or "")
        stated = f"text/html; charset={charset}" if charset else "text/html"
        try:
            page = File(content=content, uri=file.uri, root=file.root, media_type=stated)
            return parser_of_type(stated).parse(page).text.strip()
        except DocumentError as error:
            return f"(A part in HTML could not be read: {error})"
    return decode_plain(part, content).translate(_CONTROLS).strip()


def read_payload(part: Message) -> bytes:
    """The bytes of a part without parts."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _describe_attachment(part: Message) -> str:
    name = _readable(part.get_filename() or "")[:200] or "without a name"
    return f"{name} ({max(1, len(read_payload(part)) // 1000):,} KB)"


def read_header(message: Message, name: str) -> str:
    """A header, decoded, on one line; empty if there is none."""
    return _readable(str(message.get(name, "")))


def _readable(value: str) -> str:
    """A header, decoded, on one line."""
    value = value[:_MAX_HEADER_CHARS]
    with suppress(LookupError, ValueError, email.errors.MessageError):  # an unknown charset, broken base64
        value = str(email.header.make_header(email.header.decode_header(value)))
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
