"""`mediawiki`: the pages of a wiki that runs MediaWiki (SRC-7).

Belongs here: which pages are read, and their documents. Not here: requests (`api`), HTML (`headwater.parsing.html`).
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
from urllib.parse import urljoin, urlsplit

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.credentials import Credential
from headwater.fetching.http_client import HttpClient
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.mediawiki.api import Wiki, WikiApi, WikiPage
from headwater.sources.mediawiki.config import MediaWikiConfig, guess_mediawiki

_API = re.compile(r"""<link[^>]{1,500}?rel=["']EditURI["'][^>]{1,2000}?href=["']([^"']{1,2000})["']""", re.IGNORECASE)
_LIMIT = 20_000_000  # bytes of the page that names the interface
_MAX_REFUSALS = 3
"""Pages in a row that cannot be fetched, after which the wiki is left alone."""


class MediaWiki(Connector):
    """Reads the pages of a wiki."""

    kind = "mediawiki"
    parser_version = HtmlParser.version
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
        with self.context.http(credential=of_client, delay=self.config.delay) as client:
            url = self._interface(client)
            api = WikiApi(client, url, patience=self.context.patience, credential=credential)
            api.log_in(self.context.gate)
            kept = read_list(self.context.folder, f"{url} {list(self.config.namespaces)} {self.parser_version}")
            wiki = api.state()
            if wiki.change and wiki.change == kept.cursor and not kept.is_whole_due and self._all_known(kept):
                self.total = len(kept.items)
                yield from (UnchangedDocument(uri=item.title) for item in kept.items.values())
                return
            pages = self._list_pages(api)
            self.total = len(pages)
            yield from self._pages(api, wiki, pages, kept)
        # While changes wait, pages that show a changed template still look as before, so all is listed again.
        kept.cursor = "" if wiki.jobs else wiki.change
        kept.listed = time.time()
        kept.items = {page.id: Item(page.version, page.url) for page in pages}
        write_list(self.context.folder, kept)

    def _credentials(self) -> tuple[Credential | None, str | None]:
        """The bot password to log in with, or the name of a token that the client sends with every request."""
        name = self.config.credential
        if name is None:
            return None, None
        found = self.context.credential(name, urlsplit(self.config.url).netloc)
        return (found, None) if ":" in found.secret else (None, name)

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

    def _all_known(self, kept: ItemList) -> bool:
        """Whether every document is known as it was read the last time, and there is no other."""
        known = self.context.known
        return len(known) == len(kept.items) and all(
            (document := known.get(item.title)) is not None and document.validator == item.version
            for item in kept.items.values()
        )

    def _list_pages(self, api: WikiApi) -> list[WikiPage]:
        found: dict[str, WikiPage] = {}
        for namespace in self.config.namespaces:
            for page in api.pages(namespace):
                found[page.id] = page
                if len(found) > self.config.pages:
                    raise TooLargeError(
                        f"{self.config.url} has more than {self.config.pages:,} pages to read, which is `pages`."
                        " Nothing was read. Choose fewer namespaces, or raise `pages`."
                    )
        return list(found.values())

    def _pages(self, api: WikiApi, wiki: Wiki, pages: Sequence[WikiPage], kept: ItemList) -> Iterator[Found]:
        refusals = 0
        for index, page in enumerate(pages):
            try:
                found = self._document(api, wiki, page, kept)
                refusals = 0
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                found = DocumentProblem(uri=page.url, code=error.code, message=str(error))
                refusals += 1
            if found is not None:
                yield found
            if refusals == _MAX_REFUSALS and index + 1 < len(pages):
                raise FetchError(
                    f"{refusals} pages of {self.config.url} in a row could not be fetched, so the other"
                    f" {len(pages) - index - 1:,} were not asked for. Nothing was removed. Sync again later."
                )

    def _document(self, api: WikiApi, wiki: Wiki, page: WikiPage, kept: ItemList) -> Found | None:
        """What has become of a page; None if it is gone."""
        known = self.context.known.get(page.url)
        if known is not None and known.validator == page.version:
            return UnchangedDocument(uri=page.url)
        read = api.html(page)
        if read is None:
            return None
        text, categories = read
        before = kept.items.get(page.id)
        return FetchedDocument(
            uri=page.url,
            fingerprint=content_hash(text, page.title, list(categories)).hex(),
            parse=partial(_parse_page, wiki, page, text, categories),
            validator=page.version,
            renamed_from=before.title if before is not None and before.title != page.url else "",
        )


def _parse_page(wiki: Wiki, page: WikiPage, text: str, categories: tuple[str, ...]) -> ParsedDocument:
    """A page of a wiki as a document.

    Raises:
        DocumentError: it has no text.
    """
    title = escape(page.title)
    begin = f'<!doctype html><html lang="{escape(wiki.language)}"><title>{title}</title><main><h1>{title}</h1>'
    content = f"{begin}{text}</main></html>".encode()
    found = parse_file(HtmlParser(), File(content=content, uri=page.url, media_type="text/html; charset=utf-8"))
    given = {"author": page.author, "updated": page.changed, "categories": list(categories), "wiki": wiki.name}
    return replace(
        found,
        title=page.title,
        category=categories[0] if categories else "",
        original=None,
        metadata={name: value for name, value in given.items() if value},
    )
