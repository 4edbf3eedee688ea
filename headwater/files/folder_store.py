"""A file store in a folder of this machine.

Belongs here: writing, listing and deleting files there. Not here: remote stores (`remote_store`). Guarantee: only the
owner can read the files; a process that is killed leaves a temporary file, never an incomplete file under a final name.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from headwater.errors import FilesUnavailableError, StorageFullError
from headwater.files.file_store import FULL, FileStore, StoredFile, hash_of, is_hash, path_of, read_blocks
from headwater.private_files import private_folder

_PART = ".part"
_OWNER = "OWNER"
_COMING = "00/00"  # where a file is written whose hash is not known yet; `remove_parts` looks there too


class FolderStore(FileStore):
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.shown = str(folder)

    @property
    def folder(self) -> Path | None:
        """The folder."""
        return self._folder

    def put(self, content: bytes) -> str:
        """Store a file and return its hash; an existing file is not written again."""
        file_hash = hash_of(content)
        path = self._path(file_hash)
        with self._translate_os_errors():
            if not path.is_file():
                _write(path, content)
        return file_hash

    def put_blocks(self, blocks: Iterable[bytes]) -> tuple[str, int]:
        """Store a file that comes in blocks; returns its hash and its size."""
        digest, size = hashlib.sha256(), 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for block in blocks:
                digest.update(block)
                size += len(block)
                yield block

        with self._translate_os_errors(), _write_blocks(self._folder / _COMING, counted()) as new_path:
            path = self._path(digest.hexdigest())
            if not path.is_file():
                private_folder(path.parent)
                new_path.replace(path)
        return digest.hexdigest(), size

    def blocks(self, file_hash: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Read a part of a file in blocks."""
        with self.open(file_hash) as file, self._translate_os_errors():
            file.seek(start)
            yield from read_blocks(file, length)

    def open(self, file_hash: str) -> BinaryIO:
        """Open a file for reading.

        Raises:
            FilesUnavailableError: the file does not exist.
        """
        with self._translate_os_errors():
            try:
                return self._path(file_hash).open("rb")
            except FileNotFoundError:
                raise self.missing(file_hash) from None

    def exists(self, file_hash: str) -> bool:
        """Whether a file exists."""
        with self._translate_os_errors():
            return self._path(file_hash).is_file()

    def size(self, file_hash: str) -> int:
        """The size of a file in bytes.

        Raises:
            FilesUnavailableError: the file does not exist.
        """
        with self._translate_os_errors():
            try:
                return self._path(file_hash).stat().st_size
            except FileNotFoundError:
                raise self.missing(file_hash) from None

    def delete(self, file_hash: str) -> None:
        """Delete a file; it is not an error if the file does not exist."""
        with self._translate_os_errors():
            self._path(file_hash).unlink(missing_ok=True)

    def all(self) -> Iterator[StoredFile]:
        """Every complete file, by hash."""
        for path, status in self._entries(is_hash):
            yield StoredFile(hash=path.name, size=status.st_size, put_at=datetime.fromtimestamp(status.st_mtime, UTC))

    def remove_parts(self, before: datetime) -> int:
        """Remove incomplete files that were begun before a time; returns how many were removed."""
        removed = 0
        for path, status in self._entries(lambda name: name.endswith(_PART)):
            if status.st_mtime < before.timestamp():
                with self._translate_os_errors():
                    path.unlink(missing_ok=True)
                removed += 1
        return removed

    def owner(self) -> str | None:
        """The owner in the store's marker; None if there is no marker."""
        with self._translate_os_errors():
            try:
                return (self._folder / _OWNER).read_text(errors="replace")
            except FileNotFoundError:
                return None

    def set_owner(self, owner: str) -> None:
        """Write the marker with the owner."""
        with self._translate_os_errors():
            _write(self._folder / _OWNER, owner.encode())

    def _entries(self, is_wanted: Callable[[str], bool]) -> Iterator[tuple[Path, os.stat_result]]:
        with self._translate_os_errors():
            folders = sorted(self._folder.glob("[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]"))
        for folder in folders:
            with self._translate_os_errors():
                paths = sorted(path for path in folder.iterdir() if is_wanted(path.name))
            for path in paths:
                status = self._stat(path)
                if status is not None:  # otherwise another process deleted it
                    yield path, status

    def _stat(self, path: Path) -> os.stat_result | None:
        with self._translate_os_errors():
            try:
                return path.stat()
            except FileNotFoundError:
                return None

    def _path(self, file_hash: str) -> Path:
        return self._folder / path_of(file_hash)

    @contextmanager
    def _translate_os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in FULL:
                raise StorageFullError(
                    f"The folder of originals, {self.shown}, has no room left ({error.strerror}). Free some space, or"
                    " move it and change HEADWATER_FILES."
                ) from error
            raise FilesUnavailableError(
                f"The folder of originals, {self.shown}, cannot be used ({error.strerror}). Repair it, or change"
                " HEADWATER_FILES."
            ) from error


def _write(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, and rename it once all of it is on disk."""
    with _write_blocks(path.parent, [content]) as new_path:
        new_path.replace(path)


@contextmanager
def _write_blocks(folder: Path, blocks: Iterable[bytes]) -> Iterator[Path]:
    """Write a file under a temporary name; once all of it is on disk, the block may rename it."""
    private_folder(folder)
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=_PART, dir=folder)  # 600, and new
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)
