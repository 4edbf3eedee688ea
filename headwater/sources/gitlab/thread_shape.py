"""Issues, merge requests and their comments, as GitLab's interface says them.

Belongs here: the shapes, and reading them. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
says, reading it gives a thread or None; fields that are not known are ignored.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from headwater.sources.gitlab.config import PATH_PATTERN
from headwater.sources.json_api import member, object_members, text_member

ThreadKind = Literal["issues", "merge_requests"]
_UPLOAD_PATTERN = re.compile(r"/uploads/([0-9a-f]{32})/([^\s/()\[\]<>\"'`?#]{1,255})")
_MAX_UPLOADS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A comment, as markdown. `file` is that of the change which it is about."""

    id: str
    author: str
    created: str
    body: str
    file: str
    is_internal: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """A file that a text links to, which never changes: another file has another secret."""

    project: str
    secret: str
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """An issue or a merge request. `moved_to` is the id of the issue that it became in another project."""

    kind: ThreadKind
    id: str
    number: int
    project: str
    path: str
    title: str
    body: str
    state: str
    author: str
    assignees: tuple[str, ...]
    labels: tuple[str, ...]
    milestone: str
    created: str
    updated: str
    closed: str
    branches: tuple[str, ...]
    note_count: int
    is_confidential: bool
    moved_to: str
    notes: tuple[Note, ...] = ()

    @property
    def version(self) -> str:
        """A text that is another one when anything in it has changed."""
        return f"{self.updated} {self.note_count}"

    @property
    def address(self) -> str:
        """Its address below that of the server."""
        return f"{self.path}/-/{self.kind}/{self.number}"

    @property
    def uploads(self) -> tuple[Upload, ...]:
        """The files that its texts link to."""
        texts = (self.body, *(note.body for note in self.notes))
        names = ((match[1], unquote(match[2])) for text in texts for match in _UPLOAD_PATTERN.finditer(text))
        uploads = dict.fromkeys((secret, name) for secret, name in names if name.isprintable() and "/" not in name)
        return tuple(Upload(project=self.project, secret=secret, name=name) for secret, name in uploads)[:_MAX_UPLOADS]


def read_thread(value: Any, kind: ThreadKind) -> Thread | None:
    """Read an entry of a list; None if it is of another form."""
    iid, updated = member(value, "iid"), text_member(value, "updated_at")
    identity, project = text_member(value, "id"), text_member(value, "project_id")
    path = _project_path(value, kind)
    is_thread = isinstance(iid, int) and not isinstance(iid, bool) and iid > 0
    if not (is_thread and identity.isdecimal() and project.isdecimal() and path) or milliseconds(updated) is None:
        return None
    count = member(value, "user_notes_count")
    branches = (text_member(value, "source_branch"), text_member(value, "target_branch"))
    people = object_members(value, "assignees")
    return Thread(
        kind=kind, id=identity, number=iid, project=project, path=path, title=text_member(value, "title"),
        body=_text(value, "description"), state=text_member(value, "state"), author=_person(member(value, "author")),
        assignees=tuple(filter(None, map(_person, people))), labels=tuple(_labels(member(value, "labels"))),
        milestone=text_member(value, "milestone", "title"), created=text_member(value, "created_at"), updated=updated,
        closed=text_member(value, "merged_at") or text_member(value, "closed_at"),
        branches=branches if all(branches) else (), note_count=count if isinstance(count, int) else 0,
        is_confidential=member(value, "confidential") is True, moved_to=text_member(value, "moved_to_id"),
    )  # fmt: skip


def read_note(value: Any) -> Note | None:
    """Read a comment; None if it is of another form, or written by GitLab itself."""
    identity = text_member(value, "id")
    if not identity.isdecimal() or member(value, "system") is True:
        return None
    is_internal = member(value, "internal") is True or member(value, "confidential") is True
    return Note(
        id=identity, author=_person(member(value, "author")), created=text_member(value, "created_at"),
        body=_text(value, "body"), file=text_member(value, "position", "new_path"), is_internal=is_internal,
    )  # fmt: skip


def milliseconds(time: str) -> int | None:
    """A time of GitLab's since 1970; None if it is none."""
    try:
        moment = datetime.fromisoformat(time)
        return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None


def _project_path(value: Any, kind: ThreadKind) -> str:
    """The path of the project, by the full reference, such as `mill/pumps#12`, or by the address of the page."""
    mark = "#" if kind == "issues" else "!"
    path = text_member(value, "references", "full").rpartition(mark)[0]
    if not path:
        try:
            path = urlsplit(text_member(value, "web_url")).path.partition("/-/")[0].strip("/")
        except ValueError:
            return ""
    return path if PATH_PATTERN.fullmatch(path) else ""


def _person(value: Any) -> str:
    return text_member(value, "name") or text_member(value, "username")


def _labels(values: Any) -> Iterator[str]:
    for value in values if isinstance(values, list) else ():
        name = value if isinstance(value, str) else text_member(value, "name")
        if plain := " ".join(name.split()):
            yield plain


def _text(value: Mapping[str, Any], name: str) -> str:
    text = member(value, name)
    return text if isinstance(text, str) else ""
