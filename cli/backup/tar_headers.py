"""Safe reading of the headers of a tar file that may be hostile.

Belongs here: which headers are read. Not here: which members are used (`archive`, `folder_restore`). Guarantee: a
header takes a few kilobytes of memory, whatever size it claims, and headers do not nest.
"""

import tarfile
from typing import cast

UNREADABLE = (OSError, EOFError, ValueError, OverflowError, RecursionError, MemoryError, tarfile.TarError)
"""Errors that tarfile raises when the file was not written by a backup."""
_MAX_HEADER_BYTES = 1 << 13  # bytes; the longest path that Linux allows has half as many
_OF_THE_NEXT = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE)


class _BoundedInfo(tarfile.TarInfo):
    """A tar member whose name length is checked before the name is read."""

    def _proc_member(self, tar: "BoundedTar") -> tarfile.TarInfo:
        if self.type not in _PLAIN and self.size > _MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header is longer than any name")
        if self.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_SPARSE):
            raise tarfile.ReadError("a header is of a kind that no backup has")
        if tar.is_in_header and self.type in _OF_THE_NEXT:
            raise tarfile.ReadError("a header follows another one")
        tar.is_in_header = self.type in _OF_THE_NEXT
        return cast("tarfile.TarInfo", super()._proc_member(tar))  # type: ignore[misc]

    def _proc_gnusparse_10(self, *_: object) -> None:
        """Refuse a sparse file: its list of holes has no limit."""
        raise tarfile.ReadError("a sparse file is neither a plain file nor a folder")


class BoundedTar(tarfile.TarFile):
    """A tar file that accepts only short headers."""

    tarinfo = _BoundedInfo
    is_in_header = False
    """Whether the previous header described the next one."""
