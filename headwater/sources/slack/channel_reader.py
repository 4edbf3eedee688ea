"""The threads of one channel in one sync, with the files that are shared in them.

Belongs here: which threads are read, in which order, and which are gone. Not here: requests (`api`), texts
(`document`). Guarantee: a quiet sync is one request for a thousand threads; a thread that a list leaves out is asked
for singly before it counts as removed; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skips
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.http_client import Response
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import NotShownError, RefusalCount
from headwater.sources.slack.api import LIST_SIZE, MAX_FILE_BYTES, SlackApi
from headwater.sources.slack.config import SlackConfig
from headwater.sources.slack.document import channel_uri, file_metadata, file_uri, is_read, thread_document, thread_uri
from headwater.sources.slack.message import TIME_PATTERN, Message, SharedFile
from headwater.sources.source_context import SourceContext

_WINDOW_SECONDS = 7 * 86_400
"""Threads that began so shortly before the newest one are listed by every sync, and read again once a day."""
_FILE = "file "
"""Stands before the ids of files, whose parents are threads."""
_VERSION = "1"
"""The version of every file: they never change."""
_UNREAD = "unread"
"""The version of a thread that could not be read."""
_EMPTY = "empty"
"""The title of a thread in which nobody wrote anything."""

Download = Callable[[SharedFile], Response | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Workspace:
    """The address of a workspace, and the names of people and channels by their ids."""

    team: str
    people: Mapping[str, str]
    channels: Mapping[str, str]


class ChannelReader:
    """Reads one channel. Without `download`, no files are read."""

    def __init__(
        self, api: SlackApi, context: SourceContext, config: SlackConfig, workspace: Workspace, channel: str,
        *, version: str, refusals: RefusalCount, download: Download | None,
    ) -> None:  # fmt: skip
        self._api = api
        self._context = context
        self._config = config
        self._workspace = workspace
        self._channel = channel
        self._name = workspace.channels[channel]
        self._refusals = refusals
        self._file_refusals = RefusalCount("Slack's files")
        self._download = download
        self._record = f"channel_{channel}.json"
        options = f"{config.bots} {download is not None} {version} {fingerprint_parsers()}"
        self._kept = read_list(context.folder, f"{config.endpoint} {channel} {options}", name=self._record)
        self._files = self._kept.by_parent()
        self._items: dict[str, Item] = {}
        self._yielded: set[str] = set()
        self.skipped = Skips()
        self.kept_count = len(self._kept.items)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per thread and per file.

        Raises:
            NotShownError: the token may not read the channel. SourceError: it cannot be read.
        """
        newest = self._kept.cursor
        is_whole = (
            self._kept.is_whole_due
            or not self._context.known
            or sum(map(_is_thread, self._kept.items)) <= 2 * LIST_SIZE
        )
        self._since = "" if is_whole else _earlier(newest)
        self._is_daily = self._kept.is_whole_due
        self._recent = _earlier(newest) if newest else ""
        times: set[str] = set()
        for messages in self._api.list_messages(self._channel, self._since):
            times |= {message.time for message in messages}
            if len(times) > self._config.threads:
                raise TooLargeError(
                    f"The channel {self._name} has more than {self._config.threads:,} threads to read, which is"
                    " `threads`. Raise it."
                )
            newest = max([newest, *(message.time for message in messages)])
            for message in messages:
                if message.time not in self._items:
                    yield from self._thread(message)
        yield from self._others()
        listed_at = time.time() if self._is_daily else self._kept.listed
        record = ItemList(address=self._kept.address, cursor=newest or "0.000000", listed=listed_at, items=self._items)
        write_list(self._context.folder, record, name=self._record)

    def _thread(self, first: Message, messages: Sequence[Message] | None = None) -> Iterator[Found]:
        """A thread and its files; `messages` are those of it, if they were read before."""
        if not first.reply_count and not is_read(first, bots=self._config.bots):
            return  # such as the note that somebody joined
        uri = thread_uri(self._workspace.team, self._channel, first.time)
        version = f"{first.version} {self._name}{' with bots' if self._config.bots else ''}"
        item = self._kept.items.get(first.time)
        is_same = item == Item(version, _EMPTY) or self._has_version(uri, version)
        if self._is_daily and self._recent and first.reply_count and first.latest_reply >= self._recent:
            is_same = False  # an edited reply shows in nothing but itself
        if is_same and (self._download is None or (item is not None and self._has_all_files(first.time))):
            yield from self._keep(first.time, item or Item(version), uri)
            return
        try:
            replies = messages or (self._api.read_thread(self._channel, first.time) if first.reply_count else [first])
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield from self._fail(first.time, uri, error)
            return
        if replies is not None:
            self._items[first.time] = Item(version)
            yield from self._read(replies, uri, version, is_same=is_same)

    def _has_version(self, uri: str, version: str) -> bool:
        stored = self._context.known.get(uri)
        return stored is not None and stored.validator == version

    def _fail(self, key: str, uri: str, error: FetchError | DocumentError) -> Iterator[Found]:
        """A thread that cannot be read stays as it was, and so do its files, unless nobody knows which they are.

        Raises:
            NotShownError: the channel is not shown any more. FetchError: too many threads in a row failed.
        """
        if isinstance(error, NotShownError):
            raise error
        self._refusals.add(error)
        item = self._kept.items.get(key, Item(_UNREAD))
        is_settled = item.version != _UNREAD and self._has_all_files(key)
        yield DocumentProblem(uri=uri if is_settled else "", code=error.code, message=str(error))
        yield from self._keep(key, item, "")

    def _read(self, messages: Sequence[Message], uri: str, version: str, *, is_same: bool) -> Iterator[Found]:
        first = messages[0]
        read = [message for message in messages if is_read(message, bots=self._config.bots)]
        if not any(message.text.strip() or message.files for message in read):
            self._items[first.time] = Item(version, _EMPTY)
            return
        if is_same:
            yield UnchangedDocument(uri=uri)
        else:
            yield self._document(messages, uri, version)
        for message in read:
            for file in message.files if self._download else ():
                yield from self._file(first, message, file)

    def _document(self, messages: Sequence[Message], uri: str, version: str) -> FetchedDocument:
        workspace = self._workspace
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(repr(messages), self._name, self._config.bots).hex(),
            parse=partial(
                thread_document, tuple(messages), team=workspace.team, channel=self._channel, name=self._name,
                people=workspace.people, bots=self._config.bots,
            ),
            validator=version,
        )  # fmt: skip

    def _file(self, first: Message, message: Message, file: SharedFile) -> Iterator[Found]:
        uri = file_uri(self._workspace.team, self._channel, file)
        key = f"{_FILE}{first.time} {file.id}"
        self._items[key] = Item(_VERSION, uri, first.time)
        if uri in self._yielded:
            return
        self._yielded.add(uri)
        if not is_read_by_name(file.name, file.media_type):
            self.skipped.add("no_parser", [uri], kind=posixpath.splitext(file.name)[1] or "file")
        elif uri in self._context.known:
            yield UnchangedDocument(uri=uri)
        else:
            yield from self._file_refusals.try_document(uri, lambda: self._fetch_file(key, message, file, uri))

    def _fetch_file(self, key: str, message: Message, file: SharedFile, uri: str) -> FetchedDocument | None:
        if file.size > MAX_FILE_BYTES:
            raise TooLargeError(f"The file is larger than {MAX_FILE_BYTES // 1_000_000} MB.")
        response = self._download(file) if self._download else None
        if response is None:
            del self._items[key]
            return None
        require_file(response.content, file.name, file.size)
        content = File(content=response.content, uri=uri, media_type=file.media_type or response.media_type)
        metadata = file_metadata(message, self._name, self._workspace.people)
        return replace(from_file(content, address=file.permalink, metadata=metadata), validator=_VERSION)

    def _keep(self, key: str, item: Item, uri: str) -> Iterator[Found]:
        """A thread as it was, with its files."""
        self._items[key] = item
        if uri in self._context.known:
            yield UnchangedDocument(uri=uri)
        for file_key, file_item in self._files.get(key, ()):
            self._items[file_key] = file_item
            if file_item.title in self._context.known and file_item.title not in self._yielded:
                self._yielded.add(file_item.title)
                yield UnchangedDocument(uri=file_item.title)

    def _has_all_files(self, key: str) -> bool:
        """Whether all files that a parser reads are known; one may have failed, or have another parser now."""
        titles = (item.title for _, item in self._files.get(key, ()))
        return all(uri in self._context.known for uri in titles if is_read_by_name(posixpath.basename(uri), ""))

    def _others(self) -> Iterator[Found]:
        """The threads that were not listed: unchanged if the list began later, else asked for singly."""
        prefix = channel_uri(self._workspace.team, self._channel)
        times = {key for key in self._kept.items if _is_thread(key)}
        if not times:  # no record says which were there
            times = {_time_of(uri.removeprefix(prefix)) for uri in self._context.known if uri.startswith(f"{prefix}p")}
        for key in sorted(times - self._items.keys() - {""}):
            uri = thread_uri(self._workspace.team, self._channel, key)
            item = self._kept.items.get(key)
            is_settled = item is not None and (item.title == _EMPTY or self._has_version(uri, item.version))
            if self._since and key < self._since and item is not None and is_settled:
                yield from self._keep(key, item, uri)
            else:
                yield from self._ask_singly(key, uri)

    def _ask_singly(self, key: str, uri: str) -> Iterator[Found]:
        """A thread that a list leaves out; nothing if Slack says that it is gone."""
        try:
            messages = self._api.read_thread(self._channel, key)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield from self._fail(key, uri, error)
            return
        if messages is not None:
            yield from self._thread(messages[0], messages)


def _is_thread(key: str) -> bool:
    return not key.startswith(_FILE)


def _earlier(moment: str) -> str:
    """The time that is a window before another one."""
    return f"{max(0, int(moment.partition('.')[0]) - _WINDOW_SECONDS):010}.000000"


def _time_of(ending: str) -> str:
    """The time of the message that a URI ends with; empty if it ends with none."""
    moment = f"{ending[1:-6]}.{ending[-6:]}"
    return moment if TIME_PATTERN.fullmatch(moment) else ""
