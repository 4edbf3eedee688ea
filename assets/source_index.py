"""The chain of a source as one step: documents → chunks → embeddings, source by source.

Belongs here: the loop over keys, what is told to Dagster, and how failures end a run. Not here: the stages
themselves. Guarantee: a bad source fails alone; a healthy source on which nothing changed writes nothing and turns no
key red; one live worker per source.

One `multi_asset` instead of three assets, because a failed key then keeps nothing of its neighbours' from being made,
and because steps of their own cost some seven times more.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
from pydantic import Field

from assets import events
from assets.chunks import refresh_chunks
from assets.documents import refresh_documents
from assets.embeddings import refresh_embeddings
from assets.partitions import SOURCES
from assets.reports import stage_metadata
from assets.resources import StoreResource
from assets.source_job import SourceJob
from headwater import __version__
from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.errors import HeadwaterError, SyncAlreadyRunningError
from headwater.identity import content_hash
from headwater.models import Lineage
from headwater.models_gateway.registry import load_embedder
from headwater.settings import Settings
from headwater.store.store import Store

BATCH_TAG = "headwater/batch"
CODE_VERSION = "1"
PARENTS = {"documents": "sources", "chunks": "documents", "embeddings": "chunks"}
STAGES: Mapping[str, Callable[[SourceJob], None]] = {
    "documents": refresh_documents,
    "chunks": refresh_chunks,
    "embeddings": refresh_embeddings,
}
_DESCRIPTIONS = {
    "documents": "What each source has now, versioned by content.",
    "chunks": "Documents cut into passages, by headings or by paragraphs.",
    "embeddings": "One vector per distinct text; publishes the documents into the search indexes.",
}
_COLUMNS = {
    "documents": {
        "id": "uuid",
        "source_id": "bigint",
        "uri": "text",
        "head_version_id": "uuid",
        "removed_at": "timestamptz",
    },
    "chunks": {"id": "uuid", "document_id": "uuid", "text": "text", "prose": "text", "character_count": "integer"},
    "embeddings": {"model": "text", "text_hash": "bytea", "vector": "halfvec", "token_count": "integer"},
}


class SourceIndexConfig(dg.Config):
    """Which sources, when they do not follow each other: from a sensor, a schedule or the command line."""

    sources: list[str] = Field(default_factory=list)  # not `keys`: RunConfig calls dict(config), which would call it


def _spec(stage: str) -> dg.AssetSpec:
    columns = [dg.TableColumn(name, kind) for name, kind in _COLUMNS[stage].items()]
    return dg.AssetSpec(
        stage,
        deps=[PARENTS[stage]],
        partitions_def=SOURCES,
        skippable=True,
        group_name="source_index",
        kinds={"postgres", "python"},
        code_version=CODE_VERSION,
        description=_DESCRIPTIONS[stage],
        metadata={"dagster/table_name": stage, "dagster/column_schema": dg.TableSchema(columns)},
    )


@dg.multi_asset(
    name="source_index",
    specs=[_spec(stage) for stage in STAGES],
    can_subset=True,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def source_index(
    context: dg.AssetExecutionContext, config: SourceIndexConfig, store: StoreResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Sync sources: fetch, cut, embed, publish; one after another, each on its own."""
    keys = config.sources or list(context.partition_keys)
    stages = [stage for stage in STAGES if dg.AssetKey(stage) in context.selected_asset_keys]
    failed: dict[str, str] = {}
    with store.open() as (opened, settings):
        for key in keys:
            run = _KeyRun(context=context, store=opened, settings=settings, key=key, stages=stages)
            run.is_planned = not config.sources
            error = run.execute()
            if error is not None:
                failed[key] = error
    if failed:
        raise dg.Failure(
            f"{len(failed)} of {len(keys)} sources failed: {', '.join(failed)}",
            metadata={"failed": dg.MetadataValue.json(failed)},
            allow_retries=False,
        )
    yield from ()  # every output is skippable and none is yielded: events are logged per key


@dataclass(kw_only=True)
class _KeyRun:
    """One key of a run."""

    context: dg.AssetExecutionContext
    store: Store
    settings: Settings
    key: str
    stages: list[str]
    is_planned: bool = False  # whether Dagster awaits an event of every stage
    versions: dict[str, str] = field(default_factory=dict)

    def execute(self) -> str | None:
        """Sync the source; returns why it failed, or None."""
        knowledge_base, _, slug = self.key.partition("/")
        batch = self.context.run.tags.get(BATCH_TAG)
        try:
            source = self.store.sources.get(knowledge_base, slug)
        except HeadwaterError as error:
            return str(error)
        is_whole = len(self.stages) == len(STAGES)
        try:
            with self.store.syncs.working(source, batch, self.context.run.run_id, is_whole=is_whole) as work:
                job = SourceJob(
                    store=self.store,
                    settings=self.settings,
                    knowledge_base=self.store.knowledge_bases.get(knowledge_base),
                    indexes=[],
                    work=work,
                    lineage=Lineage(run_id=self.context.run.run_id, code_version=__version__),
                )
                return self._sync(job)
        except SyncAlreadyRunningError as error:
            waits = batch is not None and self.store.syncs.postpone(source, batch, str(error))
            return None if waits else str(error)
        except HeadwaterError as error:
            return str(error)  # deleted meanwhile; its rows went with it

    def _sync(self, job: SourceJob) -> str | None:
        started = time.perf_counter()
        error = None
        try:
            self._run_stages(job)
        except Exception as problem:
            error = str(problem) or type(problem).__name__
            known = isinstance(problem, HeadwaterError)
            self.context.log.error(f"{self.key}: {error}", exc_info=None if known else problem)  # noqa: TRY400 - as known
            self._plan()  # so that the key turns red
        job.counts.ms = round((time.perf_counter() - started) * 1000, 1)
        self.store.syncs.finish(job.work, job.counts, error)
        return error

    def _run_stages(self, job: SourceJob) -> None:
        self._open_indexes(job)
        reported = job.store.syncs.reported_stages(job.source)
        self.versions["sources"] = content_hash(job.source.kind, dict(job.source.config)).hex()
        for stage in STAGES:
            started = time.perf_counter()
            is_selected = stage in self.stages
            if is_selected:
                STAGES[stage](job)
            version, rows = self._digest(job, stage)
            if is_selected and (self.is_planned or version != reported.get(stage)):
                ms = round((time.perf_counter() - started) * 1000, 1)
                self._plan()
                self._record(job, stage, stage_metadata(job, stage, rows, ms))

    def _open_indexes(self, job: SourceJob) -> None:
        settings = job.knowledge_base.settings
        chunking = chunk_settings(settings)
        job.indexes = job.store.search_indexes.ensure(
            job.knowledge_base,
            dimensions=load_embedder(settings.embedding_model, job.settings).dimensions,
            chunk_settings=chunking,
            settings_hash=settings_hash(chunking),
        )

    def _digest(self, job: SourceJob, stage: str) -> tuple[str, int]:
        """The stage's data version and size; also counts them for the sync."""
        if stage == "documents":
            version, job.counts.documents = job.store.documents.documents_digest(job.source)
            rows = job.counts.documents
        elif stage == "chunks":
            version, job.counts.chunks = job.store.documents.chunks_digest(job.source, job.settings_hashes)
            rows = job.counts.chunks
        else:
            models = sorted((index.model, index.settings_hash.hex(), index.language) for index in job.indexes)
            version, rows = content_hash(self.versions["chunks"], models).hex(), job.counts.chunks
        self.versions[stage] = version
        return version, rows

    def _plan(self) -> None:
        """Plan this key in a run that was given keys by config: once there is work for it, or when it fails."""
        if not self.is_planned:
            events.announce(self.context, self.key, self.stages)
            self.is_planned = True

    def _record(self, job: SourceJob, stage: str, metadata: Mapping[str, Any]) -> None:
        parent, version = PARENTS[stage], self.versions[stage]
        events.record(
            self.context,
            key=self.key,
            stage=stage,
            parent=parent,
            data_version=version,
            parent_version=self.versions[parent],
            code_version=CODE_VERSION,
            metadata=metadata,
        )
        job.store.syncs.report_stage(job.source, stage, version, self.context.run.run_id)
