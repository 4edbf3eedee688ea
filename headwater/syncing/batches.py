"""Versions that are written together, and the waits of their source.

Belongs here: when a batch is due, waiting for a server as a connector asks. Not here: writing versions (`documents`).
Guarantee: no document waits long for others; what was found before a wait is written first; nothing that a connector
gets leads to the database, because it only has a number that is looked up here while its sync runs.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from headwater.store.content.documents import NewVersion
from headwater.syncing.source_job import SourceJob

Wait = Callable[[float, str], None]
PATIENCE = 5.0  # seconds that a document waits for others to be written with it
_BATCH = 100  # documents per transaction
_MAX_CHARS = 5_000_000  # characters of one batch, originals included, which limits its memory
_GLANCE = 0.5  # seconds between looking whether a sync that waits is still wanted
_numbers = itertools.count()
_batches: "dict[int, Batch]" = {}


class Batch:
    """Collects versions, and has them written when they are many or the first has waited long enough."""

    def __init__(self, job: SourceJob, write: Callable[[list[NewVersion]], None]) -> None:
        self.versions: list[NewVersion] = []
        self._job = job
        self._write = write
        self._written = time.monotonic()

    def add(self, versions: Sequence[NewVersion]) -> None:
        """Add versions to be written."""
        self.versions += versions

    def write_if_due(self) -> None:
        """Write them if it is time to."""
        if self._is_full() or (self.versions and time.monotonic() - self._written > PATIENCE):
            self.write()

    def write(self) -> None:
        """Write them now."""
        full, self.versions, self._written = self.versions, [], time.monotonic()
        self._write(full)

    def wait(self, seconds: float, reason: str) -> None:
        """Wait as a connector asks, after writing what it found.

        Raises:
            Interruption: the sync was cancelled, or takes too long.
        """
        self.write()
        self._job.tell(f"waiting {seconds:.0f} s: {reason}")
        end = time.monotonic() + seconds
        while (seconds_left := end - time.monotonic()) > 0:
            self._job.progress("documents", self._job.counts.read, self._job.counts.total or 0)
            time.sleep(min(seconds_left, _GLANCE))

    def _is_full(self) -> bool:
        return len(self.versions) >= _BATCH or sum(map(_size, self.versions)) > _MAX_CHARS


@contextmanager
def lend_wait(batch: Batch) -> Iterator[Wait]:
    """Yield a function with which a connector waits, for the length of a block."""
    key = next(_numbers)
    _batches[key] = batch
    try:
        yield partial(_wait, key)
    finally:
        del _batches[key]


def _wait(number: int, seconds: float, reason: str) -> None:
    _batches[number].wait(seconds, reason)


def _size(version: NewVersion) -> int:
    original = version.document.original
    return len(version.document.text) + (len(original.content) if original else 0)
