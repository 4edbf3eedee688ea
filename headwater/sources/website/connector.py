"""`website`: one page, a crawl of a site, the pages of a sitemap or of a feed (SRC-1).

Belongs here: the order in which addresses are visited, and when the list of pages is complete. Not here: single
pages (`page_reader`), rules about addresses (`urls`), what repeats (`boilerplate`). Guarantee: a page
that the site no longer links to, lists or has disappears; one that fails, and those below it, keep their last version;
if the first page, robots.txt or the sitemap fails, nothing changes.

Pages are read one at a time, breadth first in the order of their links, so that the same site gives the same documents.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin, urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.domain.plurals import pluralize
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.http_client import HttpClient, Response
from headwater.parsing.html.page_client import feeds_apart
from headwater.parsing.html.parser import PARSER_VERSION
from headwater.sources.connector import Connector, Found
from headwater.sources.guesses import Address, Guess
from headwater.sources.page_guesses import guess_website
from headwater.sources.website.boilerplate import SAMPLE, find_repeating
from headwater.sources.website.config import WebsiteConfig, guess_mode
from headwater.sources.website.page_lists import Listed, PageList, list_apart
from headwater.sources.website.page_reader import PageReader, Visit
from headwater.sources.website.robots import Robots
from headwater.sources.website.urls import CrawlScope, Traps, clean_url, folder_of, page_key

_LISTS = 500
"""Sitemaps that one index may lead to."""
_REQUESTS = 3
"""Requests per page of the limit: pages that are gone or left out count too."""
_MAX_ADDRESSES = 200_000  # that one crawl remembers, some 200 bytes each
_LIST_LIMIT = 50_000_000  # bytes


class Website(Connector):
    """Reads the pages of a website; `skipped` counts what it leaves out."""

    kind = "website"
    parser_version = PARSER_VERSION
    Config = WebsiteConfig
    config: WebsiteConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """A page, a site, a sitemap or a feed, by its address."""
        return guess_website(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per page, in the order of links or lists.

        Raises:
            SourceError: the first page, the list of pages or robots.txt cannot be had, or a password is missing.
        """
        url, name, delay = clean_url(self.config.url), self.config.credential, self.config.delay
        if name is not None:
            self.context.credential(name, urlsplit(url).netloc)
        with self.context.http(credential=name, delay=delay) as first:
            robots = Robots(first)
            _require_allowed(robots, url)
            delay = max(delay, robots.delay(url))
        with self.context.http(credential=name, delay=delay) as client:
            robots.client = client
            yield from _Walk(self, client, robots).items(url)


class _Walk:
    """One sync of a website."""

    def __init__(self, source: Website, client: HttpClient, robots: Robots) -> None:
        self._source = source
        self._config = source.config
        self._client = client
        self._robots = robots
        self._reader = PageReader(client, robots, source.context, source.skipped)
        self._reader.passwords = tuple(source.context.password(name) for name in source.config.passwords)
        self._incomplete: list[str] = []
        """Why the list of pages is not complete."""

    def items(self, url: str) -> Iterator[Found]:
        """What the source has: pages, unchanged pages, problems."""
        response = _require_answer(url, self._reader.get(url))
        final = clean_url(response.url) or url
        if page_key(final) != page_key(url):
            _require_allowed(self._robots, final)
        mode = self._config.mode
        listed = None if mode in ("page", "crawl") else _read_list(response)
        if listed is None and mode in ("sitemap", "feed"):
            listed, final = self._find_advertised_list(final, response)
        if listed is not None:
            visits = self._of_list(listed, final)
        else:
            visits = self._crawl(url, final, response, is_alone=(mode or guess_mode(url)) == "page")
        yield from _with_repeats(visits)
        for reason in self._incomplete:
            yield DocumentProblem(uri="", code=FetchError.code, message=f"{reason} No page counts as removed.")

    def _scope(self, default: str) -> None:
        prefix = self._config.prefix
        self._reader.scope = CrawlScope(
            prefix=default if prefix is None else clean_url(prefix),
            include=self._config.include,
            exclude=self._config.exclude,
        )

    def _crawl(self, url: str, final: str, response: Response, *, is_alone: bool) -> Iterator[Visit]:
        """Visit the pages that links lead to, beginning with the first."""
        self._scope(folder_of(final))
        scope, traps = self._reader.scope, Traps()
        seen = {page_key(url), page_key(final)}
        queue: deque[tuple[str, int]] = deque([(url, 0)])
        count = requests = 0
        while queue and count < self._config.pages and requests < _REQUESTS * self._config.pages:
            address, depth = queue.popleft()
            requests += 1
            visit = self._reader.take(url, response) if requests == 1 else self._reader.visit(address)
            if requests == 1 and not is_alone and not scope.contains(final):
                visit = Visit(links=visit.links)
            seen.add(page_key(visit.uri or address))
            self._note(visit)
            count += visit.uri != ""
            if not is_alone and (self._config.depth is None or depth < self._config.depth):
                for link in self._select_links(visit.links, final, seen, traps):
                    queue.append((link, depth + 1))
            self._source.total = min(count + len(queue), self._config.pages)
            yield visit
        self._count_rest([address for address, _ in queue])

    def _select_links(self, links: Iterable[str], first: str, seen: set[str], traps: Traps) -> Iterator[str]:
        """The links that lead to pages of the source that were not seen yet."""
        scheme = urlsplit(first).scheme
        for link in links:
            key = page_key(link)
            if key in seen or not self._reader.scope.contains(link):
                continue
            if len(seen) >= _MAX_ADDRESSES:
                self._source.skipped.add("limit", [link], kind=f"{self._config.pages:,}")
                continue
            seen.add(key)
            if traps.catches(link):
                self._source.skipped.add("endless", [link])
                continue
            same_host = urlsplit(link).netloc == urlsplit(first).netloc
            address = urlsplit(link)._replace(scheme=scheme).geturl() if same_host else link
            if self._reader.may_visit(address):
                yield address

    def _of_list(self, listed: PageList, final: str) -> Iterator[Visit]:
        """Visit the pages that a sitemap or feed lists."""
        self._scope("" if listed.kind == "feed" else f"{urlsplit(final).scheme}://{urlsplit(final).netloc}/")
        every = {
            page_key(cleaned): (cleaned, entry)
            for entry in self._all_listed(listed)
            if (cleaned := clean_url(entry.url))
        }
        pages = [(url, entry.changed) for url, entry in every.values() if self._reader.scope.contains(url)]
        if not pages:
            self._refuse_empty(final, [url for url, _ in every.values()])
        outside = [url for url, _ in every.values() if not self._reader.scope.contains(url)]
        self._source.skipped.add("outside", outside[:SAMPLE], count=len(outside))
        allowed = [(url, last_change) for url, last_change in pages if self._reader.may_visit(url)]
        self._source.total = min(len(allowed), self._config.pages)
        for url, last_change in allowed[: self._config.pages]:
            visit = self._reader.visit(url, changed=last_change)
            if visit.uri:
                yield visit
        self._count_rest([url for url, _ in allowed[self._config.pages :]])

    def _refuse_empty(self, final: str, others: list[str]) -> None:
        folder = self._reader.scope.prefix or final
        if not others:
            raise SourceError(f"{final} lists no page, so nothing was changed. Check it, or use mode: crawl.")
        raise SourceError(
            f"{final} lists {pluralize(len(others), 'page')}, such as {others[0]}, but none below {folder}. Nothing was"
            " changed. Set prefix to the address with which they begin."
        )

    def _all_listed(self, first: PageList) -> Iterator[Listed]:
        """The pages of a list and of the lists that it refers to; one that fails makes the list incomplete."""
        yield from first.pages
        queue, seen = deque(first.lists), set(first.lists)
        for list_index in range(_LISTS):
            if not queue:
                return
            url = queue.popleft()
            try:
                page_list = _list_of(_require_answer(url, self._client.get(url, limit=_LIST_LIMIT)))
            except (FetchError, DocumentError) as error:
                self._incomplete.append(str(error))
                continue
            if page_list is None:
                self._incomplete.append(f"{url} is not a sitemap.")
                continue
            yield from page_list.pages
            fresh = [list_url for list_url in page_list.lists if list_url not in seen]
            queue.extend(fresh)
            seen.update(fresh)
            if list_index == _LISTS - 1 and queue:
                self._incomplete.append(f"There are more than {_LISTS} sitemaps; the rest was left out.")

    def _find_advertised_list(self, final: str, response: Response) -> tuple[PageList, str]:
        """The list that a site names, for the address of one of its pages.

        Raises:
            SourceError: it names none.
        """
        if self._config.mode == "sitemap":
            addresses = [
                *self._robots.sitemaps(final),
                f"{urlsplit(final).scheme}://{urlsplit(final).netloc}/sitemap.xml",
            ]
        else:
            addresses = _feeds(response)
        for url in dict.fromkeys(addresses):
            try:
                page_list = _read_list(self._client.get(url, limit=_LIST_LIMIT))
            except FetchError:
                continue
            if page_list is not None and page_list.kind == self._config.mode:
                return page_list, url
        raise SourceError(f"{final} is not a {self._config.mode} and names none. Set url to the address of one.")

    def _note(self, visit: Visit) -> None:
        """A page that fails at the first sync of its version leaves unknown what is below it."""
        if visit.is_unknown_failure and not self._reader.knows_links and not self._incomplete:
            self._incomplete.append(f"{visit.uri} failed, and may lead to other pages.")

    def _count_rest(self, left: list[str]) -> None:
        limit = f"{self._config.pages:,}"
        self._source.skipped.add("limit", left[:SAMPLE], kind=limit, count=len(left))


def _with_repeats(visits: Iterator[Visit]) -> Iterator[Found]:
    """What visits found; the first pages wait until there are enough of them to know what repeats."""
    waiting: list[Visit] = []
    sample: list[tuple[str, ...]] = []
    for visit in visits:
        waiting.append(visit)
        sample += [] if visit.marks is None else [visit.marks]
        if len(sample) == SAMPLE:
            break
    repeats = find_repeating(sample)
    for visit in waiting:
        if (item := visit.found(repeats)) is not None:
            yield item
    for visit in visits:
        if (item := visit.found(repeats)) is not None:
            yield item


def _require_allowed(robots: Robots, url: str) -> None:
    if not robots.allows(url):
        raise SourceError(
            f"The robots.txt of {urlsplit(url).netloc} does not allow Headwater to read {url}. Ask who runs the site to"
            " allow it, or choose another address."
        )


def _require_answer(url: str, response: Response) -> Response:
    if response.status != 304 and not 200 <= response.status < 300:
        raise FetchError(f"{url} answers {response.status}; nothing was changed.")
    return response


def _read_list(response: Response) -> PageList | None:
    try:
        return _list_of(response)
    except TooLargeError:
        raise
    except DocumentError as error:
        raise SourceError(f"{error} Nothing was changed.") from error


def _list_of(response: Response) -> PageList | None:
    if response.status == 304 or not response.content:
        return None
    try:
        return list_apart(response.content, response.url)
    except DocumentError as error:
        raise type(error)(f"{response.url} cannot be read: {error}") from error


def _feeds(response: Response) -> list[str]:
    """The feeds that a page names."""
    return [urljoin(response.url, href) for href in feeds_apart(response.content, response.url, response.media_type)]
