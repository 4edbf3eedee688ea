"""A helper: a run that works on a share of a source that another run syncs.

Belongs here: taking a share, working through its documents, and the helper's end. Not here: which documents belong to
which run (`shares`), the stages, reading the source and deciding what was removed, which the leading run does, Dagster.
Guarantee: what a helper writes is what the leading run would have written; killed at any moment, it loses nothing: the
leading run does the rest.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from headwater import __version__
from headwater.domain.corpus import Lineage
from headwater.domain.plurals import pluralize
from headwater.errors import DatabaseUnavailableError, FencedError
from headwater.settings import Settings
from headwater.spans import root_span
from headwater.store.store import Store
from headwater.store.work.sync_shares import ShareLease, ShareState, find_ordinal
from headwater.syncing.flow import Flow
from headwater.syncing.interruption import Interruption, Watch
from headwater.syncing.publisher import WINDOW, Publisher
from headwater.syncing.shares import GLANCE, find_undone
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stages import STAGES

_UNWANTED = "The run that syncs the source does not want help any more."


@dataclass(kw_only=True)
class Helper:
    """One share of a source in the hands of one run."""

    store: Store
    settings: Settings
    share_id: int
    run_id: str
    tell: Callable[[str], None]
    done_count: int = 0
    """Documents that it has worked on."""

    def execute(self) -> None:
        """Work until nothing is left, or until the leading run does not want help any more.

        Raises:
            HeadwaterError: it cannot go on, as when the model does not answer; the leading run does its part.
        """
        with self.store.shares.hold(self.share_id, self.run_id) as lease:
            if lease is None:
                self.tell("The sync is done, or nobody waits for help any more.")
                return
            key = lease.work.source.key
            with root_span(self.settings, "help", flushes=True, run_id=self.run_id, source=key):
                self._work(lease)

    def _work(self, lease: ShareLease) -> None:
        job = self._job(lease)
        job.open_indexes()
        report = partial(self._report, job)
        try:
            with job.watch.watch(report), job.publisher:
                self._work_through(lease, Flow(job, [stage.name for stage in STAGES[1:]]), job)
        except Interruption as interruption:
            if interruption.error is not None:
                raise interruption.error from None
            self.tell(_UNWANTED)
        except FencedError:
            self.tell(_UNWANTED)
        finally:
            job.counts.rows_written += job.publisher.rows_written
            with suppress(DatabaseUnavailableError):
                report()

    def _job(self, lease: ShareLease) -> SourceJob:
        work = lease.work
        return SourceJob(
            store=self.store,
            settings=self.settings,
            knowledge_base=self.store.knowledge_bases.get(work.source.knowledge_base),
            indexes=[],
            work=work,
            lineage=Lineage(run_id=self.run_id, code_version=__version__),
            watch=Watch(self.store, work, self.settings.source_time_limit),
            publisher=Publisher(self.store, work, self.run_id),
            tell=self.tell,
        )

    def _work_through(self, lease: ShareLease, flow: Flow, job: SourceJob) -> None:
        """Take the documents of the share through the stages, as the leading run writes them."""
        tried: set[UUID] = set()
        while True:
            looked = time.monotonic()
            state = self.store.shares.find_state(self.share_id)
            if state is None:
                raise Interruption(None)
            document_ids = [] if state is ShareState.TAKEN else self._find_documents(lease, job, tried)
            for start in range(0, len(document_ids), WINDOW):
                window = document_ids[start : start + WINDOW]
                tried.update(window)
                flow.process(window)
                flow.raise_kept_failure()
                self.done_count += len(window)
                job.watch.check()
            if not document_ids and state is ShareState.FINISHING:
                break
            if not document_ids:  # looking through a large source takes a while, so it is done less often
                time.sleep(max(GLANCE, 2 * (time.monotonic() - looked)))
                job.watch.check()
        flow.settle()
        words = f"{pluralize(self.done_count, 'document')}, {pluralize(job.counts.embedded, 'text')} embedded"
        self.tell(f"share {lease.ordinal + 1} of {lease.count} done: {words}")

    def _find_documents(self, lease: ShareLease, job: SourceJob, tried: set[UUID]) -> list[UUID]:
        return [
            document_id
            for document_id in find_undone(job)
            if find_ordinal(document_id, lease.count) == lease.ordinal and document_id not in tried
        ]

    def _report(self, job: SourceJob) -> None:
        self.store.shares.report(self.share_id, self.done_count, job.counts, is_cost_known=job.is_cost_known)
