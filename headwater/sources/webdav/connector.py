"""`webdav`: the files of a folder by WebDAV, such as in Nextcloud (SRC-25).

Belongs here: which folders are listed, which files are read, and which are gone. Not here: requests (`folder_lists`).
Guarantee: where folders have versions of all that is below them, a quiet sync is one request, else one for each folder;
a file that a list leaves out is asked for singly before it counts as removed; a folder that cannot be listed is one
problem, and what is below it stays; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.parsing.parser import File
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.globs import matches
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import NotShownError, RefusalCount
from headwater.sources.tree_files import choose_by_patterns, find_skip_reason
from headwater.sources.webdav.config import WebDavConfig, guess_webdav
from headwater.sources.webdav.folder_lists import Entry, Listing

_MAX_FILE_BYTES = 100_000_000
_MAX_DEPTH = 60
_MAX_FOLDERS = 100_000


class WebDav(Connector):
    """Reads the files of a folder."""

    kind = "webdav"
    parser_version = "webdav-1"
    Config = WebDavConfig
    config: WebDavConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Folders by their usual addresses."""
        return guess_webdav(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file.

        Raises:
            SourceError: the folder cannot be listed, or the server accepts no more requests.
        """
        config = self.config
        address = f"{config.folder} {config.include} {config.exclude} {self.parser_version} {fingerprint_parsers()}"
        self._kept = read_list(self.context.folder, address)
        self._is_whole = self._kept.is_whole_due or not self.context.known
        self._items: dict[str, Item] = {}
        self._choice = choose_by_patterns(config.include, config.exclude)
        self._refusals = RefusalCount(config.folder)
        self._refused: set[str] = set()
        self._listed_folders: set[str] = set()
        self.total = sum(not key.endswith("/") for key in self._kept.items) or None
        with self.context.http(
            credential=config.credential, address=config.folder, delay=config.delay, busy=BUSY_OR_FAILING
        ) as client:
            self._listing = Listing(client, config.folder, config.credential)
            yield from self._read()
        listed_at = time.time() if self._is_whole else self._kept.listed
        record = ItemList(address=address, cursor="listed", listed=listed_at, items=self._items)
        write_list(self.context.folder, record)

    def _read(self) -> Iterator[Found]:
        files: list[Entry] = []
        yield from self._walk(files)
        if self._refused:
            yield from self._keep_refused()
        for entry in files:
            self._note(entry)
        moves = self._find_moves(files)
        for entry in files:
            yield from self._file(entry, moves.get(entry.path, ""))
        yield from self._ask_for_missing({*moves.values()})

    def _walk(self, files: list[Entry]) -> Iterator[Found]:
        """List the folders, and add the files that are read; yields what is below folders that have not changed."""
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                entries = self._list_folder(folder)
                self._refusals.reset()
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                yield self._refuse(folder, error)
                continue
            for entry in entries:
                if entry.is_folder:
                    yield from self._enter(entry, folders)
                elif self._is_chosen(entry):
                    files.append(entry)
            self._check_counts(len(files))

    def _enter(self, entry: Entry, folders: list[str]) -> Iterator[Found]:
        """Add a folder to those that are listed, unless nothing below it has changed."""
        self._listed_folders.add(entry.path)
        if self._is_same_folder(entry):
            yield from self._keep_below(entry.path)
        elif entry.path and self._is_entered(entry.path):
            folders.append(entry.path)

    def _check_counts(self, file_count: int) -> None:
        """Refuse a tree that is too large.

        Raises:
            TooLargeError: it is.
        """
        if file_count > self.config.items:
            raise TooLargeError(
                f"{self.config.folder} has more than {self.config.items:,} files to read, which is `items`. Nothing"
                " was removed. Narrow `include`, or raise `items`."
            )
        if len(self._listed_folders) > _MAX_FOLDERS:
            raise TooLargeError(
                f"{self.config.folder} has more than {_MAX_FOLDERS:,} folders. Nothing was removed. Name a folder below"
                " it, or leave some out with `exclude`."
            )

    def _refuse(self, folder: str, error: FetchError | DocumentError) -> DocumentProblem:
        """The problem of a folder that cannot be listed, whose slash at the end keeps what is stored below it.

        Raises:
            SourceError: it is the source's folder, or too many in a row cannot be listed.
        """
        if not folder:
            raise error
        if not isinstance(error, NotShownError):
            self._refusals.add(error)
        self._refused.add(folder)
        return DocumentProblem(uri=self._listing.url_of(folder), code=error.code, message=str(error))

    def _keep_refused(self) -> Iterator[Found]:
        """What is below the folders that could not be listed; they are asked for again by the next sync."""
        self._items |= {path: item for path, item in self._kept.items.items() if path.startswith((*self._refused,))}
        for folder in self._refused:
            for end in (position for position, sign in enumerate(folder, start=1) if sign == "/"):
                self._items.pop(folder[:end], None)  # counts as changed, and so does all that it is in
        self._items.pop("/", None)
        urls = tuple(map(self._listing.url_of, self._refused))
        yield from (UnchangedDocument(uri=uri) for uri in self.context.known if uri.startswith(urls))

    def _list_folder(self, folder: str) -> list[Entry]:
        """What is in a folder; the source's folder itself if nothing in it can have changed.

        Raises:
            SourceError: it cannot be listed. NotShownError: it is there for others alone, or went away meanwhile.
        """
        answer = self._listing.list_folder(folder)
        if answer is None and not folder:
            raise SourceError(f"There is no folder at {self.config.folder}. Check `url`. Nothing was removed.")
        if answer is None:
            raise NotShownError(f"{self._listing.url_of(folder)} is in the list of its folder, but not there (404).")
        itself, entries = answer
        if not folder and self._is_same_folder(itself):
            return [itself]
        self._note(itself)
        return entries

    def _note(self, entry: Entry) -> None:
        self._items[entry.path or "/"] = Item(entry.version, entry.file_id)

    def _is_same_folder(self, entry: Entry) -> bool:
        """Whether nothing below a folder can have changed, and all of it is known."""
        item = self._kept.items.get(entry.path or "/")
        is_same = item is not None and bool(entry.file_id) and item == (entry.version, entry.file_id, "")
        return (
            is_same
            and not self._is_whole
            and all(
                (stored := self.context.known.get(self._listing.url_of(path))) is not None
                and stored.validator == file.version
                for path, file in self._kept.items.items()
                if path.startswith(entry.path) and not path.endswith("/") and is_read_by_name(path, "")
            )
        )

    def _keep_below(self, folder: str) -> Iterator[Found]:
        for path, item in self._kept.items.items():
            if path.startswith(folder):
                self._items[path] = item
                if (uri := self._listing.url_of(path)) in self.context.known and not path.endswith("/"):
                    yield UnchangedDocument(uri=uri)

    def _is_entered(self, folder: str) -> bool:
        if folder.count("/") > _MAX_DEPTH:
            raise FetchError(f"{self.config.folder} has folders more than {_MAX_DEPTH} deep. Nothing was removed.")
        reason = find_skip_reason(f"{folder}_", lambda _: None)
        if reason is not None:
            self.skipped.add(reason[0], [folder], kind=reason[2])
        return reason is None and not matches(folder.rstrip("/"), self.config.exclude)

    def _is_chosen(self, entry: Entry) -> bool:
        reason = find_skip_reason(entry.path, self._choice)
        if reason is None and not is_read_by_name(entry.path, entry.media_type):
            reason = ("no_parser", entry.path, posixpath.splitext(entry.path)[1] or "file")
        if reason is not None:
            self.skipped.add(reason[0], [reason[1]], kind=reason[2])
        return reason is None

    def _find_moves(self, files: list[Entry]) -> dict[str, str]:
        """The old paths of files that are elsewhere now, by their new ones: those with the same id."""
        by_id = {item.title: path for path, item in self._kept.items.items() if item.title and path not in self._items}
        is_new = (entry for entry in files if self._listing.url_of(entry.path) not in self.context.known)
        return {entry.path: by_id[entry.file_id] for entry in is_new if entry.file_id in by_id}

    def _file(self, entry: Entry, old: str) -> Iterator[Found]:
        uri = self._listing.url_of(entry.path)
        stored = self.context.known.get(uri)
        if stored is not None and entry.version and stored.validator == entry.version:
            yield UnchangedDocument(uri=uri)
            return
        try:
            document = self._document(entry, uri, old)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            self._refusals.add(error)
            yield DocumentProblem(uri=uri, code=error.code, message=str(error))
            if old:  # the document stays where it was until its file can be read; then the move is found again
                self._items[old] = Item("", entry.file_id)
                if (old_uri := self._listing.url_of(old)) in self.context.known:
                    yield UnchangedDocument(uri=old_uri)
            return
        if document is not None:
            yield document

    def _document(self, entry: Entry, uri: str, old: str) -> FetchedDocument | None:
        if entry.size > _MAX_FILE_BYTES:
            raise TooLargeError(f"The file is larger than {_MAX_FILE_BYTES // 1_000_000} MB.")
        response = self._listing.download(entry.path, limit=_MAX_FILE_BYTES)
        if response is None:
            del self._items[entry.path]
            return None
        require_file(response.content, entry.path, entry.size)
        media_type = entry.media_type or response.media_type
        file = File(content=response.content, uri=uri, root=self._listing.url_of(""), media_type=media_type)
        metadata = {"last_modified": entry.modified} if entry.modified else {}
        document = from_file(file, address=self._page_of(entry), metadata=metadata)
        renamed_from = self._listing.url_of(old) if old else ""
        return replace(document, validator=entry.version, renamed_from=renamed_from)

    def _page_of(self, entry: Entry) -> str:
        """Where people open a file: by its id in Nextcloud and ownCloud, else its own address."""
        web, separator, _ = self.config.folder.partition("/remote.php/")
        return f"{web}/f/{entry.file_id}" if separator and entry.file_id else ""

    def _ask_for_missing(self, moved: set[str]) -> Iterator[Found]:
        """Files that were there and that no list names: each is asked for."""
        root = self._listing.url_of("")
        listed = {self._listing.url_of(path) for path in {*self._items} | moved}
        stored = {self._listing.url_of(path) for path in self._kept.items if not path.endswith("/")}
        for uri in sorted(({*self.context.known} | stored) - listed):
            path = unquote(uri.removeprefix(root))
            is_kept = path.startswith((*self._refused,))
            is_folder = f"{path}/" in self._listed_folders or f"{path}/" in self._items
            if uri == path or is_kept or is_folder or find_skip_reason(path, self._choice) is not None:
                continue
            try:
                is_there = self._listing.is_there(path)
                self._refusals.reset()
            except LimitReachedError:
                raise
            except FetchError as error:
                self._refusals.add(error)
                yield DocumentProblem(uri=uri, code=error.code, message=str(error))
                continue
            if is_there and uri in self.context.known:
                yield UnchangedDocument(uri=uri)
            elif is_there:
                message = "The list of its folder leaves it out, although it is there. Sync again later."
                yield DocumentProblem(uri=uri, code=FetchError.code, message=message)
