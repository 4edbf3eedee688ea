"""The flow of documents through the stages, in batches.

Belongs here: which stage runs when, and the batches between stages. Not here: the work of a stage (its own module),
what a stage that fails holds back (`stage_failures`), which documents are left to other runs (`shares`), reporting
(`source_sync`). Guarantee: a finished document is published within seconds, whatever comes after it.
"""

import time
from collections.abc import Collection, Sequence
from uuid import UUID

from headwater.errors import SourceError
from headwater.spans import span
from headwater.syncing.embeddings import EMBEDDINGS
from headwater.syncing.interruption import Interruption
from headwater.syncing.publisher import PATIENCE, WINDOW
from headwater.syncing.shares import Shares
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Stage, StageWork
from headwater.syncing.stage_failures import StageFailures
from headwater.syncing.stages import STAGES

_LONG = 5.0  # seconds of a stage after which its line does not wait for those of others


class Flow:
    """Takes one source's documents through the chosen stages."""

    def __init__(self, job: SourceJob, chosen: Collection[str], stages: Sequence[Stage] = STAGES) -> None:
        self._job = job
        self._stages = {stage.name: stage for stage in stages}
        self._chosen = [stage for stage in stages if stage.name in chosen]
        self._works = {stage.name: stage.work(job, self._take) for stage in stages}
        self._waiting: list[UUID] = []
        self._last = time.monotonic()
        self._failures = StageFailures(job, self._stages)
        self._shares = Shares(job, self.process, self._wait_for_publisher) if job.work.share is None else None
        self._untold: list[str] = []  # lines of stages that found nothing to do

    def run(self) -> None:
        """Do the work of the chosen stages; errors of a stage are kept for `raise_failure`.

        Raises:
            FencedError: a newer sync took over.
        """
        try:
            for stage in self._chosen:
                self._complete(stage)
                self._tell(stage)
        except Interruption:  # even if a source takes too long, people must see that the model is down
            self._failures.note_all(self._chosen, self._works)
            raise
        finally:  # published documents count, however the rest ends, and what helpers have done
            if self._shares is not None:
                self._shares.end()
            self._job.counts.rows_written += self._job.publisher.rows_written
            if self._untold:  # each line is a row in Dagster's database, which is most of an unchanged source's cost
                self._job.tell("; ".join(self._untold))
        if self._job.counts.rows_written or self._job.work.is_full:
            self._job.store.drift.set_share(self._job.work, self._job.indexes[-1].settings_hash)
            self._job.store.planning.analyze_grown()  # the next steps read all of it

    def work(self, stage: Stage) -> StageWork:
        """The work of a stage on the source, chosen or not."""
        return self._works[stage.name]

    def is_held_back(self, stage: Stage) -> bool:
        """Whether a stage, or one that it depends on, has failed."""
        return self._failures.is_held_back(stage)

    def process(self, document_ids: Sequence[UUID]) -> None:
        """Take documents with new versions through the stages; errors are kept."""
        for stage in self._chosen if document_ids else ():
            if not self.is_held_back(stage):
                batch = span("batch", stage=stage.name, documents=len(document_ids))
                with batch, self._job.time_stage(stage.name), self._failures.keep(stage.name):
                    self._works[stage.name].take(document_ids)

    def settle(self) -> None:
        """Wait until what was processed is published.

        Raises:
            Exception: the error of a stage that failed.
        """
        for stage in self._chosen:
            self._works[stage.name].settle()
        self.raise_failure()

    def raise_kept_failure(self) -> None:
        """Raise the error of a stage that failed, without waiting for what is being published."""
        if self._is_failing():
            self.settle()

    def raise_failure(self) -> None:
        """Raise the error of the first failed stage, if any; those of other stages are recorded as errors."""
        self._failures.raise_first(self._chosen)

    def _complete(self, stage: Stage) -> None:
        work = self._works[stage.name]
        with span("stage", stage=stage.name), self._job.time_stage(stage.name), self._failures.keep(stage.name):
            if self.is_held_back(stage):
                work.settle()
                return
            try:
                work.complete()
            except SourceError:  # documents that were read are passed on all the same
                self._pass_on()
                self._share_rest(stage)
                raise
            self._waiting.clear()  # the next stages find them in the database
            self._share_rest(stage)

    def _tell(self, stage: Stage) -> None:
        """Report how a stage ended; its time includes batches that it took while others were still being read.

        Stages with nothing to do share a line, unless one takes long.
        """
        seconds = self._job.spent.get(stage.name, 0.0)
        failure = self._failures.errors.get(stage.name)
        if failure is not None:
            line = f"{stage.name} failed after {seconds:.1f} s: {failure}"
        elif self.is_held_back(stage):
            line = f"{stage.name} not done, since {stage.parent} is not"
        else:
            summary = self._works[stage.name].summary()
            line = f"{stage.name} done in {seconds:.1f} s{summary and f': {summary}'}"
        self._untold.append(line)
        has_written = self._job.counts.rows_written or self._job.publisher.rows_written
        if failure is not None or self.is_held_back(stage) or has_written or seconds > _LONG:
            for untold in self._untold:
                self._job.tell(untold)
            self._untold.clear()

    def _take(self, document_ids: Sequence[UUID]) -> None:
        """Pass on documents with new versions: at once if they are many, or when the first has waited long enough."""
        self._waiting += document_ids
        if len(self._waiting) >= WINDOW or time.monotonic() - self._last >= PATIENCE:
            self._pass_on()

    def _pass_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._shares is not None:
            self._shares.process(waiting)
        self._last = time.monotonic()

    def _share_rest(self, stage: Stage) -> None:
        """Once a source has been read, do what other runs can help with."""
        if self._shares is not None and stage is self._chosen[0]:
            with self._job.time_stage(EMBEDDINGS.name):
                self._shares.finish(EMBEDDINGS.name, self._is_failing)

    def _is_failing(self) -> bool:
        return bool(self._failures.errors) or any(work.kept_failures() for work in self._works.values())

    def _wait_for_publisher(self) -> None:
        with self._failures.keep(EMBEDDINGS.name):
            self._job.publisher.wait()
