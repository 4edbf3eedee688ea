"""The tags of a run, by which people find it in Dagster's list of runs.

Belongs here: what the tags are called, and their values. Not here: which run does what. Guarantee: a tag that only the
program reads is hidden in the UI; every run that syncs says of what and for whom, also one that was started there.
"""

from collections.abc import Iterable, Sequence

import dagster as dg

KNOWLEDGE_BASE_TAG = "headwater/knowledge_base"
SOURCES_TAG = "headwater/sources"
REQUESTED_BY_TAG = "headwater/requested_by"
BATCH_TAG = ".dagster/headwater_batch"
"""The name under which the run's rows wait. Dagster shows no tag of this beginning."""
IN_PROCESS_TAG = ".dagster/headwater_in_process"
"""On a run that a command executes in its own process: Dagster does not watch it."""
_OLD_BATCH_TAG = "headwater/batch"  # of runs that an older release has queued
_SHOWN = 10  # names in a tag; there may be a hundred


def sync_tags(keys: Iterable[str], requested_by: Iterable[str]) -> dict[str, str]:
    """The tags of a run that syncs sources.

    Args:
        keys: the sources' partitions.
        requested_by: who asked, as `origin` of a sync says it.
    """
    parts = [key.partition("/") for key in keys]
    return {
        KNOWLEDGE_BASE_TAG: _joined(knowledge_base for knowledge_base, _, _ in parts),
        SOURCES_TAG: _joined(source for _, _, source in parts),
        REQUESTED_BY_TAG: _joined(requested_by),
    }


def refresh_tags(slug: str, requested_by: str) -> dict[str, str]:
    """The tags of a run that refreshes a knowledge base."""
    return {KNOWLEDGE_BASE_TAG: slug, REQUESTED_BY_TAG: requested_by}


def tag_run(context: dg.AssetExecutionContext, keys: Sequence[str]) -> None:
    """Tag a run that was started over partitions, in the Dagster UI: nobody could say before what it is of."""
    if REQUESTED_BY_TAG not in context.run.tags:
        context.instance.add_run_tags(context.run.run_id, sync_tags(keys, ["dagster"]))


def batch_of(run: dg.DagsterRun) -> str | None:
    """The batch whose rows a run works on."""
    return run.tags.get(BATCH_TAG) or run.tags.get(_OLD_BATCH_TAG)


def run_of(instance: dg.DagsterInstance, batch: str) -> dg.DagsterRun | None:
    """The newest run of a batch, also one that an older release has queued; None if it has none yet."""
    for tag in (BATCH_TAG, _OLD_BATCH_TAG):
        for run in instance.get_runs(dg.RunsFilter(tags={tag: batch}), limit=1):
            return run
    return None


def _joined(names: Iterable[str]) -> str:
    every = sorted(set(names))
    more = [f"and {len(every) - _SHOWN} more"] if len(every) > _SHOWN else []
    return ", ".join(every[:_SHOWN] + more)
