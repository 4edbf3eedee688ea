"""Folders for temporary files that survive no process for long.

Belongs here: making them, and removing those of processes that were killed. Not here: their contents. Guarantee: only
their owner can enter them; a folder is removed only if this user made it and the process that made it has ended.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headwater.process_identity import ProcessIdentity

_NAME = re.compile(r"headwater-[a-z-]+-(?P<owner>\d+\.\d+\.\d+)-\w+", re.ASCII)
_swept_by: list[int] = []
_NOBODY = 65534  # whom root gives a confined process's folder


def make_temporary_folder(kind: str) -> Path:
    """Make a folder that only its owner can enter; removes first what killed processes left.

    Args:
        kind: what it is for, in lower case letters and hyphens; part of its name.
    """
    if _swept_by != [os.getpid()]:  # once a process, and again in its forks
        _swept_by[:] = [os.getpid()]
        remove_abandoned_folders()
    return Path(tempfile.mkdtemp(prefix=f"headwater-{kind}-{ProcessIdentity.own()}-"))


@contextmanager
def brief_folder(kind: str) -> Iterator[Path]:
    """Make such a folder for the length of a block."""
    folder = make_temporary_folder(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_folders() -> int:
    """Remove the folders that processes of this user made and left when they were killed; returns how many."""
    removed = 0
    with suppress(OSError):
        for entry in list(os.scandir(tempfile.gettempdir())):
            match = _NAME.fullmatch(entry.name)
            owner = ProcessIdentity.parse(match["owner"]) if match else None
            if owner is not None and owner.is_here and not owner.is_alive and _is_own_folder(entry):
                shutil.rmtree(entry.path, ignore_errors=True)
                removed += not Path(entry.path).exists()
    return removed


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    owners = {os.geteuid(), _NOBODY} if os.geteuid() == 0 else {os.geteuid()}
    return stat.S_ISDIR(status.st_mode) and status.st_uid in owners
