"""One source's sync: its stages in order, its listener, and its end.

Belongs here: taking the source, running the chosen stages, and telling the listener. Not here: the stages themselves,
their batches (`flow`), what a failure means (`sync_failures`), Dagster, which is the listener (`assets.source_run`).
Guarantee: whatever happens to one source, the next one is processed; after a restart of the database, the same sync
finishes the source.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from headwater import __version__
from headwater.domain.corpus import Lineage, Source, SourceState
from headwater.errors import (
    CancelledError,
    DatabaseUnavailableError,
    DiskFullError,
    HeadwaterError,
)
from headwater.settings import Settings
from headwater.spans import root_span
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.syncs import Origin
from headwater.store.work.workers import SyncCounts
from headwater.syncing.flow import Flow
from headwater.syncing.interruption import Interruption, Watch
from headwater.syncing.publisher import Publisher
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import ROOT, Digest, Report, Stage, StageWork, root_version
from headwater.syncing.stages import STAGES
from headwater.syncing.sync_failures import explain_failure, find_cause, give_up, is_outage, run_through_outages


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """The result of a stage for a source: data versions, number of rows, and what people see."""

    stage: Stage
    version: str
    parent_version: str
    row_count: int
    ms: float
    report: Report


class Listener(Protocol):
    """Is informed of a source's sync; each method raises DatabaseUnavailableError if that is impossible."""

    def progressed(self, words: str) -> None:
        """Something came to its end, began, or has come further; may be called from another thread."""

    def planned(self, stages: Sequence[str]) -> None:
        """Some stages have work, and each will be made unless the source fails."""

    def made(self, made: Made) -> None:
        """A stage was made."""

    def failed(self, reason: str, problem: Exception) -> None:
        """The source failed."""


@dataclass(kw_only=True)
class SourceSync:
    """One source being synced by one run."""

    store: Store
    settings: Settings
    listener: Listener
    key: str
    run_id: str
    batch: str | None
    """The batch of its waiting rows, if it was requested by rows."""
    stages: list[str]
    is_full: bool = False
    patience: float = 0.0
    """Seconds to wait for another run that syncs the source."""
    origin: Origin = "dagster"
    """Who started the run, if no rows requested it."""
    source: Source | None = None
    """The source as the caller has just read it."""
    planned: set[str] = field(default_factory=set)
    """The stages that the listener expects, changed or not."""
    versions: dict[str, str] = field(default_factory=dict)
    counts: SyncCounts = field(default_factory=SyncCounts)
    is_cancelled: bool = False
    """Whether it ended because every request for it was cancelled; set by `execute`."""

    def execute(self) -> str | None:
        """Sync the source; returns why it failed, or None."""
        with root_span(self.settings, "sync", flushes=True, run_id=self.run_id, source=self.key):
            return run_through_outages(self._execute, self.store, self.settings)

    def _execute(self) -> str | None:
        knowledge_base, _, slug = self.key.partition("/")
        source, self.source = self.source, None  # after an outage, it is read again
        try:
            source = source or self.store.sources.get(knowledge_base, slug)
            with self.store.workers.hold_source(
                source,
                self.batch,
                self.run_id,
                is_whole=len(self.stages) == len(STAGES),
                is_full=self.is_full,
                patience=self.patience,
                origin=self.origin,
            ) as work:
                return self._prepare(knowledge_base, work)
        except HeadwaterError as error:
            self.is_cancelled = isinstance(error, CancelledError)
            return give_up(self.store, source, self.batch, error)

    def _prepare(self, knowledge_base: str, work: SyncLease) -> str | None:
        try:
            job = self._job(knowledge_base, work)
        except DatabaseUnavailableError:
            raise
        except HeadwaterError as error:  # such as settings that are no longer valid
            self.store.workers.finish(work, SyncCounts(error_code=error.code), str(error))
            return str(error)
        return self._sync(job)

    def _job(self, knowledge_base: str, work: SyncLease) -> SourceJob:
        if work.lost_workers and self.counts == SyncCounts():  # this run has not worked on it yet
            self.counts = self.store.workers.load_lost_counts(work)
        self.counts = self.counts.to_carry_over()
        job = SourceJob(
            store=self.store,
            settings=self.settings,
            knowledge_base=self.store.knowledge_bases.get(knowledge_base),
            indexes=[],
            work=work,
            lineage=Lineage(run_id=self.run_id, code_version=__version__),
            watch=Watch(self.store, work, self.settings.source_time_limit),
            publisher=Publisher(self.store, work, self.run_id),
            counts=self.counts,
            tell=self.listener.progressed,
        )
        job.progress(STAGES[0].name, 0, 0)
        return job

    def _sync(self, job: SourceJob) -> str | None:
        started = time.perf_counter()
        error = None
        try:
            with job.watch.watch(job.report), job.publisher:
                self._run_stages(job)
        except Interruption as interruption:
            if interruption.error is None:
                job.store.workers.stop(job.work)
                self.is_cancelled = True
                return None
            error = self._report_failure(job, interruption.error)
        except Exception as problem:  # noqa: BLE001 - whatever it is concerns this source only
            error = self._report_failure(job, problem)
        job.counts.unchanged = max(job.counts.unchanged, 0)  # what was finished may have vanished since
        job.counts.ms = round((time.perf_counter() - started) * 1000, 1)
        self.store.workers.finish(job.work, job.counts, error)
        return error

    def _report_failure(self, job: SourceJob, problem: Exception) -> str:
        """Report the failure; returns the reason.

        Raises:
            DatabaseUnavailableError: it is an outage, which the sync may survive.
        """
        problem = find_cause(problem, self.settings)
        if is_outage(problem):
            raise problem
        job.counts.error_code, reason = explain_failure(problem)
        with suppress(DiskFullError):  # the result still fits where the row is, mostly
            self.listener.failed(reason, problem)
            self._plan()
        return reason

    def _run_stages(self, job: SourceJob) -> None:
        job.open_indexes()
        # One that failed is told of as a whole once it can be read again, changed or not: its keys are red until then.
        has_failed = job.source.state == SourceState.FAILED
        reported = {} if has_failed else job.store.workers.load_reported_stages(job.source)
        self.versions[ROOT] = root_version(job.source)
        flow = Flow(job, self.stages)
        flow.run()
        digests: dict[str, Digest] = {}
        with job.store.database.together():  # in one transaction, since a quiet sync is mostly round trips
            for stage in STAGES:
                if not flow.is_held_back(stage):
                    digest = digests[stage.name] = flow.work(stage).digest(self.versions[stage.parent])
                    self.versions[stage.name] = digest.version
        for stage in STAGES:
            if stage.name not in digests or stage.name not in self.stages:
                continue
            if digests[stage.name].version != reported.get(stage.name):
                self._plan()
            if stage.name in self.planned:
                self._show(job, stage, flow.work(stage), digests[stage.name])
        flow.raise_failure()

    def _plan(self) -> None:
        """Announce the work on the source: when it is found, or when it fails."""
        if missing := [name for name in self.stages if name not in self.planned]:
            self.listener.planned(missing)
            self.planned.update(missing)

    def _show(self, job: SourceJob, stage: Stage, work: StageWork, digest: Digest) -> None:
        self.listener.made(
            Made(
                stage=stage,
                version=digest.version,
                parent_version=self.versions[stage.parent],
                row_count=digest.row_count,
                ms=round(job.spent.get(stage.name, 0.0) * 1000, 1),
                report=work.report(),
            )
        )
        job.store.workers.report_stage(job.source, stage.name, digest.version, self.run_id)
