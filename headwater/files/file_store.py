"""The interface of a file store, and opening the one that the settings name.

Belongs here: the interface, how hashes become names. Not here: folders (`folder_store`), remote stores
(`remote_store`). Guarantee: opening one accesses nothing and writes nothing.
"""

import errno
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from headwater.errors import FilesUnavailableError
from headwater.settings import Settings

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a file system that has no room left."""
BLOCK = 262_144  # bytes of a file that are in memory at a time
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """A stored file: the SHA-256 of its content in 64 hexadecimal digits, its size, when it was stored."""

    hash: str
    size: int
    put_at: datetime


class FileStore(ABC):
    """Stores files by the hash of their content. If the store cannot be reached, it raises FilesUnavailableError."""

    shown: str
    """Its address, in a form that anyone may see."""

    @property
    @abstractmethod
    def folder(self) -> Path | None:
        """The store's folder on this machine; None if it is elsewhere."""

    @abstractmethod
    def put(self, content: bytes) -> str:
        """Store a file and return its hash; an existing file is not written again."""

    @abstractmethod
    def put_blocks(self, blocks: Iterable[bytes]) -> tuple[str, int]:
        """Store a file that comes in blocks, without holding all of it in memory; returns its hash and its size.

        If the blocks end with an error, nothing is stored.

        Raises:
            StorageFullError: there is no room for it.
        """

    @abstractmethod
    def blocks(self, file_hash: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Read a part of a file in blocks: `length` bytes from `start` on, by default up to the end.

        Raises:
            FilesUnavailableError: the file does not exist.
        """

    @abstractmethod
    def open(self, file_hash: str) -> BinaryIO:
        """Open a file for reading.

        Raises:
            FilesUnavailableError: the file does not exist.
        """

    @abstractmethod
    def exists(self, file_hash: str) -> bool:
        """Whether a file exists."""

    @abstractmethod
    def size(self, file_hash: str) -> int:
        """The size of a file in bytes.

        Raises:
            FilesUnavailableError: the file does not exist.
        """

    @abstractmethod
    def delete(self, file_hash: str) -> None:
        """Delete a file; it is not an error if the file does not exist."""

    @abstractmethod
    def all(self) -> Iterator[StoredFile]:
        """Every complete file."""

    @abstractmethod
    def remove_parts(self, before: datetime) -> int:
        """Remove incomplete files that were begun before a time; returns how many were removed."""

    @abstractmethod
    def owner(self) -> str | None:
        """The owner in the store's marker; None if there is no marker."""

    @abstractmethod
    def set_owner(self, owner: str) -> None:
        """Write the marker with the owner."""

    def read(self, file_hash: str) -> bytes:
        """Return a file's content.

        Raises:
            FilesUnavailableError: the file does not exist.
        """
        with self.open(file_hash) as file:
            return file.read()

    def missing(self, file_hash: str) -> FilesUnavailableError:
        """The error for a missing file."""
        return FilesUnavailableError(
            f"There is no file {file_hash} in {self.shown}. `headwater doctor` says which source it belongs to."
        )


def read_blocks(file: BinaryIO, length: int | None = None) -> Iterator[bytes]:
    """Read a file in blocks from where it stands, at most `length` bytes."""
    bytes_left = length
    while bytes_left is None or bytes_left > 0:
        block = file.read(BLOCK if bytes_left is None else min(BLOCK, bytes_left))
        if not block:
            return
        bytes_left = None if bytes_left is None else bytes_left - len(block)
        yield block


def hash_of(content: bytes) -> str:
    """The hash under which content is stored."""
    return hashlib.sha256(content).hexdigest()


def is_hash(name: str) -> bool:
    """Whether a name can be that of a stored file."""
    return _HASH.fullmatch(name) is not None


def path_of(file_hash: str) -> str:
    """The path of a file within its store: two levels of folders, so that none grows large.

    Raises:
        ValueError: it is not a hash.
    """
    if not is_hash(file_hash):
        raise ValueError("a file is named by 64 hexadecimal digits")
    return f"{file_hash[:2]}/{file_hash[2:4]}/{file_hash}"


def open_files(settings: Settings) -> FileStore:
    """Open the store that HEADWATER_FILES names; by default a folder of the home."""
    address = settings.files
    if address is None or "://" not in address:
        from headwater.files.folder_store import FolderStore

        return FolderStore(settings.home / "files" if address is None else Path(address))
    from headwater.files.remote_store import RemoteStore

    return RemoteStore(address)
