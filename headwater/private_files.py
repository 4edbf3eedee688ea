"""Closing a home folder to everyone but its owner.

Belongs here: the modes of everything that Headwater puts into `HEADWATER_HOME`. Not here: its contents, the socket of
the embedded Postgres (`headwater.store.server.embedded_access`). Guarantee: folders get mode 700 and files 600,
whatever the umask was; no link is followed; nothing outside the home changes, nor anything that Headwater did not
create.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_FOLDERS = ("postgres", "dagster", "sources", "files", "uploads", "logs", "models", "processes")
_FILES = ("up.pid", "postgres.lock", "sync.sock", "code-server.sock", "model-server.json")
_HARMLESS = ("lost+found",)  # exists in the root of a volume
_OPEN = 0o077  # the permissions of group and others


@dataclass(frozen=True, kw_only=True)
class HomeClosure:
    """What was changed in a home, and what is still open."""

    mended: int = 0
    """Files and folders that others could reach before."""
    still_open: list[str] = field(default_factory=list)
    """Sentences that say what others can still reach, and what to do about it."""


def private_umask() -> None:
    """Make this process and its children create files that only their owner can read."""
    os.umask(_OPEN)


def private_folder(folder: Path) -> Path:
    """Create a folder that only its owner can enter, with missing parents; returns it."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
    return folder


def close_home(home: Path, *, thoroughly: bool = False) -> HomeClosure:
    """Remove the permissions of group and others from a home and what Headwater keeps in it.

    Args:
        home: HEADWATER_HOME; nothing happens if it does not exist.
        thoroughly: check every file, even if the folders above it are already closed.
    """
    if not home.is_dir():
        return HomeClosure()
    strangers = sorted(path.name for path in home.iterdir() if not _is_ours(path.name))
    mended, still_open = 0, []
    if not strangers:
        mended += _close(home)
    if _is_open(home):
        why = f"it also holds {strangers[0]}" if strangers else "it belongs to another user"
        still_open.append(
            f"Others can enter {home}, whose mode Headwater does not change, because {why}. Give Headwater a folder of"
            " its own, or run: chmod 700 on it."
        )
    for path in [home / name for name in (*_FOLDERS, *_FILES)]:
        if thoroughly or _is_open(home) or _is_open(path):
            mended += sum(_close(path_below) for path_below in _below(path))
        if _is_open(path):
            still_open.append(f"Others can reach {path}. Its owner can run: chmod -R go= on it.")
    return HomeClosure(mended=mended, still_open=still_open)


def _is_ours(name: str) -> bool:
    return name in (*_FOLDERS, *_FILES, *_HARMLESS)


def _below(path: Path) -> Iterator[Path]:
    """A path and everything below it, top down, so that nobody can follow; Postgres closes its own files."""
    yield path
    if path.name == "postgres" or path.is_symlink():
        return
    for folder, folders, files in os.walk(path):
        yield from (Path(folder) / name for name in (*folders, *files))


def _is_open(path: Path) -> bool:
    with suppress(OSError):
        status = path.lstat()
        return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & _OPEN)
    return False


def _close(path: Path) -> int:
    """Close one file or folder; returns 1 if that changed it. A file with a second hard link may not be ours."""
    if not _is_open(path):
        return 0
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        status = os.fstat(descriptor)
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and (not stat.S_ISREG(status.st_mode) or status.st_nlink > 1):
            return 0
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & ~_OPEN | (0o700 if is_folder else 0))
    except OSError:  # it belongs to another user
        return 0
    finally:
        os.close(descriptor)
    return 1
