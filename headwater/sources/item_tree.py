"""Where items are in a tree, if each of them only says which folder it is in, as in lists of changes.

Belongs here: paths below a root. Not here: asking for items (the connectors), keeping them (`item_list`). Guarantee: an
item that is elsewhere, or within itself, has no path; a folder that moved takes along all that is below it.
"""

from collections.abc import Mapping

from headwater.errors import TooLargeError
from headwater.sources.item_list import Item

_MAX_DEPTH = 100
_MAX_NAME_CHARS = 300


def find_paths(items: Mapping[str, Item], root: str) -> dict[str, str]:
    """The paths of items below a root, by their ids; that of the root is empty.

    Args:
        items: the items by id; `parent` is the id of the folder that each is in, `title` its name.
        root: the id of the root, which need not be among them.

    Raises:
        TooLargeError: folders are more than 100 deep.
    """
    by_folder: dict[str, list[str]] = {}
    for key, item in items.items():
        by_folder.setdefault(item.parent, []).append(key)
    paths, folders = {root: ""}, [root]
    for _ in range(_MAX_DEPTH):
        within = [(folder, key) for folder in folders for key in by_folder.get(folder, ()) if key not in paths]
        paths |= {key: _join(paths[folder], items[key].title) for folder, key in within}
        folders = [key for _, key in within]
        if not folders:
            return paths
    raise TooLargeError(f"There are folders more than {_MAX_DEPTH} deep. Nothing was removed.")


def _join(folder: str, name: str) -> str:
    plain_name = name.replace("/", "-")[:_MAX_NAME_CHARS] or "-"
    return f"{folder}/{plain_name}" if folder else plain_name
