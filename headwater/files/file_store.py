"""What a file store can do, and opening the one that the settings name.

Belongs here: the interface, how hashes become names. Not here: folders (`folder`), other places (`remote`). Guarantee:
opening one reaches nothing and writes nothing.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from headwater.errors import FilesUnavailableError
from headwater.settings import Settings

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """A file that is kept: the SHA-256 of its content in 64 hexadecimal digits, its bytes, when it was put."""

    hash: str
    size: int
    put_at: datetime


class FileStore(ABC):
    """Keeps files by the hash of their content. What cannot be reached raises FilesUnavailableError."""

    shown: str
    """Where it is, in words that anyone may read."""

    @property
    @abstractmethod
    def folder(self) -> Path | None:
        """The folder on this machine that it is; None when it is elsewhere."""

    @abstractmethod
    def put(self, content: bytes) -> str:
        """Keep a file, and return its hash; one that is there already is not written again."""

    @abstractmethod
    def open(self, file_hash: str) -> BinaryIO:
        """Open a file for reading.

        Raises:
            FilesUnavailableError: it is not there.
        """

    @abstractmethod
    def exists(self, file_hash: str) -> bool:
        """Whether a file is there."""

    @abstractmethod
    def size(self, file_hash: str) -> int:
        """The bytes of a file.

        Raises:
            FilesUnavailableError: it is not there.
        """

    @abstractmethod
    def delete(self, file_hash: str) -> None:
        """Delete a file; one that is not there is no error."""

    @abstractmethod
    def all(self) -> Iterator[StoredFile]:
        """Every file that is there whole."""

    @abstractmethod
    def remove_parts(self, before: datetime) -> int:
        """Remove what was not put to the end and was begun before a moment; returns how many went."""

    @abstractmethod
    def owner(self) -> str | None:
        """Whose it is, as its marker says; None when there is no marker."""

    @abstractmethod
    def set_owner(self, owner: str) -> None:
        """Write the marker that says whose it is."""

    def read(self, file_hash: str) -> bytes:
        """Return a file's content.

        Raises:
            FilesUnavailableError: it is not there.
        """
        with self.open(file_hash) as file:
            return file.read()

    def missing(self, file_hash: str) -> FilesUnavailableError:
        """What to say of a file that is not there."""
        return FilesUnavailableError(
            f"There is no file {file_hash} in {self.shown}. `headwater doctor` says whose it is."
        )


def hash_of(content: bytes) -> str:
    """The hash that content is kept by."""
    return hashlib.sha256(content).hexdigest()


def is_hash(name: str) -> bool:
    """Whether a name can be that of a file."""
    return _HASH.fullmatch(name) is not None


def path_of(file_hash: str) -> str:
    """Where a file lies within its store: two levels of folders, so that none grows large.

    Raises:
        ValueError: it is no hash.
    """
    if not is_hash(file_hash):
        raise ValueError("a file is named by 64 hexadecimal digits")
    return f"{file_hash[:2]}/{file_hash[2:4]}/{file_hash}"


def open_files(settings: Settings) -> FileStore:
    """Open the store that HEADWATER_FILES names: a folder of the home unless set."""
    address = settings.files
    if address is None or "://" not in address:
        from headwater.files.folder import FolderStore

        return FolderStore(settings.home / "files" if address is None else Path(address))
    from headwater.files.remote import RemoteStore

    return RemoteStore(address)
