"""`confluence`: pages, blog posts and attachments of Confluence (SRC-17).

Belongs here: which items are read, in which order, and which are gone. Not here: requests (`api`), texts (`document`).
Guarantee: a quiet sync is two requests, one in Data Center; an item that a list leaves out is asked for singly before
it counts as removed; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs, unquote, urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.identity import content_hash
from headwater.parsing.file_types import media_type_of
from headwater.parsing.parser import File
from headwater.parsing.registry import find_parser
from headwater.sources.confluence.api import BATCH_SIZE, ConfluenceApi
from headwater.sources.confluence.config import ConfluenceConfig, guess_confluence
from headwater.sources.confluence.content import Content, attachment_of
from headwater.sources.confluence.document import attachment_uri, content_metadata, page_document, page_uri
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import JsonApi, RefusalCount

_ADVICE = "Name a `credential`: e-mail:token for Confluence Cloud, a personal access token for Data Center."
_MAX_ATTACHMENT_BYTES = 100_000_000
_UNREAD = " unread"
"""Stands at the end of the version of an attachment that no parser reads."""


class Confluence(Connector):
    """Reads the spaces of a server."""

    kind = "confluence"
    parser_version = "confluence-2"
    Config = ConfluenceConfig
    config: ConfluenceConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Spaces and pages by their usual addresses."""
        return guess_confluence(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per page, blog post and attachment.

        Raises:
            SourceError: the server cannot be read, or it accepts no more requests.
        """
        config = self.config
        address = f"{config.api} {list(config.keys)} {list(config.read)} {self.parser_version} {fingerprint_parsers()}"
        self._kept = read_list(self.context.folder, address)
        self._items: dict[str, Item] = {}
        with self.context.http(
            credential=config.credential, address=config.api, delay=config.delay, busy=BUSY_OR_FAILING
        ) as client:
            json_api = JsonApi(client, config.api, credential=config.credential, advice=_ADVICE)
            yield from self._read(ConfluenceApi(json_api, config), RefusalCount(config.api))

    def _read(self, api: ConfluenceApi, refusals: RefusalCount) -> Iterator[Found]:
        is_whole = self._kept.is_whole_due or not self.context.known
        listed = self._list(api, is_whole=is_whole)
        items = {key: _item(content) for key, content in listed.items()}
        gone = frozenset[str]() if is_whole else self._find_trashed(api)
        previous_items = {key: item for key, item in self._kept.items.items() if not {key, item.parent} & gone}
        self._items = items if is_whole else {**previous_items, **items}
        self._titles = {
            (item.parent, item.title): page_uri(self.config.web, key)
            for key, item in self._items.items()
            if not _is_attachment(key)
        }
        self.total = len(self._items)
        due = [key for key, item in self._items.items() if not self._is_settled(key, item)]
        yield from self._keep_unchanged(due)
        pages = [key for key in due if not _is_attachment(key)]
        for begin in range(0, len(pages), BATCH_SIZE):
            yield from self._pages(api, pages[begin : begin + BATCH_SIZE], refusals)
        for key in filter(_is_attachment, due):
            item = self._items[key]
            content = listed.get(key) or attachment_of(key, item.version, item.parent, item.title)
            yield from self._attachment(api, content, refusals)
        if is_whole:
            yield from self._fetch_missing(api, self._spaces(listed.values()), refusals)
        listed_at = time.time() if is_whole else self._kept.listed
        item_list = ItemList(address=self._kept.address, cursor="listed", listed=listed_at, items=self._items)
        write_list(self.context.folder, item_list)

    def _find_trashed(self, api: ConfluenceApi) -> frozenset[str]:
        """The pages that were read before and that are in the trash now; their attachments go with them."""
        listed_keys = (key for key in api.list_trashed() if key in self._kept.items)
        return frozenset(key for key in listed_keys if not api.is_there(key, frozenset()))

    def _list(self, api: ConfluenceApi, *, is_whole: bool) -> dict[str, Content]:
        """All items, or those that changed since the last sync, and a few more."""
        listed: dict[str, Content] = {}
        for page in api.list_newest():
            listed |= {content.id: content for content in page if content.id not in listed}
            if len(listed) > self.config.pages:
                raise TooLargeError(
                    f"{self.config.url} has more than {self.config.pages:,} items to read, which is `pages`. Nothing"
                    " was read. Name fewer `spaces`, or raise `pages`."
                )
            if not is_whole and all(self._was_listed(content) for content in page):
                break
        return listed

    def _was_listed(self, content: Content) -> bool:
        item = self._kept.items.get(content.id)
        return item is not None and item.version.removesuffix(_UNREAD) == content.version

    def _spaces(self, listed: Iterable[Content]) -> frozenset[str]:
        """The spaces that are read, as the server names them when it is asked for one item: by ids or by keys."""
        if self.config.is_cloud:
            return frozenset(content.space_id for content in listed) - {""}
        return frozenset({*self.config.keys, *(content.space for content in listed)}) - {""}

    def _is_settled(self, key: str, item: Item) -> bool:
        """Whether a document is known as it is now, or nobody reads it; then it need not be fetched."""
        previous = self._kept.items.get(key)
        known_state = self.context.known.get(self._uri(key, item))
        if (
            known_state is None
            and previous is not None
            and previous.version == f"{item.version.removesuffix(_UNREAD)}{_UNREAD}"
        ):
            self._leave_out(key, item)
            return True
        return known_state is not None and known_state.validator == item.version

    def _uri(self, key: str, item: Item) -> str:
        is_attached = _is_attachment(key)
        return (
            attachment_uri(self.config.web, item.parent, item.title) if is_attached else page_uri(self.config.web, key)
        )

    def _keep_unchanged(self, due: Sequence[str]) -> Iterator[Found]:
        unread = {key for key, item in self._items.items() if item.version.endswith(_UNREAD)}
        for key in self._items.keys() - unread - set(due):
            yield UnchangedDocument(uri=self._uri(key, self._items[key]))

    def _pages(self, api: ConfluenceApi, keys: Sequence[str], refusals: RefusalCount) -> Iterator[Found]:
        remaining = dict.fromkeys(keys)
        for content in api.read_all(keys):
            if content.id not in remaining:
                continue
            del remaining[content.id]
            self._items[content.id] = _item(content)
            yield self._page(content)
        for key in remaining:  # it went away meanwhile, or the index of the server lags behind
            yield from self._ask_singly(api, page_uri(self.config.web, key), frozenset(), refusals)

    def _page(self, content: Content) -> FetchedDocument:
        web = self.config.web
        fields = (content.body or "", content.web, list(content_metadata(content).items()))
        return FetchedDocument(
            uri=page_uri(web, content.id),
            fingerprint=content_hash(content.title, content.space_name, repr(fields)).hex(),
            parse=partial(page_document, content, web, self._titles, is_cloud=self.config.is_cloud),
            validator=content.version,
        )

    def _attachment(self, api: ConfluenceApi, content: Content, refusals: RefusalCount) -> Iterator[Found]:
        uri = attachment_uri(self.config.web, content.parent_id, content.title)
        try:
            item = self._file(api, content, uri)
            refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield DocumentProblem(uri=uri, code=error.code, message=str(error))
            refusals.add(error)
            return
        if item is not None:
            yield item

    def _file(self, api: ConfluenceApi, content: Content, uri: str) -> FetchedDocument | None:
        """An attachment as a document; None if it is gone, or no parser reads it."""
        if not is_read_by_name(content.title, content.media_type):
            self._leave_out(content.id, self._items[content.id])
            return None
        if content.size > _MAX_ATTACHMENT_BYTES:
            raise DocumentError(f"The attachment is larger than {_MAX_ATTACHMENT_BYTES // 1_000_000} MB.")
        response = api.download(content, limit=_MAX_ATTACHMENT_BYTES)
        if response is None:
            del self._items[content.id]
            return None
        require_file(response.content, content.title, content.size)
        if find_parser(media_type_of(response.content, uri), content.title, content.media_type) is None:
            self._leave_out(content.id, self._items[content.id])
            return None
        metadata = {**content_metadata(content), "last_modified": content.updated}
        file = File(content=response.content, uri=uri, media_type=content.media_type)
        fetched = from_file(file, metadata={name: value for name, value in metadata.items() if name != "updated"})
        previous = self._kept.items.get(content.id)
        old = "" if previous is None else self._uri(content.id, previous)
        return replace(fetched, validator=content.version, renamed_from=old if old != uri else "")

    def _leave_out(self, key: str, item: Item) -> None:
        """Count an attachment that no parser reads, and remember it."""
        self._items[key] = item._replace(version=f"{item.version.removesuffix(_UNREAD)}{_UNREAD}")
        self.skipped.add("no_parser", [self._uri(key, item)], kind=posixpath.splitext(item.title)[1] or "file")

    def _fetch_missing(self, api: ConfluenceApi, spaces: frozenset[str], refusals: RefusalCount) -> Iterator[Found]:
        """Documents that were there and that the list leaves out: each is asked for."""
        listed = {self._uri(key, item) for key, item in self._items.items()}
        renamed = {self._uri(key, item) for key, item in self._kept.items.items() if key in self._items}
        previous_uris = {
            self._uri(key, item) for key, item in self._kept.items.items() if not item.version.endswith(_UNREAD)
        }
        for uri in sorted(({*self.context.known} | previous_uris) - listed - renamed):
            yield from self._ask_singly(api, uri, spaces, refusals)

    def _ask_singly(
        self, api: ConfluenceApi, uri: str, spaces: frozenset[str], refusals: RefusalCount
    ) -> Iterator[Found]:
        """Unchanged or a problem if a document is there, nothing if it is gone."""
        url_parts = urlsplit(uri)
        try:
            if url_parts.query:
                identity = parse_qs(url_parts.query).get("pageId", [""])[0]
                is_there = identity.isalnum() and api.is_there(identity, spaces)
            else:
                page, name = url_parts.path.split("/")[-2:]
                is_there = page.isalnum() and api.is_attached(page, unquote(name))
        except LimitReachedError:
            raise
        except FetchError as error:
            yield DocumentProblem(uri=uri, code=error.code, message=str(error))
            refusals.add(error)
            return
        refusals.reset()
        if is_there and uri in self.context.known:
            yield UnchangedDocument(uri=uri)
        elif is_there:
            message = "The list of the server leaves it out, although it is there. Sync again later."
            yield DocumentProblem(uri=uri, code=FetchError.code, message=message)


def _item(content: Content) -> Item:
    return Item(content.version, content.title, content.parent_id if content.kind == "attachment" else content.space)


def _is_attachment(key: str) -> bool:
    return key.startswith("att")
