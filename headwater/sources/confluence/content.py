"""Pages, blog posts and attachments, as Confluence's interface says them.

Belongs here: the shape, and reading it. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
says, reading it gives an item or None; fields that are not known are ignored.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from headwater.identity import content_hash
from headwater.sources.json_api import member, object_members, text_member

PAGES = ("page", "blogpost")


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """An item. `parent_id` is the page that an attachment is of; `body` is None if it was not asked for.

    `web` is the end of its address for people, `path` that of an attachment's bytes. `version` differs as soon as the
    document does: labels and places change without a new number.
    """

    id: str
    kind: str
    title: str
    space: str
    space_id: str
    space_name: str
    parent_id: str
    parent_title: str
    number: int
    labels: tuple[str, ...]
    author: str
    editor: str
    created: str
    updated: str
    web: str
    path: str
    media_type: str
    size: int
    body: str | None
    version: str


def read_content(value: Any) -> Content | None:
    """Read an entry of a list; None if it is of another form, or no current one."""
    identity, kind, version_number = (
        text_member(value, "id"),
        text_member(value, "type"),
        member(value, "version", "number"),
    )
    if not identity or not isinstance(version_number, int) or text_member(value, "status") not in ("current", ""):
        return None
    if not identity.removeprefix("att").isalnum() or kind not in (*PAGES, "attachment"):
        return None
    containers = [value.get("container")] if kind == "attachment" else object_members(value, "ancestors")[-1:]
    parent = containers[0] if containers else {}
    size, body = member(value, "extensions", "fileSize"), member(value, "body", "storage", "value")
    title, space = text_member(value, "title"), text_member(value, "space", "key")
    labels = tuple(sorted(text_member(label, "name") for label in object_members(
        value, "metadata", "labels", "results")))  # fmt: skip
    digest = content_hash(title, space, text_member(parent, "id"), text_member(parent, "title"), list(labels)).hex()
    return Content(
        id=identity, kind=kind, title=title, space=space, version=f"{version_number} {digest[:16]}", labels=labels,
        space_id=text_member(value, "space", "id"), space_name=text_member(value, "space", "name"),
        parent_id=text_member(parent, "id"),
        parent_title=text_member(parent, "title"), number=version_number,
        author=_name(member(value, "history", "createdBy")), editor=_name(member(value, "version", "by")),
        created=text_member(value, "history", "createdDate"), updated=text_member(value, "version", "when"),
        web=_ending(text_member(value, "_links", "webui")), path=_ending(text_member(value, "_links", "download")),
        media_type=text_member(value, "extensions", "mediaType"), size=size if isinstance(size, int) else 0,
        body=body if isinstance(body, str) else None,
    )  # fmt: skip


def attachment_of(identity: str, version: str, page: str, name: str) -> Content:
    """An attachment as far as a record of the last sync says."""
    path = f"/download/attachments/{quote(page, safe='')}/{quote(name, safe='')}"
    return Content(
        id=identity, kind="attachment", title=name, space="", space_id="", space_name="", parent_id=page,
        parent_title="", number=0, labels=(), author="", editor="", created="", updated="", web="", path=path,
        media_type="", size=0, body=None, version=version,
    )  # fmt: skip


def _name(value: Any) -> str:
    return text_member(value, "displayName") or text_member(value, "publicName") or text_member(value, "username")


def _ending(text: str) -> str:
    """What an address ends with; empty if it could lead to another host."""
    return text if text.startswith("/") and not text.startswith("//") and text.isprintable() else ""
