"""Reading single pages and files of a website.

Belongs here: what one response becomes. Not here: which addresses are visited (`connector`). Guarantee: a page that
fails keeps its last version; one that is gone has no result; what is left out is counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit

from headwater.domain.documents import DocumentProblem, KnownState
from headwater.domain.skips import Skips
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.http_client import HttpClient, Response
from headwater.identity import bytes_fingerprint
from headwater.parsing.html.page import HtmlPage
from headwater.parsing.html.page_client import page_apart
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import parse_file, parser_of_name, parser_of_type
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.source_context import SourceContext
from headwater.sources.website.boilerplate import marks_of
from headwater.sources.website.document import FetchedPage
from headwater.sources.website.robots import Robots, page_rules
from headwater.sources.website.state import PageState, pack_links, read_state
from headwater.sources.website.urls import CrawlScope, clean_url, guess_type, is_download, is_picture, page_key

_GONE = (404, 410)
_GENERIC = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
_MIN_CONTENT_CHARS = 200  # characters of a page that only leads elsewhere


@dataclass(kw_only=True)
class Visit:
    """What came of one address.

    `item` is what the source yields, None if nothing; for a page that was fetched, `document` makes it once it is known
    what repeats on the site. `links` are those to follow, `marks` those of the page's blocks.
    """

    item: Found | None = None
    uri: str = ""
    links: tuple[str, ...] = ()
    marks: tuple[str, ...] | None = None
    is_unknown_failure: bool = False
    """Whether it failed and nothing is known of it, so that pages below it cannot be found."""
    fetched: FetchedPage | None = None

    def found(self, repeats: frozenset[str]) -> Found | None:
        """What the source yields."""
        return self.item if self.fetched is None else self.fetched.document(repeats)


class PageReader:
    """Fetches and reads the pages of one source."""

    def __init__(self, client: HttpClient, robots: Robots, context: SourceContext, skipped: Skips) -> None:
        self.scope = CrawlScope()
        self.passwords: tuple[str, ...] = ()
        self._client = client
        self._robots = robots
        self._skipped = skipped
        self._known = context.known
        self._taken: set[str] = set()
        self._states = {uri: read_state(context.known[uri].validator) for uri in context.known}
        self._uris = {page_key(state.asked): uri for uri, state in self._states.items() if state.asked}
        self._uris |= {page_key(uri): uri for uri in self._states}

    @property
    def knows_links(self) -> bool:
        """Whether the links of any page are known from an earlier sync."""
        return any(state.packed for state in self._states.values())

    def state_of(self, url: str) -> PageState:
        """What is known of the page at an address."""
        return self._states.get(self._uris.get(page_key(url), ""), PageState())

    def may_visit(self, url: str) -> bool:
        """Whether an address may be read; one that may not is counted."""
        media_type = guess_type(url)
        if is_picture(media_type) or is_download(media_type):
            self._skip_file(url, media_type)
            return False
        if not self._robots.allows(url):
            self._skipped.add("excluded", [url], kind="robots.txt")
            return False
        return True

    def get(self, url: str) -> Response:
        """Fetch an address, if it has changed.

        Raises:
            FetchError: there is no answer. TooLargeError: it is too large.
        """
        return self._client.get(url, validator=self.state_of(url).validator)

    def visit(self, url: str, *, changed: str = "") -> Visit:
        """Fetch and read an address.

        Args:
            url: the address.
            changed: what a list says of its last change.
        """
        uri, state = self._uris.get(page_key(url), ""), self.state_of(url)
        if changed and changed == state.changed and not state.validator:
            return self._keep_unchanged(uri, state)
        try:
            return self.take(url, self.get(url), changed=changed)
        except (FetchError, TooLargeError) as error:
            return self.failed(url, error.code, str(error))

    def take(self, url: str, response: Response, *, changed: str = "") -> Visit:
        """Read what an address answered."""
        uri, state = self._uris.get(page_key(url), ""), self.state_of(url)
        if response.status == 304 and uri:
            return self._keep_unchanged(uri, state)
        if response.status in _GONE:
            return Visit()
        if not 200 <= response.status < 300:
            return self.failed(url, FetchError.code, f"{url} answers {response.status}.")
        final = clean_url(response.url) or url
        if page_key(final) != page_key(url) and not self._may_redirect(final):
            return Visit()
        may_index, _ = page_rules(response.headers.get("x-robots-tag", ""), ())
        media_type = _media_type(response)
        if media_type in HtmlParser.media_types:
            return self._page(url, final, response, changed)
        if not may_index:
            return self._exclude(final, ())
        return self._file(url, final, response, media_type, changed)

    def failed(self, url: str, code: str, message: str) -> Visit:
        """An address that failed: its document keeps its last version, and its links stay known."""
        uri, state = self._uris.get(page_key(url), ""), self.state_of(url)
        self._taken.add(page_key(uri or url))
        problem = DocumentProblem(uri=uri or url, code=code, message=message)
        return Visit(item=problem, uri=uri or url, links=state.links, marks=state.marks, is_unknown_failure=not uri)

    def _keep_unchanged(self, uri: str, state: PageState) -> Visit:
        if page_key(uri) in self._taken:
            return Visit()
        self._taken.add(page_key(uri))
        return Visit(item=UnchangedDocument(uri=uri), uri=uri, links=state.links, marks=state.marks)

    def _may_redirect(self, final: str) -> bool:
        if not self.scope.contains(final):
            self._skipped.add("outside", [final])
            return False
        return page_key(final) not in self._taken and self.may_visit(final)

    def _page(self, url: str, final: str, response: Response, changed: str) -> Visit:
        known_page = self._find_known_page(url, response)
        if known_page is not None:
            return self._same(url, final, response, *known_page, changed)
        try:
            page = page_apart(response.content, final, response.media_type)
        except DocumentError as error:
            return self.failed(url, error.code, str(error))
        may_index, may_follow = page_rules(response.headers.get("x-robots-tag", ""), page.head.robots)
        links = tuple(self._own_links(page)) if may_follow else ()
        if not may_index:
            return self._exclude(final, links)
        if page.head.refresh and sum(len(block.text) for block in page.blocks) < _MIN_CONTENT_CHARS:
            return Visit(links=links)
        uri = self._canonical(final, page)
        if page_key(uri) in self._taken:
            return Visit(links=links)
        self._taken |= {page_key(uri), page_key(final)}
        marks = marks_of(page.blocks)
        state = PageState(
            validator=response.validator,
            packed=pack_links(links),
            marks=marks,
            asked="" if url == uri else url,
            changed=changed,
        )
        return self._visit(uri, final, response, state, page)

    def _find_known_page(self, url: str, response: Response) -> tuple[str, KnownState] | None:
        """The known document of an address, if the server sent the same bytes again."""
        uri = self._uris.get(page_key(url), "")
        known_state = self._known.get(uri) if uri else None
        if known_state is None or self._states[uri].marks is None or response.headers.get("x-robots-tag"):
            return None
        return (uri, known_state) if known_state.fingerprint == bytes_fingerprint(response.content) else None

    def _same(self, url: str, final: str, response: Response, uri: str, known_state: KnownState, changed: str) -> Visit:
        if page_key(uri) in self._taken:
            return Visit()
        self._taken |= {page_key(uri), page_key(final)}
        state = replace(read_state(known_state.validator), validator=response.validator, changed=changed)
        return self._visit(uri, final, response, replace(state, asked="" if url == uri else url), None)

    def _visit(self, uri: str, final: str, response: Response, state: PageState, page: HtmlPage | None) -> Visit:
        fetched = FetchedPage(
            content=response.content if page is None else b"",
            url=final,
            uri=uri,
            media_type=response.media_type,
            root=self.scope.prefix,
            state=state,
            fingerprint=bytes_fingerprint(response.content),
            page=page,
        )
        return Visit(uri=uri, links=state.links, marks=state.marks, fetched=fetched)

    def _canonical(self, final: str, page: HtmlPage) -> str:
        """The address by which a page wants to be known, if it lies within the scope.

        One that names the site's first page for every page is a mistake of its template.
        """
        canonical = clean_url(page.head.canonical)
        if not canonical or not self.scope.contains(canonical) or urlsplit(canonical).netloc != urlsplit(final).netloc:
            return final
        is_first = not urlsplit(page_key(canonical)).path.partition("/")[2] or page_key(canonical) == page_key(
            self.scope.prefix
        )
        return final if is_first and page_key(canonical) != page_key(final) else canonical

    def _own_links(self, page: HtmlPage) -> Iterator[str]:
        """A page's links within its host, each once."""
        host, seen = self.scope.host, set[str]()
        for link in page.links:
            cleaned = clean_url(link)
            if cleaned and cleaned not in seen and (not host or urlsplit(cleaned).netloc == host):
                seen.add(cleaned)
                yield cleaned

    def _file(self, url: str, final: str, response: Response, media_type: str, changed: str) -> Visit:
        parser = None if is_picture(media_type) else _parser(final, media_type)
        if parser is None:
            self._skip_file(final, media_type)
            return Visit()
        if page_key(final) in self._taken:
            return Visit()
        self._taken.add(page_key(final))
        state = PageState(validator=response.validator, asked="" if url == final else url, changed=changed)
        file = File(
            content=response.content,
            uri=final,
            root=self.scope.prefix,
            media_type=response.media_type,
            passwords=self.passwords,
        )
        item = FetchedDocument(
            uri=final,
            fingerprint=bytes_fingerprint(response.content),
            parse=partial(parse_file, parser, file),
            parser_version=parser.version,
            validator=state.text(),
        )
        return Visit(item=item, uri=final)

    def _exclude(self, url: str, links: tuple[str, ...]) -> Visit:
        self._skipped.add("excluded", [url], kind="noindex")
        return Visit(links=links)

    def _skip_file(self, url: str, media_type: str) -> None:
        ending = urlsplit(url).path.rpartition("/")[2].rpartition(".")[2].lower()
        kind = f".{ending}" if ending.isalnum() and len(ending) < 8 else media_type.partition(";")[0] or "other"
        self._skipped.add("no_parser", [url], kind=kind)


def _media_type(response: Response) -> str:
    """The type of a response, without parameters; HTML if the server names none and it looks like it."""
    media_type = response.media_type.partition(";")[0].strip().lower()
    if not media_type and response.content[:500].lstrip().lower().startswith(
        (b"<!doctype html", b"<html", b"<?xml", b"<head")
    ):
        return "text/html"
    return media_type


def _parser(url: str, media_type: str) -> Parser | None:
    """The parser of a file: by its type, or by its name if its type says little."""
    path = urlsplit(url).path
    for find, argument in ((parser_of_name, path if media_type in _GENERIC else ""), (parser_of_type, media_type)):
        try:
            if argument:
                return find(argument)
        except DocumentError:
            continue
    return None
