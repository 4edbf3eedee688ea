"""`mediawiki`: the pages of a wiki that runs MediaWiki (SRC-7).

Belongs here: which pages are read, and their documents. Not here: requests (`api`), uploaded files (`wiki_files`), HTML
(`headwater.parsing.html`).
Guarantee: a page is fetched only if it, or something that it shows, has changed; a quiet sync is one request; if the
list is not complete, no page counts as removed.
"""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape, unescape
from http import HTTPStatus
from urllib.parse import quote, urljoin, urlsplit

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.credentials import Credential
from headwater.fetching.http_client import HttpClient
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.identity import content_hash
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file
from headwater.sources.access_lists import access_digest
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.mediawiki.api import WikiApi
from headwater.sources.mediawiki.config import MediaWikiConfig, guess_mediawiki
from headwater.sources.mediawiki.entries import Wiki, WikiPage
from headwater.sources.mediawiki.wiki_files import WikiFiles
from headwater.sources.part_places import heading_places

_API = re.compile(r"""<link[^>]{1,500}?rel=["']EditURI["'][^>]{1,2000}?href=["']([^"']{1,2000})["']""", re.IGNORECASE)
_LIMIT = 20_000_000  # bytes of the page that names the interface
_MAX_REFUSALS = 3
"""Pages in a row that cannot be fetched, after which the wiki is left alone."""


class MediaWiki(Connector):
    """Reads the pages of a wiki."""

    kind = "mediawiki"
    parser_version = f"{HtmlParser.version}-2"
    Config = MediaWikiConfig
    config: MediaWikiConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Main pages by their usual addresses, and `api.php`."""
        return guess_mediawiki(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per page, by namespace and title.

        Raises:
            SourceError: the wiki cannot be read, or it accepts no more requests.
        """
        credential, of_client = self._credentials()
        with self.context.http(credential=of_client, delay=self.config.delay, busy=BUSY_OR_FAILING) as client:
            url = self._interface(client)
            api = WikiApi(client, url, patience=self.context.patience, credential=credential)
            api.log_in(self.context.gate)
            read = f"{list(self.config.namespaces)} {list(self.config.files)} {self.parser_version}"
            item_list = read_list(self.context.folder, f"{url} {read}")
            uploads = WikiFiles(self.config, self.context, self.skipped)
            wiki = api.state()
            documents = [item for item in item_list.items.values() if item.version]
            if (
                wiki.change
                and wiki.change == item_list.cursor
                and not item_list.is_whole_due
                and self._all_known(documents)
            ):
                self.total = len(documents)
                uploads.count_unread([item.title for item in item_list.items.values() if not item.version])
                yield from (UnchangedDocument(uri=item.title, access=_access(wiki, item.parent)) for item in documents)
                return
            pages, files = self._list_pages(api, item_list), uploads.choose(api)
            self.total = len(pages) + len(files)
            yield from self._pages(api, wiki, pages, item_list)
            yield from uploads.documents(api, files, _access(wiki))
        # While changes wait, pages that show a changed template still look as before, so all is listed again.
        item_list.cursor = "" if wiki.jobs else wiki.change
        item_list.listed = time.time()
        item_list.items = {page.id: Item(page.version, page.url, " ".join(page.read_by)) for page in pages}
        item_list.items |= {f"file {file.name}": Item(file.version, file.uri) for file in files}
        item_list.items |= {f"unread {name}": Item("", name) for name in uploads.unread}
        write_list(self.context.folder, item_list)

    def _credentials(self) -> tuple[Credential | None, str | None]:
        """The bot password to log in with, or the name of a token that the client sends with every request."""
        name = self.config.credential
        if name is None:
            return None, None
        credential = self.context.credential(name, urlsplit(self.config.url).netloc)
        return (credential, None) if ":" in credential.secret else (None, name)

    def _interface(self, client: HttpClient) -> str:
        """The address of `api.php`, which every page of a wiki names.

        Raises:
            SourceError: the page does not.
        """
        url = self.config.url
        if urlsplit(url).path.endswith("/api.php"):
            return url.partition("?")[0]
        answer = client.get(url, limit=_LIMIT)
        match = _API.search(answer.content.decode("utf-8", "replace"))
        there = urljoin(answer.url, unescape(match[1])).partition("?")[0] if match else ""
        is_same_host = urlsplit(there).netloc == urlsplit(url).netloc
        if not there or not is_same_host or not urlsplit(there).path.endswith("/api.php"):
            status = "" if answer.status == HTTPStatus.OK else f" (it answers {answer.status})"
            raise SourceError(f"{url} names no interface of a wiki on its host{status}. Give the address of api.php.")
        return (
            there
            if urlsplit(there).scheme == urlsplit(answer.url).scheme
            else urljoin(answer.url, urlsplit(there).path)
        )

    def _all_known(self, items: Sequence[Item]) -> bool:
        """Whether every document is known as it was read the last time, and there is no other."""
        known_documents = self.context.known
        return len(known_documents) == len(items) and all(
            (document := known_documents.get(item.title)) is not None and document.validator == item.version
            for item in items
        )

    def _list_pages(self, api: WikiApi, item_list: ItemList) -> list[WikiPage]:
        """The pages of the chosen namespaces; those that were there and that no list names are asked for."""
        by_id: dict[str, WikiPage] = {}
        for namespace in self.config.namespaces:
            for page in api.pages(namespace):
                by_id[page.id] = page
                if len(by_id) > self.config.pages:
                    raise TooLargeError(
                        f"{self.config.url} has more than {self.config.pages:,} pages to read, which is `pages`."
                        " Nothing was read. Choose fewer namespaces, or raise `pages`."
                    )
        missing = sorted(key for key in item_list.items.keys() - by_id.keys() if key.isdecimal())
        by_id |= {page.id: page for page in api.find_pages(missing, self.config.namespaces)}
        return list(by_id.values())

    def _pages(self, api: WikiApi, wiki: Wiki, pages: Sequence[WikiPage], item_list: ItemList) -> Iterator[Found]:
        refusals = 0
        for index, page in enumerate(pages):
            try:
                item = self._document(api, wiki, page, item_list)
                refusals = 0
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                item = DocumentProblem(uri=page.url, code=error.code, message=str(error))
                refusals += 1
            if item is not None:
                yield item
            if refusals == _MAX_REFUSALS and index + 1 < len(pages):
                raise FetchError(
                    f"{refusals} pages of {self.config.url} in a row could not be fetched, so the other"
                    f" {len(pages) - index - 1:,} were not asked for. Nothing was removed. Sync again later."
                )

    def _document(self, api: WikiApi, wiki: Wiki, page: WikiPage, item_list: ItemList) -> Found | None:
        """What has become of a page; None if it is gone."""
        known_state = self.context.known.get(page.url)
        access = _access(wiki, " ".join(page.read_by))
        if known_state is not None and known_state.validator == page.version:
            return UnchangedDocument(uri=page.url, access=access)
        read = api.html(page)
        if read is None:
            return None
        text, categories = read
        previous = item_list.items.get(page.id)
        return FetchedDocument(
            uri=page.url,
            fingerprint=content_hash(text, page.title, list(categories)).hex(),
            parse=partial(_parse_page, wiki, page, text, categories),
            validator=page.version,
            renamed_from=previous.title if previous is not None and previous.title != page.url else "",
            access=access,
        )


def _access(wiki: Wiki, restricted: str = "") -> str:
    """The digest of the groups that may read a page: those of the wiki, or fewer."""
    return access_digest(None if wiki.readers is None else restricted.split() or wiki.readers)


def _parse_page(wiki: Wiki, page: WikiPage, text: str, categories: tuple[str, ...]) -> ParsedDocument:
    """A page of a wiki as a document.

    Raises:
        DocumentError: it has no text.
    """
    title = escape(page.title)
    begin = f'<!doctype html><html lang="{escape(wiki.language)}"><title>{title}</title><main><h1>{title}</h1>'
    content = f"{begin}{text}</main></html>".encode()
    document = parse_file(HtmlParser(), File(content=content, uri=page.url, media_type="text/html; charset=utf-8"))
    extra = {"author": page.author, "updated": page.changed, "categories": list(categories), "wiki": wiki.name}
    revision = f"{page.url}{'&' if '?' in page.url else '?'}oldid={page.revision}"
    return replace(
        document,
        title=page.title,
        category=categories[0] if categories else "",
        original=None,
        metadata={name: value for name, value in extra.items() if value},
        places=heading_places(document.text, revision, _ending),
    )


def _ending(words: str, count: int) -> str:
    """What the address of a page ends with at a heading, as MediaWiki names it."""
    return f"#{quote('_'.join(words.split()))}{f'_{count + 1}' if count else ''}"
