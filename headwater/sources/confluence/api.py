"""Asking Confluence: lists of what has changed, contents, single items.

Belongs here: requests of Cloud and of Data Center, which take the same queries. Not here: which items are read
(`connector`), their shape (`content`). Guarantee: a list that could not be read to its end is an error; an item counts
as gone only if the server says so of this very item.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from headwater.errors import FetchError, SourceError
from headwater.fetching.http_client import Response
from headwater.fetching.patience import LimitReachedError
from headwater.sources.confluence.config import ConfluenceConfig
from headwater.sources.confluence.content import Content, read_content
from headwater.sources.json_api import JsonApi, member, next_fields, object_members, text_member

_SEARCH = "/rest/api/content/search"
_OF_LISTS = "version,space,container,ancestors,extensions,history,metadata.labels"
_LIST_SIZE = 100
BATCH_SIZE = 25
"""Items whose contents are asked for at once."""
_TRASH_SIZE = 250
_MAX_LISTS = 20_000


class ConfluenceApi:
    """The interface of one server, for some of its spaces."""

    def __init__(self, api: JsonApi, config: ConfluenceConfig) -> None:
        self._api = api
        self._config = config

    def list_newest(self) -> Iterator[list[Content]]:
        """All items, those that changed last first, one request at a time.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        kinds = ", ".join(self._config.read)
        keys = ", ".join(f'"{key}"' for key in self._config.keys)
        condition = f"space in ({keys})" if keys else "space.type = global"
        query = f"{condition} and type in ({kinds}) order by lastmodified desc"
        yield from self._pages({"cql": query, "expand": _OF_LISTS, "limit": str(_LIST_SIZE)})

    def read_all(self, ids: Sequence[str]) -> list[Content]:
        """Some pages and blog posts with their contents; those that the server does not list are missing.

        Raises:
            SourceError: they cannot be had.
        """
        fields = {"expand": f"{_OF_LISTS},body.storage", "limit": str(len(ids)), "cql": f"id in ({', '.join(ids)})"}
        return [content for page in self._pages(fields) for content in page]

    def list_trashed(self) -> frozenset[str]:
        """The ids of pages that were deleted, as far as the server says with one request; only Cloud does.

        Raises:
            SourceError: it accepts no more requests.
        """
        if not self._config.is_cloud:
            return frozenset()
        fields = {"status": "trashed", "sort": "-modified-date", "limit": str(_TRASH_SIZE)}
        try:
            value = self._api.get("/api/v2/pages", fields)
        except LimitReachedError:
            raise
        except FetchError:  # the whole list shows it later
            return frozenset()
        return frozenset(text_member(page, "id") for page in object_members(value, "results"))

    def is_there(self, identity: str, spaces: frozenset[str]) -> bool:
        """Whether a page or blog post that no list names is there.

        Args:
            identity: its id.
            spaces: the ids (Cloud) or keys (Data Center) of the spaces that it may be in; empty for any.

        Raises:
            SourceError: the server does not say so.
        """
        paths = (f"/api/v2/pages/{identity}", f"/api/v2/blogposts/{identity}")
        fields = {} if self._config.is_cloud else {"expand": "space"}
        for path in paths if self._config.is_cloud else (f"/rest/api/content/{identity}",):
            value = self._api.get(path, fields)
            if value is not None:
                space = text_member(value, "spaceId") if self._config.is_cloud else text_member(value, "space", "key")
                is_in_another = bool(spaces and space and space not in spaces)
                return text_member(value, "status") == "current" and not is_in_another
        return False

    def is_attached(self, page: str, name: str) -> bool:
        """Whether a page has an attachment of a name.

        Raises:
            SourceError: the server does not say so.
        """
        path = (
            f"/api/v2/pages/{page}/attachments"
            if self._config.is_cloud
            else f"/rest/api/content/{page}/child/attachment"
        )
        return bool(object_members(self._api.get(path, {"filename": name}), "results"))

    def download(self, content: Content, *, limit: int) -> Response | None:
        """The bytes of an attachment; None if it is gone.

        Raises:
            SourceError: the server gives nothing more. FetchError: it cannot be had now. TooLargeError: it exceeds the
                limit.
        """
        path = content.path
        if self._config.is_cloud:
            path = f"/rest/api/content/{quote(content.parent_id)}/child/attachment/{quote(content.id)}/download"
        return self._api.download(path, limit=limit) if path else None

    def _pages(self, fields: dict[str, str]) -> Iterator[list[Content]]:
        seen: set[str] = set()
        for _ in range(_MAX_LISTS):
            value = self._api.get(_SEARCH, fields)
            results = member(value, "results")
            if not isinstance(results, list):
                raise SourceError(
                    f"{self._config.api} answers something that is no list of pages. Check `url`, `spaces` and"
                    " `edition`. Nothing was removed."
                )
            yield [content for item in results if (content := read_content(item)) is not None]
            next_query = next_fields(member(value, "_links", "next"))
            if not next_query:
                return
            fields = {
                **fields,
                **{name: next_query[name] for name in ("cursor", "start", "limit") if name in next_query},
            }
            key = f"{fields.get('cursor')} {fields.get('start')}"
            if key in seen:
                break
            seen.add(key)
        raise FetchError(f"The list of pages of {self._config.api} does not end. Sync again later.")
