"""Restoring the folders of sources from a backup.

Belongs here: which members of that archive are unpacked, and where. Not here: packing them (`cli.backup`).
Guarantee: it writes only regular files and folders below `sources/<number>` of the home, readable by their owner alone;
it refuses anything else by name; the unpacked size is limited.
"""

import gzip
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from cli.backup.tar_headers import UNREADABLE, BoundedTar
from headwater.private_files import private_folder
from headwater.store.server.dumps import BackupError

_EXPANSION, _ALLOWANCE = 200, 64 << 20  # bytes unpacked for one byte packed, and for an empty archive
_MIN_FREE_BYTES = 256 << 20  # bytes of the disk that stay free


class _Bounded:
    """A stream of unpacked bytes, up to a limit."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._left = limit

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise BackupError("The folders of sources are larger than their archive can hold. Nothing was restored.")
        return block


def unpack(packed: BinaryIO, size: int, files: int, home: Path, tell: Callable[[int], object]) -> None:
    """Unpack the folders of sources into a home.

    Args:
        packed: the archive.
        size: its bytes.
        files: how many files it must hold.
        home: the target; its `sources` is empty.
        tell: is told how many bytes have been unpacked.

    Raises:
        BackupError: it holds something else, too much or too little, or cannot be unpacked.
    """
    private_folder(home)
    limit = min(_EXPANSION * size + _ALLOWANCE, max(0, shutil.disk_usage(home).free - _MIN_FREE_BYTES))
    seen: set[str] = set()
    count = 0
    try:
        with (
            gzip.GzipFile(fileobj=packed) as tar_stream,
            BoundedTar.open(fileobj=_Bounded(cast("BinaryIO", tar_stream), limit), mode="r|") as tar,  # type: ignore[call-overload]
        ):
            for member in tar:
                _check(member, seen)
                seen.add(member.name)
                count += member.isreg()
                if count > files:
                    raise BackupError(f"The backup holds more than the {files} files in its manifest.")
                closed = member.replace(mode=0o700 if member.isdir() else 0o600, deep=False)
                tar.extract(closed, home, filter="data")
                tar.members.clear()  # tarfile would keep every member in memory
                tell(member.offset)
    except (*UNREADABLE, zlib.error) as error:
        raise BackupError(f"Files could not be written into {home} ({error}). Nothing was restored.") from error
    if count != files:
        raise BackupError(f"The backup holds {count} files, but its manifest says {files}. Nothing was restored.")


def _check(member: tarfile.TarInfo, seen: set[str]) -> None:
    names = PurePosixPath(member.name).parts
    if names[:1] != ("sources",) or (len(names) > 1 and not names[1].isdecimal()):
        raise BackupError(f"The backup holds {member.name[:200]!r}, which is not in the folder of a source.")
    if ".." in names or "\x00" in member.name or "\\" in member.name:
        raise BackupError(f"The backup holds {member.name[:200]!r}, which leads out of the folder of its source.")
    if not (member.isreg() or member.isdir()) or member.issparse() or member.type == tarfile.CONTTYPE:
        raise BackupError(f"The backup holds {member.name[:200]!r}, which is neither a plain file nor a folder.")
    if member.name in seen:
        raise BackupError(f"The backup holds {member.name[:200]!r} twice.")
