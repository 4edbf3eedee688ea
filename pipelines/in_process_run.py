"""Runs in this process, without queue or daemon.

Belongs here: syncing sources for a caller who waits for the result. Not here: the work of a run, why it ended
(`run_failures`). Guarantee: it is an
ordinary Dagster run, visible in the UI like any other; it also refreshes the knowledge base, so no sensor has to
run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import dagster as dg

from assets.dagster_events import storage
from assets.resources import lend_store
from assets.run_tags import BATCH_TAG, IN_PROCESS_TAG, sync_tags
from assets.source_index import REFUSED
from headwater.domain.corpus import Source
from headwater.settings import Settings
from headwater.store.store import Store
from pipelines.jobs import build_sync_job
from pipelines.run_failures import explain_end, fail_dead_runs, mark_canceled, was_interrupted
from pipelines.schedules import run_config
from pipelines.sensors import partition_changes

_jobs: dict[tuple[str, str | None], dg.JobDefinition] = {}
# As Dagster stores it with the runs of the UI, for the code location that `workspace.yaml` names.
_JOB_ORIGIN = """{"__class__": "ExternalPipelineOrigin", "pipeline_name": "sync_sources", "external_repository_origin":
 {"__class__": "ExternalRepositoryOrigin", "repository_name": "__repository__", "repository_location_origin":
 {"__class__": "RegisteredRepositoryLocationOrigin", "location_name": "headwater"}}}"""
# The console belongs to the caller; the UI shows every event anyway.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncRun:
    """A finished sync: `refresh_error` says why the knowledge base could not be refreshed."""

    run_id: str
    refresh_error: str | None


def run_sync(
    instance: dg.DagsterInstance,
    store: Store,
    settings: Settings,
    wanted: Sequence[Source],
    batch: str,
    *,
    is_full: bool = False,
) -> SyncRun:
    """Sync sources of one knowledge base, and refresh it if anything changed.

    Args:
        instance: Dagster's instance.
        store: the open store.
        settings: the settings of the environment.
        wanted: sources, at least one; their rows wait under `batch`.
        batch: the name under which they wait, held by the caller.
        is_full: read every document again, without trusting fingerprints.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the rest of the sync is cancelled.
    """
    fail_dead_runs(instance, store)
    register_partitions(instance, store)
    keys = [source.key for source in wanted]
    with lend_store(store), storage(), _name_job(instance):
        result = sync_job(settings).execute_in_process(
            instance=instance,
            run_config={**run_config(keys, is_full=is_full), **_QUIET},
            tags={**sync_tags(keys, ["command_line"]), BATCH_TAG: batch, IN_PROCESS_TAG: "true"},
            raise_on_error=False,
        )
    if was_interrupted(result):
        store.worker_failures.cancel_run(result.run_id, batch)
        mark_canceled(instance, result.run_id)
        raise KeyboardInterrupt
    store.worker_failures.fail_rows(result.run_id, batch, explain_end(result.all_events))
    error = _not_refreshed(result) or _find_refusal(instance, result.run_id)
    return SyncRun(run_id=result.run_id, refresh_error=error)


@contextmanager
def _name_job(instance: dg.DagsterInstance) -> Iterator[None]:
    """Have the runs that an instance makes in a block say where their job is, as those of the UI do.

    `execute_in_process` leaves it out, and then the UI's button that executes a run again ends in a stack trace.
    """
    origin: Any = dg.deserialize_value(_JOB_ORIGIN)
    instance.create_run_for_job = partial(instance.create_run_for_job, remote_job_origin=origin)  # type: ignore[method-assign]
    try:
        yield
    finally:
        del instance.create_run_for_job


def sync_job(settings: Settings) -> dg.JobDefinition:
    """The job that syncs, built once."""
    key = (settings.executor, settings.broker_url)  # the settings it depends on
    if key not in _jobs:
        _jobs[key] = build_sync_job(settings)
    return _jobs[key]


def register_partitions(instance: Any, store: Store) -> None:
    """Make Dagster's partitions match the rows, in its instance or in its event storage: both have the same methods."""
    for change in partition_changes(instance, store):
        if isinstance(change, dg.AddDynamicPartitionsRequest):
            instance.add_dynamic_partitions(change.partitions_def_name, list(change.partition_keys))
        else:
            for key in change.partition_keys:
                instance.delete_dynamic_partition(change.partitions_def_name, key)


def _not_refreshed(result: dg.ExecuteInProcessResult) -> str | None:
    """Why the knowledge base could not be refreshed."""
    for event in result.all_events:
        failure_data = event.step_failure_data.user_failure_data if event.is_step_failure else None
        if failure_data is not None and REFUSED in failure_data.metadata:
            reasons = failure_data.metadata[REFUSED].value
            return "; ".join(map(str, reasons.values())) or None if isinstance(reasons, dict) else None
    return None


def _find_refusal(instance: dg.DagsterInstance, run_id: str) -> str | None:
    """The gate's reason against a new index, unless it only waits for documents."""
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    for record in instance.get_records_for_run(run_id, of_type=kind).records:
        event = record.event_log_entry.dagster_event
        evaluation = event.asset_check_evaluation_data if event is not None else None
        if evaluation is None or evaluation.check_name != "gate" or evaluation.passed:
            continue
        if evaluation.severity == dg.AssetCheckSeverity.ERROR:
            return evaluation.description
    return None
