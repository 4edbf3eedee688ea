"""Issues, comments and attachments, as Jira's interface says them.

Belongs here: the shapes, and reading them. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
says, reading it gives an issue or None; fields that are not known are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.sources.json_api import member, object_members, text_member

FIELDS = (
    "summary,description,comment,status,issuetype,priority,labels,components,fixVersions,assignee,reporter,created,"
    "updated,resolution,resolutiondate,project,attachment,parent,issuelinks"
)
"""What is asked for of each issue."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment, as HTML."""

    id: str
    author: str
    created: str
    html: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file of an issue, which never changes."""

    id: str
    name: str
    media_type: str
    size: int
    author: str
    created: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Issue:
    """An issue. `comment_count` is how many it has, of which `comments` may be the first."""

    id: str
    key: str
    project: str
    project_name: str
    summary: str
    html: str
    kind: str
    status: str
    priority: str
    resolution: str
    reporter: str
    assignee: str
    parent: str
    created: str
    updated: str
    resolved: str
    labels: tuple[str, ...]
    components: tuple[str, ...]
    versions: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    comments: tuple[Comment, ...]
    comment_count: int
    attachments: tuple[Attachment, ...]


def read_issue(value: Any) -> Issue | None:
    """Read an entry of a list; None if it is of another form."""
    fields, rendered = member(value, "fields"), member(value, "renderedFields")
    identity, key, updated = text_member(value, "id"), text_member(value, "key"), text_member(fields, "updated")
    if not identity.isdecimal() or "/" in key or not key or milliseconds(updated) is None:
        return None
    listed = member(fields, "labels")
    total = member(fields, "comment", "total")
    comments = read_comments(member(fields, "comment"), object_members(rendered, "comment", "comments"))
    return Issue(
        id=identity, key=key, project=text_member(fields, "project", "key"),
        project_name=text_member(fields, "project", "name"), summary=text_member(fields, "summary"),
        html=_html(rendered, fields, "description"), kind=text_member(fields, "issuetype", "name"),
        status=text_member(fields, "status", "name"), priority=text_member(fields, "priority", "name"),
        resolution=text_member(fields, "resolution", "name"), reporter=text_member(fields, "reporter", "displayName"),
        assignee=text_member(fields, "assignee", "displayName"), parent=text_member(fields, "parent", "key"),
        created=text_member(fields, "created"), updated=updated, resolved=text_member(fields, "resolutiondate"),
        labels=tuple(label for label in listed if isinstance(label, str)) if isinstance(listed, list) else (),
        components=_names(fields, "components"), versions=_names(fields, "fixVersions"), links=tuple(_links(fields)),
        comments=comments, comment_count=total if isinstance(total, int) else len(comments),
        attachments=tuple(
            _attachment(attachment)
            for attachment in object_members(fields, "attachment")
            if text_member(attachment, "id").isdecimal()
        ),
    )  # fmt: skip


def read_comments(page: Any, rendered: Sequence[Mapping[str, Any]] = ()) -> tuple[Comment, ...]:
    """Read a page of comments, in order.

    Args:
        page: the page.
        rendered: the same comments with their HTML, if that does not stand in the page.
    """
    html = {text_member(entry, "id"): member(entry, "body") for entry in rendered}
    comments: list[Comment] = []
    for value in object_members(page, "comments"):
        identity = text_member(value, "id")
        texts = (member(value, "renderedBody"), html.get(identity), member(value, "body"))
        comments.append(
            Comment(
                id=identity, author=text_member(value, "author", "displayName"), created=text_member(value, "created"),
                html=next((text for text in texts if isinstance(text, str)), ""),
            )
        )  # fmt: skip
    return tuple(comment for comment in comments if comment.id.isdecimal())


def milliseconds(time: str) -> int | None:
    """A time of Jira's since 1970; None if it is none. Text would be read in the time zone of the secret's user."""
    try:
        return int(datetime.fromisoformat(time).timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None


def _html(rendered: Any, fields: Any, name: str) -> str:
    texts = (member(rendered, name), member(fields, name))
    return next((text for text in texts if isinstance(text, str)), "")


def _names(fields: Any, name: str) -> tuple[str, ...]:
    return tuple(filter(None, (text_member(entry, "name") for entry in object_members(fields, name))))


def _links(fields: Any) -> Sequence[tuple[str, str]]:
    """How an issue is linked to others: the words, and the other's key."""
    return [
        (text_member(link, "type", side) or "relates to", key)
        for link in object_members(fields, "issuelinks")
        for side in ("outward", "inward")
        if (key := text_member(link, f"{side}Issue", "key"))
    ]


def _attachment(value: Mapping[str, Any]) -> Attachment:
    size = value.get("size")
    return Attachment(
        id=text_member(value, "id"), name=text_member(value, "filename"), media_type=text_member(value, "mimeType"),
        size=size if isinstance(size, int) else 0, author=text_member(value, "author", "displayName"),
        created=text_member(value, "created"),
    )  # fmt: skip
