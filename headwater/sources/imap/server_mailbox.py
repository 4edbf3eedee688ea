"""The mailbox of a server.

Belongs here: which folders are listed again, and reading messages in groups. Not here: commands (`session`), local
files (`local_mailbox`). Guarantee: if nothing came or went, one command lists everything; a folder that cannot be
opened is a problem, and then nothing counts as removed; a message that moves while folders are listed is not missed.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, SourceError, TooLargeError
from headwater.sources.globs import matches
from headwater.sources.imap.config import ImapConfig
from headwater.sources.imap.mailboxes import UNREAD_NAMES, Mailbox, MessagePlace, too_many
from headwater.sources.imap.responses import Folder, Record, Status
from headwater.sources.imap.session import FolderRefusedError, MailSession
from headwater.sources.item_list import Item, ItemList

_UNREAD_FLAGS = frozenset({"\\junk", "\\trash", "\\drafts"})
_CLOSED_FLAGS = frozenset({"\\noselect", "\\nonexistent"})
_MAX_ROUNDS = 3
_GROUP_BYTES = 4_000_000
_GROUP_MESSAGES = 50


class ServerMailbox(Mailbox):
    """The chosen folders of a user at a server."""

    def __init__(self, session: MailSession, config: ImapConfig, listing: ItemList) -> None:
        self._session = session
        self._config = config
        self._listing = listing
        self._statuses: dict[str, Status] = {} if listing.is_whole_due else _read_statuses(listing.cursor)
        self._uids: dict[str, dict[int, MessagePlace]] = {}
        self._has_listed_all = False
        self._refused: dict[str, DocumentProblem] = {}
        self.problems = []

    def places(self) -> list[MessagePlace]:
        """Every message of the chosen folders; only folders where something came or went are listed again."""
        self._has_listed_all = not self._statuses
        folders = self._choose_folders()
        self._uids = self._read_last_uids({folder.sent_name: folder for folder, _ in folders})
        listed: dict[str, Status] = {name: self._statuses[name] for name in self._uids}
        for _ in range(_MAX_ROUNDS):  # again, because a message may have moved from a later folder to an earlier one
            changed_folders = [(folder, status) for folder, status in folders if listed.get(folder.sent_name) != status]
            if not changed_folders:
                break
            for folder, status in changed_folders:
                self._list(folder, status)
                listed[folder.sent_name] = status
            folders = self._choose_folders()
        self.problems += [*self._refused.values(), *self._find_incomplete(folders, listed)]
        names = {folder.sent_name for folder, _ in folders}
        self._uids = {name: uids for name, uids in self._uids.items() if name in names}
        self._statuses = {name: listed[name] for name in self._uids}
        return [place for uids in self._uids.values() for place in uids.values()]

    def contents(self, places: Sequence[MessagePlace]) -> Iterator[tuple[MessagePlace, bytes | DocumentError]]:
        """The messages, some with each command."""
        names = {id(place): (name, uid) for name, uids in self._uids.items() for uid, place in uids.items()}
        by_folder = sorted(places, key=lambda place: names[id(place)])
        for name, in_folder in groupby(by_folder, key=lambda place: names[id(place)][0]):
            group: dict[int, MessagePlace] = {}
            for place in in_folder:
                size = place.size + sum(member.size for member in group.values())
                if group and (size > _GROUP_BYTES or len(group) == _GROUP_MESSAGES):
                    yield from self._read(name, group)
                    group = {}
                group[names[id(place)][1]] = place
            yield from self._read(name, group)

    def finish(self) -> None:
        """Keep the list of every folder."""
        listing = self._listing
        listing.cursor = json.dumps(self._statuses)
        listing.listed = time.time() if self._has_listed_all else listing.listed
        listing.items = {
            f"{uid} {name}": Item(f"{place.size} {place.received}", place.message_id, name)
            for name, uids in self._uids.items()
            for uid, place in uids.items()
        }

    def close(self) -> None:
        """End the session."""
        self._session.close()

    def _choose_folders(self) -> list[tuple[Folder, Status]]:
        """The folders that are read, those with all messages last: of two copies, people know the other one."""
        folders = [(folder, status) for folder, status in self._session.folders() if self._is_chosen(folder)]
        self.problems = [
            _problem(folder, "the server does not tell its status") for folder, status in folders if status is None
        ]
        chosen_folders = [(folder, status) for folder, status in folders if status is not None]
        chosen_folders.sort(
            key=lambda pair: ("\\all" in pair[0].flags, pair[0].sent_name.upper() != "INBOX", pair[0].name)
        )
        if (
            sum(status.messages for _, status in chosen_folders) > self._config.max_messages
            and self._config.since is None
        ):
            raise too_many(self._config.max_messages)
        return chosen_folders

    def _find_incomplete(
        self, folders: Sequence[tuple[Folder, Status]], listed: Mapping[str, Status]
    ) -> Iterator[DocumentProblem]:
        """Folders whose list has fewer messages than the server counts, although nothing came or went meanwhile."""
        for folder, status in folders if self._config.since is None else ():
            uids = self._uids.get(folder.sent_name)
            if uids is not None and listed[folder.sent_name] == status and len(uids) < status.messages:
                yield _problem(folder, f"the server counts {status.messages:,} messages and lists {len(uids):,}")

    def _is_chosen(self, folder: Folder) -> bool:
        config = self._config
        if folder.flags & _CLOSED_FLAGS or matches(folder.name, config.exclude):
            return False
        if config.include:
            return matches(folder.name, config.include)
        is_named_unread = folder.name.rpartition("/")[2].casefold() in UNREAD_NAMES
        return not (folder.flags & _UNREAD_FLAGS or is_named_unread)

    def _read_last_uids(self, folders: Mapping[str, Folder]) -> dict[str, dict[int, MessagePlace]]:
        """The messages of each folder at the last sync."""
        places_by_folder: dict[str, dict[int, MessagePlace]] = {name: {} for name in self._statuses if name in folders}
        for key, item in self._listing.items.items():
            name, uid = item.parent, key.partition(" ")[0]
            size, _, received = item.version.partition(" ")
            if name in places_by_folder and uid.isdigit() and size.isdigit() and received.isdigit():
                record = (int(uid), int(size), int(received))
                places_by_folder[name][int(uid)] = self._place(
                    folders[name], self._statuses[name].validity, *record, item.title
                )
        return {
            name: uids
            for name, uids in places_by_folder.items()
            if len(uids) == self._statuses[name].messages or self._config.since
        }

    def _list(self, folder: Folder, status: Status) -> None:
        name, previous = folder.sent_name, self._uids.get(folder.sent_name, {})
        if self._statuses.get(name, status).validity != status.validity:
            previous = {}
        try:
            self._uids[name] = self._list_messages(folder, status, previous) if status.messages else {}
        except FolderRefusedError as error:
            self._uids.pop(name, None)
            self._refused[name] = _problem(folder, str(error))
        self._statuses[name] = status
        if sum(map(len, self._uids.values())) > self._config.max_messages:
            raise too_many(self._config.max_messages)

    def _list_messages(
        self, folder: Folder, status: Status, before: Mapping[int, MessagePlace]
    ) -> dict[int, MessagePlace]:
        """The messages of a folder: those of before that are still there, and those that are new."""
        name, last = folder.sent_name, max(before, default=0)
        there = set(self._session.uids(name, status.messages)) if before else set()
        uids = {uid: place for uid, place in before.items() if uid in there}
        if status.next_uid > last + 1:
            new = self._session.describe(name, last + 1, status.messages)
            uids |= {record.uid: self._locate_message(folder, status, record) for record in new}
        if self._config.since is not None:
            day = self._config.since.strftime("%d-%b-%Y")
            wanted_uids = self._session.uids_since(name, day, status.messages)
            uids = {uid: place for uid, place in uids.items() if uid in wanted_uids}
        return uids

    def _locate_message(self, folder: Folder, status: Status, record: Record) -> MessagePlace:
        return self._place(folder, status.validity, record.uid, record.size, record.received, record.message_id)

    def _place(
        self, folder: Folder, validity: int, uid: int, size: int, received: int, message_id: str
    ) -> MessagePlace:
        return MessagePlace(
            folder=folder.name, key=f"{validity}/{uid}", size=size, received=received, message_id=message_id,
            uri=f"imap://{self._session.host}/{folder.name};uidvalidity={validity}/;uid={uid}",
        )  # fmt: skip

    def _read(
        self, name: str, group: Mapping[int, MessagePlace]
    ) -> Iterator[tuple[MessagePlace, bytes | DocumentError]]:
        """The messages of one command; one by one if together they are larger than the server said."""
        limit = self._config.max_megabytes * 1_000_000
        small = {uid: place for uid, place in group.items() if place.size <= limit}
        yield from ((place, self._too_large()) for uid, place in group.items() if uid not in small)
        if not small:
            return
        most = limit if len(small) == 1 else min(limit, 2 * _GROUP_BYTES)
        try:
            records = self._session.messages(name, self._statuses[name].validity, list(small), most)
        except TooLargeError:
            if len(small) == 1:
                yield next(iter(small.values())), self._too_large()
            for uid, place in small.items() if len(small) > 1 else ():
                yield from self._read(name, {uid: place})
            return
        for record in records:
            if record.uid in small and record.content:
                yield small.pop(record.uid), record.content

    def _too_large(self) -> TooLargeError:
        return TooLargeError(f"The message is larger than max_megabytes, {self._config.max_megabytes} MB.")


def _problem(folder: Folder, reason: str) -> DocumentProblem:
    """A folder that cannot be listed; without a URI, so that nothing counts as removed."""
    message = (
        f"The folder {folder.name} cannot be read: {reason.rstrip('.')}. Leave it out with exclude, or sync again."
    )
    return DocumentProblem(uri="", code=SourceError.code, message=message)


def _read_statuses(cursor: str) -> dict[str, Status]:
    try:
        return {str(name): Status(*map(int, status)) for name, status in json.loads(cursor).items()}
    except (ValueError, TypeError, AttributeError):
        return {}
