"""Reading parts of a zip archive within bounds.

Belongs here: how many parts, how large, how far they expand. Not here: the meaning of a part. Guarantee: nothing is
written; no more is decompressed than the bounds allow, whatever the archive's directory says.
"""

import io
import zipfile
import zlib

from headwater.errors import DocumentError, TooLargeError

_MOST_PARTS = 20_000
_LARGEST_PART = 20_000_000
_LARGEST_TOTAL = 200_000_000
_ENCRYPTED = 1


class Archive:
    """An archive whose parts are read by name."""

    def __init__(self, content: bytes) -> None:
        """Read the directory.

        Raises:
            DocumentError: it is damaged. TooLargeError: it has too many parts.
        """
        end = content.rfind(b"PK\x05\x06")
        if end >= 0 and int.from_bytes(content[end + 10 : end + 12], "little") > _MOST_PARTS:
            raise TooLargeError(f"The file has more than {_MOST_PARTS:,} parts.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise DocumentError(f"The file is damaged: {error}. Copy or export it again.") from error
        if len(self._zip.filelist) > _MOST_PARTS:
            raise TooLargeError(f"The file has more than {_MOST_PARTS:,} parts.")
        self._left = _LARGEST_TOTAL

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """Read a part.

        Raises:
            DocumentError: it is missing, damaged or encrypted. TooLargeError: it, or all together, are too large.
        """
        info = self._zip.NameToInfo.get(name)
        if info is None:
            raise DocumentError(f"The file is incomplete: {name} is missing. Copy or export it again.")
        if info.flag_bits & _ENCRYPTED:
            raise DocumentError(f"{name} is encrypted. Use a copy without encryption.")
        largest = min(_LARGEST_PART, self._left)
        try:
            with self._zip.open(info) as part:
                content = part.read(largest + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise DocumentError(f"{name} is damaged ({error}). Copy or export the file again.") from error
        if len(content) > largest:
            raise TooLargeError(f"{name} is too large: its parts may have {largest / 1e6:g} MB once decompressed.")
        self._left -= len(content)
        return content
