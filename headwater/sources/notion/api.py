"""Asking Notion: pages by the time of their last change, data sources, contents, single pages, files.

Belongs here: requests. Not here: which pages are read (`connector`), their shape (`page`). Guarantee: a list that could
not be read to its end is an error; a page counts as gone only if the server says so of this very page; the signed
address of a file stands in no message.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.errors import DocumentError, FetchError, FetchRefusedError, SourceError
from headwater.fetching.http_client import HttpClient
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.patience import LimitReachedError
from headwater.sources.json_api import JsonApi, member, object_members, text_member
from headwater.sources.notion.page import FileBlock, Page, read_id, read_page

VERSION = {"Notion-Version": "2026-03-11"}
_LIST_SIZE = 100
_MAX_LISTS = 20_000
_MAX_PARTS = 200
_NEWEST_FIRST = {"timestamp": "last_edited_time", "direction": "descending"}


class NotionApi:
    """The interface, for what is shared with one integration."""

    def __init__(self, api: JsonApi, client: HttpClient, base: str) -> None:
        self._api = api
        self._client = client
        self._base = base
        self._people: dict[str, str] = {}
        self._shows_people = True

    def list_newest(self) -> Iterator[list[Page]]:
        """All pages that the search finds, those that changed last first, one request at a time.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        body = {"sort": _NEWEST_FIRST, "filter": {"property": "object", "value": "page"}}
        for values in self._lists("/v1/search", body):
            yield [page for value in values if (page := read_page(value)) is not None and not page.is_gone]

    def list_sources(self) -> dict[str, str]:
        """The titles of data sources, by id.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        body = {"filter": {"property": "object", "value": "data_source"}}
        sources = (value for values in self._lists("/v1/search", body) for value in values)
        titles = {
            read_id(member(source, "id")): _title(source)
            for source in sources
            if member(source, "in_trash") is not True
        }
        return {identity: title for identity, title in titles.items() if identity}

    def list_rows(self, source: str) -> Iterator[list[Page]]:
        """The pages of a data source, which the search may leave out.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        for values in self._lists(f"/v1/data_sources/{source}/query", {}):
            yield [page for value in values if (page := read_page(value)) is not None and not page.is_gone]

    def list_trashed(self) -> frozenset[str]:
        """The ids of pages that were deleted lately, as far as the server says.

        Raises:
            SourceError: it accepts no more requests.
        """
        body = {"sort": _NEWEST_FIRST, "filter": {"in_trash": True}, "page_size": _LIST_SIZE}
        try:
            value = self._api.post("/v1/search", body)
        except LimitReachedError:
            raise
        except FetchError:  # the list of all shows it later
            return frozenset()
        return frozenset(read_id(page.get("id")) for page in object_members(value, "results"))

    def read(self, identity: str) -> Page | None:
        """A page by its id; None if it is gone, in the trash, or no longer shared.

        Raises:
            SourceError: the server does not say so.
        """
        value = self._api.get(f"/v1/pages/{identity}")
        page = None if value is None else read_page(value)
        if value is not None and page is None:
            raise DocumentError(f"{self._base}/v1/pages/{identity} answers something that is no page.")
        return None if page is None or page.is_gone else page

    def markdown(self, identity: str) -> str | None:
        """The content of a page; None if it is gone. Parts that the server leaves out of a large page are asked for.

        Raises:
            SourceError: it cannot be had. DocumentError: it is too large.
        """
        pending, texts, seen = [identity], list[str](), set[str]()
        while pending:
            block_id = pending.pop(0)
            if block_id in seen:
                continue
            seen.add(block_id)
            if len(seen) > _MAX_PARTS:
                raise DocumentError(f"The page has more than {_MAX_PARTS} parts that must be asked for singly.")
            value = self._api.get(f"/v1/pages/{block_id}/markdown")
            if value is None and block_id == identity:
                return None
            text = member(value, "markdown")
            texts.append(text if isinstance(text, str) else "")
            unknown = member(value, "unknown_block_ids")
            pending += filter(None, map(read_id, unknown if isinstance(unknown, list) else ()))
        return "\n\n".join(texts)

    def blocks(self, identity: str) -> list[Mapping[str, Any]]:
        """The blocks of a page, without those that are within others.

        Raises:
            SourceError: they cannot be had.
        """
        fields, blocks = {"page_size": str(_LIST_SIZE)}, list[Mapping[str, Any]]()
        for _ in range(_MAX_PARTS):
            value = self._api.get(f"/v1/blocks/{identity}/children", fields)
            blocks += object_members(value, "results")
            following = text_member(value, "next_cursor")
            if not following or following == fields.get("start_cursor"):
                break
            fields["start_cursor"] = following
        return blocks

    def person(self, identity: str) -> str:
        """The name of a person; empty if the integration may not see it."""
        if identity not in self._people and self._shows_people and read_id(identity):
            try:
                self._people[identity] = text_member(self._api.get(f"/v1/users/{identity}"), "name")
            except LimitReachedError:
                raise
            except FetchError:
                self._shows_people = False
        return self._people.get(identity, "")

    def download(self, file: FileBlock, *, limit: int) -> tuple[bytes, str]:
        """The bytes of a file and their type, from wherever Notion keeps it; the secret is not sent there.

        Raises:
            FetchError: it cannot be had now. TooLargeError: it exceeds the limit.
        """
        try:
            response = self._client.send(file.url, HttpRequest(), limit=limit)
        except LimitReachedError:
            raise
        except FetchRefusedError:
            raise FetchRefusedError(f"The file {file.name} is at an address that may not be fetched.") from None
        except FetchError:
            raise FetchError(f"The file {file.name} could not be fetched. Sync again later.") from None
        if response.status != 200:
            raise FetchError(f"The file {file.name} could not be fetched ({response.status}). Sync again later.")
        return response.content, response.media_type

    def _lists(self, path: str, fields: Mapping[str, Any]) -> Iterator[list[Any]]:
        paging: dict[str, Any] = {"page_size": _LIST_SIZE}
        seen: set[str] = set()
        for _ in range(_MAX_LISTS):
            value = self._api.post(path, {**fields, **paging})
            results = member(value, "results")
            if not isinstance(results, list):
                raise SourceError(f"{self._base}{path} answers something that is no list. Nothing was removed.")
            yield results
            following = text_member(value, "next_cursor")
            if member(value, "has_more") is not True or not following:
                return
            if following in seen:
                break
            seen.add(following)
            paging["start_cursor"] = following
        raise FetchError(f"The list of {self._base}{path} does not end. Sync again later.")


def _title(source: Any) -> str:
    texts = object_members(source, "title")
    return " ".join("".join(text_member(text, "plain_text") for text in texts).split())
