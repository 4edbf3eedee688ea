"""Removing the originals of documents that nothing refers to any more.

Belongs here: how old such a file must be, and that the file store is ours. Not here: which are referred to
(`headwater.store.content.originals`). Guarantee: what a sync has just put is left alone, also when its version is not
written yet; so is what is another database's.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import islice

from headwater.files.file_store import FileStore, StoredFile
from headwater.store.content.originals import RemoveOriginal
from headwater.store.store import Store
from headwater.syncing.file_owner import claimed, refuse_another

LEAST_AGE = timedelta(days=1)
"""How long ago a file must have been put: longer than any sync takes from there to writing its version."""
_BATCH = 100  # files that a sync may have to wait for


def remove_unheld_originals(store: Store, files: FileStore) -> int:
    """Remove what nothing refers to, and what was not put to the end; returns how many files went.

    Where no original ever was, the file store is not asked.

    Raises:
        FilesUnavailableError: the file store cannot be reached, or is another database's.
    """
    if not store.originals.had_any():
        return 0
    claimed(store, files)
    before = datetime.now(UTC) - LEAST_AGE
    old = (file for file in files.all() if file.put_at < before)
    removed = files.remove_parts(before)
    while batch := _hashes(old):
        removed += store.originals.remove_unheld(batch, files.delete)
    return removed


def removal(store: Store, files: FileStore) -> RemoveOriginal:
    """How to remove one original, from a file store that is not another database's."""
    mine = store.originals.owner()  # now: who removes holds a connection already
    make_sure = cache(partial(refuse_another, files, mine))

    def remove(file_hash: str) -> None:
        make_sure()
        files.delete(file_hash)

    return remove


def _hashes(files: Iterator[StoredFile]) -> list[str]:
    return [file.hash for file in islice(files, _BATCH)]
