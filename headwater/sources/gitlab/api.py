"""Asking GitLab: projects and groups, lists of threads, comments, wiki pages, files.

Belongs here: requests. Not here: which threads are read (`thread_reader`), their shape (`thread_shape`). Guarantee: a
list that could not be read to its end is an error; a thread counts as gone only if the server says so of this very
thread.

Lists go on at the time of the last entry, because GitLab has keyset pagination for issues of projects alone, since
18.3, and its pages by number lose an entry when another one moves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote

from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import Response
from headwater.sources.gitlab.config import GitLabConfig
from headwater.sources.gitlab.thread_shape import Note, Thread, ThreadKind, Upload, milliseconds, read_note, read_thread
from headwater.sources.json_api import JsonApi, NotShownError, member, next_fields, text_member

LIST_SIZE = 100
_MAX_LISTS = 20_000
_MAX_NOTE_LISTS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A project or a group, or a project of a group."""

    kind: Literal["projects", "groups"]
    id: str
    path: str
    has_wiki: bool

    @property
    def key(self) -> str:
        """Its name in records, which stays when its path changes."""
        return f"{self.kind} {self.id}"

    @property
    def root(self) -> str:
        """Where its lists are."""
        return f"/{self.kind}/{self.id}"


class GitLabApi:
    """The interface of one server."""

    def __init__(self, api: JsonApi, config: GitLabConfig) -> None:
        self._api = api
        self._config = config

    def find_project(self, name: str) -> Place | None:
        """The project with an id or a path; None if there is none, or the credential may not see it.

        Raises:
            SourceError: the server does not say.
        """
        value = self._api.get(f"/projects/{quote(name, safe='')}")
        return None if value is None else _project(value)

    def find_place(self, paths: Sequence[str]) -> Place:
        """The project or group with the first of some paths that has one.

        Raises:
            SourceError: there is none, or the credential may not see it.
        """
        for path in paths:
            if (project := self.find_project(path)) is not None:
                return project
            group = self._api.get(f"/groups/{quote(path, safe='')}", {"with_projects": "false"})
            if group is not None:
                full_path = text_member(group, "full_path")
                return Place(kind="groups", id=text_member(group, "id"), path=full_path, has_wiki=True)
        raise SourceError(
            f"{self._config.web} shows no project and no group {' or '.join(paths)}. Check `url`, and whether the"
            " `credential` may see it. Nothing was removed."
        )

    def list_projects(self, group: Place) -> Iterator[Place]:
        """The projects of a group and of its subgroups.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        fields = {"include_subgroups": "true", "order_by": "id", "sort": "asc", "per_page": str(LIST_SIZE)}
        for _ in range(_MAX_LISTS):
            values, following = self._list(f"{group.root}/projects", fields)
            yield from map(_project, values)
            fields = next_fields(following)
            if not fields:
                return
        raise self._endless("projects")

    def list_threads(self, place: Place, kind: ThreadKind, since: str | None) -> Iterator[list[Thread]]:
        """All threads in order of creation, or those that changed since a time.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        order = "created" if since is None else "updated"
        fields = {
            "scope": "all", "state": "all", "order_by": f"{order}_at", "sort": "asc", "per_page": str(LIST_SIZE),
        }  # fmt: skip
        time, page = since or "", 1
        for _ in range(_MAX_LISTS):
            start = {f"{order}_after": time} if time else {}
            numbered = {"page": str(page)} if page > 1 else {}
            values, following = self._list(f"{place.root}/{kind}", {**fields, **start, **numbered})
            yield [thread for value in values if (thread := read_thread(value, kind)) is not None]
            if not values or (not following and len(values) < LIST_SIZE):
                return
            last = text_member(values[-1], f"{order}_at")
            if milliseconds(last) is None:
                break
            time, page = (time, page + 1) if last == time else (last, 1)
        raise self._endless(kind)

    def read(self, kind: ThreadKind, project: str, iid: str) -> Thread | None:
        """A thread by its project's id or path and its number; None if it is gone.

        Raises:
            SourceError: it cannot be had.
        """
        path = f"/projects/{quote(project, safe='')}/{kind}/{iid}"
        value = self._api.get(path)
        thread = None if value is None else read_thread(value, kind)
        if value is not None and thread is None:
            raise DocumentError(f"{self._config.api}{path} answers something that is no thread. Sync again later.")
        return thread

    def with_notes(self, thread: Thread) -> Thread:
        """A thread with its comments, which nobody gets without a secret.

        Raises:
            SourceError: they cannot be had.
        """
        if not thread.note_count or self._config.credential is None:
            return thread
        path = f"/projects/{thread.project}/{thread.kind}/{thread.number}/notes"
        fields = {
            "order_by": "created_at", "sort": "asc", "activity_filter": "only_comments", "per_page": str(LIST_SIZE),
        }  # fmt: skip
        notes: dict[str, Note] = {}
        for _ in range(_MAX_NOTE_LISTS):
            values, following = self._list(path, fields)
            notes |= {note.id: note for value in values if (note := read_note(value)) is not None}
            fields = next_fields(following)
            if not fields:
                notes_shown = (note for note in notes.values() if self._config.confidential or not note.is_internal)
                return replace(thread, notes=tuple(notes_shown))
        raise DocumentError(f"It has more than {_MAX_NOTE_LISTS * LIST_SIZE:,} comments.")

    def list_wiki(self, place: Place, *, is_expected: bool) -> list[Mapping[str, Any]]:
        """All pages of a wiki with their content, which come at once; none if it is not there and not expected to be.

        Raises:
            SourceError: they cannot be had. NotShownError: there is no such wiki for this credential.
        """
        path, fields = f"{place.root}/wikis", {"with_content": "1"}
        if not is_expected:
            page = self._api.list_page(path, fields)
            return [] if page is None else list(page[0])
        return self._list(path, fields)[0]

    def is_wiki_page(self, kind: str, place: str, slug: str) -> bool:
        """Whether a page is in the wiki of a project or group, which its id or path names.

        Raises:
            SourceError: the server does not say.
        """
        return self._api.get(f"/{kind}/{quote(place, safe='')}/wikis/{quote(slug, safe='')}") is not None

    def download(self, upload: Upload, *, limit: int) -> Response | None:
        """The bytes of a file; None if it is gone, or the server is older than 17.4.

        Raises:
            SourceError: the server gives nothing more. FetchError: it cannot be had now. TooLargeError: it exceeds the
                limit.
        """
        path = f"/projects/{upload.project}/uploads/{upload.secret}/{quote(upload.name, safe='')}"
        return self._api.download(path, limit=limit)

    def _list(self, path: str, fields: Mapping[str, str]) -> tuple[list[Mapping[str, Any]], str]:
        page = self._api.list_page(path, fields)
        if page is None:
            raise NotShownError(
                f"{self._config.api}{path} is not there, or not shown to this credential. Nothing was removed. Check"
                " `url` and `read`, and what the credential may see."
            )
        return list(page[0]), page[1]

    def _endless(self, noun: str) -> FetchError:
        return FetchError(f"The list of {noun.replace('_', ' ')} of {self._config.web} does not end. Sync again later.")


def _project(value: Mapping[str, Any]) -> Place:
    level = text_member(value, "wiki_access_level")
    has_wiki = level != "disabled" if level else member(value, "wiki_enabled") is not False
    path = text_member(value, "path_with_namespace")
    return Place(kind="projects", id=text_member(value, "id"), path=path, has_wiki=has_wiki)
