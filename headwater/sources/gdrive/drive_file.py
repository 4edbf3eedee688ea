"""Files and folders, as Drive's interface says them.

Belongs here: the shape, reading it, and what is kept of it. Not here: requests (`api`), texts (`document`). Guarantee:
whatever a server says, reading it gives a file or None; an address that people open begins with https.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.sources.access_lists import access_digest
from headwater.sources.item_list import Item
from headwater.sources.json_api import member, object_members, text_member

FIELDS = (
    "id,name,mimeType,parents,trashed,createdTime,modifiedTime,md5Checksum,size,webViewLink,description,driveId,ownedByMe"
    ",owners(displayName),lastModifyingUser(displayName),permissionIds,shortcutDetails(targetId)"
)
FOLDER = "application/vnd.google-apps.folder"
_SHORTCUT = "application/vnd.google-apps.shortcut"
_ID_PATTERN = re.compile(r"[\w-]{1,200}", re.ASCII)
_MAX_NAME_CHARS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveFile:
    """A file, a folder, or a shortcut to one of them; `access` is a digest of who may read it."""

    id: str
    name: str
    media_type: str
    parent: str
    target: str
    drive: str
    version: str
    size: int
    page: str
    description: str
    authors: tuple[str, ...]
    created: str
    modified: str
    is_trashed: bool
    is_own: bool
    access: str

    def to_item(self) -> Item:
        """What is kept of it: its type, then what changes with its content, or the id of its target."""
        return Item(f"{self.media_type} {self.target or self.version}", self.name, self.parent)


def type_of(item: Item) -> str:
    """The media type of an item."""
    return item.version.partition(" ")[0]


def target_of(item: Item) -> str:
    """The id of what a shortcut leads to; empty for all other items."""
    media_type, _, target = item.version.partition(" ")
    return target if media_type == _SHORTCUT else ""


def read_file(value: Any) -> DriveFile | None:
    """Read an entry of a list; None if it is of another form."""
    identity, media_type = text_member(value, "id"), text_member(value, "mimeType").partition(";")[0].strip()
    if not _ID_PATTERN.fullmatch(identity) or not media_type or " " in media_type:
        return None
    page, size, target = text_member(value, "webViewLink"), text_member(value, "size"), ""
    if media_type == _SHORTCUT:
        target = text_member(value, "shortcutDetails", "targetId")
        target = target if _ID_PATTERN.fullmatch(target) else "-"
    people = [*object_members(value, "owners"), member(value, "lastModifyingUser")]
    modified = text_member(value, "modifiedTime")
    return DriveFile(
        id=identity, name=text_member(value, "name")[:_MAX_NAME_CHARS] or identity, media_type=media_type,
        parent=next(iter(_texts(value, "parents")), ""), target=target, drive=text_member(value, "driveId"),
        version="" if media_type == FOLDER else f"{modified} {text_member(value, 'md5Checksum')}".strip(),
        size=int(size[:20]) if size.isdecimal() and size.isascii() else 0,
        page=page if page.startswith("https://") else "",
        description=text_member(value, "description"),
        authors=tuple(dict.fromkeys(filter(None, (text_member(person, "displayName") for person in people)))),
        created=text_member(value, "createdTime"), modified=modified,
        is_trashed=member(value, "trashed") is True, is_own=member(value, "ownedByMe") is True,
        access=access_digest(_texts(value, "permissionIds") or None),
    )  # fmt: skip


def _texts(value: Any, name: str) -> list[str]:
    texts = value.get(name) if isinstance(value, Mapping) else None
    return [text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else []
