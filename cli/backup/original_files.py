"""Backing up and restoring the originals of documents.

Belongs here: the part of a backup that holds them. Not here: the backup's file (`cli.backup.archive`), the store of
originals (`headwater.files`). Guarantee: the content of each restored file matches its hash; no file is written under a
name from the backup.
"""

import tarfile
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, cast

from cli.backup.archive import Member
from cli.backup.tar_headers import UNREADABLE, BoundedTar
from cli.progress import Tell
from headwater.errors import FilesUnavailableError
from headwater.files.file_store import FileStore, hash_of
from headwater.store.server.dumps import BackupError


def pack_originals(files: FileStore, member: Member, tell: Tell) -> int:
    """Pack every file of a store, unless the store is remote; returns how many."""
    count = 0
    with tarfile.open(fileobj=cast("BinaryIO", member), mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for stored in files.all() if files.folder is not None else ():
            with files.open(stored.hash) as content:
                info = tarfile.TarInfo(stored.hash)
                info.size, info.mode = stored.size, 0o600
                tar.addfile(info, content)
            tar.members.clear()  # type: ignore[attr-defined]  # it would keep every member
            count += 1
            tell("originals", member.size, None)
    return count


class Unpacking:
    """Restores originals; `undo` removes those that were not there before."""

    def __init__(self, files: FileStore) -> None:
        self._files = files
        self._put: list[str] = []

    def unpack(self, packed: BinaryIO, count: int, tell: Callable[[int], object]) -> None:
        """Restore the originals of a backup.

        Args:
            packed: the part of the backup that holds originals.
            count: how many it must hold.
            tell: is told how many bytes have been read.

        Raises:
            BackupError: it holds something else, too much or too little.
            FilesUnavailableError: they cannot be stored in HEADWATER_FILES.
        """
        original_count = 0
        try:
            with BoundedTar.open(fileobj=packed, mode="r|") as tar:
                for member in tar:
                    self._put_one(tar, member)
                    original_count += 1
                    tell(member.offset)
                    tar.members.clear()  # type: ignore[attr-defined]
        except UNREADABLE as error:
            raise BackupError(f"The originals in the backup cannot be read ({error}). Nothing was restored.") from error
        if original_count != count:
            raise BackupError(
                f"The backup holds {original_count} originals, but its manifest says {count}. Nothing was restored."
            )

    def undo(self) -> None:
        """Remove the restored files as far as possible; the error that made it necessary matters more."""
        with suppress(FilesUnavailableError):
            for file_hash in self._put:
                self._files.delete(file_hash)

    def _put_one(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        content = tar.extractfile(member) if member.isreg() else None
        data = b"" if content is None else content.read()
        if content is None or hash_of(data) != member.name:
            raise BackupError(
                f"The backup holds {member.name[:200]!r} as an original, but its content does not match. Nothing was"
                " restored."
            )
        if not self._files.exists(member.name):
            self._put.append(member.name)
            self._files.put(data)
