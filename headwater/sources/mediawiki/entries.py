"""What a wiki answers: its state, its pages and its files.

Belongs here: these classes, and reading them from JSON. Not here: requests (`api`). Guarantee: pure; what has another
form is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiki:
    """What a wiki says about itself: `change` is the number of its latest change, `jobs` how much work still waits.

    `readers` are the groups whose members may read it, None if it does not say.
    """

    name: str
    language: str
    change: str
    jobs: int
    readers: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WikiPage:
    """A page as the list has it; `touched` also changes when something that it shows has changed."""

    id: str
    title: str
    url: str
    revision: int
    touched: str
    changed: str
    author: str
    read_by: tuple[str, ...] = ()
    """Groups that reading this page is restricted to; usually none, then the wiki's own apply."""

    @property
    def version(self) -> str:
        """What differs as soon as the page may look different."""
        return f"{self.revision} {self.touched}"


@dataclass(frozen=True, kw_only=True, slots=True)
class WikiFile:
    """A file that was uploaded to a wiki: the address of its page, and its own."""

    name: str
    uri: str
    url: str
    hash: str
    size: int
    media_type: str
    changed: str
    author: str

    @property
    def version(self) -> str:
        """What differs as soon as the file does; it begins with the hash of its content."""
        return f"{self.hash} {self.changed}"


def read_page(value: Any) -> WikiPage | None:
    """A page of a list; None if it is of another form."""
    if not isinstance(value, Mapping):
        return None
    page_id, revision, url = value.get("pageid"), value.get("lastrevid"), value.get("fullurl")
    if not isinstance(page_id, int) or not isinstance(revision, int) or not isinstance(url, str):
        return None
    revisions = value.get("revisions")
    latest = revisions[0] if isinstance(revisions, list) and revisions and isinstance(revisions[0], Mapping) else {}
    return WikiPage(
        id=str(page_id), title=str(value.get("title", "")), url=url, revision=revision,
        touched=str(value.get("touched", "")), changed=str(latest.get("timestamp", "")),
        author=str(latest.get("user", "")), read_by=_find_restrictions(value.get("protection")),
    )  # fmt: skip


def read_file(value: Any) -> WikiFile | None:
    """A file of a list; None if it is of another form."""
    if not isinstance(value, Mapping):
        return None
    names = ("name", "descriptionurl", "url", "sha1", "mime", "timestamp", "user")
    name, uri, url, digest, media_type, uploaded, author = (str(value.get(name) or "") for name in names)
    if not (name and digest and urlsplit(uri).netloc and urlsplit(url).netloc):
        return None
    size = value.get("size")
    return WikiFile(
        name=name, uri=uri, url=url, hash=digest, size=size if isinstance(size, int) else 0, media_type=media_type,
        changed=uploaded, author=author,
    )  # fmt: skip


def read_readers(groups: Any) -> tuple[str, ...] | None:
    """The groups whose members may read; None if the wiki does not list groups."""
    if not isinstance(groups, list):
        return None
    entries = [group for group in groups if isinstance(group, Mapping) and isinstance(group.get("rights"), list)]
    return tuple(sorted(str(group.get("name")) for group in entries if "read" in group["rights"]))


def _find_restrictions(protection: Any) -> tuple[str, ...]:
    """The groups that may read a page, if an extension restricts that."""
    entries = protection if isinstance(protection, list) else []
    return tuple(
        str(entry.get("level")) for entry in entries if isinstance(entry, Mapping) and entry.get("type") == "read"
    )


def inner(value: Any, *names: str) -> Mapping[str, Any]:
    """The object within objects that these names lead to; an empty one if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
