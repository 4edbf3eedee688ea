"""Asking Jira: issues by a query, ids alone, single issues, comments, attachments.

Belongs here: requests of Cloud and of Data Center. Not here: which issues are read (`connector`), their shape
(`issue`). Guarantee: a list that could not be read to its end is an error; an issue counts as gone only if the server
says so of this very issue; queries hold no date as text.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import Response
from headwater.sources.jira.config import JiraConfig
from headwater.sources.jira.issue import FIELDS, Attachment, Comment, Issue, read_comments, read_issue
from headwater.sources.json_api import JsonApi, member, object_members, text_member

_LIST_SIZE = 100
_MAX_LISTS = 50_000
_MAX_COMMENT_LISTS = 100


class JiraApi:
    """The interface of one server, for some of its projects."""

    def __init__(self, api: JsonApi, config: JiraConfig) -> None:
        self._api = api
        self._config = config
        self._root = "/rest/api/3" if config.is_cloud else "/rest/api/2"
        self.max_ids = 5_000 if config.is_cloud else 1_000
        """Ids that come with one request."""

    def list_issues(self, since: int | None = None) -> Iterator[list[Issue]]:
        """All issues in order of creation, or those that changed since a time in milliseconds.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        since_condition = "" if since is None else f" and updated >= {since}"
        order = "created" if since is None else "updated"
        fields = {"fields": FIELDS, "expand": "renderedFields", "maxResults": str(_LIST_SIZE)}
        for values in self._lists(f"{self._projects}{since_condition} order by {order} asc", fields):
            yield [issue for value in values if (issue := read_issue(value)) is not None]

    def list_ids(self) -> frozenset[str]:
        """The ids of all issues.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        lists = self._lists(f"{self._projects} order by created asc", {"fields": "id", "maxResults": str(self.max_ids)})
        return frozenset(identity for values in lists for value in values if (identity := text_member(value, "id")))

    def read(self, identity: str) -> Issue | None:
        """An issue by its id or key; None if it is gone, or in none of the projects.

        Raises:
            SourceError: it cannot be had.
        """
        path = f"{self._root}/issue/{quote(identity, safe='')}"
        value = self._api.get(path, {"fields": FIELDS, "expand": "renderedFields"})
        issue = None if value is None else read_issue(value)
        if value is not None and issue is None:
            raise DocumentError(f"{self._config.api}{path} answers something that is no issue. Sync again later.")
        return issue if issue is not None and issue.project in self._config.keys else None

    def with_all_comments(self, issue: Issue) -> Issue:
        """An issue with all of its comments, of which lists have only some.

        Raises:
            SourceError: they cannot be had.
        """
        if issue.comment_count <= len(issue.comments):
            return issue
        comments: dict[str, Comment] = {}
        path = f"{self._root}/issue/{issue.id}/comment"
        begin = 0
        for _ in range(_MAX_COMMENT_LISTS):
            fields = {"startAt": str(begin), "maxResults": str(_LIST_SIZE), "expand": "renderedBody"}
            page = self._api.get(path, fields)
            count, total = len(object_members(page, "comments")), member(page, "total")
            comments |= {comment.id: comment for comment in read_comments(page)}
            begin += count
            if not count or not isinstance(total, int) or begin >= total:
                return replace(issue, comments=tuple(comments.values()))
        raise DocumentError(f"It has more than {_MAX_COMMENT_LISTS * _LIST_SIZE:,} comments.")

    def download(self, attachment: Attachment, *, limit: int) -> Response | None:
        """The bytes of an attachment; None if it is gone.

        Raises:
            SourceError: the server gives nothing more. FetchError: it cannot be had now. TooLargeError: it exceeds the
                limit.
        """
        of_cloud = f"{self._root}/attachment/content/{attachment.id}"
        of_server = f"/secure/attachment/{attachment.id}/{quote(attachment.name, safe='')}"
        return self._api.download(of_cloud if self._config.is_cloud else of_server, limit=limit)

    @property
    def _projects(self) -> str:
        keys = ", ".join(f'"{key}"' for key in self._config.keys)
        return f"project in ({keys})"

    def _lists(self, query: str, fields: dict[str, str]) -> Iterator[list[Any]]:
        path = f"{self._root}/search/jql" if self._config.is_cloud else f"{self._root}/search"
        query_fields = {**fields, "jql": query}
        seen: set[str] = set()
        for _ in range(_MAX_LISTS):
            value = self._api.get(path, query_fields)
            issues = member(value, "issues")
            if not isinstance(issues, list):
                raise SourceError(
                    f"{self._config.api} answers something that is no list of issues. Check `url`, `projects` and"
                    " `edition`. Nothing was removed."
                )
            yield issues
            place = self._next_place(value, int(query_fields.get("startAt", 0)) + len(issues), is_empty=not issues)
            if not place:
                return
            if place in seen:
                break
            seen.add(place)
            query_fields |= {"nextPageToken" if self._config.is_cloud else "startAt": place}
        raise FetchError(f"The list of issues of {self._config.api} does not end. Sync again later.")

    def _next_place(self, value: Any, count: int, *, is_empty: bool) -> str:
        """Where a list goes on; empty at its end."""
        if self._config.is_cloud:
            return "" if member(value, "isLast") is True else text_member(value, "nextPageToken")
        total = member(value, "total")
        return str(count) if isinstance(total, int) and count < total and not is_empty else ""
