"""Reading the pages of one site.

Belongs here: which pages are read, their text, and which are gone. Not here: requests (`graph`), files
(`library_reader`). Guarantee: only what is published is read; a page that the list leaves out is asked for singly
before it counts as removed.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skips
from headwater.errors import FetchError
from headwater.parsing.parser import File
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import from_file
from headwater.sources.json_api import NotShownError, RefusalCount, member, object_members, text_member
from headwater.sources.sharepoint.graph import Graph, read_item
from headwater.sources.source_context import SourceContext

_KIND = "microsoft.graph.sitePage"
_FIELDS = {"$select": "id,name,title,webUrl,eTag,publishingState"}
_PAGE = "page:"
"""Stands before the ids of pages at the end of their versions."""


class SitePages:
    """The pages of one site in one sync."""

    def __init__(
        self, graph: Graph, context: SourceContext, site: str, url: str, *, refusals: RefusalCount, skips: Skips
    ) -> None:
        self._graph = graph
        self._context = context
        self._path = f"/sites/{quote(site, safe=',')}/pages"
        self._refusals = refusals
        self._skips = skips
        self._below = f"{url}/SitePages/"
        self._known = {
            key.removeprefix(_PAGE): uri
            for uri, state in context.known.items()
            if (key := state.validator.rpartition(" ")[2]).startswith(_PAGE)
        }

    def fetch(self) -> Iterator[Found]:
        """Yield a document per page.

        Raises:
            SourceError: they cannot be listed.
        """
        listed = set[str]()
        try:
            for page in self._graph.list_pages(f"{self._path}/{_KIND}", _FIELDS):
                for value in page:
                    listed.add(text_member(value, "id"))
                    yield from self._page(value)
        except NotShownError as error:  # the slash at the end of the URI keeps what is stored of the pages
            yield DocumentProblem(uri=self._below, code=error.code, message=f"The pages of the site: {error}")
            yield from (UnchangedDocument(uri=uri) for uri in self._known.values() if not uri.startswith(self._below))
            return
        for key in sorted(self._known.keys() - listed):
            yield from self._try(key, self._known[key])

    def _page(self, value: Mapping[str, Any]) -> Iterator[Found]:
        key, known_uri = text_member(value, "id"), self._known.get(text_member(value, "id"), "")
        uri = self._find_uri(value) or known_uri
        if not key or not uri:
            return
        stored = self._context.known.get(known_uri)
        is_published = text_member(value, "publishingState", "level") == "published"
        if stored is not None and (not is_published or stored.validator == _version(value, key)):
            yield UnchangedDocument(uri=known_uri)  # the last that was published, while somebody edits it
        elif is_published:
            yield from self._try(key, uri)
        else:
            self._skips.add("unselected", [uri])

    def _find_uri(self, value: Mapping[str, Any]) -> str:
        """The address of a page; that of its name if the server names one at another host, empty if it has none."""
        url, name = text_member(value, "webUrl"), text_member(value, "name")
        if self._graph.is_here(url):
            return quote(url, safe="/:%")
        return f"{self._below}{quote(name, safe='')}" if name else ""

    def _try(self, key: str, uri: str) -> Iterator[Found]:
        previous = self._known.get(key, uri)
        fetch = partial(self._document, key, uri)
        return self._refusals.try_document(uri, fetch, previous_uri=previous if previous != uri else "")

    def _document(self, key: str, uri: str) -> FetchedDocument | None:
        """A page; None if it is gone."""
        value = self._graph.get(f"{self._path}/{quote(key, safe='')}/{_KIND}", {"$expand": "canvasLayout"})
        if value is None:
            return None
        if text_member(value, "publishingState", "level") != "published":
            raise FetchError("The page is being edited now. Sync again later.")
        item = read_item(value)
        content = _to_html(text_member(value, "title") or item.name, member(value, "canvasLayout"))
        metadata = {"last_modified": item.modified, "authors": list(item.authors)}
        document = from_file(File(content=content.encode(), uri=uri, media_type="text/html"), metadata=metadata)
        return replace(document, validator=_version(value, key))


def _version(value: Mapping[str, Any], key: str) -> str:
    return f"{text_member(value, 'eTag')} {_PAGE}{key}"


def _to_html(title: str, layout: Any) -> str:
    """The texts of a page's web parts, in the order of its sections."""
    sections = object_members(layout, "horizontalSections")
    columns = [column for section in sections for column in object_members(section, "columns")]
    vertical = member(layout, "verticalSection")
    if isinstance(vertical, Mapping):
        columns.append(vertical)
    texts: list[str] = []
    for web_part in itertools.chain.from_iterable(object_members(column, "webparts") for column in columns):
        text = web_part.get("innerHtml")
        texts.append(text if isinstance(text, str) else "")
        processed = object_members(web_part, "data", "serverProcessedContent", "searchablePlainTexts")
        texts += (f"<p>{escape(text_member(entry, 'value'))}</p>" for entry in processed)
    body = "\n".join(filter(None, texts))
    return f"<!doctype html><html><body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
