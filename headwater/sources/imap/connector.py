"""`imap`: the messages of a mailbox, and what is attached to them (SRC-4).

Belongs here: which messages are read, and when they are unchanged. Not here: mailboxes (`server_mailbox`,
`local_mailbox`), documents (`document`). Guarantee: a message is read only at a place where it was not before; one that
several folders have is one document; if a folder cannot be listed, nothing counts as removed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError
from headwater.fetching.credentials import Credential
from headwater.identity import content_hash
from headwater.parsing.email_messages import EmailParser
from headwater.sources.connector import Connector, Found, UnchangedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.imap.config import ImapConfig, guess_imap
from headwater.sources.imap.document import PART_MARK, MessageReader, UnreadAttachments
from headwater.sources.imap.local_mailbox import LocalMailbox
from headwater.sources.imap.mailboxes import Mailbox, MessagePlace, message_uri
from headwater.sources.imap.server_mailbox import ServerMailbox
from headwater.sources.imap.session import MailSession
from headwater.sources.item_list import ItemList, read_list, write_list
from headwater.sources.source_context import SourceContext


class Imap(Connector):
    """Reads the messages of a mailbox."""

    kind = "imap"
    parser_version = EmailParser.version
    Config = ImapConfig
    config: ImapConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Addresses that begin with imaps://, mbox files and Maildirs."""
        return guess_imap(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per message and per attachment that can be read; first those that are unchanged.

        Raises:
            SourceError: the mailbox cannot be read.
        """
        listing, unread_list = self._list("list.json"), self._list("unread.json")
        unread = UnreadAttachments(unread_list.items, self.skipped)
        mailbox = _open_mailbox(self.config, self.context, listing)
        try:
            messages = self._choose(mailbox.places())
            self.total = len(messages)
            yield from mailbox.problems
            pending: dict[MessagePlace, str] = {}
            attached = self._find_known_attachments()
            for uri, place in messages.items():
                if self._is_unchanged(uri, place, attached):
                    unread.keep(uri)
                    yield from map(_keep_unchanged, (uri, *attached.get(uri, ())))
                else:
                    pending[place] = uri
            yield from self._read(mailbox, pending, attached, unread)
            mailbox.finish()
        finally:
            mailbox.close()
        unread_list.items = unread.items
        write_list(self.context.folder, unread_list, name="unread.json")
        if self.config.url is not None:
            write_list(self.context.folder, listing)

    def _list(self, name: str) -> ItemList:
        fields = self.config.model_dump(mode="json", exclude={"link", "max_messages", "passwords"})
        return read_list(self.context.folder, content_hash(fields, self._user).hex(), name=name)

    @cached_property
    def _user(self) -> str:
        """Whose mailbox it is, at a server: another user of the same credential has other messages."""
        return "" if self.config.url is None else _credential(self.config, self.context).secret.partition(":")[0]

    def _choose(self, places: Sequence[MessagePlace]) -> dict[str, MessagePlace]:
        """The messages by URI; of several with one id, the one that came first, which nobody can put another before."""
        messages: dict[str, MessagePlace] = {}
        for place in places:
            uri = message_uri(place.message_id) if place.message_id else place.uri
            if uri not in messages or place.received < messages[uri].received:
                messages[uri] = place
        return messages

    def _find_known_attachments(self) -> Mapping[str, Sequence[str]]:
        """The known attachments of each message."""
        attached: dict[str, list[str]] = defaultdict(list)
        for uri in self.context.known:
            message, mark, _ = uri.partition(PART_MARK)
            if mark:
                attached[message].append(uri)
        return attached

    def _is_unchanged(self, uri: str, place: MessagePlace, attached: Mapping[str, Sequence[str]]) -> bool:
        """Whether a message was read at this place, and all of its attachments are known too."""
        known_state = self.context.known.get(uri)
        if known_state is None:
            return False
        return known_state.validator == f"{self._version(place)} {len(attached.get(uri, ()))}"

    def _version(self, place: MessagePlace) -> str:
        return content_hash(self._user, place.folder, place.key, self.config.reading).hex()[:24]

    def _read(
        self,
        mailbox: Mailbox,
        pending: Mapping[MessagePlace, str],
        attached: Mapping[str, Sequence[str]],
        unread: UnreadAttachments,
    ) -> Iterator[Found]:
        passwords = tuple(self.context.password(name) for name in self.config.passwords)
        reader = MessageReader(self.config, passwords, unread)
        for place, content in mailbox.contents(list(pending)):
            uri = pending[place]
            if isinstance(content, DocumentError):
                yield DocumentProblem(uri=uri, code=content.code, message=str(content))
                yield from map(_keep_unchanged, attached.get(uri, ()))
            else:
                yield from reader.documents(uri, place, content, self._version(place))


def _keep_unchanged(uri: str) -> UnchangedDocument:
    return UnchangedDocument(uri=uri)


def _open_mailbox(config: ImapConfig, context: SourceContext, listing: ItemList) -> Mailbox:
    if config.path is not None:
        return LocalMailbox(context.local(config.path), config)
    session = MailSession(
        context.gate, str(config.url), _credential(config, context), login=config.login, patience=context.patience
    )
    return ServerMailbox(session, config, listing)


def _credential(config: ImapConfig, context: SourceContext) -> Credential:
    return context.credential(str(config.credential), urlsplit(str(config.url)).netloc)
