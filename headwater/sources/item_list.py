"""The list of a source's items as its server last gave it, kept between syncs.

Belongs here: that record and its file. Not here: asking servers (the connectors), documents (`context.known`).
Guarantee: it only saves requests; a worker without it, with an old one or with a damaged one finds the same documents,
because an item counts as unchanged only if its document is known with the same validator.
"""

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from headwater.private_files import private_folder

_MAX_BYTES = 200_000_000  # bytes
_DAY = 86_400.0  # seconds


class Item(NamedTuple):
    """An item of a list: its version, its title, and the id of the item that it is in."""

    version: str
    title: str = ""
    parent: str = ""


@dataclass(kw_only=True)
class ItemList:
    """The items by id. `cursor` is where the server's list of changes goes on; `listed` when all was listed.

    `address` says what is listed: a record of another address counts for nothing.
    """

    address: str
    cursor: str = ""
    listed: float = 0.0
    items: dict[str, Item] = field(default_factory=dict)

    def by_parent(self) -> dict[str, list[tuple[str, Item]]]:
        """The ids and items within each item that has any."""
        by_parent: dict[str, list[tuple[str, Item]]] = {}
        for key, item in self.items.items():
            if item.parent:
                by_parent.setdefault(item.parent, []).append((key, item))
        return by_parent

    @property
    def is_whole_due(self) -> bool:
        """Whether everything must be listed: nothing is kept, or that was a day ago, or the clock went back."""
        return not self.cursor or not 0 <= time.time() - self.listed < _DAY


def read_list(folder: Path, address: str, *, name: str = "list.json") -> ItemList:
    """Read the record of a source; an empty one if there is none for this address."""
    path = folder / name
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ItemList(address=address)
        value: Mapping[str, object] = json.loads(path.read_text(encoding="utf-8"))
        items = value["items"]
        if value["address"] != address or not isinstance(items, dict):
            return ItemList(address=address)
        return ItemList(
            address=address,
            cursor=str(value["cursor"]),
            listed=float(str(value["listed"])),
            items={str(key): Item(*map(str, item)) for key, item in items.items()},
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        logging.getLogger(__name__).warning("The list of the last sync cannot be read (%s).", type(error).__name__)
        return ItemList(address=address)


def write_list(folder: Path, kept: ItemList, *, name: str = "list.json") -> None:
    """Write the record; if that fails, the next sync asks for more."""
    value = {"address": kept.address, "cursor": kept.cursor, "listed": kept.listed, "items": kept.items}
    path = private_folder(folder) / name
    try:
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(value), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        logging.getLogger(__name__).warning("The list of this sync cannot be kept (%s).", error.strerror)
