"""The pages of a wiki in one sync.

Belongs here: which pages are read, which were renamed, and which are gone. Not here: requests (`api`), texts
(`document`). Guarantee: one request lists a wiki with its content; a page that it leaves out is asked for singly
before it counts as removed.
"""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.gitlab.api import GitLabApi, Place
from headwater.sources.gitlab.config import GitLabConfig
from headwater.sources.gitlab.document import wiki_document, wiki_uri
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import RefusalCount, text_member
from headwater.sources.source_context import SourceContext

_MARK = "/-/wikis/"
_RECORD = "wikis.json"


class WikiReader:
    """Reads the wikis of some projects and groups."""

    def __init__(self, api: GitLabApi, context: SourceContext, config: GitLabConfig) -> None:
        self._api = api
        self._context = context
        self._config = config
        self._refusals = RefusalCount(config.web)
        self._kept = read_list(context.folder, f"{config.api} {config.path}", name=_RECORD)
        self._items: dict[str, Item] = {}

    def fetch(self, places: list[Place]) -> Iterator[Found]:
        """Yield a document per page.

        Raises:
            SourceError: a wiki cannot be read.
        """
        pages: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for place in places:
            root = place.path if place.kind == "projects" else f"groups/{place.path}"
            for page in self._api.list_wiki(place):
                if slug := text_member(page, "slug"):
                    pages[wiki_uri(self._config.web, root, slug)] = (root, page)
        versions = {uri: item.version for uri, item in self._kept.items.items()}
        versions |= {uri: stored.validator for uri, stored in self._context.known.items() if _MARK in uri}
        gone = {}
        for uri in sorted(versions.keys() - pages.keys()):
            answer = self._ask_singly(uri)
            if answer is None:
                gone[uri] = versions[uri]
            else:
                self._items[uri] = Item(versions[uri])
                yield answer
        renamed = self._find_renames(pages, gone)
        for uri, (root, page) in pages.items():
            self._items[uri] = Item(_version(page))
            yield self._page(uri, root, page, renamed.get(uri, ""))
        record = ItemList(address=self._kept.address, cursor="listed", listed=time.time(), items=self._items)
        write_list(self._context.folder, record, name=_RECORD)

    def _page(self, uri: str, root: str, page: Mapping[str, Any], old: str) -> Found:
        version = _version(page)
        stored = self._context.known.get(uri)
        if stored is not None and stored.validator == version:
            return UnchangedDocument(uri=uri)
        title, content = text_member(page, "title"), page.get("content")
        text = content if isinstance(content, str) else ""
        return FetchedDocument(
            uri=uri,
            fingerprint=version,
            parse=partial(wiki_document, uri, title, text, root.removeprefix("groups/")),
            validator=version,
            renamed_from=old,
        )

    def _find_renames(
        self, pages: Mapping[str, tuple[str, Mapping[str, Any]]], gone: Mapping[str, str]
    ) -> dict[str, str]:
        """The old URIs of pages with other names, by the new ones: GitLab tells them by nothing but their content."""
        by_content: dict[str, list[str]] = {}
        for uri, version in gone.items():
            by_content.setdefault(version.partition(" ")[2], []).append(uri)
        renamed = {}
        for uri, (_, page) in pages.items():
            old = by_content.get(_version(page).partition(" ")[2], [])
            if uri not in self._context.known and len(old) == 1:
                renamed[uri] = old.pop()
        return renamed

    def _ask_singly(self, uri: str) -> Found | None:
        """A page that a list leaves out: None if it is gone."""
        path, _, slug = uri.removeprefix(f"{self._config.web}/").partition(_MARK)
        kind = "groups" if path.startswith("groups/") else "projects"
        try:
            is_there = self._api.is_wiki_page(kind, path.removeprefix("groups/"), unquote(slug))
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


def _version(page: Mapping[str, Any]) -> str:
    """A text that differs for another title and another content, whose second part is of the content alone."""
    content = str(page.get("content"))
    return f"{content_hash(text_member(page, 'title'), content).hex()} {content_hash(content).hex()}"
