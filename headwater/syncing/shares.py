"""The shares of a source: which documents its leading run leaves to helpers, and waiting for them.

Belongs here: when help is wanted, who works on which document, and adding what helpers did to the counts of the sync.
Not here: the rows (`headwater.store.work.sync_shares`), a helper's own work (`helper`), the stages. Guarantee: nothing
waits for a helper that is not there: without any, the leading run does everything; a helper that ended or died leaves
its documents to the leading run; two runs never work on the same document.

The leading run reads the source, and decides what was removed. Documents that it has written are split, embedded and
published by it and by its helpers, each those of its shares. A run needs seconds to start, so help is asked for only if
a sync lasts; then up to `workers` less one.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from headwater.errors import DatabaseUnavailableError
from headwater.store.work.sync_shares import Share, ShareState, find_ordinal
from headwater.syncing.source_job import SourceJob

GLANCE = 0.2  # seconds between looking for work, or for the end of a helper
LASTS_SECONDS = 10.0
"""How long a sync takes before it asks for help."""
_STEP = 25  # documents that are processed before looking for helpers again
_OWNED = (ShareState.WORKING, ShareState.FINISHING)


def find_undone(job: SourceJob) -> list[UUID]:
    """The documents of a source that are not split, or that an index does not serve in their newest state, by URI."""
    document_ids: dict[UUID, None] = {}
    for index in job.index_by_settings:
        document_ids |= dict.fromkeys(key for key, _ in job.store.documents.to_chunk(job.source, index.settings_hash))
    for index in job.indexes:
        changed, _ = job.store.search_indexes.documents_to_publish(job.work, index)
        document_ids |= dict.fromkeys(document.document_id for document in changed)
    return list(document_ids)


class Shares:
    """The documents of a source, as its leading run shares them out."""

    def __init__(self, job: SourceJob, process: Callable[[Sequence[UUID]], None], settle: Callable[[], None]) -> None:
        """Begin with a source.

        Args:
            job: the source being synced.
            process: takes some documents through the stages.
            settle: waits until those that it took are published.
        """
        self._job = job
        self._process = process
        self._settle = settle
        self._is_allowed = job.source.workers > 1 and job.work.is_whole and job.source.managed_by is None
        self._began = time.monotonic()
        self._has_asked = False
        self._tried: set[UUID] = set()
        self._owned: dict[int, Share] = {}  # by number
        self._counted: dict[int, Share] = {}  # what is in the counts of the sync already, by row
        self._done_count = 0  # documents that helpers have done
        if self._is_allowed:
            self._take_back(None)  # of a run that died

    def process(self, document_ids: Sequence[UUID]) -> None:
        """Process some documents, except those of helpers, who find theirs in the database."""
        if not self._is_allowed:
            self._process(document_ids)
            return
        for window in self._windows(document_ids):
            self._process(window)

    def finish(self, stage: str, is_failing: Callable[[], bool]) -> None:
        """Process what is left together with the helpers, and wait for them; reports the progress of a stage."""
        if not self._is_allowed:
            return
        total, start = 0, self._count_done()
        while not is_failing():
            undone = [document_id for document_id in find_undone(self._job) if document_id not in self._tried]
            if not undone and not self._owned:
                break
            total = total or len(undone)
            progress = partial(self._progress, stage, total, start)
            for window in self._windows(undone):
                self._process(window)
                progress()
            self._wait_for_one(progress)
        self.end()

    def end(self) -> None:
        """Take all shares back: help is not needed any more."""
        if self._has_asked:
            with suppress(DatabaseUnavailableError):
                self._take_back(None)

    def _windows(self, document_ids: Sequence[UUID]) -> Iterator[list[UUID]]:
        """The leading run's own documents of some, a few at a time, since helpers come and go."""
        waiting = list(document_ids)
        while waiting:
            self._look(has_more=True)
            waiting = [document_id for document_id in waiting if not self._is_owned(document_id)]
            window, waiting = waiting[:_STEP], waiting[_STEP:]
            if window:
                self._tried.update(window)
                yield window

    def _is_owned(self, document_id: UUID) -> bool:
        return any(find_ordinal(document_id, share.count) == share.ordinal for share in self._owned.values())

    def _look(self, *, has_more: bool) -> None:
        """Ask for helpers if it is worth it, leave shares to those that have started, and take the others back."""
        job = self._job
        if not self._has_asked:
            is_worth_it = has_more and time.monotonic() - self._began >= LASTS_SECONDS and not job.to_recut
            if is_worth_it:
                self._has_asked = True
                job.store.shares.request(job.work, job.source.workers)
                job.tell(f"asked for {job.source.workers - 1} more workers")
            return
        shares = job.store.shares.list_taken(job.work)
        for share in shares:
            self._count(share)
        self._take_back([share.id for share in shares if share.state in _OWNED and not share.is_alive])
        arrived = [share for share in shares if share.state is ShareState.TAKEN and share.is_alive]
        if arrived:
            self._settle()  # what is being published is nobody else's
            job.store.shares.set_state([share.id for share in arrived], ShareState.WORKING)
            self._owned |= {share.ordinal: share for share in arrived}
            job.tell(f"{len(self._owned)} of {job.source.workers - 1} more workers are at work")

    def _count_done(self) -> int:
        """How many documents this run and its helpers have processed."""
        return len(self._tried) + self._done_count

    def _progress(self, stage: str, total: int, start: int) -> None:
        self._job.progress(stage, min(self._count_done() - start, total), total)

    def _wait_for_one(self, progress: Callable[[], None]) -> None:
        """Tell helpers that nothing new comes, and wait until one has ended, if there is any."""
        count = len(self._owned)
        self._job.store.shares.set_state([share.id for share in self._owned.values()], ShareState.FINISHING)
        while self._owned and len(self._owned) == count:
            progress()
            time.sleep(GLANCE)
            self._look(has_more=False)

    def _take_back(self, ids: Sequence[int] | None) -> None:
        """Take shares back, by default all: their helpers have ended, or are not wanted any more."""
        if ids is None or ids:
            for share in self._job.store.shares.take_back(self._job.work, ids):
                self._count(share)
                self._owned.pop(share.ordinal, None)

    def _count(self, share: Share) -> None:
        """Add what a helper has done since it was looked at to the counts of the sync."""
        counts, previous = self._job.counts, self._counted.get(share.id)
        self._counted[share.id] = share
        for name in ("embedded", "to_embed", "rows_written", "tokens", "cost_usd"):
            grown = getattr(share.counts, name) - (getattr(previous.counts, name) if previous else 0)
            setattr(counts, name, getattr(counts, name) + grown)
        self._done_count += share.done_count - (previous.done_count if previous else 0)
        self._job.is_cost_known = self._job.is_cost_known and share.is_cost_known
