"""Parsing messages that Outlook saved (.msg).

Belongs here: their parser, and such a message in the form in which mail travels. Not here: reading that
(`email_messages`). Guarantee: attachments are listed, not read; of a message whose text is RTF alone, only the headers
are known.
"""

import re
from dataclasses import replace
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_messages import EmailParser
from headwater.parsing.parser import File, Limits, Parser

if TYPE_CHECKING:
    from oxmsg import Message as OutlookMessage

_NO_ADDRESS = re.compile(r" ?<[^<>@]*>(?=,|\s*$)")  # of a server of Exchange alone, or none
_HEADERS = ("Subject", "From", "To", "Cc", "Date", "Message-ID", "In-Reply-To", "References")


class OutlookParser(Parser):
    """Reads a message of Outlook as markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("application/vnd.ms-outlook",)
    suffixes: ClassVar[tuple[str, ...]] = (".msg",)
    # A raised version of the parser that it calls is a raised version of its own.
    version: ClassVar[str] = f"outlook-1-{EmailParser.version.replace('-', '')}"
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
            mail = _to_mail(OutlookMessage.load(BytesIO(file.content)))
        except (OSError, LookupError, ValueError, AttributeError, TypeError) as error:  # what the library raises
            raise DocumentError(f"The message is damaged ({error}). Save it again, as .eml.") from error
        document = EmailParser().parse(replace(file, content=mail.as_bytes()))
        return replace(document, original=Original(content=file.content, media_type=self.media_types[0]))


def _to_mail(message: "OutlookMessage") -> Message:
    """The message as one that travels, with the headers that it travelled with, or else what Outlook knows of it."""
    recipients = [f"{recipient.name} <{recipient.email_address}>" for recipient in message.recipients]
    stored = {
        "Subject": message.subject,
        "From": message.sender,
        "To": ", ".join(recipients),
        "Date": format_datetime(message.sent_date) if message.sent_date else "",
    }
    travelled = {name.lower(): value for name, value in (message.message_headers or {}).items()}
    mail = MIMEMultipart("mixed")
    for name in _HEADERS:
        if value := travelled.get(name.lower()) or stored.get(name):
            mail[name] = " ".join(_NO_ADDRESS.sub("", str(value)).split())
    forms = MIMEMultipart("alternative")
    for text, kind in ((message.body, "plain"), (message.html_body, "html")):
        if text and text.strip():
            forms.attach(MIMEText(text, kind, "utf-8"))
    mail.attach(forms)
    for attachment in message.attachments:
        part_of_mail = MIMEApplication(attachment.file_bytes or b"")
        part_of_mail.add_header("Content-Disposition", "attachment", filename=attachment.file_name or "attachment")
        mail.attach(part_of_mail)
    return mail
