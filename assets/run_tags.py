"""The tags with which people find a run in Dagster's list of runs.

Belongs here: the names of the tags, and their values. Not here: the runs. Guarantee: a tag that only the program reads
is hidden in the UI; every sync run names its sources and its requester, even if it was started in the UI.
"""

from collections.abc import Iterable, Sequence

import dagster as dg

from headwater.domain.plurals import join_names
from headwater.store.work.sync_shares import WantedShare
from headwater.store.work.syncs import Origin, is_run_id

KNOWLEDGE_BASE_TAG = "headwater/knowledge_base"
SOURCES_TAG = "headwater/sources"
REQUESTED_BY_TAG = "headwater/requested_by"
SHARE_TAG = "headwater/share"
LEADING_RUN_TAG = "headwater/leading_run"
BATCH_TAG = ".dagster/headwater_batch"
"""The name under which the run's rows wait. Dagster hides tags that begin like this."""
IN_PROCESS_TAG = ".dagster/headwater_in_process"
"""Marks a run that a command executes in its own process; Dagster does not monitor it."""
_PRIORITY_TAG = "dagster/priority"
_OLD_BATCH_TAG = "headwater/batch"  # on runs that an older release queued
_EXECUTED_AGAIN_TAG = "dagster/parent_run_id"


def sync_tags(keys: Iterable[str], requested_by: Iterable[str]) -> dict[str, str]:
    """The tags of a run that syncs sources.

    Args:
        keys: the sources' partitions.
        requested_by: the origins of the requests; see `Origin`.
    """
    key_parts = [key.partition("/") for key in keys]
    return {
        KNOWLEDGE_BASE_TAG: join_names(knowledge_base for knowledge_base, _, _ in key_parts),
        SOURCES_TAG: join_names(source for _, _, source in key_parts),
        REQUESTED_BY_TAG: join_names(requested_by),
    }


def helper_tags(share: WantedShare) -> dict[str, str]:
    """The tags of a run that helps another one with a source; in Dagster's queue, it lets runs of syncs pass."""
    return {
        **sync_tags([share.key], [share.origin]),
        SHARE_TAG: f"{share.ordinal + 1} of {share.count}",
        LEADING_RUN_TAG: share.leading_run,
        _PRIORITY_TAG: "-1",
    }


def refresh_tags(slug: str, requested_by: str) -> dict[str, str]:
    """The tags of a run that refreshes a knowledge base."""
    return {KNOWLEDGE_BASE_TAG: slug, REQUESTED_BY_TAG: requested_by}


def tag_run(context: dg.AssetExecutionContext, keys: Sequence[str]) -> None:
    """Tag a run that was started in the Dagster UI, where only partitions are chosen, with its sources."""
    if REQUESTED_BY_TAG not in context.run.tags:
        context.instance.add_run_tags(context.run.run_id, sync_tags(keys, ["dagster"]))


def batch_of(run: dg.DagsterRun) -> str:
    """The name under which a run's rows wait: that of the requests it serves, else its own id.

    One that is executed again in the UI has all tags of the first, and is somebody's new wish.
    """
    requested = run.tags.get(BATCH_TAG) or run.tags.get(_OLD_BATCH_TAG)
    return requested if requested and _EXECUTED_AGAIN_TAG not in run.tags else run.run_id


def is_in_process(run: dg.DagsterRun) -> bool:
    """Whether a command executes a run in its own process; one that is executed again in the UI has its tags."""
    return IN_PROCESS_TAG in run.tags and _EXECUTED_AGAIN_TAG not in run.tags


def origin_of(run: dg.DagsterRun) -> Origin:
    """Who started a run that no rows requested: a schedule, else Dagster or somebody there, also if it is repeated."""
    is_scheduled = run.tags.get(REQUESTED_BY_TAG) == "schedule" and _EXECUTED_AGAIN_TAG not in run.tags
    return "schedule" if is_scheduled else "dagster"


def run_of(instance: dg.DagsterInstance, batch: str) -> dg.DagsterRun | None:
    """The newest run of a batch, including one that an older release queued; None if it has none, or none any more.

    One that was executed again has the tag of the first, and a batch of its own.
    """
    if is_run_id(batch):
        return instance.get_run_by_id(batch)
    for tag in (BATCH_TAG, _OLD_BATCH_TAG):
        for run in instance.get_runs(dg.RunsFilter(tags={tag: batch})):
            if batch_of(run) == batch:
                return run
    return None
