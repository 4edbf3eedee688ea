"""Compound files (OLE), in which Office up to 2003 and Outlook store theirs.

Belongs here: opening one safely. Not here: what its streams hold (the parsers), other signatures (`signatures`).
Guarantee: a file is not read beyond its length, also if its tables of sectors are circles; whatever the library raises
on a damaged file becomes a `DocumentError`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from headwater.errors import DocumentError

_SECTOR_SHIFT = 30
_SECTOR_COUNTS = (44, 64, 72)  # where the header says how many sectors each table of sectors has


@contextmanager
def open_compound(content: bytes) -> Iterator[Any]:
    """Open a file.

    Args:
        content: the file.

    Returns:
        It, as olefile has it.

    Raises:
        DocumentError: it is damaged.
    """
    from olefile import OleFileIO

    try:
        counts = (int.from_bytes(content[place : place + 4], "little") for place in _SECTOR_COUNTS)
        refuse_sizes(content, (count << content[_SECTOR_SHIFT] for count in counts))
        with OleFileIO(BytesIO(content)) as container:
            yield container
    except DocumentError:
        raise
    except Exception as error:  # olefile raises whatever its parts raise on damaged files
        raise DocumentError(f"The file is damaged ({error}). Save it again in its program.") from error


def refuse_sizes(content: bytes, sizes: Iterable[int]) -> None:
    """Refuse sizes beyond that of the file: olefile would read a chain of sectors that is a circle as often.

    Raises:
        DocumentError: one is.
    """
    if max(sizes) > len(content):
        raise DocumentError("The file is damaged (it says that it is longer than it is). Save it again in its program.")
