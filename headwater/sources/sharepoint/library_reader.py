"""Reading the files of one library.

Belongs here: which files are read, which moved, and which are gone. Not here: requests (`graph`), paths (`item_tree`),
the formats (`headwater.parsing`). Guarantee: a quiet sync is one request; what a list leaves out is asked for singly
before it counts as removed; a file that moved stays the same document; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Reason, Skips
from headwater.errors import FetchError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import from_file, is_read_by_name, require_file
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.item_tree import find_paths
from headwater.sources.json_api import NotShownError, RefusalCount
from headwater.sources.sharepoint.config import SharePointConfig
from headwater.sources.sharepoint.graph import LIST_SIZE, Changes, DriveItem, Graph, Library
from headwater.sources.source_context import SourceContext
from headwater.sources.tree_files import choose_by_patterns, choose_files, find_skip_reason

_MAX_FILE_BYTES = 100_000_000
_FOLDER_VERSION = "/"
_MAX_PARENT_ROUNDS = 100


class LibraryReader:
    """One library in one sync."""

    def __init__(
        self,
        graph: Graph,
        context: SourceContext,
        config: SharePointConfig,
        library: Library,
        *,
        refusals: RefusalCount,
        skips: Skips,
    ) -> None:
        self._graph = graph
        self._context = context
        self._config = config
        self._library = library
        self._refusals = refusals
        self._skips = skips
        self._record_name = f"library_{content_hash(library.id).hex()[:16]}.json"
        self._record = read_list(context.folder, f"{config.endpoint} {library.id}", name=self._record_name)
        prefix = f"{library.url}/"
        self._known = {
            state.validator.rpartition(" ")[2]: uri for uri, state in context.known.items() if uri.startswith(prefix)
        }
        """The stored documents of the library, by the ids of their files, which stand at the end of their versions."""
        self.total: int | None = None
        self._items: dict[str, Item] = {}
        self._details: dict[str, DriveItem] = {}
        self._removed: set[str] = set()
        self._unplaced: set[str] = set()
        """Ids of folders that could not be had, although files are in them."""

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file.

        Raises:
            SourceError: the library cannot be listed, or the server accepts no more requests.
        """
        is_whole = self._record.is_whole_due or self._is_unread()
        cursor, is_whole = self._list(is_whole=is_whole)
        yield from self._ask_for_missing()
        self._ask_for_folders()
        uris = self._choose()
        self.total = len(uris)
        changed_ids = {key for key, uri in uris.items() if not self._is_same(key, uri)}
        if len(changed_ids - self._details.keys()) > len(self._items) / LIST_SIZE:  # then a list is fewer requests
            self._details |= self._list_all().items
        for key, uri in uris.items():
            if key in changed_ids:
                previous = self._known.get(key, uri)
                fetch = partial(self._document, key, uri)
                yield from self._refusals.try_document(uri, fetch, previous_uri=previous if previous != uri else "")
            else:
                yield UnchangedDocument(uri=uri)
        yield from self._keep_unplaced(uris)
        listed = time.time() if is_whole else self._record.listed
        record = ItemList(address=self._record.address, cursor=cursor, listed=listed, items=self._items)
        write_list(self._context.folder, record, name=self._record_name)

    def _is_unread(self) -> bool:
        """Whether no document is stored, although the record has files to read: in a full sync, say."""
        items = {} if self._known else self._record.items
        files = self._find_files(items, find_paths(items, self._library.root))
        return any(find_skip_reason(path, self._find_reason, has_hidden=False) is None for path in files)

    def _list(self, *, is_whole: bool) -> tuple[str, bool]:
        """Take over what changed, or all there is; returns where changes go on, and whether it was all."""
        changes = None if is_whole else self._graph.list_changes(self._library.id, self._record.cursor)
        if changes is not None:
            self._items = dict(self._record.items)
        is_whole = changes is None
        changes = self._list_all() if changes is None else changes
        for item in changes.items.values():
            self._take(item)
        return changes.link, is_whole

    def _list_all(self) -> Changes:
        changes = self._graph.list_changes(self._library.id, "")
        if changes is None:
            raise NotShownError(f"{self._library.url} is no longer there. Check `url`. Nothing was removed.")
        return changes

    def _take(self, item: DriveItem) -> None:
        if item.is_removed:
            self._items.pop(item.id, None)
            self._removed.add(item.id)
            return
        self._removed.discard(item.id)
        version = item.version if item.is_file else _FOLDER_VERSION
        self._items[item.id] = Item(version, item.name, item.parent)
        self._details[item.id] = item

    def _ask_for_missing(self) -> Iterator[Found]:
        """Files that were read before and that no list names: each is asked for."""
        for key, uri in sorted(self._known.items()):
            error = None if key in self._items or key in self._removed else self._ask(key)
            if error is not None:
                yield DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _ask_for_folders(self) -> None:
        """Folders that no list names, although it names what is in them: without them, files have no place."""
        for _ in range(_MAX_PARENT_ROUNDS):
            settled_ids = self._items.keys() | self._removed | self._unplaced | {self._library.root}
            missing = {item.parent for item in self._items.values()} - settled_ids
            self._unplaced |= {key for key in sorted(missing) if self._ask(key) is not None}
            if not missing:
                return

    def _ask(self, key: str) -> FetchError | None:
        """Ask for an item that no list names, and note what became of it; returns why it cannot be had now."""
        try:
            item = self._graph.find_item(self._library.id, key)
        except LimitReachedError:
            raise
        except FetchError as error:
            if not isinstance(error, NotShownError):  # the server may show all the others
                self._refusals.add(error)
            return error
        self._refusals.reset()
        if item is None:
            self._removed.add(key)
        else:
            self._take(item)
        return None

    def _choose(self) -> dict[str, str]:
        """The URIs of the files to read, by their ids.

        Raises:
            SourceError: the folder is gone. TooLargeError: there are too many.
        """
        paths = find_paths(self._items, self._library.root)
        self._items = {key: item for key, item in self._items.items() if key in paths or not self._is_removed(key)}
        folder = paths.get(self._library.folder)
        if folder is None:
            raise SourceError(f"There is no longer a folder at {self._config.url}. Check `url`. Nothing was removed.")
        keys = self._find_files(self._items, paths)
        file_paths = choose_files(iter(keys), self._skips, self._find_reason, has_hidden=False)
        if len(file_paths) > self._config.items:
            raise TooLargeError(
                f"{self._config.url} has more than {self._config.items:,} files to read, which is `items`. Nothing was"
                " removed. Narrow `include`, or raise `items`."
            )
        self.root = f"{self._library.url}/{quote(folder)}".rstrip("/")
        return {keys[path]: f"{self.root}/{quote(path)}" for path in file_paths}

    def _find_files(self, items: Mapping[str, Item], paths: Mapping[str, str]) -> dict[str, str]:
        """The ids of the files in the folder that is read, by their paths below it."""
        folder = paths.get(self._library.folder, "")
        begin = f"{folder}/" if folder else ""
        return {
            path.removeprefix(begin): key
            for key, path in paths.items()
            if path.startswith(begin) and key in items and items[key].version != _FOLDER_VERSION
        }

    def _find_reason(self, path: str) -> tuple[Reason, str] | None:
        reason = choose_by_patterns(self._config.include, self._config.exclude)(path)
        if reason is None and not is_read_by_name(path, ""):
            return "no_parser", posixpath.splitext(path)[1] or "file"
        return reason

    def _is_same(self, key: str, uri: str) -> bool:
        stored, version = self._context.known.get(uri), self._items[key].version
        return stored is not None and bool(version) and stored.validator == f"{version} {key}"

    def _document(self, key: str, uri: str) -> FetchedDocument | None:
        """A file as a document; None if it is gone."""
        item = self._details.get(key) or self._graph.find_item(self._library.id, key)
        if item is not None and item.size > _MAX_FILE_BYTES:
            raise TooLargeError(f"The file is larger than {_MAX_FILE_BYTES // 1_000_000} MB.")
        response = None if item is None else self._graph.download(self._library.id, key, limit=_MAX_FILE_BYTES)
        if item is None or response is None:
            del self._items[key]
            return None
        require_file(response.content, item.name, item.size)
        file = File(content=response.content, uri=uri, root=self.root, media_type=response.media_type)
        about = {"last_modified": item.modified, "authors": list(item.authors)}
        metadata = {name: value for name, value in about.items() if value}
        document = from_file(file, address=item.url if self._graph.is_here(item.url) else "", metadata=metadata)
        return replace(document, validator=f"{item.version} {key}")

    def _keep_unplaced(self, uris: dict[str, str]) -> Iterator[Found]:
        """Files that are there, but whose place cannot be told now: they stay as they were."""
        for key, uri in self._known.items():
            if key in self._items and key not in uris and self._find_top(key) != self._library.root:
                yield UnchangedDocument(uri=uri)

    def _is_removed(self, key: str) -> bool:
        return self._find_top(key) in self._removed

    def _find_top(self, key: str) -> str:
        """The first id above an item that is none of an item; in a circle, one of the circle."""
        seen = set[str]()
        while key in self._items and key not in seen:
            seen.add(key)
            key = self._items[key].parent
        return key
