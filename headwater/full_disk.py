"""Recognising that a disk is full, and saying which.

Belongs here: what an error looks like that a full disk causes, and the message. Not here: catching such errors.
Guarantee: looking changes nothing; an error of another cause is never blamed on a disk that has room.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from headwater.errors import DatabaseUnavailableError, DiskFullError

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_POSTGRES_CODE = "53100"  # disk_full
_WORDS = os.strerror(errno.ENOSPC)  # a server that refuses a connection gives no code
_OUTAGES = ("OperationalError", "InterfaceError", "DagsterPostgresException")
"""The names of what psycopg, SQLAlchemy and Dagster raise when the server does not work."""
_MIN_FREE_BYTES = 32 * 2**20  # Postgres writes its log in files of 16 MB, and does not start if it cannot make one


def is_full(folder: Path) -> bool:
    """Whether Postgres cannot work in a folder for lack of room."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < _MIN_FREE_BYTES
    return False


def is_caused_by_full_disk(error: BaseException) -> bool:
    """Whether an error, or one that it came from, says that there is no room left."""
    return any(_says_no_space(link) for link in _chain(error))


def disk_full_error(folder: Path | None) -> DiskFullError:
    """The error that the disk of a folder is full; None stands for that of a Postgres server elsewhere."""
    if folder is None:
        return DiskFullError()
    with suppress(OSError):
        disk = shutil.disk_usage(folder)
        return DiskFullError(
            f"The disk of {folder} is full: {disk.free / 1e6:,.0f} MB of {disk.total / 1e9:,.1f} GB are free. Free some"
            " space, then run it again. What was stored before is not lost."
        )
    return DiskFullError(f"The disk of {folder} is full. Free some space, then run it again.")


def explain_by_full_disk(error: BaseException, home: Path, *, is_embedded: bool) -> DiskFullError | None:
    """The error that a disk is full, if that is why another error came; else None.

    Args:
        error: the other error.
        home: HEADWATER_HOME.
        is_embedded: whether Postgres is in the home, too.
    """
    files = [link.filename for link in _chain(error) if isinstance(link, OSError) and link.errno in _NO_SPACE]
    if files:
        return disk_full_error(next((Path(os.fsdecode(name)).parent for name in files if name), home))
    if is_caused_by_full_disk(error):
        return disk_full_error(home if is_embedded else None)
    if is_embedded and is_full(home) and any(_is_outage(link) for link in _chain(error)):
        return disk_full_error(home)
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it came from."""
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _says_no_space(error: BaseException) -> bool:
    if isinstance(error, DiskFullError) or (isinstance(error, OSError) and error.errno in _NO_SPACE):
        return True
    code = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    return code == _POSTGRES_CODE or (_is_outage(error) and _WORDS in str(error))


def _is_outage(error: BaseException) -> bool:
    """Whether an error says that Postgres does not work, rather than that it refuses a value."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, DatabaseUnavailableError) or not kinds.isdisjoint(_OUTAGES)
