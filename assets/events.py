"""Dagster events for a source that was named in run config.

Belongs here: the two calls that are not public (Dagster is pinned, and tests fail if they move). Not here: when
they are made. Guarantee: a key logged here looks in the UI like one that Dagster planned itself, and an unchanged data
version leaves downstream assets fresh.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg
from dagster._core.events import AssetMaterializationPlannedData

from headwater.errors import DatabaseUnavailableError
from headwater.syncing.stage import ROOT


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

    A pointer may be any event id from the parent's event up to its next one; the source's lock prevents that next one
    meanwhile.

    Args:
        context: of the step.
        key: the partition.
        stage: the asset.
        parents: the data version of each asset that was its input.
        data_version: its own new data version.
        code_version: the version of the code that made it.
        metadata: the metadata that people see.
    """
    with storage():
        newest = context.instance.event_log_storage.get_maximum_record_id()
    tags = {
        "dagster/data_version": data_version,
        "dagster/data_version_is_user_provided": "true",
        "dagster/code_version": code_version,
        **{f"dagster/input_data_version/{parent}": version for parent, version in parents.items()},
        **{f"dagster/input_event_pointer/{parent}": _pointer(parent, newest) for parent in parents},
    }
    made = dg.AssetMaterialization(dg.AssetKey(stage), partition=key, tags=tags, metadata=dict(metadata))
    with storage():
        context.log_event(made)


def _pointer(parent: str, newest: int | None) -> str:
    return "NULL" if parent == ROOT else str(newest)  # nothing in Dagster makes the application's rows
