"""Asking Microsoft Graph: sites, libraries, changes, files.

Belongs here: requests, and what their answers say. Not here: which files are read (`library_reader`), pages
(`site_pages`), tokens (`access_tokens`). Guarantee: a list that could not be read to its end is an error; every
request is below one address, whatever a link says; a file counts as gone only if the server says so of this very file.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.http_client import Response
from headwater.sources.json_api import JsonApi, NotShownError, RefusedRequestError, member, object_members, text_member

LIST_SIZE = 999
MAX_ENTRIES = 1_000_000
_MAX_LISTS = 10_000
_FIELDS = {
    "$select": "id,name,size,eTag,file,folder,package,root,deleted,parentReference,webUrl,createdBy,lastModifiedBy,"
    "lastModifiedDateTime"
}
_NOTEBOOK = ".one"
_SITE_FIELDS = {"$select": "id,webUrl"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Library:
    """A library, by its id, its address, and the ids of its root and of the folder in it that is read."""

    id: str
    url: str
    root: str
    folder: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveItem:
    """A file or a folder of a library.

    `version` is another one when the bytes have changed: lists of changes leave out `cTag`, so it is their hash, and
    the tag of everything only where there is none.
    """

    id: str
    name: str
    parent: str
    version: str
    is_file: bool
    is_removed: bool
    size: int
    url: str
    modified: str
    authors: tuple[str, ...]


@dataclass(kw_only=True)
class Changes:
    """What a list of changes says, each item as it stands last, and the link to the next list."""

    items: dict[str, DriveItem] = field(default_factory=dict)
    link: str = ""


class Graph:
    """The interface at one address, for one app."""

    def __init__(self, api: JsonApi, base: str, host: str) -> None:
        self._api = api
        self._base = base
        self._host = host

    def find_site(self, names: Sequence[str]) -> tuple[str, str] | None:
        """The id and the address of the site with an address of these names; None if there is none."""
        path = "/".join(quote(name, safe="") for name in names)
        value = self._api.get(f"/sites/{self._host}:/{path}" if path else f"/sites/{self._host}", _SITE_FIELDS)
        return None if value is None else (text_member(value, "id"), self.check_url(text_member(value, "webUrl")))

    def list_libraries(self, site: str) -> dict[str, str]:
        """The addresses of a site's libraries, by their ids.

        Raises:
            SourceError: they cannot be listed.
        """
        libraries: dict[str, str] = {}
        for page in self.list_pages(f"/sites/{quote(site, safe=',')}/drives", {"$select": "id,webUrl"}):
            libraries |= {text_member(value, "id"): self.check_url(text_member(value, "webUrl")) for value in page}
        return libraries

    def find_item(self, library: str, key: str) -> DriveItem | None:
        """An item by its id; None if it is gone."""
        return self._find(f"/drives/{quote(library, safe='!')}/items/{quote(key, safe='!')}")

    def find_path(self, library: str, names: Sequence[str]) -> DriveItem | None:
        """An item by the names of its path, the root by none; None if it is gone."""
        path = "/".join(quote(name, safe="") for name in names)
        return self._find(f"/drives/{quote(library, safe='!')}/root{f':/{path}' if path else ''}")

    def is_library(self, library: str) -> bool:
        """Whether a library is there."""
        return self._api.get(f"/drives/{quote(library, safe='!')}", {"$select": "id"}) is not None

    def list_changes(self, library: str, link: str) -> Changes | None:
        """What changed in a library since a link was given, or all that is in it; None if the link no longer counts.

        Raises:
            SourceError: the list cannot be read to its end. TooLargeError: it has too many items.
        """
        try:
            return self._list_changes(library, link)
        except RefusedRequestError:
            if not link:
                raise
            return None

    def _list_changes(self, library: str, link: str) -> Changes | None:
        changes = Changes()
        path, fields = link, {}
        if not link:
            path, fields = f"/drives/{quote(library, safe='!')}/root/delta", {**_FIELDS, "$top": str(LIST_SIZE)}
        for value in self._values(path, fields):
            if value is None:
                return None
            read = (read_item(entry) for entry in object_members(value, "value") if "root" not in entry)
            changes.items |= {item.id: item for item in read if item.id}
            changes.link = self._path_of(value, "@odata.deltaLink")
            if len(changes.items) > MAX_ENTRIES:
                raise TooLargeError(
                    f"A library of {self._host} has more than {MAX_ENTRIES:,} files and folders. Nothing was removed."
                )
        if not changes.link:
            raise FetchError(f"A list of changes at {self._host} has no end. Nothing was removed. Sync again later.")
        return changes

    def download(self, library: str, key: str, *, limit: int) -> Response | None:
        """A file's bytes, which another host gives; None if it is gone, as Microsoft Graph itself says.

        Raises:
            DocumentError: it may not be had. FetchError: it cannot be had now. TooLargeError: it exceeds the limit.
        """
        path = f"/drives/{quote(library, safe='!')}/items/{quote(key, safe='!')}/content"
        try:
            return self._api.download(path, limit=limit)
        except NotShownError as error:
            raise DocumentError(f"The file is in the list of its library, but may not be read. {error}") from error

    def list_pages(self, path: str, fields: Mapping[str, str]) -> Iterator[Sequence[Mapping[str, Any]]]:
        """The objects of a list, page by page; none if there is no such list.

        Raises:
            SourceError: it cannot be read to its end.
        """
        for value in self._values(path, fields):
            if value is not None:
                yield object_members(value, "value")

    def get(self, path: str, fields: Mapping[str, str]) -> Any:
        """The JSON at a path; None if nothing is there."""
        return self._api.get(path, fields)

    def check_url(self, url: str) -> str:
        """Return an address at the host of the source.

        Raises:
            FetchError: it is elsewhere.
        """
        if not self.is_here(url):
            raise FetchError(f"The server names an address that is not at {self._host}. Nothing was removed.")
        return quote(url.rstrip("/"), safe="/:%")

    def is_here(self, url: str) -> bool:
        """Whether an address is at the host of the source."""
        with suppress(ValueError):
            url_parts = urlsplit(url)
            return (url_parts.scheme, url_parts.netloc.lower()) == ("https", self._host)
        return False

    def _find(self, path: str) -> DriveItem | None:
        value = self._api.get(path, _FIELDS)
        item = None if value is None else read_item(value)
        return None if item is None or item.is_removed or not item.id else item

    def _values(self, path: str, fields: Mapping[str, str]) -> Iterator[Any]:
        seen = set[str]()
        while path not in seen and len(seen) < _MAX_LISTS:
            seen.add(path)
            value = self._api.get(path, fields)
            if value is not None and not isinstance(member(value, "value"), list):
                raise SourceError(f"{self._base} answers something that is no list. Check `endpoint`.")
            yield value
            path, fields = self._path_of(value, "@odata.nextLink"), {}
            if not path:
                return
        raise FetchError(f"A list of {self._host} does not end. Nothing was removed. Sync again later.")

    def _path_of(self, value: Any, name: str) -> str:
        """What a link says beyond the address of the interface; empty if there is no link.

        Raises:
            FetchError: it leads elsewhere.
        """
        link = member(value, name)
        if not isinstance(link, str) or not link:
            return ""
        if not link.startswith(f"{self._base}/"):
            raise FetchError(f"A list of {self._host} goes on elsewhere than at {self._base}. Nothing was removed.")
        return link[len(self._base) :]


def read_item(value: Mapping[str, Any]) -> DriveItem:
    """An item as the interface describes it; one without a folder is in itself, so it is nowhere."""
    key, name = text_member(value, "id"), value.get("name")
    hashes, size = member(value, "file", "hashes"), value.get("size")
    people = (text_member(value, field, "user", "displayName") for field in ("createdBy", "lastModifiedBy"))
    is_notebook = text_member(value, "package", "type").lower() == "onenote"
    return DriveItem(
        id=key,
        name=f"{name if isinstance(name, str) else ''}{_NOTEBOOK if is_notebook else ''}",  # which counts it as unread
        parent=text_member(value, "parentReference", "id") or key,
        version=text_member(hashes, "quickXorHash") or text_member(value, "eTag"),
        is_file="file" in value or is_notebook,
        is_removed=isinstance(value.get("deleted"), Mapping),
        size=size if isinstance(size, int) else 0,
        url=text_member(value, "webUrl"),
        modified=text_member(value, "lastModifiedDateTime"),
        authors=tuple(dict.fromkeys(filter(None, people))),
    )
