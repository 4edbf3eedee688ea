"""Publishing beside the work: while Postgres takes in one portion, the next is read, cut and embedded.

Belongs here: one thread that publishes, in order. Not here: what publishing means
(`headwater.store.search_indexes`), which documents and when (`flow`, `embeddings`). Guarantee: portions are published
in the order in which they came, each in a transaction of its own; what went wrong with one is raised where the next
is handed over, at the latest by `wait`.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from uuid import UUID

from headwater.models import SearchIndex
from headwater.store.store import Store
from headwater.store.workers import SyncSource

WINDOW = 200  # documents that are read, and published, together


class Publisher:
    """Publishes the documents of one source; as a context manager it ends its thread, whatever happens."""

    def __init__(self, store: Store, work: SyncSource, run_id: str) -> None:
        self._store = store
        self._work = work
        self._run_id = run_id
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="publish")
        self._running: Future[int] | None = None
        self.rows_written = 0

    def __enter__(self) -> "Publisher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def publish(self, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
        """Make an index serve the newest state of some documents, soon; waits for the portion before.

        Raises:
            FencedError: a newer sync took over. ModelUnavailableError: a text of the portion before has no vector.
        """
        for start in range(0, len(document_ids), WINDOW):
            self.wait()
            part = list(document_ids[start : start + WINDOW])
            self._running = self._threads.submit(self._publish, index, part)

    def wait(self) -> None:
        """Wait until everything that was handed over is published.

        Raises:
            FencedError: a newer sync took over. ModelUnavailableError: a text has no vector.
        """
        running, self._running = self._running, None
        if running is not None:
            self.rows_written += running.result()

    def _publish(self, index: SearchIndex, document_ids: Sequence[UUID]) -> int:
        written = self._store.search_indexes.publish(self._work, index, document_ids, self._run_id)
        self._store.planning.analyze_grown()  # what comes next reads all of it
        return written
