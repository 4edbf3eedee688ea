"""Housekeeping: the job and its schedule, and Dagster's own part of it.

Belongs here: which runs Dagster may forget. Not here: runs that die (`run_failures`), Headwater's rows
(`headwater.administration.housekeeping`). Guarantee: no partition changes its status, and every run whose results still
exist, or are cited by an answer, can still be opened.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg

from assets.resources import StoreResource
from headwater.administration.housekeeping import HISTORY_RETENTION_DAYS, tidy
from headwater.store.server.health import VacuumAdvice
from headwater.store.store import Store

_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
# Dagster shows a partition's status from the newest of each of these, by asset and partition.
_COLOURING = (
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED,
    dg.DagsterEventType.ASSET_OBSERVATION,  # of a source
)
_NIGHTLY = "30 4 * * *"  # after the nightly sync; it removes little at a time, so no hour is a bad one
_LIMIT = 1_000  # runs at a time; deleting one takes about 20 ms


@dg.op(name="tidy", description="Remove everything that is older than its retention period.")
def tidy_everything(context: dg.OpExecutionContext, store: StoreResource) -> None:
    """Remove old versions, syncs and runs, and say which tables need a vacuum."""
    with store.open() as (open_store, settings):
        tidied = tidy(open_store, settings)
        runs = tidy_runs(context.instance, open_store)
        advice = open_store.health.vacuum_advice()
    counts = {name: getattr(tidied, name) for name in tidied.__dataclass_fields__ if name != "failures"}
    metadata = {**counts, "runs": runs, "vacuum_advice": dg.MetadataValue.md(_advice_text(advice))}
    if tidied.failures:
        raise dg.Failure(" ".join(tidied.failures), metadata=metadata, allow_retries=False)
    context.add_output_metadata(metadata)


@dg.job(
    name="housekeeping",
    executor_def=dg.in_process_executor,
    description="Removes document versions, originals, syncs and runs that are older than their retention period.",
)
def housekeeping() -> None:
    """The job of the schedule; `headwater tidy` does the same."""
    tidy_everything()


def housekeeping_schedule() -> dg.ScheduleDefinition:
    """The housekeeping schedule; on by default."""
    return dg.ScheduleDefinition(
        name="housekeeping",
        job=housekeeping,
        cron_schedule=_NIGHTLY,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=(
            "Removes everything that is older than its retention period: replaced document versions, finished syncs, "
            "originals, and runs without any remaining result. See docs/operations.md."
        ),
    )


def tidy_runs(instance: dg.DagsterInstance, store: Store, *, limit: int = _LIMIT) -> int:
    """Delete finished runs that are old and whose results are all gone; returns how many were deleted.

    Args:
        instance: Dagster's instance.
        store: the open store, already tidied: rows that it removed no longer keep a run.
        limit: the most runs to delete; the others wait for the next time.
    """
    cutoff = datetime.now(UTC) - timedelta(days=HISTORY_RETENTION_DAYS)
    removed = 0
    for run_id in _forgettable(instance, store, cutoff):
        if removed == limit:
            break
        instance.delete_run(run_id)
        instance.compute_log_manager.delete_logs(prefix=[run_id])
        removed += 1
    return removed


def _forgettable(instance: dg.DagsterInstance, store: Store, before: datetime) -> Iterator[str]:
    """Old runs that nothing needs, oldest first."""
    # Read all at once: Dagster's paging continues after a run, which must not be deleted meanwhile.
    run_ids = instance.get_run_ids(dg.RunsFilter(statuses=_FINISHED, updated_before=before))
    if not run_ids:
        return
    in_use = store.housekeeping.runs_in_use()
    colouring = {
        storage_id
        for asset in instance.get_asset_keys()
        for kind in _COLOURING
        for storage_id in instance.get_latest_storage_id_by_partition(asset, kind).values()
    }
    for run_id in reversed(run_ids):
        if run_id in in_use:
            continue
        records = instance.get_records_for_run(run_id, of_type=set(_COLOURING)).records
        if not any(record.storage_id in colouring for record in records):
            yield run_id


def _advice_text(advice: list[VacuumAdvice]) -> str:
    lines = [f"- `{table_advice.statement}` ({table_advice.reason})" for table_advice in advice]
    return "\n".join(lines) or "No table needs a vacuum."
