"""The owner of the store of originals: two databases with one store would remove each other's files.

Belongs here: claiming a store, and refusing one of another database. Not here: the place of the marker
(`headwater.files`), the id of this database (`headwater.store.content.originals`). Guarantee: a store with the marker
of another database is never claimed.
"""

from headwater.errors import FilesUnavailableError
from headwater.files.file_store import FileStore
from headwater.store.store import Store


def claim_store(store: Store, files: FileStore) -> FileStore:
    """Return a file store that belongs to this database; a store without a marker is claimed.

    Raises:
        FilesUnavailableError: it belongs to another database, or cannot be reached.
    """
    mine = store.originals.claim_ownership()
    if files.owner() is None:
        files.set_owner(mine)
    refuse_another(files, mine)
    return files


def refuse_another(files: FileStore, mine: str | None) -> None:
    """Refuse a file store that has the marker of another database.

    Raises:
        FilesUnavailableError: it has such a marker, or cannot be reached.
    """
    owner = files.owner()
    if owner is not None and owner != mine:
        raise FilesUnavailableError(
            f"The originals in {files.shown} belong to another database, such as the one this was restored from."
            " Set HEADWATER_FILES to a separate copy of them; or stop the other Headwater for good,"
            f" and delete the file OWNER in {files.shown}."
        )
