"""Mailboxes of files: an mbox, or a Maildir with its folders.

Belongs here: finding their messages, and reading them. Not here: servers (`server_mailbox`), documents (`connector`).
Guarantee: nothing is written or locked, and no link is followed; a Maildir's message keeps its place when its flags
change, an mbox's when others are deleted before it; what another program writes meanwhile is read by the next sync.
"""

import mailbox
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, SourceError, TooLargeError
from headwater.sources.globs import matches
from headwater.sources.imap.config import ImapConfig, is_maildir
from headwater.sources.imap.mailboxes import UNREAD_NAMES, Mailbox, MessagePlace, too_many
from headwater.sources.imap.responses import read_message_id

_HEADER_BYTES = 100_000  # of a message; a longer header is not searched for its id
_ESCAPED_PATTERN = re.compile(rb"^>(>*From )", re.MULTILINE)
"""A line that would begin another message, were it not escaped."""
_HASHED_AT_ONCE = 1_000_000  # bytes
_Open = Callable[[], Any]
"""Opens a message as a file."""


class LocalMailbox(Mailbox):
    """The messages of a file or folder on this machine."""

    def __init__(self, path: Path, config: ImapConfig) -> None:
        self._path = path
        self._config = config
        self._mbox: mailbox.mbox | None = None
        self._openers: dict[tuple[str, str], _Open] = {}
        self.problems: list[DocumentProblem] = []

    def places(self) -> list[MessagePlace]:
        """Every message: an mbox is read for that, of a Maildir's messages their beginnings."""
        try:
            places = list(self._mbox_places() if self._path.is_file() else self._maildir_places())
        except (OSError, mailbox.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(f"{self._path} cannot be read ({reason}). Nothing was changed.") from None
        if len(places) > self._config.max_messages:
            raise too_many(self._config.max_messages)
        return places

    def contents(self, places: Sequence[MessagePlace]) -> Iterator[tuple[MessagePlace, bytes | DocumentError]]:
        """The messages, one by one."""
        limit = self._config.max_megabytes
        for place in places:
            if place.size > limit * 1_000_000:
                yield place, TooLargeError(f"The message is larger than max_megabytes, {limit} MB.")
                continue
            try:
                with self._openers[place.folder, place.key]() as file:
                    content: bytes = file.read()
                yield place, content if self._mbox is None else _ESCAPED_PATTERN.sub(rb"\1", content)
            except FileNotFoundError:  # it was deleted meanwhile, or has another flag: the next sync reads it
                yield place, DocumentError("The message was moved or deleted while it was read. Sync again.")
            except OSError as error:
                yield place, DocumentError(f"The message cannot be read ({error.strerror}).")

    def close(self) -> None:
        """Close the file."""
        if self._mbox is not None:
            self._mbox.close()

    def _mbox_places(self) -> Iterator[MessagePlace]:
        box = self._mbox = mailbox.mbox(self._path, create=False)
        for place, message_number in enumerate(box.iterkeys()):
            with box.get_file(message_number) as file:
                digest = sha256()
                while block := file.read(_HASHED_AT_ONCE):
                    digest.update(block)
            key = digest.hexdigest()[:32]
            yield from self._list_message(self._path.stem, key, partial(box.get_file, message_number), received=place)

    def _maildir_places(self) -> Iterator[MessagePlace]:
        if not is_maildir(self._path):
            raise SourceError(f"{self._path} is neither an mbox file nor a Maildir, which has folders cur and new.")
        with os.scandir(self._path) as entries:
            names = sorted(entry.name for entry in entries if entry.name.startswith(".") and _is_folder(entry))
        for name, folder in (
            ("INBOX", self._path),
            *((name[1:].replace(".", "/"), self._path / name) for name in names),
        ):
            if not (is_maildir(folder) and self._is_chosen(name)):
                continue
            for subfolder in ("cur", "new"):
                with os.scandir(folder / subfolder) as entries:
                    files = sorted(
                        (entry.name, _arrival(entry)) for entry in entries if entry.is_file(follow_symlinks=False)
                    )
                for file, received in files:
                    key = file.partition(":")[0]  # what follows are its flags
                    opener = partial(open, folder / subfolder / file, "rb")
                    yield from self._list_message(name, key, opener, received=received)

    def _is_chosen(self, name: str) -> bool:
        if matches(name, self._config.exclude):
            return False
        if self._config.include:
            return matches(name, self._config.include)
        return name.rpartition("/")[2].casefold() not in UNREAD_NAMES

    def _list_message(self, folder: str, key: str, opener: _Open, *, received: int) -> Iterator[MessagePlace]:
        """The place of a message, unless it is older than what is read, or gone.

        `received` orders messages with the same id; their own dates would not do, because senders choose them.
        """
        try:
            with opener() as file:
                begin = file.read(_HEADER_BYTES)
                size = file.seek(0, os.SEEK_END) or file.tell()
        except FileNotFoundError:
            return
        header = begin.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
        moment = _read_date(header)
        if moment is not None and self._config.since is not None and moment.date() < self._config.since:
            return
        self._openers[folder, key] = opener
        yield MessagePlace(
            folder=folder, key=key, size=size, received=received,
            message_id=read_message_id(header), uri=f"mailbox:{folder}/{key}",
        )  # fmt: skip


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _arrival(entry: os.DirEntry[str]) -> int:
    try:
        return int(entry.stat(follow_symlinks=False).st_mtime)
    except FileNotFoundError:
        return 0


def _read_date(header: bytes) -> datetime | None:
    """When a message was sent, by its header."""
    for line in header.splitlines():
        if line[:5].lower() == b"date:":
            try:
                moment = parsedate_to_datetime(line[5:105].decode("ascii", "replace").strip())
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
            except (ValueError, TypeError, IndexError, OverflowError):
                return None
    return None
