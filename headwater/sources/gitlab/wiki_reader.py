"""The pages of wikis in one sync.

Belongs here: which pages are read, which were renamed, and which are gone. Not here: requests (`api`), texts
(`document`). Guarantee: one request lists a wiki with its content; a page that it leaves out is asked for singly
before it counts as removed; a wiki that cannot be read is one problem, and its pages stay.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.gitlab.api import GitLabApi, Place
from headwater.sources.gitlab.config import GitLabConfig
from headwater.sources.gitlab.document import wiki_document, wiki_uri
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import NotShownError, RefusalCount, text_member
from headwater.sources.source_context import SourceContext

_MARK = "/-/wikis/"
_RECORD = "wikis.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Page:
    """A page of a list."""

    place: Place
    slug: str
    content: Mapping[str, Any]

    @property
    def version(self) -> str:
        """A text that differs for another title and another content, whose second part is of the content alone."""
        content = str(self.content.get("content"))
        return f"{content_hash(text_member(self.content, 'title'), content).hex()} {content_hash(content).hex()}"


class WikiReader:
    """Reads the wikis of some projects and groups; `is_alone` if the source reads nothing else."""

    def __init__(self, api: GitLabApi, context: SourceContext, config: GitLabConfig, *, is_alone: bool) -> None:
        self._api = api
        self._context = context
        self._config = config
        self._is_alone = is_alone
        self._refusals = RefusalCount(config.web)
        self._kept = read_list(context.folder, f"{config.api} {config.path}", name=_RECORD)
        self._items: dict[str, Item] = {}
        self._pages: dict[str, _Page] = {}
        self._refused: set[str] = set()

    @property
    def is_refused(self) -> bool:
        """Whether a wiki could not be read."""
        return bool(self._refused)

    def fetch(self, places: list[Place]) -> Iterator[Found]:
        """Yield a document per page, and a problem per wiki that cannot be read.

        Raises:
            SourceError: no wiki can be read, and nothing else either.
        """
        self._places = {_root(place): place for place in places}
        self._versions = {uri: item.version for uri, item in self._kept.items.items()}
        self._versions |= {uri: stored.validator for uri, stored in self._context.known.items() if _MARK in uri}
        for place in places:
            if place.has_wiki:
                yield from self._list(place)
        moved = self._find_moves()
        gone: dict[str, str] = {}
        for uri in sorted(self._versions.keys() - self._pages.keys() - set(moved.values())):
            yield from self._find_missing(uri, gone)
        renamed = {**self._find_renames(gone), **moved}
        for uri, page in self._pages.items():
            self._items[uri] = Item(page.version, "", page.place.key)
            yield self._page(uri, page, renamed.get(uri, ""))
        record = ItemList(address=self._kept.address, cursor="listed", listed=time.time(), items=self._items)
        write_list(self._context.folder, record, name=_RECORD)

    def _list(self, place: Place) -> Iterator[Found]:
        """Note the pages of a wiki; yields a problem if it cannot be read."""
        root = _root(place)
        # Only some editions have wikis of groups; one that had pages must have become hidden.
        is_expected = place.kind == "projects" or any(self._root_of(uri) == root for uri in self._versions)
        try:
            values = self._api.list_wiki(place, is_expected=is_expected)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except SourceError as error:
            is_of_wiki = isinstance(error, FetchError | DocumentError) or self._config.credential is None
            if not is_of_wiki or (self._is_alone and len(self._places) == 1):
                raise
            if not isinstance(error, NotShownError):
                self._refusals.add(error)
            self._refused.add(root)  # the slash at the end of the URI keeps what is stored below it
            yield DocumentProblem(uri=f"{self._config.web}/{root}{_MARK}", code=error.code, message=str(error))
            return
        for value in values:
            if slug := text_member(value, "slug"):
                uri = wiki_uri(self._config.web, root, slug)
                self._pages[uri] = _Page(place=place, slug=slug, content=value)

    def _root_of(self, uri: str) -> str:
        return uri.removeprefix(f"{self._config.web}/").partition(_MARK)[0]

    def _page(self, uri: str, page: _Page, old: str) -> Found:
        stored = self._context.known.get(uri)
        if stored is not None and stored.validator == page.version:
            return UnchangedDocument(uri=uri)
        title, content = text_member(page.content, "title"), page.content.get("content")
        text = content if isinstance(content, str) else ""
        return FetchedDocument(
            uri=uri,
            fingerprint=page.version,
            parse=partial(wiki_document, uri, title, text, page.place.path),
            validator=page.version,
            renamed_from=old,
        )

    def _find_moves(self) -> dict[str, str]:
        """The old URIs of pages whose project has another path now, by the new ones."""
        new: dict[str, list[str]] = {}
        for uri, page in self._pages.items():
            if uri not in self._versions:
                new.setdefault(page.slug, []).append(uri)
        moved: dict[str, str] = {}
        for uri in sorted(self._versions.keys() - self._pages.keys()) if new else ():
            if self._root_of(uri) in self._places:
                continue
            item = self._kept.items.get(uri)
            place = item.parent if item else ""
            same = [
                target
                for target in new.get(unquote(uri.partition(_MARK)[2]), ())
                if target not in moved and (not place or place == self._pages[target].place.key)
            ]
            if len(same) > 1:  # no record says of which project it was
                same = [target for target in same if self._pages[target].version == self._versions[uri]]
            if len(same) == 1:
                moved[same[0]] = uri
        return moved

    def _find_renames(self, gone: Mapping[str, str]) -> dict[str, str]:
        """The old URIs of pages with other names, by the new ones: GitLab tells them by nothing but their content."""
        by_content: dict[str, list[str]] = {}
        for uri, version in gone.items():
            by_content.setdefault(version.partition(" ")[2], []).append(uri)
        renamed = {}
        for uri, page in self._pages.items():
            old = by_content.get(page.version.partition(" ")[2], [])
            if uri not in self._context.known and len(old) == 1:
                renamed[uri] = old.pop()
        return renamed

    def _find_missing(self, uri: str, gone: dict[str, str]) -> Iterator[Found]:
        """What has become of a page that no list names; it is added to `gone` if the server says so."""
        root = self._root_of(uri)
        item = self._kept.items.get(uri, Item(self._versions[uri]))
        place = self._places.get(root) or next(
            (place for place in self._places.values() if place.key == item.parent), None
        )
        if place is not None and not place.has_wiki:  # the project says itself that it has none any more
            gone[uri] = self._versions[uri]
            return
        if place is not None and _root(place) in self._refused:
            self._items[uri] = item
            if uri in self._context.known:
                yield UnchangedDocument(uri=uri)
            return
        answer = self._ask_singly(uri, place)
        if answer is None:
            gone[uri] = self._versions[uri]
        else:
            self._items[uri] = item
            yield answer

    def _ask_singly(self, uri: str, place: Place | None) -> Found | None:
        """A page that a list leaves out: None if it is gone."""
        root, _, slug = uri.removeprefix(f"{self._config.web}/").partition(_MARK)
        kind = "groups" if root.startswith("groups/") else "projects"
        try:
            name = place.id if place else root.removeprefix("groups/")
            is_there = self._api.is_wiki_page(kind, name, unquote(slug))
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            self._refusals.add(error)
            return DocumentProblem(uri=uri, code=error.code, message=str(error))
        if is_there and uri not in self._context.known:
            message = "The list of the wiki leaves it out, although it is there. Sync again later."
            return DocumentProblem(uri=uri, code=FetchError.code, message=message)
        return UnchangedDocument(uri=uri) if is_there else None


def _root(place: Place) -> str:
    """What the addresses of its pages begin with, below that of the server."""
    return place.path if place.kind == "projects" else f"groups/{place.path}"
