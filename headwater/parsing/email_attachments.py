"""The files that are attached to an e-mail message.

Belongs here: which parts of a message are attachments, and their bytes. Not here: the message's text
(`email_messages`), reading the files (`registry`). Guarantee: a hostile message is taken apart in a process of its own;
what a mail program shows within the text, such as a logo, is no attachment.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_encryption import is_encrypted
from headwater.parsing.email_messages import (
    MAX_MESSAGE_DEPTH,
    inner_parts,
    is_attachment,
    preferred_part,
    read_date,
    read_header,
    read_message,
)
from headwater.parsing.email_texts import read_payload
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.sandbox.pool import parse_apart

_MAX_ATTACHMENTS = 100
_MAX_NAME_CHARS = 200
_MIN_SHOWN_IMAGE_BYTES = 20_000
"""An image within the text that is smaller is a logo or a tracker."""
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_NO_FILE = "application/octet-stream"


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file within a message: its number among them from 1, and what the sender says that it is."""

    number: int
    name: str
    media_type: str
    content: bytes = field(repr=False)


def read_attachments(content: bytes) -> tuple[dict[str, Any], list[Attachment]]:
    """The attachments of a message, and what they should know of it: subject, sender and date.

    Raises:
        DocumentError: it is too much for its parser.
    """
    parser = AttachmentParser()
    document = parse_apart(parser, parser.limits, File(content=content, uri="message"))
    attachments, offset = [], 0
    packed = b"" if document.original is None else document.original.content
    for position, (name, media_type, size) in enumerate(document.metadata["files"], start=1):
        data = packed[offset : offset + size]
        offset += size
        attachments.append(Attachment(number=position, name=str(name), media_type=str(media_type), content=data))
    return dict(document.metadata["about"]), attachments


class AttachmentParser(Parser):
    """Takes a message apart; its result is for `read_attachments` alone."""

    media_types: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "attachments-1"
    limits: ClassVar[Limits] = Limits(seconds=30, megabytes=1_000)

    def parse(self, file: File) -> ParsedDocument:
        """Pack the attachments behind each other, with their names, types and sizes in the metadata.

        Raises:
            DocumentError: the message has too many parts.
        """
        try:
            message = read_message(file.content)
            attachments = list(_find_attached(message, 1, file))
        except RecursionError as error:
            raise DocumentError("The message has too many parts within each other.") from error
        if len(attachments) > _MAX_ATTACHMENTS:
            raise DocumentError(f"The message has more than {_MAX_ATTACHMENTS} attachments.")
        contents = [read_payload(attachment) for attachment in attachments]
        files = [
            [_name(attachment), attachment.get_content_type(), len(content)]
            for attachment, content in zip(attachments, contents, strict=True)
        ]
        told = {"subject": read_header(message, "Subject"), "from": read_header(message, "From")}
        about = {name: value for name, value in {**told, "date": read_date(message)}.items() if value}
        packed = Original(content=b"".join(contents), media_type=_NO_FILE)
        return ParsedDocument(
            uri=file.uri, title="", text="", metadata={"files": files, "about": about}, original=packed
        )


def _find_attached(part: Message, depth: int, file: File) -> Iterator[Message]:
    """The attachments of a part, as `email_messages` lists their names."""
    if part.get_content_type() == "message/rfc822":
        for enclosed in inner_parts(part)[:1] if depth < MAX_MESSAGE_DEPTH else ():
            yield from _find_attached(enclosed, depth + 1, file)
    elif part.is_multipart() and not is_encrypted(part):
        subparts = inner_parts(part)
        if part.get_content_type() == "multipart/alternative" and subparts:
            subparts = [preferred_part(subparts, file)]
        for subpart in subparts:
            yield from _find_attached(subpart, depth, file)
    elif is_attachment(part) and not is_encrypted(part) and not _is_no_file(part):
        yield part


def _is_no_file(part: Message) -> bool:
    """Whether a part is a signature or a decoration."""
    if part.get_content_type() in _SIGNATURES:
        return True
    if part.get_content_maintype() != "image" or part.get_content_disposition() == "attachment":
        return False
    is_shown = part.get_content_disposition() == "inline" or part.get("Content-ID") is not None
    return is_shown and len(read_payload(part)) < _MIN_SHOWN_IMAGE_BYTES


def _name(part: Message) -> str:
    name = part.get_filename() or ""
    file_name = " ".join(name.encode("utf-8", "replace").decode("utf-8", "replace").split()).rpartition("/")[2]
    return file_name[-_MAX_NAME_CHARS:] or f"attachment.{part.get_content_subtype()[:20]}"
