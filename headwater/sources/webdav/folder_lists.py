"""Asking a WebDAV server what is in a folder.

Belongs here: PROPFIND, and reading its answers. Not here: which folders are asked for (`connector`). Guarantee: a
folder contains only what is directly below it, at the same host; an answer that says anything else is an error; its XML
is parsed without entities (`headwater.parsing.xml`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest
from headwater.parsing.xml import parse_xml
from headwater.sources.json_api import NotShownError

_QUESTION = (
    b'<?xml version="1.0"?><d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:getetag/>'
    b"<d:getlastmodified/><d:getcontentlength/><d:getcontenttype/><d:resourcetype/><oc:fileid/></d:prop></d:propfind>"
)
_DAV, _OWNCLOUD = "{DAV:}", "{http://owncloud.org/ns}"
_MULTI_STATUS = 207
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MAX_ANSWER_BYTES = 50_000_000
_MAX_SIZE_CHARS = 20  # digits; Python refuses to read some thousands
_ABSENT_STATUSES = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A file or a folder; `path` is below the source's folder, with a slash at the end of a folder's.

    `version` is another one when the file has changed. `file_id` stays when it is moved; only ownCloud, Nextcloud and
    their kin have it, and there a folder has another version when anything below it has changed.
    """

    path: str
    version: str
    file_id: str
    size: int
    media_type: str
    modified: str

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.endswith("/") or not self.path


class Listing:
    """The folders of one server below an address, which ends with a slash."""

    def __init__(self, client: HttpClient, folder: str, credential: str | None) -> None:
        self._client = client
        self._folder = folder
        self._credential = credential
        self._root = unquote(urlsplit(folder).path)

    def url_of(self, path: str) -> str:
        """The address of a path."""
        return f"{self._folder}{quote(path)}"

    def list_folder(self, path: str) -> tuple[Entry, list[Entry]] | None:
        """A folder itself, and what is in it; None if it is gone.

        Raises:
            SourceError: the server gives nothing to this secret. NotShownError: it may be listed by others alone.
                FetchError: no answer, or none that makes sense.
        """
        entries = self._ask(path, "1")
        if entries is None:
            return None
        itself = entries.pop(path, None)
        if itself is None:
            raise FetchError(f"{self.url_of(path)} does not list itself. Nothing was removed. Check `url`.")
        for entry in entries.values():
            name = entry.path.removeprefix(path)
            if not entry.path.startswith(path) or "/" in name.removesuffix("/"):
                raise FetchError(
                    f"{self.url_of(path)} lists something that is not in it ({entry.path[:200]}). Nothing was removed."
                )
        return itself, list(entries.values())

    def is_there(self, path: str) -> bool:
        """Whether a file is there; a folder with its name is none.

        Raises:
            SourceError: as `list_folder` does. FetchError: the same.
        """
        entries = self._ask(path, "0")
        return entries is not None and f"{path}/" not in entries

    def download(self, path: str, *, limit: int) -> Response | None:
        """A file; None if it is gone.

        Raises:
            SourceError: as `list_folder` does. FetchError: it cannot be had now. DocumentError: it may only be
                listed. TooLargeError: it exceeds the limit.
        """
        response = self._client.send(self.url_of(path), HttpRequest(is_redirected=False), limit=limit)
        if response.status == HTTPStatus.FORBIDDEN and self._credential is not None:
            raise DocumentError(f"{self.url_of(path)} is in the list of its folder, but may not be downloaded (403).")
        return None if response.status in _ABSENT_STATUSES else self._require(response, path, HTTPStatus.OK)

    def _ask(self, path: str, depth: str) -> dict[str, Entry] | None:
        headers = {"Depth": depth, "Content-Type": "application/xml; charset=utf-8"}
        message = HttpRequest(method="PROPFIND", headers=headers, content=_QUESTION, is_redirected=False)
        response = self._client.send(self.url_of(path), message, limit=_MAX_ANSWER_BYTES)
        if response.status in _ABSENT_STATUSES:
            return None
        self._require(response, path, _MULTI_STATUS)
        try:
            root = parse_xml(response.content)
        except DocumentError as error:
            raise FetchError(
                f"{self.url_of(path)} does not answer with a list of files. {error} Nothing was removed."
            ) from error
        return {entry.path: entry for entry in self._read(root)}

    def _read(self, root: Any) -> Iterator[Entry]:
        for answer in root.iter(f"{_DAV}response"):
            properties = [
                block.find(f"{_DAV}prop")
                for block in answer.iter(f"{_DAV}propstat")
                if " 200" in (block.findtext(f"{_DAV}status") or " 200")
            ]
            texts = {item.tag: (item.text or "").strip() for block in properties if block is not None for item in block}
            is_folder = any(
                block is not None and block.find(f".//{_DAV}collection") is not None for block in properties
            )
            path = self._path_of(answer.findtext(f"{_DAV}href") or "")
            path = f"{path.rstrip('/')}/" if is_folder and path else path
            size, file_id = (
                texts.get(f"{_DAV}getcontentlength", "")[:_MAX_SIZE_CHARS],
                texts.get(f"{_OWNCLOUD}fileid", ""),
            )
            modified = texts.get(f"{_DAV}getlastmodified", "")
            yield Entry(
                path=path, version=texts.get(f"{_DAV}getetag") or (f"{modified} {size}" if modified else ""),
                file_id=file_id if file_id.isdecimal() else "", size=int(size) if size.isdecimal() else 0,
                media_type=texts.get(f"{_DAV}getcontenttype", ""), modified=modified,
            )  # fmt: skip

    def _path_of(self, href: str) -> str:
        """The path below the source's folder that an answer names.

        Raises:
            FetchError: it is at another host, or outside the folder.
        """
        try:
            base, target = urlsplit(self._folder), urlsplit(urljoin(self._folder, href.strip()))
            path = unquote(target.path, errors="strict")
            is_same = (target.scheme, target.netloc.lower()) == (base.scheme, base.netloc.lower())
        except ValueError:
            is_same, path = False, ""
        is_below = f"{path}/".startswith(self._root) and not {"..", "."} & set(path.split("/"))
        if not is_same or not is_below or _CONTROL.search(path) or "\\" in path or "//" in path:
            raise FetchError(
                f"{self._folder} lists an address that is not below it ({href.strip()[:200]!r}). Nothing was removed."
                " Check `url`: give the address with which the server itself answers."
            )
        return path[len(self._root) :]

    def _require(self, response: Response, path: str, status: int) -> Response:
        if response.status == status:
            return response
        url, name = self.url_of(path), self._credential
        if response.status == HTTPStatus.FORBIDDEN and (path or name is not None):
            who = "without a `credential`" if name is None else f"to the credential {name}"
            raise NotShownError(f"{url} answers 403: it is not shown {who}. Nothing was removed.")
        if response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) and name is None:
            raise SourceError(f"{url} is private ({response.status}). Name a `credential`: user:app-password.")
        if response.status == HTTPStatus.UNAUTHORIZED:
            raise SourceError(
                f"{url} does not accept the credential {name} (401): it is wrong, or no longer valid. Renew it. What"
                " was read is kept, and nothing was removed."
            )
        if response.status == HTTPStatus.METHOD_NOT_ALLOWED:
            raise SourceError(f"{url} does not speak WebDAV (405). Check `url`.")
        raise FetchError(f"{url} answers {response.status}. What was read is kept, and nothing was removed.")
