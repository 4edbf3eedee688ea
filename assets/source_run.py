"""One source's part of a run: its stages in order, what Dagster is told, and how it ends.

Belongs here: taking the source, running the selected stages, reporting, and going on when the database was away. Not
here: the stages themselves. Guarantee: whatever happens to one source, the next one of the run gets its turn; a source
that was interrupted by the database's restart is finished by the same run.
"""

import time
from dataclasses import dataclass, field

import dagster as dg

from assets import events
from assets.reports import stage_metadata
from headwater import __version__
from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.corpus import Lineage
from headwater.errors import (
    CancelledError,
    DatabaseUnavailableError,
    HeadwaterError,
    SourceError,
    SyncAlreadyRunningError,
)
from headwater.identity import content_hash
from headwater.models_gateway.registry import load_embedder
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.fencing import SyncSource
from headwater.store.work.workers import SyncCounts
from headwater.syncing.flow import Flow
from headwater.syncing.interruption import Interruption, Watch
from headwater.syncing.publishing import Publisher
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import ROOT, Digest, Stage, StageWork
from headwater.syncing.stages import STAGES

BATCH_TAG = "headwater/batch"
_EXECUTED_AGAIN = "dagster/parent_run_id"
_OUTAGES = 5  # that one source of one run lives through
_OUTAGE_LIMIT = 300.0  # seconds that an outage may last


@dataclass(kw_only=True)
class SourceRun:
    """One key of a run."""

    context: dg.AssetExecutionContext
    store: Store
    settings: Settings
    key: str
    stages: list[str]
    is_full: bool = False
    is_planned: bool = False  # whether Dagster awaits an event of every stage
    versions: dict[str, str] = field(default_factory=dict)
    counts: SyncCounts = field(default_factory=SyncCounts)

    def execute(self) -> str | None:
        """Sync the source; returns why it failed, or None."""
        for _ in range(_OUTAGES):
            try:
                return self._execute()
            except DatabaseUnavailableError as error:
                outage = error
                if not self._wait_for_database():
                    break
        return str(outage)

    def _wait_for_database(self) -> bool:
        """Wait until Postgres is back; what was written before stays, and the rest is found again."""
        deadline = time.monotonic() + _OUTAGE_LIMIT
        while time.monotonic() < deadline:
            time.sleep(1)
            if self.store.database.is_reachable():
                return True
        return False

    def _execute(self) -> str | None:
        knowledge_base, _, slug = self.key.partition("/")
        tags = self.context.run.tags
        # A run that is executed again, in the UI, is nobody's batch, though it has all tags of the one before.
        batch = None if _EXECUTED_AGAIN in tags else tags.get(BATCH_TAG)
        try:
            source = self.store.sources.get(knowledge_base, slug)
            with self.store.workers.working(
                source, batch, self.context.run.run_id, is_whole=len(self.stages) == len(STAGES), is_full=self.is_full
            ) as work:
                return self._prepared(knowledge_base, work)
        except SyncAlreadyRunningError as error:
            waits = batch is not None and self.store.workers.postpone(source, batch, str(error))
            return None if waits else str(error)
        except CancelledError:
            return None
        except DatabaseUnavailableError:
            raise
        except HeadwaterError as error:
            return str(error)  # deleted meanwhile; its rows went with it

    def _prepared(self, knowledge_base: str, work: SyncSource) -> str | None:
        try:
            job = self._job(knowledge_base, work)
        except DatabaseUnavailableError:
            raise
        except HeadwaterError as error:  # such as settings that are not valid any more
            self.store.workers.finish(work, SyncCounts(error_code=error.code), str(error))
            return str(error)
        return self._sync(job)

    def _job(self, knowledge_base: str, work: SyncSource) -> SourceJob:
        self.counts = self.counts.carried()
        job = SourceJob(
            store=self.store,
            settings=self.settings,
            knowledge_base=self.store.knowledge_bases.get(knowledge_base),
            indexes=[],
            work=work,
            lineage=Lineage(run_id=self.context.run.run_id, code_version=__version__),
            watch=Watch(self.store, work, self.settings.source_time_limit),
            publisher=Publisher(self.store, work, self.context.run.run_id),
            counts=self.counts,
        )
        job.progress(STAGES[0].name, 0, 0)
        return job

    def _sync(self, job: SourceJob) -> str | None:
        started = time.perf_counter()
        error = None
        try:
            with job.watch.watching(job.report), job.publisher:
                self._run_stages(job)
        except DatabaseUnavailableError:
            raise
        except Interruption as interruption:
            if interruption.error is None:
                job.store.workers.stop(job.work)
                return None
            if isinstance(interruption.error, DatabaseUnavailableError):
                raise interruption.error from interruption
            error = self._failed(job, interruption.error)
        except Exception as problem:  # noqa: BLE001 - whatever it is concerns this source only
            error = self._failed(job, problem)
        job.counts.ms = round((time.perf_counter() - started) * 1000, 1)
        self.store.workers.finish(job.work, job.counts, error)
        return error

    def _failed(self, job: SourceJob, problem: Exception) -> str:
        """Tell Dagster, so that the key turns red; returns the reason in words."""
        reason = str(problem) or type(problem).__name__
        known = isinstance(problem, HeadwaterError)
        job.counts.error_code = problem.code if isinstance(problem, HeadwaterError) else SourceError.code
        with events.storage():
            self.context.log.error(f"{self.key}: {reason}", exc_info=None if known else problem)
        self._plan()
        return reason

    def _run_stages(self, job: SourceJob) -> None:
        self._open_indexes(job)
        reported = job.store.workers.reported_stages(job.source)
        self.versions[ROOT] = content_hash(job.source.kind, dict(job.source.config)).hex()
        flow = Flow(job, self.stages)
        flow.run()
        for stage in STAGES:
            if flow.is_held_back(stage):
                continue
            digest = flow.work(stage).digest(self.versions[stage.parent])
            self.versions[stage.name] = digest.version
            if stage.name in self.stages and (self.is_planned or digest.version != reported.get(stage.name)):
                self._plan()
                self._record(job, stage, flow.work(stage), digest)
        flow.raise_failure()

    def _open_indexes(self, job: SourceJob) -> None:
        settings = job.knowledge_base.settings
        chunking = chunk_settings(settings)
        job.indexes = job.store.search_indexes.ensure(
            job.knowledge_base,
            dimensions=load_embedder(settings.embedding_model, job.settings).dimensions,
            chunk_settings=chunking,
            settings_hash=settings_hash(chunking),
        )

    def _plan(self) -> None:
        """Plan this key in a run that was given keys by config: once there is work for it, or when it fails."""
        if not self.is_planned:
            events.announce(self.context, self.key, self.stages)
            self.is_planned = True

    def _record(self, job: SourceJob, stage: Stage, work: StageWork, digest: Digest) -> None:
        events.record(
            self.context,
            key=self.key,
            stage=stage.name,
            parents={stage.parent: self.versions[stage.parent]},
            data_version=digest.version,
            code_version=stage.code_version,
            metadata=stage_metadata(job, stage, work.report(), digest.row_count),
        )
        job.store.workers.report_stage(job.source, stage.name, digest.version, self.context.run.run_id)
