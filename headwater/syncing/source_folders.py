"""The folders that sources keep between syncs, such as copies of repositories.

Belongs here: their paths, and removing those of deleted sources. Not here: their contents. Guarantee: only
folders named by a number below `HEADWATER_HOME/sources` are ever removed.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from headwater.settings import Settings
from headwater.store.store import Store


def source_folder(settings: Settings, source_id: int) -> Path:
    """A source's own folder, which may not exist yet."""
    return settings.home / "sources" / str(source_id)


def remove_folders(settings: Settings, source_ids: Sequence[int]) -> int:
    """Remove the folders of some sources; returns how many files were removed."""
    return sum(_remove(source_folder(settings, source_id)) for source_id in source_ids)


def source_numbers_of_folders(settings: Settings) -> set[int]:
    """The source numbers of all existing folders."""
    root = settings.home / "sources"
    return {int(path.name) for path in root.iterdir() if path.name.isdecimal()} if root.is_dir() else set()


def remove_orphan_folders(settings: Settings, store: Store) -> int:
    """Remove the folders of deleted sources, which a worker may have created late; returns how many were removed."""
    # List folders before reading rows: a source created meanwhile has no folder in this list.
    source_ids = source_numbers_of_folders(settings)
    orphans = source_ids - store.sources.ids() if source_ids else source_ids
    remove_folders(settings, sorted(orphans))
    return len(orphans)


def _remove(folder: Path) -> int:
    count_before = _count_files(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return count_before - _count_files(folder)


def _count_files(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))
