"""What a source remembers of its lists between syncs, in its folder.

Belongs here: that record and its file. Not here: what is done with it (`issues`). Guarantee: it only saves requests; a
worker without it, or with an old one, finds the same documents.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from headwater.private_files import private_folder

_MAX_BYTES = 100_000_000  # bytes


class Entry(NamedTuple):
    """An issue or pull request in a list, and when it was last changed."""

    number: int
    updated: str
    is_pull: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page of a list as the server last sent it: its validator, what it lists, the address of the next page."""

    validator: str
    entries: tuple[Entry, ...]
    next: str


@dataclass(kw_only=True)
class ListState:
    """The last lists. `listed` is when all was listed, in seconds since 1970; `since` the last change seen then."""

    address: str = ""
    listed: float = 0.0
    since: str = ""
    pages: dict[str, Page] = field(default_factory=dict)


def read_state(folder: Path, address: str) -> ListState:
    """Read the record of a source; an empty one if there is none for this address."""
    path = folder / "lists.json"
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ListState(address=address)
        value = json.loads(path.read_text(encoding="utf-8"))
        state = ListState(
            address=str(value["address"]),
            listed=float(value["listed"]),
            since=str(value["since"]),
            pages={str(url): _page(page) for url, page in value["pages"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        logging.getLogger(__name__).warning("The lists of the last sync cannot be read (%s).", type(error).__name__)
        return ListState(address=address)
    return state if state.address == address else ListState(address=address)


def write_state(folder: Path, state: ListState) -> None:
    """Write the record; if that fails, the next sync asks for more."""
    value = {
        "address": state.address,
        "listed": state.listed,
        "since": state.since,
        "pages": {url: [page.validator, list(page.entries), page.next] for url, page in state.pages.items()},
    }
    path = private_folder(folder) / "lists.json"
    try:
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(value), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        logging.getLogger(__name__).warning("The lists of this sync cannot be kept (%s).", error.strerror)


def _page(value: Any) -> Page:
    validator, entries, following = value
    read: Mapping[int, Any] = dict(enumerate(entries))
    return Page(
        validator=str(validator),
        entries=tuple(
            Entry(int(issue_number), str(updated), bool(is_pull)) for issue_number, updated, is_pull in read.values()
        ),
        next=str(following),
    )
