"""Schedules of the whole server: when all sources are synced and knowledge bases checked.

Belongs here: times. Not here: the schedule of one source, and requests (`sensors`). Guarantee: a tick starts runs with
few keys, so that a source that hangs delays few others.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from assets.run_tags import refresh_tags, sync_tags
from pipelines.jobs import SYNC_SOURCES, refresh_knowledge_base

RUN_KEYS = 100  # the most sources per run
_WEEKLY = "0 4 * * 0"  # after the nightly sync; what it finds is never urgent


def sync_schedule(cron: str) -> dg.ScheduleDefinition:
    """The schedule that syncs every source; off until you turn it on in the Dagster UI."""
    what = (
        "Syncs every source that is not paused, regardless of its own interval. Off until you turn it on. "
        "HEADWATER_SYNC_SCHEDULE sets the times. See docs/syncing.md."
    )
    return _source_schedule("sync_every_source", cron, what, is_full=False)


def verify_schedule() -> dg.ScheduleDefinition:
    """The schedule that runs a full sync of every source; off until you turn it on."""
    what = (
        "Reads every document of every source that is not paused, even if its file looks unchanged. Off until you turn "
        "it on. See docs/syncing.md."
    )
    return _source_schedule("verify_every_source", _WEEKLY, what, is_full=True)


def check_schedule() -> dg.ScheduleDefinition:
    """The schedule that refreshes and checks every knowledge base completely, changed or not; on by default."""

    @dg.schedule(
        name="check_every_knowledge_base",
        job=refresh_knowledge_base,
        cron_schedule=_WEEKLY,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=(
            "Refreshes every knowledge base and checks it completely, even if nothing changed. See docs/syncing.md."
        ),
    )
    def check_every_knowledge_base(
        context: dg.ScheduleEvaluationContext, store: StoreResource
    ) -> Iterator[dg.RunRequest]:
        partitions = set(context.instance.get_dynamic_partitions(str(KNOWLEDGE_BASES.name)))
        with store.open() as (open_store, _):
            slugs = [knowledge_base.slug for knowledge_base in open_store.knowledge_bases.all(limit=100_000)]
        for slug in slugs:
            if slug in partitions:
                tick = context.scheduled_execution_time.isoformat()
                yield dg.RunRequest(run_key=f"{tick}/{slug}", partition_key=slug, tags=refresh_tags(slug, "schedule"))

    return check_every_knowledge_base


def _source_schedule(name: str, cron: str, what: str, *, is_full: bool) -> dg.ScheduleDefinition:
    @dg.schedule(name=name, job_name=SYNC_SOURCES, cron_schedule=cron, description=what)
    def every_source(context: dg.ScheduleEvaluationContext, store: StoreResource) -> Iterator[dg.RunRequest]:
        with store.open() as (open_store, _):
            keys = sorted(
                source.key
                for source in open_store.sources.names()
                if not source.is_paused and source.managed_by is None
            )
        for start in range(0, len(keys), RUN_KEYS):
            batch_keys = keys[start : start + RUN_KEYS]
            tick = context.scheduled_execution_time.isoformat()
            yield dg.RunRequest(
                run_key=f"{tick}/{start}",
                run_config=run_config(batch_keys, is_full=is_full),
                tags=sync_tags(batch_keys, ["schedule"]),
            )

    return every_source


def check_config(*, is_spot: bool) -> dict[str, Any]:
    """The run config that selects the spot or the full form of the checks."""
    return {"ops": {"search_index_checks": {"config": {"spot": is_spot}}}}


def helper_config(share_id: int) -> dict[str, Any]:
    """The run config of a run that helps with a share of a source."""
    return {"ops": {"source_index": {"config": {"share": share_id}}}}


def run_config(keys: Sequence[str], *, is_full: bool = False) -> dict[str, Any]:
    """The run config with a run's sources, and whether it is a full sync."""
    return {"ops": {"source_index": {"config": {"sources": list(keys), "full": is_full}}}}
