"""Reading originals of documents, and removing those that no version refers to.

Belongs here: how old such a file must be, and the check that the file store is ours. Not here: which files versions
refer to (`headwater.store.content.originals`). Guarantee: a file that a sync has just stored is left alone, even if its
version is not written yet; so are files of another database.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import islice
from uuid import UUID

from headwater.errors import NotFoundError
from headwater.files.file_store import FileStore, StoredFile
from headwater.store.content.originals import RemoveOriginal, ServedOriginal
from headwater.store.store import Store
from headwater.syncing.store_owner import claim_store, refuse_another

MIN_AGE = timedelta(days=1)
"""The age a file must have: longer than any sync takes between storing a file and writing its version."""
_BATCH = 100  # files per transaction; a sync may have to wait for one


def remove_unheld_originals(store: Store, files: FileStore) -> int:
    """Remove files that no version refers to, and incomplete files; returns how many were removed.

    If there was never an original, the file store is not accessed.

    Raises:
        FilesUnavailableError: the file store cannot be reached, or belongs to another database.
    """
    if not store.originals.had_any():
        return 0
    claim_store(store, files)
    cutoff = datetime.now(UTC) - MIN_AGE
    old = (file for file in files.all() if file.put_at < cutoff)
    removed = files.remove_parts(cutoff)
    while batch := _hashes(old):
        removed += store.originals.remove_unheld(batch, files.delete)
    return removed


def removal(store: Store, files: FileStore) -> RemoveOriginal:
    """Return a function that removes one original, after checking that the file store is ours."""
    mine = store.originals.owner()  # read now: the caller of the function already holds a connection
    make_sure = cache(partial(refuse_another, files, mine))

    def remove(file_hash: str) -> None:
        make_sure()
        files.delete(file_hash)

    return remove


def _hashes(files: Iterator[StoredFile]) -> list[str]:
    return [file.hash for file in islice(files, _BATCH)]


def original_of(store: Store, version_id: UUID) -> ServedOriginal:
    """The original of a document version.

    Raises:
        NotFoundError: there is no such version, or its text is the whole document. GoneError: it is no longer kept.
    """
    original = store.originals.to_serve(version_id)
    if original is None:
        version = store.versions.get(version_id)  # raises if there is no such version, or no more
        raise NotFoundError(f"{version.uri} has no original: its text is the whole document.")
    return original
