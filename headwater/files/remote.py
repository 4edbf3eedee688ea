"""Files in a store that fsspec reaches: `s3://…`, `gs://…`, `sftp://…` and others, by their own packages.

Belongs here: what of fsspec is used, hiding credentials. Not here: a folder of this machine (`folder`). Guarantee:
fsspec is imported when a file is first asked for; neither the address nor an error shows a credential.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from headwater.errors import FilesUnavailableError
from headwater.files.file_store import FileStore, StoredFile, hash_of, is_hash, path_of
from headwater.settings import hide_secrets

_PART = ".part"
_OWNER = "OWNER"
_CREDENTIALS = re.compile(r"//(.*:.*)@", re.DOTALL)  # a name alone is none: `abfs://container@account`
_QUERY = re.compile("[?#]")
_SHORT = 3  # characters: hiding a shorter piece would garble any message


class RemoteStore(FileStore):
    """A place that an address names."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.shown = shown_address(address)

    def __repr__(self) -> str:
        return f"RemoteStore({self.shown!r})"

    @property
    def folder(self) -> Path | None:
        """None: it is not on this machine."""
        return None

    def put(self, content: bytes) -> str:
        """Keep a file, and return its hash; one that is there already is not written again."""
        file_hash = hash_of(content)
        with self._reached() as (fs, root):
            path = f"{root}/{path_of(file_hash)}"
            if not _is_there(fs, path):
                part = f"{path}.{secrets.token_hex(4)}{_PART}"
                fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                fs.pipe_file(part, content)
                fs.mv(part, path)
        return file_hash

    def open(self, file_hash: str) -> BinaryIO:
        """Open a file for reading.

        Raises:
            FilesUnavailableError: it is not there.
        """
        with self._reached(file_hash) as (fs, root):
            return BytesIO(fs.cat_file(f"{root}/{path_of(file_hash)}"))  # so that all that can fail does so here

    def exists(self, file_hash: str) -> bool:
        """Whether a file is there."""
        with self._reached() as (fs, root):
            return _is_there(fs, f"{root}/{path_of(file_hash)}")

    def size(self, file_hash: str) -> int:
        """The bytes of a file.

        Raises:
            FilesUnavailableError: it is not there.
        """
        with self._reached(file_hash) as (fs, root):
            return int(_info(fs, f"{root}/{path_of(file_hash)}")["size"])

    def delete(self, file_hash: str) -> None:
        """Delete a file; one that is not there is no error."""
        with self._reached() as (fs, root):
            try:
                fs.rm_file(f"{root}/{path_of(file_hash)}")
            except FileNotFoundError:
                return

    def all(self) -> Iterator[StoredFile]:
        """Every file that is there whole."""
        for path, found in self._entries():
            name = path.rpartition("/")[2]
            if is_hash(name):
                yield StoredFile(hash=name, size=int(found["size"]), put_at=_time(found))

    def remove_parts(self, before: datetime) -> int:
        """Remove what was not put to the end and was begun before a moment; returns how many went."""
        removed = 0
        for path, found in self._entries():
            if path.endswith(_PART) and _time(found) < before:
                with self._reached() as (fs, _):
                    fs.rm_file(path)
                removed += 1
        return removed

    def owner(self) -> str | None:
        """Whose it is, as its marker says; None when there is no marker."""
        with self._reached() as (fs, root):
            try:
                return str(fs.cat_file(f"{root}/{_OWNER}").decode(errors="replace"))
            except FileNotFoundError:
                return None

    def set_owner(self, owner: str) -> None:
        """Write the marker that says whose it is."""
        with self._reached() as (fs, root):
            fs.makedirs(root, exist_ok=True)
            fs.pipe_file(f"{root}/{_OWNER}", owner.encode())

    def _entries(self) -> list[tuple[str, dict[str, Any]]]:
        with self._reached() as (fs, root):
            return sorted(_listing(fs, root))

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        fs, root = url_to_fs(self._address)
        return fs, str(root).rstrip("/")

    @contextmanager
    def _reached(self, file_hash: str = "") -> Iterator[tuple[Any, str]]:
        """The file system and its root; whatever it raises becomes an error of ours that shows no credential."""
        try:
            fs, root = self._opened
            fs.invalidate_cache()  # others write there too
            yield fs, root
        except FileNotFoundError as error:
            raise self.missing(file_hash) if file_hash else self._failed(error) from None
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            raise self._failed(error) from None  # what caused it may hold the address

    def _failed(self, error: Exception) -> FilesUnavailableError:
        reason = str(error) or type(error).__name__
        for secret in (self._address, *_credentials(self._address)):
            reason = reason.replace(secret, "***")
        return FilesUnavailableError(
            f"The store of originals, {self.shown}, did not answer ({hide_secrets(reason)[:300]}). Look at"
            " HEADWATER_FILES."
        )


def shown_address(address: str) -> str:
    """An address without credentials and query; up to the last `@`, since a password may hold anything, `?` too."""
    return _QUERY.split(_CREDENTIALS.sub("//", address), maxsplit=1)[0]


def _credentials(address: str) -> list[str]:
    """What of an address is nobody's business, as it is written and as it is meant; the longest first."""
    found: set[str] = set()
    for user in _CREDENTIALS.findall(address):
        found |= {user, *user.split(":", 1), *re.split(r"[:/?#@&=]", user)}  # others may cut it anywhere
    for text in (address, _CREDENTIALS.sub("//", address)):
        for query in _QUERY.split(text, maxsplit=1)[1:]:
            found |= {query, *(pair.rpartition("=")[2] for pair in re.split("[&#]", query))}
    forms = {form for text in found for form in (text, unquote(text)) if len(form) >= _SHORT}
    return sorted(forms, key=len, reverse=True)


def _is_there(fs: Any, path: str) -> bool:
    """Whether a file is there; `exists` of fsspec takes every error for a no."""
    try:
        _info(fs, path)
    except FileNotFoundError:
        return False
    return True


def _info(fs: Any, path: str) -> Any:
    """What is known of a file; over http, fsspec says of a connection that was refused that the file is not there."""
    try:
        return fs.info(path)
    except FileNotFoundError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise


def _listing(fs: Any, root: str) -> list[tuple[str, dict[str, Any]]]:
    """Every file below a root; `find` of fsspec takes a folder that cannot be listed for an empty one."""
    finder = next(each for each in type(fs).__mro__ if {"find", "_find"} & vars(each).keys())
    if finder.__module__ in ("fsspec.spec", "fsspec.asyn"):
        return list(_walk(fs, root))
    return list(fs.find(root, detail=True).items())  # its own, as S3's, which needs one request for a thousand


def _walk(fs: Any, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        listed = fs.ls(folder, detail=True)
    except FileNotFoundError:
        return  # another process deleted it, or nothing was ever put
    for found in listed:
        path = found["name"].rstrip("/")
        if found["type"] != "directory":
            yield path, found
        elif path != folder:
            yield from _walk(fs, path)


def _time(found: dict[str, Any]) -> datetime:
    """When a file was put; each file system has a name of its own for it, and what tells none counts as new."""
    for name in ("mtime", "LastModified", "last_modified", "created", "updated"):
        value = found.get(name)
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.now(UTC)
