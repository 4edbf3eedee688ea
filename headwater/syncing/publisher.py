"""Publishing in parallel: while one batch is published, the next is read, split and embedded.

Belongs here: the thread or process that publishes, and the order. Not here: publishing itself
(`headwater.store.search.publications`), which documents and when (`flow`, `embeddings`). Guarantee: batches are
published in order, each in its own transaction; the error of a batch is raised when the next is handed over, at the
latest by `wait`; nothing continues after the sync's own process has ended.

A thread publishes the first batch. A source with more gets a process for the rest: Python runs one thread at a
time, and counting terms is a quarter of the work of a first sync. For a few documents, starting it would take longer.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from uuid import UUID

from headwater.domain.search import SearchIndex
from headwater.errors import SourceError
from headwater.store.server.connections import DatabaseUrls
from headwater.store.server.database import Database
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease

WINDOW = 200  # documents that are read, and published, together
PATIENCE = 5.0  # seconds that a finished document waits for others before the next step


class Publisher:
    """Publishes the documents of one source; as a context manager it always ends what it started."""

    def __init__(self, store: Store, work: SyncLease, run_id: str) -> None:
        self._store = store
        self._work = work
        self._run_id = run_id
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="publish")
        self._process: ProcessPoolExecutor | None = None
        self._may_start = _may_start_processes()
        self._running: Future[int] | None = None
        self._count = 0  # documents handed over
        self.rows_written = 0

    def __enter__(self) -> "Publisher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for executor in filter(None, (self._thread, self._process)):
            executor.shutdown(wait=True, cancel_futures=True)

    def publish(self, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
        """Make an index serve the newest state of some documents soon; waits for the previous batch.

        Raises:
            FencedError: a newer sync took over. ModelUnavailableError: a text of the previous batch has no vector.
                SourceError: the process that publishes was killed.
        """
        for start in range(0, len(document_ids), WINDOW):
            self.wait()
            window = list(document_ids[start : start + WINDOW])
            with self._explain_end():
                self._running = self._submit(index, window)
            self._count += len(window)

    def wait(self) -> None:
        """Wait until everything that was handed over is published.

        Raises:
            FencedError: a newer sync took over. ModelUnavailableError: a text has no vector. SourceError: the process
                that publishes was killed.
        """
        running, self._running = self._running, None
        if running is not None:
            with self._explain_end():
                self.rows_written += running.result()

    @contextmanager
    def _explain_end(self) -> Iterator[None]:
        """Explain the error when the process that publishes has died."""
        try:
            yield
        except BrokenProcessPool as error:
            self._process, self._may_start = None, False  # removed documents must still be withdrawn
            raise SourceError(
                f"The process that publishes {self._work.source.key} was killed, perhaps for lack of memory. Published "
                "documents stay; sync again for the rest."
            ) from error

    def _submit(self, index: SearchIndex, document_ids: Sequence[UUID]) -> Future[int]:
        is_first = self._count < WINDOW
        if self._process is None and (not is_first or len(document_ids) == WINDOW) and self._may_start:
            self._process = _start(self._store.database.urls)
            self._may_start = self._process is not None
        if self._process is None or is_first:
            return self._thread.submit(_publish, self._store, self._work, index, document_ids, self._run_id)
        work = replace(self._work, lock=None)  # the lock is a connection of this process, which watches it
        return self._process.submit(_publish_here, work, index, document_ids, self._run_id)


def _start(urls: DatabaseUrls) -> ProcessPoolExecutor | None:
    """Start a process that publishes, ready when the current batch is published; None if that is impossible."""
    try:
        process = ProcessPoolExecutor(
            max_workers=1,
            mp_context=multiprocessing.get_context("spawn"),  # a fork would copy locks of other threads
            initializer=_begin,
            initargs=(urls,),
        )
        process.submit(os.getpid)  # an executor starts its process with its first job
    except (OSError, ImportError, NotImplementedError):  # no shared memory for its locks, or no more processes
        return None
    return process


def _may_start_processes() -> bool:
    """Whether a process is useful and allowed: some task queues run workers as daemons, which cannot start any."""
    return (os.cpu_count() or 1) > 1 and not multiprocessing.current_process().daemon


def _publish(store: Store, work: SyncLease, index: SearchIndex, document_ids: Sequence[UUID], run_id: str) -> int:
    count = store.search_indexes.publish(work, index, document_ids, run_id)
    store.planning.analyze_grown()  # the next steps read all of it
    return count


_store: Store | None = None  # of the process that publishes


def _begin(urls: DatabaseUrls | str) -> None:
    """Open the store of a process that publishes; it ends with the process that started it."""
    global _store  # noqa: PLW0603 - an initializer has no other way to hand something to the calls that follow
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the sync, which ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _store = Store(Database(urls, size=2))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this process was started by one
    parent.join()
    os._exit(1)


def _publish_here(work: SyncLease, index: SearchIndex, document_ids: Sequence[UUID], run_id: str) -> int:
    assert _store is not None  # noqa: S101 - `_begin` came first
    return _publish(_store, work, index, document_ids, run_id)
