"""Dagster's queue of runs, which `dagster.yaml` names.

Belongs here: telling Headwater of a run that a person or a schedule puts into the queue, and which sources it will
sync. Not here: the queue itself, which is Dagster's, runs that requests started (`sensors`), the rows
(`headwater.store.work.syncs`). Guarantee: a source is queued in Headwater as soon as it is queued in Dagster; if
Headwater's database is away, the run waits all the same.
"""

import logging
from contextlib import suppress
from typing import Any

import dagster as dg

from assets.partitions import SOURCES
from assets.run_tags import SHARE_TAG, batch_of, origin_of
from headwater.errors import HeadwaterError
from headwater.settings import Settings
from headwater.store.store import open_store

_LOG = logging.getLogger(__name__)
_NOT_SYNCED = frozenset({dg.AssetKey("sources")})  # has the partitions of sources, and is only observed
_PARTITION_TAG = "dagster/partition"
_RANGE_TAGS = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")


class AnnouncingRunCoordinator(dg.QueuedRunCoordinator):
    """Dagster's own queue; what waits in it waits in Headwater, too."""

    def submit_run(self, context: Any) -> dg.DagsterRun:
        """Queue a run, and announce the sources that it will sync.

        Args:
            context: Dagster's: the run and the workspace.
        """
        run = super().submit_run(context)
        try:
            _announce(run, context.workspace.instance)
        except Exception as error:  # noqa: BLE001 - the run is queued; Headwater hears of it when it begins
            _LOG.warning("Headwater was not told that run %s is queued: %s", run.run_id, error)
        return run

    def cancel_run(self, run_id: str) -> bool:
        """Cancel a run, and what was announced and not begun; the sensor of requests closes what was requested."""
        is_cancelled = super().cancel_run(run_id)
        if is_cancelled:
            with suppress(HeadwaterError), open_store(Settings.from_env(), size=1) as store:
                store.worker_failures.cancel_waiting(run_id)
        return is_cancelled


def _announce(run: dg.DagsterRun, instance: dg.DagsterInstance) -> None:
    if keys := list_sources(run, instance):
        with open_store(Settings.from_env(), size=1) as store:
            store.syncs.announce(run.run_id, keys, origin_of(run), is_full=bool(_read_config(run).get("full")))


def list_sources(run: dg.DagsterRun, instance: dg.DagsterInstance) -> list[str]:
    """The keys of the sources that a run will sync; none if requests wait for it, or it only checks or observes.

    Args:
        run: the run.
        instance: Dagster's, which has the partitions.
    """
    selected = run.asset_selection
    is_of_others = selected is not None and selected <= _NOT_SYNCED
    if batch_of(run) != run.run_id or SHARE_TAG in run.tags or is_of_others:
        return []
    if keys := _read_config(run).get("sources"):
        return list(keys)
    if _PARTITION_TAG in run.tags:
        return [run.tags[_PARTITION_TAG]]
    start, end = (run.tags.get(tag) for tag in _RANGE_TAGS)
    every = list(instance.get_dynamic_partitions(str(SOURCES.name)))
    if start not in every or end not in every:
        return []
    return every[every.index(start) : every.index(end) + 1]


def _read_config(run: dg.DagsterRun) -> dict[str, Any]:
    """The config of the step that syncs; empty if the run has none."""
    steps: Any = run.run_config.get("ops") or {}
    return dict((steps.get("source_index") or {}).get("config") or {})
