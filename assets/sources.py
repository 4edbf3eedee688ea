"""`sources`: the registered sources, rows that the application owns.

Belongs here: the observable asset at the start of the lineage. Not here: registering (API and command line), the
content of an observation (`observations`). Guarantee: nothing in Dagster writes it; observing reads only its row, not
the source.
"""

import warnings
from collections.abc import Iterator

import dagster as dg

from assets.descriptions import SOURCES_LAYER, definition_metadata, describe_asset
from assets.observations import OBSERVED, load_registered_versions, observation, registration
from assets.partitions import SOURCES
from assets.resources import StoreResource
from headwater.syncing.stage import ROOT, Column

_COLUMNS = {
    "id": Column("bigint", "The source's id."),
    "knowledge_base_id": Column("bigint", "The knowledge base that the source belongs to."),
    "slug": Column("text", "The source's name within its knowledge base."),
    "kind": Column("text", "The connector that reads it, such as markdown_tree."),
    "config": Column("jsonb", "The configuration of the connector, such as the folder to read."),
    "state": Column("text", "Its state: pending, syncing, ready, failed or deleting."),
    "error": Column("text", "The reason why its last sync failed; empty if it succeeded."),
    "synced_at": Column("timestamptz", "The time when its last sync ended, even if it failed."),
    "refresh_seconds": Column("integer", "Its own interval: the seconds after which it is synced again."),
    "schedule": Column("text", "Its own cron line: the times at which it is synced."),
    "time_zone": Column("text", "The time zone of its cron line."),
    "paused_at": Column("timestamptz", "The time when it was paused; a paused source is not synced."),
}


_spec = dg.AssetSpec(
    ROOT,
    partitions_def=SOURCES,
    skippable=True,
    group_name=SOURCES_LAYER,
    kinds={"postgres"},
    description=describe_asset(
        "A place that documents come from: a folder, a repository or a file. It belongs to a knowledge base. You "
        "register it with `headwater apply` or over the HTTP API. Dagster only observes it: at the end of each sync, "
        "and when you choose Observe.",
        "source, named `<knowledge base>/<source>`",
        OBSERVED,
    ),
    metadata=definition_metadata("sources", _COLUMNS, "docs/sources.md"),
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", dg.BetaWarning)  # tests look at what Dagster shows

    @dg.multi_observable_source_asset(name="observe_sources", specs=[_spec])  # type: ignore[untyped-decorator]  # beta
    def sources(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.ObserveResult]:
        """Observe the sources of the chosen partitions, or all of them."""
        selected_keys = (
            set(context.partition_keys) if context.has_partition_key_range or context.has_partition_key else None
        )
        with store.open() as (open_store, settings):
            observed = [
                source for source in open_store.sources.all() if selected_keys is None or source.key in selected_keys
            ]
            registered = load_registered_versions(context.instance, [source.key for source in observed])
            for source in observed:
                if (materialization := registration(source, registered)) is not None:
                    context.log_event(materialization)
                context.log_event(observation(source, settings))
        yield from ()  # the output is skippable: an observation for each partition is logged
