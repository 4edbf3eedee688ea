"""Issues and pull requests by the REST interface.

Belongs here: listing them, which have changed, their comments, which are gone. Not here: requests (`api`), texts
(`document`). Guarantee: the comments of an unchanged issue are not fetched; an issue counts as gone only if the server
says so of this very issue; after a sync that was broken off, what it read is not fetched again.

A repository with few pages of issues is listed whole by every sync, page by page with validators, so that a quiet one
costs only answers without content. A larger one is listed whole once a day, and else only what changed since.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.github.api import Answer, Api, advice
from headwater.sources.github.document import thread_document
from headwater.sources.github.state import Entry, ListState, Page, read_state, write_state
from headwater.sources.github.threads import PATHS, Comment, Kind, RestIssue, read_comments, read_issue
from headwater.sources.source_context import SourceContext

_MAX_LISTED_PAGES = 10  # pages that are listed by every sync
_DAY = 86_400.0  # seconds
_MAX_PAGES = 20_000
_MAX_COMMENT_PAGES = 50  # GitHub allows 2,500 comments on an issue
_GONE = (404, 410)


class Issues:
    """The issues and pull requests of one repository."""

    def __init__(self, api: Api, context: SourceContext, *, repository: str, web: str, kinds: Sequence[Kind]) -> None:
        self._api = api
        self._context = context
        self._repository = repository
        self._web = web
        self._kinds = kinds
        self._old = read_state(context.folder, api.url(f"/repos/{repository}"))
        self._new = ListState(address=self._old.address)
        self._seen: set[str] = set()
        self._home = ""
        self._has_failed = False

    def found(self) -> Iterator[Found]:
        """Every issue and pull request of the chosen kinds.

        Raises:
            SourceError: the list cannot be had.
        """
        is_whole = not (
            self._old.since
            and len(self._old.pages) > _MAX_LISTED_PAGES
            and 0 <= time.time() - self._old.listed < _DAY
            and any(self._mine())
        )
        first = "sort=created&direction=asc" if is_whole else f"sort=updated&direction=desc&since={self._since()}"
        url = self._api.url(f"/repos/{self._repository}/issues?state=all&per_page=100&{first}")
        count = 0
        while url:
            page, answer = self._page(url)
            yield from self._fetch_listed(page, answer)
            self._new.pages[url] = page
            count += 1
            if page.next in self._new.pages or count > _MAX_PAGES:
                raise FetchError(f"The list of issues of {self._repository} does not end.")
            url = page.next
        yield from self._rest(is_whole=is_whole)
        self._keep(is_whole=is_whole)

    def _since(self) -> str:
        return quote(self._old.since, safe="")

    def _mine(self) -> Iterator[str]:
        """The known documents of this repository and the chosen kinds."""
        begins = tuple(f"{self._web}/{PATHS[kind]}/" for kind in self._kinds)
        return (uri for uri in self._context.known if uri.startswith(begins))

    def _page(self, url: str) -> tuple[Page, Answer | None]:
        """A page of the list; from the last sync if the server says that it is the same, and all on it is known."""
        old = self._old.pages.get(url)
        is_known = old is not None and all(map(self._is_known, old.entries))
        answer = self._api.get(url, validator=old.validator if old is not None and is_known else "")
        if answer.status == HTTPStatus.NOT_MODIFIED and old is not None:
            return old, None
        if answer.status == HTTPStatus.GONE:
            raise SourceError(f"{self._repository} has no issues: they are switched off. Leave them out of `read`.")
        if answer.status != HTTPStatus.OK:
            raise FetchError(f"{url.partition('?')[0]} answers {answer.status}. {advice(answer.status)}")
        if not isinstance(answer.value, list):
            raise FetchError(f"{url.partition('?')[0]} does not answer with a list. Check the server's address.")
        return Page(validator=answer.validator, entries=tuple(_entries(answer.value)), next=answer.next), answer

    def _is_known(self, entry: Entry) -> bool:
        kind = _kind(entry)
        if kind not in self._kinds:
            return True
        known_state = self._context.known.get(self._uri(kind, entry.number))
        return known_state is not None and known_state.validator == entry.updated

    def _uri(self, kind: Kind, number: int) -> str:
        return f"{self._web}/{PATHS[kind]}/{number}"

    def _fetch_listed(self, page: Page, answer: Answer | None) -> Iterator[Found]:
        if answer is None:
            for entry in page.entries:
                kind = _kind(entry)
                uri = self._uri(kind, entry.number)
                if kind in self._kinds and uri not in self._seen:
                    self._seen.add(uri)
                    yield UnchangedDocument(uri=uri)
            return
        for value in answer.value:
            try:
                issue = read_issue(value)
            except DocumentError as error:
                yield self._problem("", error)
                continue
            self._home = self._home or issue.repository_url
            yield from self._issue(issue)

    def _issue(self, issue: RestIssue) -> Iterator[Found]:
        uri = self._uri(issue.kind, issue.number)
        if issue.kind not in self._kinds or uri in self._seen:
            return
        self._seen.add(uri)
        known_state = self._context.known.get(uri)
        if known_state is not None and known_state.validator == issue.updated_at:
            yield UnchangedDocument(uri=uri)
            return
        try:
            comments = self._comments(issue.number) if issue.comments else []
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield self._problem(uri, error)
            return
        thread = issue.thread(comments)
        yield FetchedDocument(
            uri=uri,
            fingerprint=content_hash(repr(thread)).hex(),
            parse=partial(thread_document, uri, thread),
            validator=issue.updated_at,
        )

    def _comments(self, number: int) -> list[Comment]:
        comments: list[Comment] = []
        url = self._api.url(f"/repos/{self._repository}/issues/{number}/comments?per_page=100")
        for _ in range(_MAX_COMMENT_PAGES):
            answer = self._api.get(url)
            if answer.status != HTTPStatus.OK:
                raise FetchError(f"{url.partition('?')[0]} answers {answer.status}. Sync again when it works.")
            comments += read_comments(answer.value)
            url = answer.next
            if not url:
                return comments
        raise DocumentError(f"It has more than {_MAX_COMMENT_PAGES} pages of comments.")

    def _rest(self, *, is_whole: bool) -> Iterator[Found]:
        """The known issues that were not listed: unchanged, or probably gone."""
        for uri in sorted(set(self._mine()) - self._seen):
            if not is_whole:
                yield UnchangedDocument(uri=uri)
            else:
                yield from self._fetch_missing(uri)

    def _fetch_missing(self, uri: str) -> Iterator[Found]:
        """Ask for one issue: a list may miss it if it shifts while it is read."""
        issue_number = uri.rpartition("/")[2]
        url = self._api.url(f"/repos/{self._repository}/issues/{issue_number}")
        answer = self._api.get(url)
        if answer.status in _GONE:
            return
        try:
            if answer.status != HTTPStatus.OK:
                raise FetchError(f"{url} answers {answer.status}. Sync again when it works.")  # noqa: TRY301
            issue = read_issue(answer.value)
        except (FetchError, DocumentError) as error:
            yield self._problem(uri, error)
            return
        was_moved = str(issue.number) != issue_number or (self._home and issue.repository_url != self._home)
        if not was_moved:
            yield from self._issue(issue)

    def _problem(self, uri: str, error: SourceError) -> DocumentProblem:
        """A problem; after one, the next sync lists everything, because a list of changes might not have it again."""
        self._has_failed = True
        return DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _keep(self, *, is_whole: bool) -> None:
        updated = [entry.updated for page in self._new.pages.values() for entry in page.entries]
        self._new.since = "" if self._has_failed else max([self._old.since, *updated])
        self._new.listed = time.time() if is_whole else self._old.listed
        if not is_whole:
            lists = {url: page for url, page in self._old.pages.items() if "&since=" not in url}
            self._new.pages = {**lists, **self._new.pages}
        write_state(self._context.folder, self._new)


def _kind(entry: Entry) -> Kind:
    return "pull_requests" if entry.is_pull else "issues"


def _entries(values: Sequence[object]) -> Iterator[Entry]:
    for value in values:
        try:
            issue = read_issue(value)
        except DocumentError:  # it is reported where the page is read
            continue
        yield Entry(issue.number, issue.updated_at, issue.kind == "pull_requests")
