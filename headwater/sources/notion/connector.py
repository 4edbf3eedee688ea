"""`notion`: pages, rows of data sources and files of Notion (SRC-19).

Belongs here: which pages are read, in which order, and which are gone. Not here: requests (`api`), texts (`document`).
Guarantee: a quiet sync is two requests; a page that a list leaves out is asked for singly before it counts as removed;
after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import JsonApi, RefusalCount
from headwater.sources.notion.api import VERSION, NotionApi
from headwater.sources.notion.config import NotionConfig, guess_notion
from headwater.sources.notion.document import page_document, page_uri
from headwater.sources.notion.enhanced_markdown import to_markdown
from headwater.sources.notion.page import FileBlock, Page, read_files, read_headings, read_id

_ADVICE = "Name a `credential` with the secret of an integration."
_MAX_FILE_BYTES = 100_000_000
_SETTLED_SECONDS = 120
"""Times are rounded to the minute, so a page that changed a moment ago may have changed again, and is read again."""
_EARLY = " early"
_FILE = "file "
"""Stands before the ids of files, whose parents are pages."""
_SOURCE = "source "
"""Stands before the ids of data sources."""


class Notion(Connector):
    """Reads what is shared with an integration."""

    kind = "notion"
    parser_version = "notion-1"
    Config = NotionConfig
    config: NotionConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Pages of Notion."""
        return guess_notion(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per page and file.

        Raises:
            SourceError: Notion cannot be read, or it accepts no more requests.
        """
        name, api = self.config.credential, self.config.api
        if name is None:
            raise SourceError(f"Notion is read with the secret of an integration alone. {_ADVICE}")
        self._kept = read_list(
            self.context.folder, f"{api} {name} {self.config.files} {self.parser_version} {fingerprint_parsers()}"
        )
        self._has_record = bool(self._kept.items)
        self._files = self._kept.by_parent()
        self._listed = 0.0
        self._items: dict[str, Item] = {}
        self._refusals = RefusalCount(api)
        with self.context.http(credential=name, address=api, delay=self.config.delay, busy=BUSY_OR_FAILING) as client:
            json_api = JsonApi(client, api, credential=name, advice=_ADVICE, headers=VERSION)
            try:
                yield from self._read(NotionApi(json_api, client, api))
            finally:
                self._keep()

    def _keep(self) -> None:
        """Keep the record; after an error that of what was read, so that the next sync lists all, but fetches less."""
        items = self._items if self._listed else {**self._kept.items, **self._items}
        listed = ItemList(
            address=self._kept.address, cursor="listed" if self._listed else "", listed=self._listed, items=items
        )
        write_list(self.context.folder, listed)

    def _read(self, api: NotionApi) -> Iterator[Found]:
        is_whole = self._kept.is_whole_due or not self.context.known
        pages = self._list(api, is_whole=is_whole)
        gone = frozenset[str]() if is_whole else self._find_trashed(api)
        previous_items = self._kept.items
        sources = {key: item for key, item in previous_items.items() if key.startswith(_SOURCE)}
        if is_whole:
            sources = {f"{_SOURCE}{key}": Item("", title) for key, title in api.list_sources().items()}
            for key in sources:
                for rows in api.list_rows(key.removeprefix(_SOURCE)):
                    pages = {**{page.id: page for page in rows}, **pages}
        self._items = {**sources, **{page.id: Item(_version(page), page.title, page.parent) for page in pages.values()}}
        unlisted = [key for key in previous_items if read_id(key) and key not in pages and key not in gone]
        self.total = len(pages) + len(unlisted)
        for page in pages.values():
            yield from self._page(api, page)
        for key in unlisted:
            yield from self._other(api, key, previous_items[key], is_whole=is_whole)
        for uri in sorted(self.context.known) if not self._has_record else ():  # no record says which were there
            if (key := read_id(uri.removeprefix(page_uri("")))) and key not in self._items:
                yield from self._ask_singly(api, key)
        self._listed = time.time() if is_whole else self._kept.listed

    def _list(self, api: NotionApi, *, is_whole: bool) -> dict[str, Page]:
        """All pages that the search finds, or those that changed since the last sync, and a few more."""
        pages: dict[str, Page] = {}
        for listed in api.list_newest():
            pages |= {page.id: page for page in listed if page.id not in pages}
            if len(pages) > self.config.pages:
                raise TooLargeError(
                    f"More than {self.config.pages:,} pages are shared with the integration, which is `pages`. Nothing"
                    " was read. Share fewer, or raise `pages`."
                )
            if not is_whole and all(self._was_listed(page) for page in listed):
                break
        return pages

    def _was_listed(self, page: Page) -> bool:
        item = self._kept.items.get(page.id)
        return item is not None and item.version == page.updated

    def _find_trashed(self, api: NotionApi) -> frozenset[str]:
        """The pages that were read before and that are in the trash now."""
        return frozenset(key for key in api.list_trashed() if key in self._kept.items and api.read(key) is None)

    def _page(self, api: NotionApi, page: Page) -> Iterator[Found]:
        """A page and its files."""
        uri, version = page_uri(page.id), self._items[page.id].version
        known_state = self.context.known.get(uri)
        is_same = known_state is not None and known_state.validator == version and not version.endswith(_EARLY)
        if is_same and self._has_all_files(page.id):
            yield UnchangedDocument(uri=uri)
            yield from self._same_files(page.id)
            return
        try:
            content = api.markdown(page.id)
            blocks = [] if content is None else api.blocks(page.id)
            author = "" if content is None else api.person(page.author)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield self._problem(uri, error)
            yield from self._same_files(page.id)
            return
        if content is None:
            del self._items[page.id]
            return
        headings = tuple(read_headings(blocks))
        parents = (f"{_SOURCE}{page.parent}", page.parent)
        category = next((self._items[key].title for key in parents if key in self._items), "")
        body = to_markdown(content, below=1)
        fields = (repr(replace(page, editor="", updated="")), body, repr(headings), category, author)
        yield FetchedDocument(
            uri=uri,
            fingerprint=content_hash(*fields).hex(),
            parse=partial(page_document, page, body, headings, category, author),
            validator=version,
        )
        for file in read_files(blocks) if self.config.files else ():
            yield from self._file(api, page, file)

    def _problem(self, uri: str, error: FetchError | DocumentError) -> DocumentProblem:
        self._refusals.add(error)
        return DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _file(self, api: NotionApi, page: Page, file: FileBlock) -> Iterator[Found]:
        uri, version = _file_uri(page.id, file.id, file.name), f"{file.updated} {file.name}"
        previous = self._kept.items.get(f"{_FILE}{file.id}")
        old = "" if previous is None else _file_uri(previous.parent, file.id, previous.title)
        self._items[f"{_FILE}{file.id}"] = Item(version, file.name, page.id)
        known_state = self.context.known.get(uri)
        if not is_read_by_name(file.name, ""):
            self.skipped.add("no_parser", [uri], kind=posixpath.splitext(file.name)[1] or "file")
            return
        if known_state is not None and known_state.validator == version:
            yield UnchangedDocument(uri=uri)
            return
        try:
            content, media_type = api.download(file, limit=_MAX_FILE_BYTES)
            require_file(content, file.name)
            metadata = {"last_modified": file.updated}
            block = f"{page_uri(page.id)}#{file.id}"
            document = from_file(
                File(content=content, uri=uri, media_type=media_type), address=block, metadata=metadata
            )
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield self._problem(uri, error)
            return
        yield replace(document, validator=version, renamed_from=old if old != uri else "")

    def _other(self, api: NotionApi, key: str, item: Item, *, is_whole: bool) -> Iterator[Found]:
        """A page that was read before and that was not listed now."""
        known_state = self.context.known.get(page_uri(key))
        is_settled = (
            known_state is not None and known_state.validator == item.version and not item.version.endswith(_EARLY)
        )
        if is_whole or not is_settled or not self._has_all_files(key):
            yield from self._ask_singly(api, key)
            return
        self._items[key] = item
        yield UnchangedDocument(uri=page_uri(key))
        yield from self._same_files(key)

    def _same_files(self, page: str) -> Iterator[Found]:
        """The files of a page that has not changed."""
        for key, item in self._files.get(page, ()):
            if not key.startswith(_FILE):  # a page within this one
                continue
            self._items[key] = item
            uri = _file_uri(page, key.removeprefix(_FILE), item.title)
            if uri in self.context.known:
                yield UnchangedDocument(uri=uri)

    def _has_all_files(self, page: str) -> bool:
        """Whether all files of a page are known; one may have failed, have another parser now, or be in no record."""
        if not self.config.files:
            return True
        return self._has_record and all(
            _file_uri(page, key.removeprefix(_FILE), item.title) in self.context.known
            for key, item in self._files.get(page, ())
            if key.startswith(_FILE) and is_read_by_name(item.title, "")
        )

    def _ask_singly(self, api: NotionApi, key: str) -> Iterator[Found]:
        """A page that a list leaves out; nothing if the server says that it is gone."""
        try:
            page = api.read(key)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield self._problem(page_uri(key) if self._has_record else "", error)  # or its files would count as removed
            yield from self._same_files(key)
            return
        if page is not None:
            self._items[key] = Item(_version(page), page.title, page.parent)
            yield from self._page(api, page)


def _version(page: Page) -> str:
    """The version of a page, which says so if another one may have the same time."""
    try:
        age = (datetime.now(UTC) - datetime.fromisoformat(page.updated)).total_seconds()
    except (ValueError, TypeError):
        return page.updated
    return f"{page.updated}{_EARLY}" if age < _SETTLED_SECONDS else page.updated


def _file_uri(page: str, file: str, name: str) -> str:
    """The URI of a file: its block on its page, and its name, which says what reads it."""
    return f"{page_uri(page)}#{file}/{quote(name, safe='')}"
