"""A message and its attachments as documents.

Belongs here: their URIs, fingerprints, tags and links to each other. Not here: the text of a message
(`headwater.parsing.email_messages`), formats of attachments (`headwater.parsing`). Guarantee: no byte of a message is
parsed in this process; an attachment that nobody reads is counted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.skips import Reason, Skips
from headwater.errors import DocumentError
from headwater.identity import bytes_fingerprint, content_hash
from headwater.parsing.email_attachments import Attachment, read_attachments
from headwater.parsing.file_types import EMPTY, media_type_of
from headwater.parsing.parser import File
from headwater.parsing.registry import find_parser, parser_of_type
from headwater.sources.connector import FetchedDocument, Found
from headwater.sources.fetched_files import from_file, parse_fetched
from headwater.sources.imap.config import ImapConfig
from headwater.sources.imap.mailboxes import MessagePlace, message_uri
from headwater.sources.item_list import Item

PART_MARK = "#part="
"""What stands between a message's URI and the number of an attachment."""
_SAFE_IN_NAME = " !$'()+,-.=@[]^_{}~"
_MESSAGE_TYPE = "message/rfc822"


class UnreadAttachments:
    """The attachments that nobody reads: counted in every sync, although only new messages are looked into.

    `before` is the list of the last sync; `items` becomes that of this one.
    """

    def __init__(self, before: Mapping[str, Item], skips: Skips) -> None:
        self._skips = skips
        self._before: dict[str, list[tuple[str, Item]]] = defaultdict(list)
        for key, item in before.items():
            self._before[item.parent].append((key, item))
        self.items: dict[str, Item] = {}

    def add(self, message: str, number: int, name: str, media_type: str) -> None:
        """Count one."""
        self._count(f"{number} {message}", Item(media_type, name, message))

    def keep(self, message: str) -> None:
        """Count those of a message that is unchanged."""
        for key, item in self._before.get(message, ()):
            self._count(key, item)

    def _count(self, key: str, item: Item) -> None:
        self.items[key] = item
        reason: Reason = "no_text" if item.version == EMPTY else "no_parser"
        self._skips.add(reason, [item.title], kind="" if item.version == EMPTY else item.version)


class MessageReader:
    """Makes documents of messages, as a config says."""

    def __init__(self, config: ImapConfig, passwords: Sequence[str], unread: "UnreadAttachments") -> None:
        self._config = config
        self._passwords = tuple(passwords)
        self._unread = unread
        self._parser = parser_of_type(_MESSAGE_TYPE)

    def documents(self, uri: str, place: MessagePlace, content: bytes, version: str) -> Iterator[Found]:
        """The message, and its attachments that can be read.

        Args:
            uri: the message's.
            place: where it is.
            content: the whole message.
            version: what tells later that it is unchanged; the number of attachments is added.
        """
        address = self._config.web_address(place.message_id)
        items: list[Found] = []
        about: dict[str, Any] = {}
        if self._config.attachments:
            try:
                about, attachments = read_attachments(content)
                documents = (self._read_attached(uri, place, attachment, about) for attachment in attachments)
                items = [document for document in documents if document is not None]
            except DocumentError as error:
                problem = f"Its attachments could not be read: {error}"
                items = [DocumentProblem(uri=f"{uri}{PART_MARK}all", code=error.code, message=problem)]
        validator = f"{version} {len(items)}"
        references = [item.uri for item in items if isinstance(item, FetchedDocument)]
        file = File(content=content, uri=uri, media_type=_MESSAGE_TYPE)
        yield FetchedDocument(
            uri=uri,
            fingerprint=content_hash(bytes_fingerprint(content), place.folder, address, references).hex(),
            parse=partial(_parse_message, self._parser, file, place.folder, address, references),
            parser_version=self._parser.version,
            validator=validator,
        )
        yield from (replace(item, validator=validator) if isinstance(item, FetchedDocument) else item for item in items)

    def _read_attached(
        self, message: str, place: MessagePlace, attachment: Attachment, about: dict[str, Any]
    ) -> FetchedDocument | None:
        """An attachment as a document; None if nobody reads it."""
        uri = f"{message}{PART_MARK}{attachment.number}/{quote(attachment.name, safe=_SAFE_IN_NAME)}"
        media_type = media_type_of(attachment.content, attachment.name)
        if media_type == EMPTY or find_parser(media_type, attachment.name, attachment.media_type) is None:
            self._unread.add(message, attachment.number, attachment.name, media_type)
            return None
        file = File(content=attachment.content, uri=uri, media_type=attachment.media_type, passwords=self._passwords)
        metadata = {**about, "message": message, "folder": place.folder}
        address = self._config.web_address(place.message_id)
        fetched = from_file(file, address=address, metadata=metadata)
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(fetched.fingerprint, place.folder, address, about).hex(),
            parse=partial(_parse_attachment, fetched, attachment.name, place.folder),
            parser_version=fetched.parser_version,
        )


def _parse_message(parser: Any, file: File, folder: str, address: str, references: Sequence[str]) -> ParsedDocument:
    """Parse a message; it links to the one that it answers, and to its attachments.

    Raises:
        DocumentError: it cannot be read.
    """
    document = parse_fetched(parser, file, address)
    answered = document.metadata.get("in_reply_to")
    answered_uris = [message_uri(answered)] if isinstance(answered, str) and answered else []
    return replace(
        document,
        title=document.title or "Message without a subject",
        category=folder,
        references=(*answered_uris, *references),
        metadata={**document.metadata, "folder": folder},
    )


def _parse_attachment(fetched: FetchedDocument, name: str, folder: str) -> ParsedDocument:
    """Parse an attachment; its file name is its title if it has no other.

    Raises:
        DocumentError: it cannot be read.
    """
    document = fetched.parse()
    return replace(document, title=document.title or name, category=folder)
