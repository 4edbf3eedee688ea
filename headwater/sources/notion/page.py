"""Pages, their properties, headings and files, as Notion's interface says them.

Belongs here: the shapes, and reading them. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
says, reading it gives a page or None; no address of a file is kept, because it holds a signature.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from headwater.sources.json_api import member, object_members, text_member

_ID_PATTERN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page. `parent` is the id of the page or data source that it is in; `properties` are in words."""

    id: str
    title: str
    parent: str
    web: str
    created: str
    updated: str
    author: str
    editor: str
    properties: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    is_gone: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FileBlock:
    """A file within a page. `url` is a signed address, which ends after an hour."""

    id: str
    name: str
    updated: str
    url: str


def read_id(value: Any) -> str:
    """An id without hyphens; empty if it is none."""
    plain = value.replace("-", "").lower() if isinstance(value, str) else ""
    return plain if _ID_PATTERN.fullmatch(plain) else ""


def read_page(value: Any) -> Page | None:
    """Read an entry of a list; None if it is of another form, or no page."""
    identity, updated = read_id(member(value, "id")), text_member(value, "last_edited_time")
    if not identity or not updated or text_member(value, "object") != "page":
        return None
    parent = value.get("parent")
    names = ("data_source_id", "page_id", "database_id", "block_id")
    properties = value.get("properties")
    entries = list(properties.items()) if isinstance(properties, Mapping) else []
    titles = [_text_of(entry.get("title")) for _, entry in entries if text_member(entry, "type") == "title"]
    words = ((str(name), _property_words(entry)) for name, entry in entries if text_member(entry, "type") != "title")
    return Page(
        id=identity, title=" ".join("".join(titles).split()), web=text_member(value, "url"),
        parent=next(filter(None, (read_id(member(parent, name)) for name in names)), ""),
        created=text_member(value, "created_time"), updated=updated, author=text_member(value, "created_by", "id"),
        editor=text_member(value, "last_edited_by", "id"),
        properties=tuple((name, text) for name, text in words if text),
        labels=tuple(
            text_member(option, "name")
            for _, entry in entries
            if text_member(entry, "type") == "multi_select"
            for option in object_members(entry, "multi_select")
        ),
        is_gone=any(value.get(name) is True for name in ("in_trash", "archived")),
    )  # fmt: skip


def read_headings(blocks: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The headings among the blocks of a page: their words and ids, in order."""
    headings = []
    for block in blocks:
        kind = text_member(block, "type")
        words = " ".join(_text_of(member(block, kind, "rich_text")).split())
        if kind.startswith("heading_") and words and (identity := read_id(block.get("id"))):
            headings.append((words, identity))
    return headings


def read_files(blocks: Sequence[Mapping[str, Any]]) -> list[FileBlock]:
    """The files among the blocks of a page that Notion itself keeps."""
    files = []
    for block in blocks:
        kind = text_member(block, "type")
        url = member(block, kind, "file", "url")
        if kind not in ("file", "pdf") or not isinstance(url, str) or not (identity := read_id(block.get("id"))):
            continue
        name = text_member(block, kind, "name") or _file_name(url)
        files.append(FileBlock(id=identity, name=name, updated=text_member(block, "last_edited_time"), url=url))
    return files


def _file_name(url: str) -> str:
    try:
        return posixpath.basename(unquote(urlsplit(url).path)) or "file"
    except ValueError:
        return "file"


def _text_of(value: Any) -> str:
    """The words of rich text."""
    texts = value if isinstance(value, list) else []
    return "".join(text for text_part in texts if isinstance(text := member(text_part, "plain_text"), str))


def _property_words(entry: Any) -> str:
    """The value of a property in words; empty if there is none, or it has none."""
    kind = text_member(entry, "type")
    value = member(entry, kind)
    if kind == "rich_text":
        return " ".join(_text_of(value).split())
    if kind in ("select", "status"):
        return text_member(value, "name")
    if kind in ("multi_select", "people"):
        return ", ".join(filter(None, (text_member(option, "name") for option in object_members(entry, kind))))
    if kind == "date":
        return " to ".join(filter(None, (text_member(value, "start"), text_member(value, "end"))))
    if kind == "checkbox":
        return "yes" if value is True else "no" if value is False else ""
    if kind == "formula":
        return text_member(value, text_member(value, "type"))
    if kind == "unique_id":
        return "-".join(filter(None, (text_member(value, "prefix"), text_member(value, "number"))))
    is_plain = kind in ("number", "url", "email", "phone_number")
    return str(value) if is_plain and isinstance(value, str | int | float) and not isinstance(value, bool) else ""
