"""Schedules: when sources are synced, and knowledge bases checked, without anyone asking.

Belongs here: time. Not here: requests (`sensors`). Guarantee: a tick starts runs of few keys, so that one that hangs
holds up few others.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from assets.run_tags import refresh_tags, sync_tags
from pipelines.jobs import SYNC_SOURCES, refresh_knowledge_base

RUN_KEYS = 100  # sources per run, at most


def sync_schedule(cron: str) -> dg.ScheduleDefinition:
    """The schedule that syncs every source; off until someone turns it on in the Dagster UI."""
    what = (
        "Syncs every source that is not paused, whatever its own interval. Off until you turn it on. "
        "HEADWATER_SYNC_SCHEDULE says when. See docs/syncing.md."
    )
    return _source_schedule("sync_every_source", cron, what, is_full=False)


def verify_schedule(cron: str) -> dg.ScheduleDefinition:
    """The schedule that reads every source whole, trusting no fingerprint; off until someone turns it on."""
    what = (
        "Reads every source that is not paused as a whole, also files that look unchanged. Off until you turn it on. "
        "HEADWATER_VERIFY_SCHEDULE says when. See docs/syncing.md."
    )
    return _source_schedule("verify_every_source", cron, what, is_full=True)


def check_schedule(cron: str) -> dg.ScheduleDefinition:
    """The schedule that refreshes and checks every knowledge base whole, changed or not; on unless turned off."""

    @dg.schedule(
        name="check_every_knowledge_base",
        job=refresh_knowledge_base,
        cron_schedule=cron,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=(
            "Refreshes every knowledge base and runs its checks over everything, changed or not. "
            "HEADWATER_VERIFY_SCHEDULE says when. See docs/syncing.md."
        ),
    )
    def check_every_knowledge_base(
        context: dg.ScheduleEvaluationContext, store: StoreResource
    ) -> Iterator[dg.RunRequest]:
        known = set(context.instance.get_dynamic_partitions(str(KNOWLEDGE_BASES.name)))
        with store.open() as (opened, _):
            slugs = [knowledge_base.slug for knowledge_base in opened.knowledge_bases.all(limit=100_000)]
        for slug in slugs:
            if slug in known:
                tick = context.scheduled_execution_time.isoformat()
                yield dg.RunRequest(run_key=f"{tick}/{slug}", partition_key=slug, tags=refresh_tags(slug, "schedule"))

    return check_every_knowledge_base


def _source_schedule(name: str, cron: str, what: str, *, is_full: bool) -> dg.ScheduleDefinition:
    @dg.schedule(name=name, job_name=SYNC_SOURCES, cron_schedule=cron, description=what)
    def every_source(context: dg.ScheduleEvaluationContext, store: StoreResource) -> Iterator[dg.RunRequest]:
        with store.open() as (opened, _):
            keys = sorted(source.key for source in opened.sources.all() if source.paused_at is None)
        for start in range(0, len(keys), RUN_KEYS):
            part = keys[start : start + RUN_KEYS]
            tick = context.scheduled_execution_time.isoformat()
            yield dg.RunRequest(
                run_key=f"{tick}/{start}",
                run_config=run_config(part, is_full=is_full),
                tags=sync_tags(part, ["schedule"]),
            )

    return every_source


def check_config(*, is_spot: bool) -> dict[str, Any]:
    """The run config that says whether the checks look at what changed, or at everything."""
    return {"ops": {"search_index_checks": {"config": {"spot": is_spot}}}}


def run_config(keys: Sequence[str], *, is_full: bool = False) -> dict[str, Any]:
    """The run config that names a run's sources, and whether to read them whole."""
    return {"ops": {"source_index": {"config": {"sources": list(keys), "full": is_full}}}}
