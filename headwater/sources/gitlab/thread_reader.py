"""The issues or merge requests of a project or group in one sync, with the files that they link to.

Belongs here: which threads are read, in which order, and which are gone. Not here: requests (`api`), texts
(`document`). Guarantee: if nothing changed, one request; a thread that a list leaves out is asked for singly before it
counts as removed; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skips
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.gitlab.api import LIST_SIZE, GitLabApi, Place
from headwater.sources.gitlab.config import GitLabConfig
from headwater.sources.gitlab.document import thread_document, upload_metadata, upload_uri
from headwater.sources.gitlab.thread_shape import Thread, ThreadKind, Upload, milliseconds
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import RefusalCount
from headwater.sources.source_context import SourceContext

_MAX_UPLOAD_BYTES = 100_000_000
_OVERLAP_MILLISECONDS = 60_000
"""Threads that changed so shortly before the last one are asked for again: servers answer from copies that lag."""
_LINKED = "linked "
"""Stands before the ids of files, whose parents are threads."""
_UNREAD = "unread"
"""The version of a thread whose comments and files could not be read."""
_VERSION = "1"
"""The version of every file: they never change."""


class ThreadReader:
    """Reads all threads of one kind."""

    def __init__(
        self, api: GitLabApi, context: SourceContext, config: GitLabConfig, kind: ThreadKind, *, version: str
    ) -> None:
        self._api = api
        self._context = context
        self._config = config
        self._kind: ThreadKind = kind
        self._record = f"{kind}.json"
        options = f"{config.attachments} {config.confidential} {config.credential is not None}"
        address = f"{config.api} {config.path} {options} {version} {fingerprint_parsers()}"
        # What a document holds depends on what the token shows, and on whether internal comments are read.
        self._variant = f"{' internal' * config.confidential}{' comments' * (config.credential is not None)}"
        self._kept = read_list(context.folder, address, name=self._record)
        self._linked = self._kept.by_parent()
        self._items: dict[str, Item] = {}
        self._latest = int(self._kept.cursor or 0)
        self._refusals = RefusalCount(config.web)
        self._yielded: set[str] = set()
        self._moved: dict[str, str] = {}
        self._dropped: set[str] = set()
        self.skipped = Skips()
        self.kept_count = len(self._kept.items)

    def fetch(self, place: Place) -> Iterator[Found]:
        """Yield a document per thread and per file.

        Raises:
            SourceError: the server cannot be read, or it accepts no more requests.
        """
        self._place = place
        is_first = not self._kept.items or not self._context.known
        is_whole = is_first or self._kept.is_whole_due or self._count_threads() < LIST_SIZE
        since = None if is_whole else _to_time(max(0, self._latest - _OVERLAP_MILLISECONDS))
        ids: set[str] = set()  # lists repeat an entry that changes meanwhile
        for threads in self._api.list_threads(place, self._kind, since):
            ids |= {thread.id for thread in threads}
            if len(ids) > self._config.items:
                raise TooLargeError(
                    f"{self._config.url} has more than {self._config.items:,} {self._kind.replace('_', ' ')} to read,"
                    " which is `items`. Name a project of the group, or raise `items`."
                )
            self._moved |= {thread.moved_to: thread.address for thread in threads if thread.moved_to}
            for thread in threads:
                self._latest = max(self._latest, milliseconds(thread.updated) or 0)
                yield from self._thread(thread)
        yield from self._others(is_whole=is_whole)
        listed_at = time.time() if is_whole else self._kept.listed
        record = ItemList(address=self._kept.address, cursor=str(self._latest), listed=listed_at, items=self._items)
        write_list(self._context.folder, record, name=self._record)

    def _count_threads(self) -> int:
        return sum(not key.startswith(_LINKED) for key in self._kept.items)

    def _thread(self, thread: Thread) -> Iterator[Found]:
        """A thread and the files that it links to; nothing of one that is hidden or lives on elsewhere."""
        is_hidden = thread.is_confidential and not self._config.confidential
        if is_hidden or thread.moved_to:
            self._dropped.add(thread.id)
        if thread.id in self._items or thread.id in self._dropped:
            return
        uri = f"{self._config.web}/{thread.address}"
        version = f"{thread.version}{self._variant}"
        item = self._kept.items.get(thread.id)
        self._items[thread.id] = Item(version, thread.address, thread.project)
        stored = self._context.known.get(uri)
        is_same = stored is not None and stored.validator == version
        is_listed = (item is not None and item.version != _UNREAD) or not self._config.attachments
        if is_same and is_listed and self._has_all_uploads(thread.id):
            yield UnchangedDocument(uri=uri)
            yield from self._same_uploads(thread.id)
            return
        try:
            full = self._api.with_notes(thread)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            # Without a record, or at a new address, nobody knows yet which documents are its own: none is removed.
            is_known = item is not None and item.version != _UNREAD and item.title == thread.address
            is_known = is_known and self._has_all_uploads(thread.id)
            yield self._problem(uri if is_known else "", error)
            previous = item or Item("", thread.address, thread.project)
            self._items[thread.id] = previous if is_known else previous._replace(version=_UNREAD)
            yield from self._same_uploads(thread.id)
            return
        yield UnchangedDocument(uri=uri) if is_same else self._document(full, uri)
        for upload in full.uploads if self._config.attachments else ():
            yield from self._upload(full, upload)

    def _document(self, thread: Thread, uri: str) -> FetchedDocument:
        item = self._kept.items.get(thread.id)
        old = self._moved.get(thread.id, "") if item is None else item.title
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(repr(thread)).hex(),
            parse=partial(thread_document, thread, self._config.web),
            validator=f"{thread.version}{self._variant}",
            renamed_from=f"{self._config.web}/{old}" if old and old != thread.address else "",
        )

    def _problem(self, uri: str, error: FetchError | DocumentError) -> DocumentProblem:
        self._refusals.add(error)
        return DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _upload(self, thread: Thread, upload: Upload) -> Iterator[Found]:
        uri = upload_uri(self._config.web, upload)
        self._items[f"{_LINKED}{thread.id} {upload.secret}"] = Item(_VERSION, uri, thread.id)
        if uri in self._yielded:
            return
        self._yielded.add(uri)
        if not is_read_by_name(upload.name, ""):
            self.skipped.add("no_parser", [uri], kind=posixpath.splitext(upload.name)[1] or "file")
            return
        if uri in self._context.known:
            yield UnchangedDocument(uri=uri)
            return
        yield from self._refusals.try_document(uri, lambda: self._file(thread, upload, uri))

    def _file(self, thread: Thread, upload: Upload, uri: str) -> FetchedDocument | None:
        response = self._api.download(upload, limit=_MAX_UPLOAD_BYTES)
        if response is None:
            del self._items[f"{_LINKED}{thread.id} {upload.secret}"]
            return None
        require_file(response.content, upload.name)
        file = File(content=response.content, uri=uri, media_type=response.media_type)
        return replace(from_file(file, metadata=upload_metadata(thread)), validator=_VERSION)

    def _others(self, *, is_whole: bool) -> Iterator[Found]:
        """The threads that were not listed: unchanged, unless everything was listed."""
        touched = set(self._items) | self._dropped
        for key, item in self._kept.items.items():
            if key.startswith(_LINKED) or key in touched:
                continue
            uri = f"{self._config.web}/{item.title}"
            stored = self._context.known.get(uri)
            is_settled = stored is not None and stored.validator == item.version and self._has_all_uploads(key)
            if is_settled and not is_whole:
                self._items[key] = item
                yield UnchangedDocument(uri=uri)
                yield from self._same_uploads(key)
            else:
                yield from self._ask_singly(key, item.parent, item.title)
        addresses = {item.title for item in self._items.values()}
        for uri in sorted(self._context.known) if not self._kept.items else ():  # no record says which were there
            address = uri.removeprefix(f"{self._config.web}/")
            path, separator, _ = address.partition(f"/-/{self._kind}/")
            if address != uri and separator and address not in addresses:
                yield from self._ask_singly("", path, address)

    def _has_all_uploads(self, thread: str) -> bool:
        """Whether all files that a parser reads are known; one may have failed, or have another parser now."""
        return all(
            item.title in self._context.known
            for _, item in self._linked.get(thread, ())
            if is_read_by_name(posixpath.basename(item.title), "")
        )

    def _same_uploads(self, thread: str) -> Iterator[Found]:
        """The files of a thread that has not changed."""
        for key, item in self._linked.get(thread, ()):
            self._items[key] = item
            if item.title in self._context.known and item.title not in self._yielded:
                self._yielded.add(item.title)
                yield UnchangedDocument(uri=item.title)

    def _ask_singly(self, key: str, project: str, address: str) -> Iterator[Found]:
        """A thread that a list leaves out; nothing if the server says that it is gone, or not in the group any more."""
        uri = f"{self._config.web}/{address}"
        iid = address.rpartition("/")[2]
        if not iid.isdecimal():
            return
        try:
            thread = self._api.read(self._kind, project, iid)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            is_known = bool(self._kept.items) and self._has_all_uploads(key)
            yield self._problem(uri if is_known else "", error)  # or its files would count as removed
            if key:
                self._items[key] = self._kept.items[key]
                yield from self._same_uploads(key)
            return
        if thread is not None and self._is_within(thread) and key in ("", thread.id):
            yield from self._thread(thread)

    def _is_within(self, thread: Thread) -> bool:
        if self._place.kind == "projects":
            return thread.project == self._place.id
        return thread.path.startswith(f"{self._place.path}/")


def _to_time(milliseconds_since: int) -> str:
    return datetime.fromtimestamp(milliseconds_since / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
