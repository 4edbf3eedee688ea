"""What happens when a run of Dagster dies, is cancelled, or ends before its sources are done.

Belongs here: which runs are dead, and why a run ended. Not here: what becomes of its sources
(`headwater.store.work.worker_failures`, which has the rules for workers that die), starting runs (`sensors`).
Guarantee: a run that waits for a worker, or takes its lock again after an outage of the database, is not taken for
dead.
"""

import time
from collections.abc import Iterable

import dagster as dg

from assets.run_tags import IN_PROCESS_TAG, batch_of, is_in_process, run_of
from headwater.store.store import Store
from headwater.store.work.syncs import is_run_id

_FINISHED = {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED}
UNFINISHED = [status for status in dg.DagsterRunStatus if status not in _FINISHED]  # 1.13 has one more than 1.12
_STARTED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
_GRACE = 8.0  # seconds within which a live process takes its lock again
_FIRST_STEP = 30.0  # seconds after a run's start in which it is never considered dead
_QUEUE_LIMIT = 3600.0  # seconds that a step may wait for a worker
_BACKFILL_TAG = "dagster/backfill"
_FAILED_BACKFILL = "COMPLETED_FAILED"
_SYNC_AGAIN = "Nothing is wrong with the source. Sync it again."


def fail_dead_runs(instance: dg.DagsterInstance, store: Store) -> None:
    """Mark runs as failed whose process is dead, and let their unfinished rows wait for another run.

    Dagster does not monitor runs of commands, and loses those of a code server that was killed: they would count
    towards the limit of concurrent runs forever.
    """
    suspects = [record for record in _list_started(instance) if not _is_alive(store, record.dagster_run)]
    if not suspects:
        return
    time.sleep(_GRACE)  # for a run between two steps, or one that takes its lock again after a database outage
    for record in suspects:
        run = instance.get_run_by_id(record.dagster_run.run_id)
        if run is not None and not run.is_finished and not _is_alive(store, run):
            instance.report_run_failed(run, "Its process has died.")
            store.worker_failures.close_run(run.run_id, batch_of(run))


def fail_interrupted_runs(instance: dg.DagsterInstance) -> int:
    """Mark runs as failed that were in progress when a backup was made; returns how many. Queued runs stay."""
    runs = instance.get_runs(dg.RunsFilter(statuses=_STARTED))
    for run in runs:
        instance.report_run_failed(run, "It was in progress when the backup was made.")
    return len(runs)


def retry_lost_rows(instance: dg.DagsterInstance, store: Store) -> None:
    """Let unfinished rows of ended runs wait for another run."""
    for run_id in store.worker_failures.list_lost_runs():
        run = instance.get_run_by_id(run_id)
        if run is None:
            store.worker_failures.close_run(run_id, None)
        elif run.is_finished:
            _close(store, run)


def retry_lost_batches(store: Store) -> None:
    """Let the rows of commands that were killed before their run began wait for a run of Dagster's."""
    if suspects := store.worker_failures.list_lost_batches():
        time.sleep(_GRACE)  # for a command that takes its lock again after a database outage
        store.worker_failures.close_batches(suspects)


def cancel_unwanted_runs(instance: dg.DagsterInstance, store: Store) -> None:
    """Cancel runs in Dagster's queue of which every request was cancelled; one that has begun notices by itself."""
    queued = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED]))
    run_ids = {batch_of(run): run.run_id for run in queued}
    for batch in store.worker_failures.list_unwanted(run_ids) if run_ids else ():
        instance.run_coordinator.cancel_run(run_ids[batch])


def mark_canceled_backfills(instance: dg.DagsterInstance, store: Store) -> None:
    """Have Dagster call a backfill canceled in which nothing failed, but somebody cancelled a source.

    By itself, Dagster calls a backfill failed if a partition was not made, for whatever reason.
    """
    run_ids = store.worker_failures.list_cancelled_runs()
    runs = instance.get_runs(dg.RunsFilter(run_ids=run_ids)) if run_ids else []
    for backfill_id in {run.tags[_BACKFILL_TAG] for run in runs if _BACKFILL_TAG in run.tags}:
        backfill = instance.get_backfill(backfill_id)
        failed = dg.RunsFilter(tags={_BACKFILL_TAG: backfill_id}, statuses=[dg.DagsterRunStatus.FAILURE])
        if backfill is not None and backfill.status.value == _FAILED_BACKFILL and not instance.get_run_ids(failed):
            instance.update_backfill(backfill._replace(status=type(backfill.status).CANCELED))


def close_if_over(instance: dg.DagsterInstance, store: Store, batch: str) -> bool:
    """Whether a batch's run ended before it began the work, as a cancelled one does; then its rows are closed.

    If the run was started in Dagster, and somebody deleted it there or it found nothing to sync, nobody wants the rest.
    """
    run = run_of(instance, batch)
    if is_run_id(batch) and (run is None or run.status == dg.DagsterRunStatus.SUCCESS):
        store.worker_failures.cancel_waiting(batch)
        return True
    if run is None or not run.is_finished:
        return False
    _close(store, run)
    return True


def _close(store: Store, run: dg.DagsterRun) -> None:
    """Close a run's unfinished rows: those of a cancelled run are cancelled, others wait for another run."""
    batch = batch_of(run)
    if run.status == dg.DagsterRunStatus.CANCELED:
        store.worker_failures.cancel_run(run.run_id, batch)
    else:
        store.worker_failures.close_run(run.run_id, batch)


def was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Whether Ctrl-C ended a run: Dagster reports that it failed."""
    for event in result.all_events:
        error = getattr(event.event_specific_data, "error", None) if event.is_failure else None
        while error is not None:
            if error.cls_name in (dg.DagsterExecutionInterruptedError.__name__, KeyboardInterrupt.__name__):
                return True
            error = error.cause
    return False


def mark_canceled(instance: dg.DagsterInstance, run_id: str) -> None:
    """Have Dagster call a run canceled that Ctrl-C ended: by itself, it reports that the run failed."""
    run = instance.get_run_by_id(run_id)
    if run is not None and run.status == dg.DagsterRunStatus.FAILURE:
        instance.report_run_canceled(run, message="Ctrl-C cancelled the command that executed this run.")


def explain_end(events: Iterable[dg.DagsterEvent]) -> str:
    """Why a run ended before a source was done, and what to do: the error of the first step that failed, if any."""
    for event in events:
        if event.event_type == dg.DagsterEventType.RUN_CANCELED:
            return f"The run was cancelled in Dagster before this source was done. {_SYNC_AGAIN}"
        if event.is_failure:
            error = getattr(event.event_specific_data, "error", None)
            cause = getattr(error, "cause", None) or error
            reason = str(cause.message if cause else event.message).strip()
            return f"The run ended before this source was done: {reason}"
    return f"The run was stopped before this source was done; Dagster does not say by whom. {_SYNC_AGAIN}"


def _list_started(instance: dg.DagsterInstance) -> list[dg.RunRecord]:
    """Runs that have begun: those of commands at once, others when they have reached their first step.

    A step may wait long for a Celery or Kubernetes worker; it is not dead while it waits.
    """
    mine = dg.RunsFilter(tags={IN_PROCESS_TAG: "true"}, statuses=UNFINISHED)
    theirs = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    records = {
        record.dagster_run.run_id: record
        for record in instance.get_run_records(mine)
        if is_in_process(record.dagster_run)
    }
    for record in instance.get_run_records(theirs):
        if time.time() - (record.start_time or time.time()) > _FIRST_STEP and _is_at_a_step(instance, record):
            records[record.dagster_run.run_id] = record
    return list(records.values())


def _is_at_a_step(instance: dg.DagsterInstance, record: dg.RunRecord) -> bool:
    """Whether a step of a run is in progress, or there has been none for so long that none will come."""
    steps = instance.get_run_step_stats(record.dagster_run.run_id)
    if any(step.start_time and not step.end_time for step in steps):
        return True
    last = max([record.start_time or 0.0, *(step.end_time or 0.0 for step in steps)])
    return time.time() - last > _QUEUE_LIMIT


def _is_alive(store: Store, run: dg.DagsterRun) -> bool:
    if is_in_process(run):
        return store.workers.is_held(batch_of(run))
    return store.workers.is_running(run.run_id)
