"""Parsing messages that Outlook saved (.msg).

Belongs here: their parser, and such a message in the form in which mail travels. Not here: reading that
(`email_messages`), RTF (`outlook_rtf`). Guarantee: attachments are listed, not read.
"""

import re
from contextlib import suppress
from dataclasses import replace
from email.encoders import encode_base64
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_encryption import SEALED_NAMES
from headwater.parsing.email_messages import EmailParser
from headwater.parsing.outlook_rtf import take_html_out, unpack_rtf
from headwater.parsing.parser import File, Limits, Parser

if TYPE_CHECKING:
    from oxmsg import Message as OutlookMessage
    from oxmsg.attachment import Attachment

_PEOPLE = ("From", "To", "Cc")
_RECIPIENT_TYPE, _TO, _CC = 0x0C15, 1, 2  # MS-OXOMSG, PidTagRecipientType
_NO_ADDRESS = re.compile(r" ?<[^<>@]*>(?=,|\s*$)")  # of a server of Exchange alone, or none
_RTF = 0x1009  # PidTagRtfCompressed
_MADE_OF_HTML = rb"\fromhtml"
_PREFACE_BYTES = 1_000  # in which a text says what it was made of
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # of PKCS #7: its text is open
_TYPE_BYTES = 40  # in which a file of PKCS #7 says what it is
_HEADERS = ("Subject", "From", "To", "Cc", "Date", "Message-ID", "In-Reply-To", "References")


class OutlookParser(Parser):
    """Reads a message of Outlook as markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("application/vnd.ms-outlook",)
    suffixes: ClassVar[tuple[str, ...]] = (".msg",)
    # A raised version of the parser that it calls is a raised version of its own.
    version: ClassVar[str] = f"outlook-2-{EmailParser.version.replace('-', '')}"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = EmailParser.limits

    def prepare(self) -> None:
        """Import oxmsg."""
        import oxmsg  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a message: its headers, its text, and the names of its attachments.

        Raises:
            DocumentError: it is damaged.
        """
        from oxmsg import Message as OutlookMessage

        try:
            content = _to_mail(OutlookMessage.load(BytesIO(file.content))).as_bytes()
        except Exception as error:  # the library raises whatever its parts raise on damaged files
            raise DocumentError(f"The message is damaged ({error}). Save it again, as .eml.") from error
        document = EmailParser().parse(replace(file, content=content))
        return replace(document, original=Original(content=file.content, media_type=self.media_types[0]))


def _to_mail(message: "OutlookMessage") -> Message:
    """The message as one that travels, with the headers that it travelled with, or else what Outlook knows of it."""
    stored = {
        "Subject": message.subject,
        "From": message.sender,
        "To": _find_recipients(message, _TO),
        "Cc": _find_recipients(message, _CC),
        "Date": format_datetime(message.sent_date) if message.sent_date else "",
    }
    travelled = {name.lower(): value for name, value in (message.message_headers or {}).items()}
    mail = MIMEMultipart("mixed")
    for name in _HEADERS:
        if value := travelled.get(name.lower()) or stored.get(name):
            line = _join_lines(str(value))
            mail[name] = _NO_ADDRESS.sub("", line) if name in _PEOPLE else line
    forms = MIMEMultipart("alternative")
    for name, kind in (("body", "plain"), ("html_body", "html")):
        with suppress(Exception):  # a form in an encoding that the library does not know costs only itself
            text = str(getattr(message, name) or "")
            if text.strip():
                forms.attach(MIMEText(text, kind, "utf-8"))
    if not forms.get_payload():
        _attach_rtf(forms, message.properties.binary_prop_value(_RTF) or b"")
    mail.attach(forms)
    for attachment in message.attachments:
        mail.attach(_wrap_attachment(attachment))
    return mail


def _attach_rtf(forms: Message, packed: bytes) -> None:
    """Add the text that Outlook keeps as RTF, or the HTML that it was made of."""
    rtf = unpack_rtf(packed)
    page = take_html_out(rtf) if _MADE_OF_HTML in rtf[:_PREFACE_BYTES] else ""
    if page.strip():
        forms.attach(MIMEText(page, "html", "utf-8"))
    elif rtf.strip():
        form = MIMENonMultipart("text", "rtf")
        form.set_payload(rtf)
        encode_base64(form)
        forms.attach(form)


def _wrap_attachment(attachment: "Attachment") -> Message:
    """An attachment as a part of mail; its type counts only if it and the name are those of an encrypted message."""
    content, media_type = attachment.file_bytes or b"", (attachment.mime_type or "").lower()
    name = _join_lines(attachment.file_name or "")
    is_signed = _SIGNED_DATA in content[:_TYPE_BYTES]
    if media_type in _SEALED and name.lower() in SEALED_NAMES and not is_signed:
        return MIMEApplication(content, media_type.partition("/")[2])
    attached_file = MIMEApplication(content)
    attached_file.add_header("Content-Disposition", "attachment", filename=name or "attachment")
    return attached_file


def _find_recipients(message: "OutlookMessage", kind: int) -> str:
    """The recipients of a kind; blind copies are of none that readers see."""
    return ", ".join(
        f"{recipient.name} <{recipient.email_address}>"
        for recipient in message.recipients
        if (recipient.properties.int_prop_value(_RECIPIENT_TYPE) or _TO) == kind
    )


def _join_lines(text: str) -> str:
    """A text in one line, which may stand in a header."""
    return " ".join(text.split())
