"""A file store that fsspec accesses: `s3://…`, `gs://…`, `sftp://…` and others, through their own packages.

Belongs here: the use of fsspec, hiding credentials. Not here: a folder of this machine (`folder_store`). Guarantee:
fsspec is imported when a file is first accessed; neither the address nor an error shows a credential.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from headwater.errors import FilesUnavailableError, HeadwaterError, StorageFullError
from headwater.files.file_store import FULL, FileStore, StoredFile, hash_of, is_hash, path_of, read_blocks
from headwater.settings import hide_secrets

_PART = ".part"
_OWNER = "OWNER"
_CREDENTIALS = re.compile(r"//(.*:.*)@", re.DOTALL)  # a name alone is not one: `abfs://container@account`
_QUERY = re.compile("[?#]")
_SHORT = 3  # characters: hiding a shorter part would garble any message


class RemoteStore(FileStore):
    """The store at an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.shown = redact_address(address)

    def __repr__(self) -> str:
        return f"RemoteStore({self.shown!r})"

    @property
    def folder(self) -> Path | None:
        """None: the store is not on this machine."""
        return None

    def put(self, content: bytes) -> str:
        """Store a file and return its hash; an existing file is not written again."""
        file_hash = hash_of(content)
        with self._open_file_system() as (fs, root):
            path = f"{root}/{path_of(file_hash)}"
            if not _is_there(fs, path):
                new_path = f"{path}.{secrets.token_hex(4)}{_PART}"
                fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                fs.pipe_file(new_path, content)
                fs.mv(new_path, path)
        return file_hash

    def put_blocks(self, blocks: Iterable[bytes]) -> tuple[str, int]:
        """Store a file that comes in blocks; returns its hash and its size."""
        digest, size = hashlib.sha256(), 0
        with self._open_file_system() as (fs, root):
            new_path = f"{root}/00/00/{secrets.token_hex(8)}{_PART}"
            fs.makedirs(new_path.rpartition("/")[0], exist_ok=True)
            try:
                with fs.open(new_path, "wb") as file:
                    for block in blocks:
                        digest.update(block)
                        size += len(block)
                        file.write(block)
                path = f"{root}/{path_of(digest.hexdigest())}"
                if not _is_there(fs, path):
                    fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                    fs.mv(new_path, path)
            finally:
                with suppress(Exception):  # it was moved, or never appeared; else housekeeping removes it
                    fs.rm_file(new_path)
        return digest.hexdigest(), size

    def blocks(self, file_hash: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Read a part of a file in blocks."""
        with self._open_file_system(file_hash) as (fs, root), fs.open(f"{root}/{path_of(file_hash)}", "rb") as file:
            file.seek(start)
            yield from read_blocks(file, length)

    def open(self, file_hash: str) -> BinaryIO:
        """Open a file for reading.

        Raises:
            FilesUnavailableError: the file does not exist.
        """
        with self._open_file_system(file_hash) as (fs, root):
            return BytesIO(fs.cat_file(f"{root}/{path_of(file_hash)}"))  # read it here, so that all errors occur here

    def exists(self, file_hash: str) -> bool:
        """Whether a file exists."""
        with self._open_file_system() as (fs, root):
            return _is_there(fs, f"{root}/{path_of(file_hash)}")

    def size(self, file_hash: str) -> int:
        """The size of a file in bytes.

        Raises:
            FilesUnavailableError: the file does not exist.
        """
        with self._open_file_system(file_hash) as (fs, root):
            return int(_info(fs, f"{root}/{path_of(file_hash)}")["size"])

    def delete(self, file_hash: str) -> None:
        """Delete a file; it is not an error if the file does not exist."""
        with self._open_file_system() as (fs, root):
            try:
                fs.rm_file(f"{root}/{path_of(file_hash)}")
            except FileNotFoundError:
                return

    def all(self) -> Iterator[StoredFile]:
        """Every complete file."""
        for path, info in self._entries():
            name = path.rpartition("/")[2]
            if is_hash(name):
                yield StoredFile(hash=name, size=int(info["size"]), put_at=_time(info))

    def remove_parts(self, before: datetime) -> int:
        """Remove incomplete files that were begun before a time; returns how many were removed."""
        removed = 0
        for path, info in self._entries():
            if path.endswith(_PART) and _time(info) < before:
                with self._open_file_system() as (fs, _):
                    fs.rm_file(path)
                removed += 1
        return removed

    def owner(self) -> str | None:
        """The owner in the store's marker; None if there is no marker."""
        with self._open_file_system() as (fs, root):
            try:
                return str(fs.cat_file(f"{root}/{_OWNER}").decode(errors="replace"))
            except FileNotFoundError:
                return None

    def set_owner(self, owner: str) -> None:
        """Write the marker with the owner."""
        with self._open_file_system() as (fs, root):
            fs.makedirs(root, exist_ok=True)
            fs.pipe_file(f"{root}/{_OWNER}", owner.encode())

    def _entries(self) -> list[tuple[str, dict[str, Any]]]:
        with self._open_file_system() as (fs, root):
            return sorted(_list_files(fs, root))

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        fs, root = url_to_fs(self._address)
        return fs, str(root).rstrip("/")

    @contextmanager
    def _open_file_system(self, file_hash: str = "") -> Iterator[tuple[Any, str]]:
        """The file system and its root; any error becomes one of ours that shows no credential."""
        try:
            fs, root = self._opened
            fs.invalidate_cache()  # others write there too
            yield fs, root
        except HeadwaterError:
            raise  # of the blocks that are being stored
        except FileNotFoundError as error:
            raise self.missing(file_hash) if file_hash else self._to_error(error) from None
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            raise self._to_error(error) from None  # the cause may contain the address

    def _to_error(self, error: Exception) -> FilesUnavailableError:
        reason = str(error) or type(error).__name__
        for secret in (self._address, *_credentials(self._address)):
            reason = reason.replace(secret, "***")
        if isinstance(error, OSError) and error.errno in FULL:
            return StorageFullError(
                f"The store of originals, {self.shown}, has no room left ({hide_secrets(reason)[:300]}). Free some."
            )
        return FilesUnavailableError(
            f"The store of originals, {self.shown}, did not answer ({hide_secrets(reason)[:300]}). Check"
            " HEADWATER_FILES."
        )


def redact_address(address: str) -> str:
    """An address without credentials and query; up to the last `@`, because a password may contain any character."""
    return _QUERY.split(_CREDENTIALS.sub("//", address), maxsplit=1)[0]


def _credentials(address: str) -> list[str]:
    """The secret parts of an address, as written and decoded; the longest first."""
    secrets_in_url: set[str] = set()
    for user in _CREDENTIALS.findall(address):
        secrets_in_url |= {user, *user.split(":", 1), *re.split(r"[:/?#@&=]", user)}  # a library may split it anywhere
    for text in (address, _CREDENTIALS.sub("//", address)):
        for query in _QUERY.split(text, maxsplit=1)[1:]:
            secrets_in_url |= {query, *(pair.rpartition("=")[2] for pair in re.split("[&#]", query))}
    forms = {form for text in secrets_in_url for form in (text, unquote(text)) if len(form) >= _SHORT}
    return sorted(forms, key=len, reverse=True)


def _is_there(fs: Any, path: str) -> bool:
    """Whether a file exists; fsspec's `exists` returns False for every error."""
    try:
        _info(fs, path)
    except FileNotFoundError:
        return False
    return True


def _info(fs: Any, path: str) -> Any:
    """Information about a file. Over http, fsspec reports a refused connection as a missing file."""
    try:
        return fs.info(path)
    except FileNotFoundError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise


def _list_files(fs: Any, root: str) -> list[tuple[str, dict[str, Any]]]:
    """Every file below a root; fsspec's `find` returns nothing for a folder that cannot be listed."""
    finder = next(base for base in type(fs).__mro__ if {"find", "_find"} & vars(base).keys())
    if finder.__module__ in ("fsspec.spec", "fsspec.asyn"):
        return list(_walk(fs, root))
    return list(fs.find(root, detail=True).items())  # the file system's own, as S3's needs one request per thousand


def _walk(fs: Any, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        listed = fs.ls(folder, detail=True)
    except FileNotFoundError:
        return  # another process deleted it, or nothing was ever stored
    for info in listed:
        path = info["name"].rstrip("/")
        if info["type"] != "directory":
            yield path, info
        elif path != folder:
            yield from _walk(fs, path)


def _time(info: dict[str, Any]) -> datetime:
    """When a file was stored; each file system uses another key for it, and a file without one counts as new."""
    for name in ("mtime", "LastModified", "last_modified", "created", "updated"):
        value = info.get(name)
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.now(UTC)
