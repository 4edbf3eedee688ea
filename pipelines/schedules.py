"""Schedules: when sources are synced without anyone asking.

Belongs here: time. Not here: requests (`sensors`). Guarantee: a tick starts runs of few keys, so that one that hangs
holds up few others.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.resources import StoreResource
from pipelines.jobs import sync_sources

RUN_KEYS = 20  # sources per run


def sync_schedule(cron: str) -> dg.ScheduleDefinition:
    """The schedule that syncs every source; off until someone turns it on in the Dagster UI."""

    @dg.schedule(name="sync_every_source", job=sync_sources, cron_schedule=cron)
    def sync_every_source(context: dg.ScheduleEvaluationContext, store: StoreResource) -> Iterator[dg.RunRequest]:
        with store.open() as (opened, _):
            keys = sorted(source.key for source in opened.sources.all() if source.paused_at is None)
        for start in range(0, len(keys), RUN_KEYS):
            part = keys[start : start + RUN_KEYS]
            tick = context.scheduled_execution_time.isoformat()
            yield dg.RunRequest(run_key=f"{tick}/{start}", run_config=run_config(part))

    return sync_every_source


def run_config(keys: list[str]) -> dict[str, Any]:
    """The run config that names a run's sources."""
    return {"ops": {"source_index": {"config": {"sources": keys}}}}
