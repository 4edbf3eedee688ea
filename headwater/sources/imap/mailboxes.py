"""What every mailbox gives: where its messages are, and their bytes.

Belongs here: the place of a message, and the base class of mailboxes. Not here: servers (`server_mailbox`), files
(`local_mailbox`), documents (`connector`). Guarantee: a message at a place never changes; another message has another
place.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, TooLargeError

_SAFE_IN_ID = "@!$'*+-/=^_{|}~."
UNREAD_NAMES = frozenset({"junk", "spam", "trash", "drafts", "deleted items", "deleted messages"})
"""Folders that are left out unless the source includes them, if nothing else tells what they are for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessagePlace:
    """A message of a folder, as its mailbox lists it.

    `key` identifies it within the folder, `received` orders messages by their arrival, and `uri` names it if its
    header has no id.
    """

    folder: str
    key: str
    size: int
    received: int
    message_id: str
    uri: str


class Mailbox(ABC):
    """A mailbox, for one sync."""

    problems: list[DocumentProblem]
    """Folders that could not be listed, once all is listed."""

    @abstractmethod
    def places(self) -> list[MessagePlace]:
        """Every message of the chosen folders.

        Raises:
            SourceError: there is no complete list.
        """

    @abstractmethod
    def contents(self, places: Sequence[MessagePlace]) -> Iterator[tuple[MessagePlace, bytes | DocumentError]]:
        """The bytes of messages, or why one of them cannot be had; those that are gone are left out.

        Raises:
            SourceError: the mailbox cannot be read any more.
        """

    def finish(self) -> None:  # noqa: B027 - most have nothing to keep
        """Keep what saves work at the next sync."""

    def close(self) -> None:  # noqa: B027 - files need no session
        """End what was opened."""


def message_uri(message_id: str) -> str:
    """The URI of a message by its id (RFC 2392)."""
    return f"mid:{quote(message_id, safe=_SAFE_IN_ID)}"


def too_many(limit: int) -> TooLargeError:
    """The error for a mailbox with more messages than a source may have."""
    return TooLargeError(
        f"The mailbox has more than {limit:,} messages, which is max_messages. Nothing was changed. Choose fewer"
        " folders with include or exclude, leave out old messages with since, or raise max_messages."
    )
