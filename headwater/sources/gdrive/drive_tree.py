"""What is below the source's folder: listed once, then kept up to date by Drive's list of changes.

Belongs here: which items there are, where, and which are gone. Not here: requests (`api`), which of them are read
(`connector`). Guarantee: what a list leaves out is asked for singly before it counts as gone; a place in the list of
changes that Drive does not accept any more leads to a whole list; shortcuts are followed once.
"""

import time
from collections.abc import Callable, Sequence

from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.sources.gdrive.api import DriveApi, StaleTokenError
from headwater.sources.gdrive.config import SHARED, GoogleDriveConfig
from headwater.sources.gdrive.drive_file import FOLDER, DriveFile, target_of, type_of
from headwater.sources.item_list import Item, ItemList
from headwater.sources.item_tree import find_paths
from headwater.sources.json_api import RefusalCount

_MINE, _SHARED = "trashed = false", "trashed = false and not 'me' in owners"
_MAX_ROUNDS = 100
_MAX_STRAY_ITEMS = 10_000
"""Items of a list of changes that are kept until it ends, although they are perhaps not below the source's folder."""


class DriveTree:
    """The items of one source; `stored_ids` are those of documents, for when no list is kept."""

    def __init__(self, api: DriveApi, config: GoogleDriveConfig, record: ItemList, stored_ids: Sequence[str]) -> None:
        self._api = api
        self._config = config
        self._record = record
        self._stored_ids = stored_ids
        self._root = config.root
        self._is_drive = False
        self._refusals = RefusalCount(config.api)
        self.items: dict[str, Item] = {}
        self.files: dict[str, DriveFile] = {}
        """Those that Drive said more of in this sync, by id."""
        self.unsure: dict[str, SourceError | DocumentError] = {}
        """Why it is not known whether an item is still there."""
        self.paths: dict[str, str] = {}
        """Where the items are below the source's folder, by id."""
        self.cursor = ""
        self.listed = 0.0
        self._elsewhere: set[str] = {""}
        self._entered: set[str] = set()
        """Folders that were listed, and shortcuts that were followed."""

    def update(self, *, require: Callable[[DriveFile | None], None], is_read: Callable[[Item, str], bool]) -> None:
        """Bring it up to date.

        Args:
            require: refuses a root that cannot be read.
            is_read: whether an item at a path is a file that makes a document.

        Raises:
            SourceError: it cannot be listed to its end.
        """
        is_whole = self._record.is_whole_due
        if self._root != SHARED:
            root = self._api.read(self._root)
            require(root)
            if root is not None:
                self._root, self._is_drive = root.id, root.id == root.drive
                is_member = not root.drive or self._is_drive or self._api.is_member(root.drive)
                self._api = self._api.of_drive(root.drive if is_member else "")
                is_whole = is_whole or not is_member  # its changes are in no log that the account may read
        if is_whole or self._is_unread(is_read) or not self._follow():
            self._list()
        self._enter_all()
        self.paths = self._find_places()
        self.items = {key: item for key, item in self.items.items() if key in self.paths}
        self._require_few()

    def _is_unread(self, is_read: Callable[[Item, str], bool]) -> bool:
        """Whether no document is stored, although the record has files to read: in a full sync, say."""
        items = {} if self._stored_ids else self._record.items
        return any(key in items and is_read(items[key], path) for key, path in find_paths(items, self._root).items())

    def to_list(self) -> ItemList:
        """What is kept of it."""
        return ItemList(address=self._record.address, cursor=self.cursor, listed=self.listed, items=self.items)

    def _follow(self) -> bool:
        """Apply the changes since the last sync; False if Drive does not know where that was."""
        self.items, self.listed = dict(self._record.items), self._record.listed
        self._entered = set(self.items)
        try:
            for changes, following in self._api.list_changes(self._record.cursor):
                self.cursor = following
                for key, file in changes.items():
                    self._change(key, file)
                if len(self.items) > len(self._record.items) + _MAX_STRAY_ITEMS:
                    self._drop_stray()
        except StaleTokenError:
            self.files, self.unsure, self._entered = {}, {}, set()
            return False
        return True

    def _change(self, key: str, file: DriveFile | None) -> None:
        if file is None:
            self._find_removed(key)
        elif file.is_trashed or self._is_foreign(file):
            self.items.pop(key, None)
        else:
            self._add([file])

    def _drop_stray(self) -> None:
        """Drop what is not below the source's folder: a list of changes is of the whole account.

        What a later page moves here is listed again, because its folder counts as new then.
        """
        paths = self._find_places()
        self.items = {key: item for key, item in self.items.items() if key in paths}
        self.files = {key: file for key, file in self.files.items() if key in paths}
        self._entered &= self.items.keys()
        self._require_few()

    def _find_removed(self, key: str) -> None:
        """Ask for what a list of changes says went away: only from this list, perhaps, and it can still be read."""
        if key not in self.items:
            return
        try:
            file = self._api.read(key)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            self._refusals.add(error)
            self.unsure[key] = error
            self.listed = 0.0  # the next sync asks again
            return
        if file is None or file.is_trashed or self._is_foreign(file):
            del self.items[key]
        else:
            self._add([file])

    def _is_foreign(self, file: DriveFile) -> bool:
        """Whether a file is not one that others share with the account, where only these are wanted."""
        return self._root == SHARED and (file.is_own or bool(file.drive))

    def _list(self) -> None:
        """List everything, and ask for what was there and is not in the list."""
        self.items, self.cursor, self.listed = {}, self._api.find_cursor(), time.time()
        if self._is_drive or self._root == SHARED:
            for files in self._api.list_files(_MINE if self._is_drive else _SHARED):
                self._add([file for file in files if not self._is_foreign(file)])
                self._require_few()
            self._entered = {key for key, item in self.items.items() if type_of(item) == FOLDER}
        else:
            self._walk(self._root)
        self._enter_all()
        self._ask_for_missing()

    def _walk(self, folder: str) -> None:
        """List a folder, and those below it."""
        folders = [folder]
        while folders:
            for files in self._api.list_files(f"'{folders.pop()}' in parents and {_MINE}"):
                self._add(files)
                self._require_few()
                within = {file.id for file in files if file.media_type == FOLDER} - self._entered
                folders += sorted(within)
                self._entered |= within

    def _enter_all(self) -> None:
        """List the folders and follow the shortcuts that are new here, and those that are in them."""
        while keys := [key for key in self._find_places() if key in self.items and key not in self._entered]:
            for key in keys:
                self._enter(key)

    def _enter(self, key: str) -> None:
        """List what is within a folder that is new here, or find the target of a shortcut."""
        self._entered.add(key)
        item = self.items[key]
        if type_of(item) == FOLDER:
            self._walk(key)
            return
        target = target_of(item)
        if not target or target == "-" or target in self.items or target == self._root:
            return
        file = self._api.read(target)
        if file is not None and not file.is_trashed:
            self._add([file])

    def _add(self, files: list[DriveFile]) -> None:
        for file in files:
            self.items[file.id] = file.to_item()
            self.files[file.id] = file

    def _require_few(self) -> None:
        """Refuse a source that has more than it may; a list of changes is of the whole account, so it is not counted.

        Raises:
            TooLargeError: it has.
        """
        if len(self.items) > self._config.items:
            raise TooLargeError(
                f"{self._config.url} has more than {self._config.items:,} files and folders, which is `items`. Nothing"
                " was removed. Name a folder below it, or raise `items`."
            )

    def _find_places(self) -> dict[str, str]:
        """The paths of all items; those that only a shortcut leads to are where the shortcut is."""
        if self._root == SHARED:  # what its owner put into a folder that is not shared has no place of its own
            self.items = {
                key: item if item.parent in self.items else item._replace(parent=SHARED)
                for key, item in self.items.items()
            }
        for _ in range(_MAX_ROUNDS):
            paths = find_paths(self.items, self._root)
            targets = {target_of(self.items[key]): key for key in paths if key in self.items}
            elsewhere = {key: by for key, by in targets.items() if key in self.items and key not in paths}
            if not elsewhere:
                return paths
            self.items |= {key: self.items[key]._replace(parent=by) for key, by in elsewhere.items()}
        raise TooLargeError(f"Shortcuts lead to shortcuts more than {_MAX_ROUNDS} times. Nothing was removed.")

    def _ask_for_missing(self) -> None:
        """Ask for what was there before, those above first; what is below something that is gone is gone too."""
        previous = self._record.items or dict.fromkeys(self._stored_ids, Item("", "", self._root))
        old_paths = find_paths(previous, self._root)
        gone = set[str]()
        for key in sorted(previous.keys() & old_paths.keys() - {self._root}, key=lambda key: old_paths[key].count("/")):
            if key in self.items or previous[key].parent in gone:
                gone |= {key} - self.items.keys()
                continue
            try:
                is_there = self._restore(key)
                self._refusals.reset()
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                self._refusals.add(error)
                self.unsure[key], self.items[key] = error, previous[key]
                self.listed = 0.0  # the next sync asks again
                continue
            if not is_there:
                gone.add(key)

    def _restore(self, key: str) -> bool:
        """Add a file that no list named, with the folders above it and what is in them; False if it is gone."""
        files: list[DriveFile] = []
        while key != self._root and key not in self.items:
            file = None if key in self._elsewhere or len(files) == _MAX_ROUNDS else self._api.read(key)
            if file is None or file.is_trashed:
                self._elsewhere |= {file.id for file in files} | {key}
                return False
            files.append(file)
            key = file.parent if self._root != SHARED else SHARED
        self._add(files)
        for file in files:
            self._enter(file.id)
        return True
