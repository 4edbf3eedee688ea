"""The file of a backup: a tar whose last member lists the others with their sizes and checksums.

Belongs here: writing members of unknown size, and reading them back. Not here: their contents.
Guarantee: a truncated or changed file is refused before any of it is used; members are never unpacked under the names
that the file gives them.
"""

import hashlib
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from cli.backup.tar_headers import UNREADABLE, BoundedTar
from headwater.errors import InvalidInputError

MANIFEST = "manifest.json"
_BLOCK = 1 << 20  # bytes read at once
_MAX_MANIFEST_BYTES = 1 << 24  # bytes
_MAX_MEMBERS = 8


class Member:
    """A member being written: its bytes so far, and their checksum."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, block: bytes) -> int:
        """Append a block."""
        self._file.write(block)
        self._hash.update(block)
        self.size += len(block)
        return len(block)

    @property
    def checksum(self) -> str:
        """SHA-256 of the bytes written so far, in hexadecimal digits."""
        return self._hash.hexdigest()


class ArchiveWriter:
    """Writes members one after another, without temporary copies."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._members: dict[str, dict[str, Any]] = {}

    @contextmanager
    def member(self, name: str) -> Iterator[Member]:
        """Write one member; its header, with the size, is filled in at the end."""
        start = self._file.tell()
        self._file.write(bytes(tarfile.BLOCKSIZE))
        member = Member(self._file)
        yield member
        self._file.write(bytes(-member.size % tarfile.BLOCKSIZE))
        end = self._file.tell()
        header = tarfile.TarInfo(name)
        header.size, header.mode = member.size, 0o600
        self._file.seek(start)
        self._file.write(header.tobuf(tarfile.GNU_FORMAT))
        self._file.seek(end)
        self._members[name] = {"bytes": member.size, "sha256": member.checksum}

    def finish(self, manifest: Mapping[str, Any], check: Callable[[Any], object] = lambda _: None) -> None:
        """Write the manifest with the members added, after checking it, and the end of the file."""
        document = {**manifest, "members": dict(self._members)}
        check(document)
        with self.member(MANIFEST) as member:
            member.write(json.dumps(document, indent=2).encode())
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))


class ArchiveReader:
    """Reads a file that an ArchiveWriter wrote."""

    def __init__(self, path: Path) -> None:
        """Open it and read its manifest.

        Raises:
            InvalidInputError: it is not a complete backup.
        """
        self._path = path
        try:
            self._tar = BoundedTar.open(path, "r:")
        except OSError as error:
            raise InvalidInputError(f"{path} cannot be read ({error.strerror}).") from error
        except UNREADABLE as error:
            raise InvalidInputError(f"{path} is not a backup made by Headwater.") from error
        try:
            self._check_members()
            self.manifest: Any = json.loads(self.open(MANIFEST).read())
            self._members = _members(self.manifest)
        except (KeyError, TypeError, *UNREADABLE) as error:
            self.close()
            raise InvalidInputError(
                f"{path} is not a complete backup made by Headwater ({_why(error)}). Nothing was restored."
            ) from error

    def _check_members(self) -> None:
        """Refuse anything except a few plain files with distinct names.

        Raises:
            ValueError: there is something else; the message names it.
        """
        names: list[str] = []
        while (member := self._tar.next()) is not None:
            if not member.isreg() or member.issparse() or member.pax_headers:
                raise ValueError(f"its member {member.name[:80]!r} is not a plain file")
            if member.name in names or len(names) == _MAX_MEMBERS:
                raise ValueError(f"its member {member.name[:80]!r} occurs twice or is not a part of a backup")
            names.append(member.name)
            if member.name == MANIFEST and member.size > _MAX_MANIFEST_BYTES:
                raise ValueError(f"its {MANIFEST} has {member.size} bytes")
        if MANIFEST not in names:
            raise ValueError(f"it has no {MANIFEST}")
        self._names = names

    def close(self) -> None:
        """Close the file."""
        self._tar.close()

    def open(self, name: str) -> BinaryIO:
        """Open a member for reading.

        Raises:
            KeyError: no member has that name.
        """
        file = self._tar.extractfile(name)
        if file is None:
            raise KeyError(name)
        return cast("BinaryIO", file)

    @property
    def size(self) -> int:
        """The bytes of all members."""
        return sum(int(member["bytes"]) for member in self._members.values())

    def size_of(self, name: str) -> int:
        """The bytes of one member."""
        return int(self._members[name]["bytes"])

    def verify(self, tell: Callable[[int], object]) -> None:
        """Compare every member with its checksum.

        Args:
            tell: is told how many bytes have been read.

        Raises:
            InvalidInputError: one is damaged or missing.
        """
        byte_count = 0
        strangers = sorted(set(self._names) - {*self._members, MANIFEST})
        if strangers:
            raise InvalidInputError(f"{self._path} holds {strangers[0][:80]!r}, which its {MANIFEST} does not name.")
        for name, expected in self._members.items():
            digest = hashlib.sha256()
            try:
                with self.open(name) as member:
                    while block := member.read(_BLOCK):
                        digest.update(block)
                        byte_count += len(block)
                        tell(byte_count)
            except (KeyError, *UNREADABLE) as error:
                raise InvalidInputError(f"{self._path} is damaged: {name} cannot be read.") from error
            if digest.hexdigest() != expected["sha256"] or self._tar.getmember(name).size != expected["bytes"]:
                raise InvalidInputError(f"{self._path} is damaged: the content of {name} does not match its checksum.")


def _members(manifest: Any) -> dict[str, dict[str, Any]]:
    """The members that a manifest names; the caller checks them next."""
    members = manifest.get("members") if isinstance(manifest, dict) else None
    return {str(name): member for name, member in members.items()} if isinstance(members, dict) else {}


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        return f"its {MANIFEST} is not JSON"
    return str(error) if isinstance(error, ValueError) else "it ends too early, or is damaged"
