"""Dagster events for a source that was named in run config.

Belongs here: two of the names that are not public (tests/unit/test_dagster_names.py fails if one moves). Not here: when
events are made. Guarantee: a key logged here looks in the UI like one that Dagster planned itself, and an unchanged
data version leaves downstream assets fresh.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.events import AssetMaterializationPlannedData

from headwater.errors import DatabaseUnavailableError
from headwater.syncing.stage import ROOT
from headwater.syncing.stages import STAGES

CheckTarget = AssetCheckEvaluationTargetMaterializationData
"""The materialization that a check looked at."""


@contextmanager
def storage() -> Iterator[None]:
    """Report an outage of Dagster's storage as one of the database: both are on the same server.

    Raises:
        DatabaseUnavailableError: the event could not be stored.
    """
    from dagster_postgres.utils import DagsterPostgresException
    from sqlalchemy.exc import InterfaceError, OperationalError

    try:
        yield
    except (OperationalError, InterfaceError, DagsterPostgresException) as error:
        raise DatabaseUnavailableError(f"Dagster's storage did not answer ({type(error).__name__}).") from error


def announce(context: dg.AssetExecutionContext, key: str, stages: Sequence[str]) -> None:
    """Plan a key, as Dagster does for runs over partitions: this sets the status of failed and running keys."""
    for stage in stages:
        planned = AssetMaterializationPlannedData(dg.AssetKey(stage), partition=key)
        event = dg.DagsterEvent.build_asset_materialization_planned_event(
            context.run.job_name, context.op_execution_context.op_def.name, planned
        )
        with storage():
            context.instance.report_dagster_event(event, context.run.run_id, logging.DEBUG)


def record(
    context: dg.AssetExecutionContext,
    *,
    key: str,
    stage: str,
    parents: Mapping[str, str],
    data_version: str,
    code_version: str,
    metadata: Mapping[str, Any],
) -> None:
    """Log a materialization with the provenance for staleness, which logged events do not get by themselves.

    A pointer is the parent's newest materialization: the source's lock prevents a newer one meanwhile.

    Args:
        context: of the step.
        key: the partition.
        stage: the asset.
        parents: the data version of each asset that was its input.
        data_version: its own new data version.
        code_version: the version of the code that made it.
        metadata: the metadata that people see.
    """
    tags = {
        "dagster/data_version": data_version,
        "dagster/data_version_is_user_provided": "true",
        "dagster/code_version": code_version,
        **{f"dagster/input_data_version/{parent}": version for parent, version in parents.items()},
        **{f"dagster/input_event_pointer/{parent}": _pointer(context.instance, parent, key) for parent in parents},
    }
    materialization = dg.AssetMaterialization(dg.AssetKey(stage), partition=key, tags=tags, metadata=dict(metadata))
    with storage():
        context.log_event(materialization)


def newest_materialization(instance: dg.DagsterInstance, asset: str, key: str | None) -> dg.EventLogRecord | None:
    """The newest materialization of a partition of an asset, or of any partition; None if there is none.

    Raises:
        DatabaseUnavailableError: Dagster's storage did not answer.
    """
    filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey(asset), asset_partitions=None if key is None else [key])
    with storage():
        return next(iter(instance.fetch_materializations(filters, limit=1).records), None)


def check_target(instance: dg.DagsterInstance, asset: str, key: str) -> CheckTarget | None:
    """What a check of a partition looked at; without it, the check's page shows the partition as missing.

    Dagster fills it in only for a run of one partition.

    Raises:
        DatabaseUnavailableError: Dagster's storage did not answer.
    """
    newest = newest_materialization(instance, asset, key)
    if newest is None:
        return None
    return CheckTarget(storage_id=newest.storage_id, run_id=newest.run_id, timestamp=newest.timestamp)


def _pointer(instance: dg.DagsterInstance, parent: str, key: str) -> str:
    if parent == ROOT:
        return "NULL"  # nothing in Dagster makes the application's rows
    # A knowledge base depends on all partitions of its sources' assets.
    is_of_sources = any(parent == stage.name for stage in STAGES)
    newest = newest_materialization(instance, parent, None if is_of_sources and "/" not in key else key)
    return "NULL" if newest is None else str(newest.storage_id)
