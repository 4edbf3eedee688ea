"""The API of Cosense: the list of pages, and single pages.

Belongs here: requests, and what their answers must look like. Not here: which pages are read (`connector`). Guarantee:
an answer of another form raises an error that says so; a title cannot change the path of a request.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import HttpClient, Response
from headwater.parsing.cosense.project import Project

_MAX_PAGES = 1_000  # pages of one answer: the server gives no more, and does not say so
_SHARED = 10  # pages that an answer repeats of the one before, so that a page which moved meanwhile is not missed
_LIST_LIMIT = 50_000_000  # bytes
_PAGE_LIMIT = 20_000_000
_MAX_ANSWERS = 1_000
_MAX_TITLE_CHARS = 1_000  # characters
_LAST = 1e11  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedPage:
    """A page as the list has it; `updated` is in seconds since 1970."""

    id: str
    title: str
    updated: int


class CosenseApi:
    """The API of one project."""

    def __init__(self, client: HttpClient, project: Project, credential: str | None = None) -> None:
        self._client = client
        self._project = project
        self._credential = credential

    def pages(self) -> tuple[list[ListedPage], bool]:
        """List the pages; returns them, each once, and whether the list is surely complete.

        The list is asked for in the order of creation, which edits do not change. Whoever deletes a page meanwhile
        moves the others up; then there are fewer than the site counts, or nothing links two answers.

        Raises:
            SourceError: the project cannot be read.
        """
        pages_by_id: dict[str, ListedPage] = {}
        skip, is_complete = 0, True
        for _ in range(_MAX_ANSWERS):
            answer = self._list(skip)
            raw = answer["pages"]
            read = [page for entry in raw if (page := _parse_page(entry)) is not None]
            is_linked = skip == 0 or any(page.id in pages_by_id for page in read)
            is_complete = is_complete and is_linked and len(read) == len(raw)
            pages_by_id |= {page.id: page for page in read}
            count = answer["count"]
            if not raw or skip + len(raw) >= count:
                return list(pages_by_id.values()), is_complete and len(pages_by_id) >= count
            skip += max(1, len(raw) - _SHARED)
        return list(pages_by_id.values()), False

    def page(self, title: str) -> Mapping[str, Any] | None:
        """A page with its lines; None if it is gone, or only linked to.

        Raises:
            FetchError: there is no answer, or one that says to try later. DocumentError: it is of another form.
        """
        url = f"{self._api()}/{_quote(title)}"
        response = self._client.get(url, limit=_PAGE_LIMIT)
        if response.status == 404:
            return None
        if response.status != 200:
            raise FetchError(f"{url} answers {response.status}. Sync again later.")
        page = _load_json(response)
        if not isinstance(page, dict) or not isinstance(page.get("lines"), list):
            raise DocumentError(f"{url} answers something that is no page of Cosense. Open it to see what it is.")
        return None if page.get("persistent") is False else page

    def _list(self, skip: int) -> dict[str, Any]:
        url = f"{self._api()}?skip={skip}&limit={_MAX_PAGES}&sort=created"
        response = self._client.get(url, limit=_LIST_LIMIT)
        self._require_access(response.status)
        reply = _load_json(response)
        is_list = isinstance(reply, dict) and isinstance(reply.get("pages"), list)
        if not is_list or not isinstance(reply.get("count"), int):
            raise SourceError(f"{url} answers something that is no list of pages. Check the address of the project.")
        listed: dict[str, Any] = reply
        return listed

    def _require_access(self, status: int) -> None:
        project = f"The project {self._project.name} at {self._project.site}"
        if status in (401, 403) and self._credential is None:
            raise SourceError(
                f"{project} is private. Name a `credential` with a cookie or token of one of its members."
            )
        if status in (401, 403):
            raise SourceError(
                f"{project} refuses the credential {self._credential} ({status}). Sign in again and renew it, and check"
                " that its account is a member."
            )
        if status == 404:
            raise SourceError(f"{project} does not exist. Check its name.")
        if status != 200:
            raise FetchError(f"{project} answers {status}; nothing was changed. Sync again later.")

    def _api(self) -> str:
        return f"{self._project.site}/api/pages/{self._project.name}"


def read_lines(page: Mapping[str, Any]) -> list[str]:
    """The lines of a page: texts, or objects that hold one."""
    return [_text(line.get("text") if isinstance(line, dict) else line) for line in page["lines"]]


def seconds(value: Any) -> int | None:
    """A time in seconds since 1970; None for anything else."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _LAST else None


def _text(value: Any) -> str:
    """A text that can be stored."""
    return value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _parse_page(entry: Any) -> ListedPage | None:
    """A page of a list; None if it is of another form."""
    if not isinstance(entry, dict):
        return None
    title, updated = _text(entry.get("title")).strip(), seconds(entry.get("updated"))
    if not title or len(title) > _MAX_TITLE_CHARS or updated is None or not isinstance(entry.get("id"), str):
        return None
    return ListedPage(id=entry["id"], title=title, updated=updated)


def read_export(content: bytes) -> tuple[str, Iterator[tuple[ListedPage, Mapping[str, Any]]]]:
    """The name of an exported project, and its pages.

    Raises:
        ValueError: it is no export.
    """
    try:
        export = json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(export, dict) or not isinstance(export.get("pages"), list) or not _text(export.get("name")):
        raise ValueError("it is no export of a Cosense project")
    pages = (page for page in export["pages"] if isinstance(page, dict) and isinstance(page.get("lines"), list))
    parsed_pages = (
        (_parse_page({"id": str(index), "updated": 0, **entry}), entry) for index, entry in enumerate(pages)
    )
    return _text(export["name"]), ((page, entry) for page, entry in parsed_pages if page is not None)


def _load_json(response: Response) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _quote(title: str) -> str:
    path = quote(title.replace(" ", "_"), safe="")
    return path.replace(".", "%2E") if path in (".", "..") else path
