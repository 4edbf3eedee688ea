"""Sensors: runs that start because of events.

Belongs here: turning rows into runs. Not here: the work, runs that died (`run_failures`). Guarantee: a batch gets its
name in the table before its run exists, so a tick that dies is repeated and nothing runs twice.

No sensor has a resource: for it, Dagster would open its instance, which is most of the cost of an idle tick.
"""

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES, SOURCES
from assets.resources import shared_store
from assets.run_tags import BATCH_TAG, helper_tags, refresh_tags, sync_tags
from headwater.administration.deletion import finish_deletions
from headwater.administration.sync_requests import request_due_syncs
from headwater.domain.plurals import pluralize
from headwater.store.store import Store
from headwater.store.work.sync_shares import WantedShare
from headwater.store.work.syncs import is_run_id
from pipelines.jobs import SYNC_SOURCES, refresh_knowledge_base
from pipelines.run_failures import (
    UNFINISHED,
    cancel_unwanted_runs,
    close_if_over,
    fail_dead_runs,
    mark_canceled_backfills,
    retry_lost_batches,
    retry_lost_rows,
)
from pipelines.schedules import RUN_KEYS, check_config, helper_config, run_config

# Dagster checks sensors every five seconds, and skips one with an interval of five if it is a moment too early.
_INTERVAL = 1  # second
_UNLIMITED = 1_000_000
_DUE_INTERVAL = 15  # seconds
_LOOK_AGAIN = 60.0  # seconds
_RUNNING = dg.DefaultSensorStatus.RUNNING


@dg.sensor(
    job_name=SYNC_SOURCES,
    minimum_interval_seconds=_INTERVAL,
    default_status=_RUNNING,
    description=(
        "Starts runs for syncs that were requested over the API or are due, and runs that help with a large source. "
        "Adds a Dagster partition for every source and knowledge base. If a run died, it makes another run retry the "
        "unfinished sources. While it is turned off, syncs wait. See docs/syncing.md."
    ),
)
def requested_syncs(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Register sources as partitions, and start runs for syncs that were requested over the API or are due."""
    with shared_store() as (store, settings):
        has_open, names = store.syncs.look()
        if not has_open and _was_looked_at(context.cursor, names):
            return dg.SensorResult(skip_reason="No sync was requested.", cursor=context.cursor)
        fail_dead_runs(context.instance, store)
        retry_lost_rows(context.instance, store)
        retry_lost_batches(store)
        cancel_unwanted_runs(context.instance, store)
        mark_canceled_backfills(context.instance, store)
        changes = partition_changes(context.instance, store)
        batches = store.syncs.name_batches(RUN_KEYS, settings.concurrent_runs or _UNLIMITED)
        slots = settings.concurrent_runs or _UNLIMITED  # a helper that waits for one comes too late
        shares = [share for share in store.shares.list_wanted() if share.ordinal < slots]
        batches_to_run = [
            batch
            for batch in batches
            if not close_if_over(context.instance, store, batch.name) and not is_run_id(batch.name)
        ]
    return dg.SensorResult(
        cursor=json.dumps({"names": names, "at": time.time()}),
        dynamic_partitions_requests=changes,
        run_requests=[
            dg.RunRequest(
                run_key=batch.name,
                run_config=run_config(batch.keys, is_full=batch.is_full),
                tags={**sync_tags(batch.keys, batch.origins), BATCH_TAG: batch.name},
            )
            for batch in batches_to_run
        ]
        + _request_helpers(shares),
    )


def _request_helpers(shares: Sequence[WantedShare]) -> list[dg.RunRequest]:
    """A run for each share that none has taken: requested until one has, and started once, by its key."""
    return [
        dg.RunRequest(run_key=f"share/{share.id}", run_config=helper_config(share.id), tags=helper_tags(share))
        for share in shares
    ]


def _was_looked_at(cursor: str | None, names: str) -> bool:
    """Whether Dagster's runs and partitions were compared with the rows a short time ago.

    The comparison opens Dagster's database, which is most of the cost of a tick; the rows show if there may be work.
    """
    seen: dict[str, Any] = json.loads(cursor or "{}")
    return bool(seen.get("names") == names and 0 <= time.time() - seen.get("at", 0) < _LOOK_AGAIN)


@dg.sensor(
    minimum_interval_seconds=_DUE_INTERVAL,
    default_status=_RUNNING,
    description=(
        "Requests a sync of every source that is due by its own interval or schedule; `requested_syncs` starts the "
        "run. It also finishes interrupted deletions. While it is turned off, no source is synced by itself. See "
        "docs/syncing.md."
    ),
)
def due_sources(_: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Request a sync of every source that is due by its interval or schedule; `requested_syncs` starts the runs.

    Also finishes deletions that a killed process left incomplete.
    """
    with shared_store() as (store, settings):
        request_count = request_due_syncs(store)
        finish_deletions(settings, store)
    return dg.SkipReason(
        f"Requested a sync of {pluralize(request_count, 'source')}." if request_count else "No source is due."
    )


@dg.sensor(
    job=refresh_knowledge_base,
    minimum_interval_seconds=_DUE_INTERVAL,
    default_status=_RUNNING,
    description=(
        "Refreshes the search index, the checks and the evaluation of a knowledge base if its settings, its golden set "
        "or its sources changed and no sync has refreshed it since. See docs/syncing.md."
    ),
)
def changed_knowledge_bases(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest]:
    """Refresh each knowledge base that changed and that no sync has refreshed since."""
    with shared_store() as (store, _):
        digests = store.knowledge_bases.changed()
        if not digests:
            return
        partitions = set(context.instance.get_dynamic_partitions(str(KNOWLEDGE_BASES.name)))
        for slug, digest in digests.items():
            knowledge_base = store.knowledge_bases.get(slug)
            if slug not in partitions or store.syncs.is_busy(knowledge_base.id):
                continue
            if store.search_indexes.active(slug) is not None and not _is_refreshing(context.instance, slug):
                # A digest may recur, and a refresh may fail: then it is requested again, once a minute.
                yield dg.RunRequest(
                    run_key=f"{knowledge_base.id}/{digest}/{int(time.time() // 60)}",
                    partition_key=slug,
                    run_config=check_config(is_spot=True),
                    tags=refresh_tags(slug, "change"),
                )


def _is_refreshing(instance: dg.DagsterInstance, slug: str) -> bool:
    filters = dg.RunsFilter(job_name=refresh_knowledge_base.name, tags={"dagster/partition": slug}, statuses=UNFINISHED)
    return bool(instance.get_runs(filters, limit=1))


def partition_changes(
    instance: Any, store: Store
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    """The changes that make Dagster's partitions match the rows; what another project manages has none here."""
    definitions = (SOURCES, KNOWLEDGE_BASES)
    # Read Dagster's first: a source registered in between is then missing there, never superfluous.
    present = {definition: set(instance.get_dynamic_partitions(str(definition.name))) for definition in definitions}
    keys_by_definition = {
        SOURCES: {source.key for source in store.sources.names() if source.managed_by is None},
        KNOWLEDGE_BASES: {
            knowledge_base.slug
            for knowledge_base in store.knowledge_bases.all(limit=100_000)
            if knowledge_base.managed_by is None
        },
    }
    changes: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    for definition, keys in keys_by_definition.items():
        if added := sorted(keys - present[definition]):
            changes.append(definition.build_add_request(added))
        if gone := sorted(present[definition] - keys):
            changes.append(definition.build_delete_request(gone))
    return changes
