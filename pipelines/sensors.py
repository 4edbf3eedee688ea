"""Sensors: what starts because something happened.

Belongs here: turning rows into runs, and closing rows whose run died. Not here: the work. Guarantee: a batch has its
name in the table before its run exists, so a tick that dies is replayed and nothing runs twice.
"""

from collections.abc import Iterator

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES, SOURCES
from assets.resources import StoreResource
from assets.source_index import BATCH_TAG
from headwater.store.store import Store
from pipelines.jobs import refresh_knowledge_base, sync_sources
from pipelines.schedules import RUN_KEYS, run_config

_INTERVAL = 5  # seconds
_RUNNING = dg.DefaultSensorStatus.RUNNING


@dg.sensor(job=sync_sources, minimum_interval_seconds=_INTERVAL, default_status=_RUNNING)
def requested_syncs(context: dg.SensorEvaluationContext, store: StoreResource) -> dg.SensorResult:
    """Register sources as partitions, and run what was asked for over the API."""
    with store.open() as (opened, _):
        changes = partition_changes(context.instance, opened)
        batches = opened.syncs.name_batches(RUN_KEYS)
    return dg.SensorResult(
        dynamic_partitions_requests=changes,
        run_requests=[
            dg.RunRequest(run_key=batch, run_config=run_config(keys), tags={BATCH_TAG: batch})
            for batch, keys in batches
        ],
    )


@dg.sensor(job=refresh_knowledge_base, minimum_interval_seconds=_INTERVAL, default_status=_RUNNING)
def changed_knowledge_bases(context: dg.SensorEvaluationContext, store: StoreResource) -> Iterator[dg.RunRequest]:
    """Refresh what hangs on a knowledge base once its sources changed and are no longer being synced."""
    known = set(context.instance.get_dynamic_partitions(str(KNOWLEDGE_BASES.name)))
    with store.open() as (opened, _):
        for knowledge_base in opened.knowledge_bases.all(limit=100_000):
            if knowledge_base.slug not in known or opened.syncs.is_busy(knowledge_base.id):
                continue
            digest, refreshed = opened.knowledge_bases.index_digest(knowledge_base.slug)
            if digest != refreshed:
                yield dg.RunRequest(run_key=f"{knowledge_base.id}/{digest}", partition_key=knowledge_base.slug)


@dg.run_failure_sensor(default_status=_RUNNING, minimum_interval_seconds=_INTERVAL)
def failed_runs(context: dg.RunFailureSensorContext, store: StoreResource) -> None:
    """Close the rows that a run left open when it died; a run that lives closes its own."""
    run = context.dagster_run
    message = context.failure_event.message or "The run died. Nothing was lost; sync again to finish."
    with store.open() as (opened, _):
        opened.syncs.close_run(run.run_id, run.tags.get(BATCH_TAG), message)


def partition_changes(
    instance: dg.DagsterInstance, store: Store
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    """What makes Dagster's partitions equal to the rows."""
    wanted = {
        SOURCES: {source.key for source in store.sources.all()},
        KNOWLEDGE_BASES: {knowledge_base.slug for knowledge_base in store.knowledge_bases.all(limit=100_000)},
    }
    changes: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    for definition, keys in wanted.items():
        known = set(instance.get_dynamic_partitions(str(definition.name)))
        if added := sorted(keys - known):
            changes.append(definition.build_add_request(added))
        if gone := sorted(known - keys):
            changes.append(definition.build_delete_request(gone))
    return changes
