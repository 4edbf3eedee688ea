"""Runs started from here: in this process, without queue or daemon.

Belongs here: syncing sources for whoever waits for the result. Not here: what a run does. Guarantee: it is an
ordinary Dagster run, seen in the UI like any other; it also refreshes what hangs on the knowledge base, so no sensor
need be up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg

from assets.source_run import BATCH_TAG
from headwater.errors import NotFoundError
from headwater.models import Source
from headwater.settings import Settings
from headwater.store.store import Store
from pipelines.definitions import build_definitions
from pipelines.schedules import run_config
from pipelines.sensors import IN_PROCESS_TAG, fail_dead_runs, partition_changes

# The console is for whoever asked; the UI shows every event all the same.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncRun:
    """A sync that ended: `refresh_error` says why what hangs on the knowledge base could not be refreshed."""

    run_id: str
    refresh_error: str | None


def run_sync(
    instance: dg.DagsterInstance,
    store: Store,
    settings: Settings,
    sources: Sequence[Source],
    batch: str,
    *,
    is_full: bool = False,
) -> SyncRun:
    """Sync sources of one knowledge base, and refresh what hangs on it if that changed.

    Args:
        instance: Dagster's instance.
        store: the open store.
        settings: as the environment has them.
        sources: at least one; their rows wait under `batch`.
        batch: the name under which they wait, held by the caller.
        is_full: read everything, without trusting fingerprints.

    Raises:
        KeyboardInterrupt: it was interrupted from the keyboard; what was left is cancelled.
    """
    fail_dead_runs(instance, store)
    register_partitions(instance, store)
    definitions = build_definitions(settings)
    result = definitions.resolve_job_def("sync_sources").execute_in_process(
        instance=instance,
        run_config={**run_config([source.key for source in sources], is_full=is_full), **_QUIET},
        tags={BATCH_TAG: batch, IN_PROCESS_TAG: "true"},
        raise_on_error=False,
    )
    if _was_interrupted(result):  # Dagster makes a failed run of Ctrl-C
        store.syncs.cancel_run(result.run_id, batch)
        raise KeyboardInterrupt
    store.syncs.fail_rows(result.run_id, batch, f"The run ended before this source was done: {_why(result)}")
    error = _refresh(instance, definitions, store, sources[0].knowledge_base)
    return SyncRun(run_id=result.run_id, refresh_error=error)


def register_partitions(instance: dg.DagsterInstance, store: Store) -> None:
    """Make Dagster's partitions equal to the rows."""
    for change in partition_changes(instance, store):
        if isinstance(change, dg.AddDynamicPartitionsRequest):
            instance.add_dynamic_partitions(change.partitions_def_name, list(change.partition_keys))
        else:
            for key in change.partition_keys:
                instance.delete_dynamic_partition(change.partitions_def_name, key)


def _refresh(instance: dg.DagsterInstance, definitions: dg.Definitions, store: Store, slug: str) -> str | None:
    try:
        digest, refreshed = store.knowledge_bases.index_digest(slug)
    except NotFoundError:
        return f"{slug} was deleted or renamed meanwhile"
    if digest == refreshed:
        return None
    result = definitions.resolve_job_def("refresh_knowledge_base").execute_in_process(
        instance=instance, run_config=_QUIET, partition_key=slug, raise_on_error=False
    )
    return _refused(result) if result.success else _why(result)


def _refused(result: dg.ExecuteInProcessResult) -> str | None:
    """What the gate said of an index that should have taken over, unless it waits for documents only."""
    for evaluation in result.get_asset_check_evaluations():
        is_refused = not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.ERROR
        if is_refused and evaluation.check_name == "gate":
            return evaluation.description
    return None


def _was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    for event in result.all_events:
        error = getattr(event.event_specific_data, "error", None) if event.is_failure else None
        while error is not None:
            if error.cls_name in (dg.DagsterExecutionInterruptedError.__name__, KeyboardInterrupt.__name__):
                return True
            error = error.cause
    return False


def _why(result: dg.ExecuteInProcessResult) -> str:
    """Why a run failed, in the words of what failed first."""
    for event in result.all_events:
        if event.is_failure:
            error = getattr(event.event_specific_data, "error", None)
            cause = getattr(error, "cause", None) or error
            return str(cause.message).strip() if cause else str(event.message)
    return "it was stopped"
