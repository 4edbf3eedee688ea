"""Whose the store of originals is: two databases with one store would remove each other's files.

Belongs here: making it ours, and refusing one of another database. Not here: where the marker lies
(`headwater.files`), the id of this database (`headwater.store.content.originals`). Guarantee: a store with another
one's marker is never made ours.
"""

from headwater.errors import FilesUnavailableError
from headwater.files.file_store import FileStore
from headwater.store.store import Store


def claimed(store: Store, files: FileStore) -> FileStore:
    """Return a file store once it is this database's: one without a marker becomes so.

    Raises:
        FilesUnavailableError: it is another one's, or cannot be reached.
    """
    mine = store.originals.become_owner()
    if files.owner() is None:
        files.set_owner(mine)
    refuse_another(files, mine)
    return files


def refuse_another(files: FileStore, mine: str | None) -> None:
    """Refuse a file store that has the marker of another database.

    Raises:
        FilesUnavailableError: it has, or cannot be reached.
    """
    owner = files.owner()
    if owner is not None and owner != mine:
        raise FilesUnavailableError(
            f"The originals in {files.shown} belong to another database, such as the one that this was restored from."
            " Set HEADWATER_FILES to a place of its own, with a copy of them; or stop the other Headwater for good,"
            f" and delete the file OWNER in {files.shown}."
        )
