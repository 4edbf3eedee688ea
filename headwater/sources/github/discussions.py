"""Discussions by the GraphQL interface, because REST does not list them.

Belongs here: the queries, which discussions have changed, their comments and replies. Not here: requests (`api`), texts
(`document`). Guarantee: a discussion that has not changed is not fetched; one that is no longer listed is gone.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError
from headwater.fetching.patience import LimitReachedError
from headwater.identity import content_hash
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.github.api import Api
from headwater.sources.github.document import thread_document
from headwater.sources.github.threads import PATHS, Thread, read_graph_thread
from headwater.sources.source_context import SourceContext

_MAX_PAGES = 2_000  # of a hundred discussions, or fifty comments
_LIST = """
query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor }
      nodes { number updatedAt answerChosenAt comments { totalCount } }
    }
  }
}
"""
_ONE = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      number title body createdAt updatedAt closed closedAt stateReason
      author { login } category { name } labels(first: 50) { nodes { name } } answer { id }
      comments(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id body createdAt isMinimized upvoteCount author { login } reactionGroups { content reactors { totalCount } }
          replies(first: 50) { nodes { body createdAt isMinimized author { login } } }
        }
      }
    }
  }
}
"""


class Discussions:
    """The discussions of one repository."""

    def __init__(self, api: Api, context: SourceContext, *, repository: str, web: str) -> None:
        self._api = api
        self._context = context
        self._repository = repository
        self._web = web

    def found(self) -> Iterator[Found]:
        """Every discussion.

        Raises:
            FetchError: the list cannot be had.
        """
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = self._connection(_LIST, "discussions", after=cursor)
            for node in page["nodes"]:
                yield from self._discussion(node)
            cursor = _next_cursor(page)
            if cursor is None:
                return
        raise FetchError(f"The list of discussions of {self._repository} does not end.")

    def _discussion(self, node: Any) -> Iterator[Found]:
        identity = node.get("number") if isinstance(node, Mapping) else None
        if not isinstance(identity, int) or isinstance(identity, bool):
            message = "GitHub's list of discussions has an entry without a number."
            yield DocumentProblem(uri="", code=DocumentError.code, message=message)
            return
        uri = f"{self._web}/{PATHS['discussions']}/{identity}"
        stamp = _stamp(node)
        known_state = self._context.known.get(uri)
        if known_state is not None and known_state.validator == stamp:
            yield UnchangedDocument(uri=uri)
            return
        try:
            thread = self._thread(identity)
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield DocumentProblem(uri=uri, code=error.code, message=str(error))
            return
        if thread is not None:
            yield FetchedDocument(
                uri=uri,
                fingerprint=content_hash(repr(thread)).hex(),
                parse=partial(thread_document, uri, thread),
                validator=stamp,
            )

    def _thread(self, number: int) -> Thread | None:
        """A discussion with all its comments; None if it was deleted meanwhile."""
        first: dict[str, Any] | None = None
        comments: list[Any] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            repository = self._repository_of(_ONE, number=number, after=cursor)
            node = repository.get("discussion")
            if not isinstance(node, dict):
                return None
            first = first or node
            page = _page(node.get("comments"))
            comments += page["nodes"]
            cursor = _next_cursor(page)
            if cursor is None:
                return read_graph_thread({**first, "comments": comments}).thread("discussions")
        raise DocumentError("The list of its comments does not end.")

    def _connection(self, query: str, name: str, **variables: Any) -> dict[str, Any]:
        repository = self._repository_of(query, **variables)
        return _page(repository.get(name))

    def _repository_of(self, query: str, **variables: Any) -> Mapping[str, Any]:
        owner, _, name = self._repository.partition("/")
        data = self._api.query(query, {"owner": owner, "name": name, **variables})
        repository = data.get("repository")
        if not isinstance(repository, dict):
            raise FetchError(f"There is no repository {self._repository}, or the token may not read it. Check both.")
        return repository


def _page(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise FetchError("GitHub's answer has no list where there should be one.")
    return value


def _next_cursor(page: Mapping[str, Any]) -> str | None:
    info = page.get("pageInfo")
    if not isinstance(info, Mapping) or info.get("hasNextPage") is not True:
        return None
    cursor = info.get("endCursor")
    return cursor if isinstance(cursor, str) and cursor else None


def _stamp(node: Mapping[str, Any]) -> str:
    """What changes when a discussion, its answer or the number of its comments does."""
    comments = node.get("comments")
    count = comments.get("totalCount") if isinstance(comments, Mapping) else ""
    return f"{node.get('updatedAt') or ''} {node.get('answerChosenAt') or ''} {count}"[:200]
