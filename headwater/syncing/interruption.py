"""Interrupting a source's sync from outside: it was cancelled, took too long, or lost its lock.

Belongs here: detecting this, and interrupting the work, or one document that takes too long. Not here: the consequences
for the source (`sync_failures`), a worker that dies (`headwater.store.work.worker_failures`). Guarantee: hanging work
is interrupted too, if it runs in its process's main thread; otherwise it stops at its next progress report. If native
code does not mind, its process ends (`watchdog`).
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import TypeVar

from headwater.errors import DatabaseUnavailableError, DocumentError, HeadwaterError, TimeLimitError
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease
from headwater.syncing.watchdog import end_process, watchdog

DOCUMENT_SHARE = 0.1
"""The share of its source's time limit that one document may take in a stage."""
_INTERVAL = 0.5  # seconds between checks
_GRACE = 120.0  # seconds in which interrupted work must end; it may wait for a database that hangs
_Done = TypeVar("_Done")


class Interruption(BaseException):
    """The work must stop. Not an Exception, so that no handler for errors of documents or sources catches it.

    `error` is None when it was cancelled.
    """

    def __init__(self, error: HeadwaterError | None) -> None:
        super().__init__(str(error or "cancelled"))
        self.error = error


class _Overdue(BaseException):
    """A document took too long; not an `Exception`, so that no parser mistakes it for an error in the text."""


class Watch:
    """Checks, in parallel to the work, whether it is still wanted, and reports its progress."""

    def __init__(self, store: Store, work: SyncLease, limit: float) -> None:
        self._store = store
        self._work = work
        self._limit = limit
        self._started = time.monotonic()
        self._ended = threading.Event()
        self._document_began: float | None = None
        self.interruption: Interruption | None = None

    def check(self) -> None:
        """Stop here if the work is no longer wanted.

        Raises:
            Interruption: it was cancelled or took too long.
        """
        if self.interruption is not None:
            raise self.interruption

    @contextmanager
    def watch(self, report: Callable[[], None]) -> Iterator[None]:
        """Watch for the length of a block.

        Args:
            report: stores the progress of the work; called from another thread.

        Raises:
            Interruption: it was cancelled or took too long.
        """
        is_main = threading.current_thread() is threading.main_thread()
        previous = signal.signal(signal.SIGUSR1, self._interrupt) if is_main else None
        thread = threading.Thread(target=self._look, args=(report, is_main), daemon=True)
        thread.start()
        try:
            with watchdog() if is_main else nullcontext():
                try:
                    try:
                        yield
                    finally:
                        self._ended.set()
                finally:  # again: the signal may come between any two steps, but it comes once
                    self._ended.set()
                    thread.join()
        finally:
            if is_main:
                signal.signal(signal.SIGUSR1, previous)

    def document(self, work: Callable[[], _Done]) -> _Done:
        """Limit the time that some work may take for one document, so that other documents are processed.

        A signal may arrive between any two steps, so all of them are inside the outer `try`; a context manager would
        leave some to its caller.

        Args:
            work: the work on the document.

        Returns:
            The result of the work.

        Raises:
            DocumentError: it took longer than its share of the source's time limit.
        """
        try:
            try:
                self._document_began = time.monotonic()
                return work()
            finally:
                self._document_began = None
        except _Overdue:
            raise DocumentError(
                f"It took longer than {self._limit * DOCUMENT_SHARE:.1f} s, a tenth of its source's time limit, so it "
                "was left out. Split it, or raise HEADWATER_SOURCE_TIME_LIMIT."
            ) from None

    def _is_overdue(self) -> bool:
        began = self._document_began
        return bool(self._limit) and began is not None and time.monotonic() - began > self._limit * DOCUMENT_SHARE

    def _interrupt(self, _: int, __: FrameType | None) -> None:
        """Stop the work, or the current document if it still is; runs in the thread that works."""
        if self.interruption is not None:
            raise self.interruption
        if self._is_overdue():
            self._document_began = None  # so that it is stopped once, and not while the error is handled
            raise _Overdue

    def _look(self, report: Callable[[], None], is_main: bool) -> None:
        while not self._ended.wait(_INTERVAL):
            with suppress(Exception):  # no error may end the watch
                report()
            if self._limit and time.monotonic() - self._started > self._limit:
                error: HeadwaterError = TimeLimitError(
                    f"The sync of this source took longer than {self._limit:.0f} s. What it has published stays; sync "
                    "again to continue, or raise HEADWATER_SOURCE_TIME_LIMIT."
                )
                self.interruption = Interruption(error)
            elif self._work.lock is not None and not self._work.lock.is_alive():
                error = DatabaseUnavailableError("Postgres was unavailable, so the source's lock was lost.")
                self.interruption = Interruption(error)
            elif self._is_cancelled():
                self.interruption = Interruption(None)
            if is_main and (self.interruption is not None or self._is_overdue()):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            if self.interruption is not None:
                if is_main and not self._ended.wait(_GRACE):
                    end_process()
                return

    def _is_cancelled(self) -> bool:
        try:
            if self._work.share is not None:
                return self._store.shares.find_state(self._work.share) is None
            return self._store.workers.is_cancelled(self._work)
        except HeadwaterError:
            return False  # the work itself will notice that the database is unavailable
