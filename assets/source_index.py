"""All stages of sources as one step, source by source.

Belongs here: the step's definition, the loop over keys, and how failures end a run. Not here: the work on one key
(`source_run`), the stages (`headwater.syncing.stages`). Guarantee: a bad source fails alone; a healthy source without
changes writes nothing and turns no key red; one live worker per source.

After its last source the step refreshes their knowledge bases (`refreshing`), so that a sync is one run.

It is one `multi_asset` instead of three assets, because then a failed key does not prevent other keys from being made,
and because separate steps take about seven times longer.
"""

from collections.abc import Iterator

import dagster as dg
from pydantic import Field

from assets.connections import keep_connections
from assets.partitions import SOURCES
from assets.refreshing import refresh_if_changed
from assets.resources import StoreResource
from assets.source_run import sync_source
from headwater.syncing.stage import Stage
from headwater.syncing.stages import STAGES

REFUSED = "not_refreshed"
"""Metadata of a failed run: which knowledge bases could not be refreshed, and why."""


class SourceIndexConfig(dg.Config):
    """Which sources, when they do not follow each other: from a sensor, a schedule or the command line."""

    sources: list[str] = Field(default_factory=list)  # not `keys`: RunConfig calls dict(config), which would call it
    full: bool = Field(default=False, description="Read every document, without trusting fingerprints.")


def _spec(stage: Stage) -> dg.AssetSpec:
    columns = [dg.TableColumn(name, kind) for name, kind in stage.columns.items()]
    return dg.AssetSpec(
        stage.name,
        deps=[stage.parent],
        partitions_def=SOURCES,
        skippable=True,
        group_name="source_index",
        kinds={"postgres", "python"},
        code_version=stage.code_version,
        description=stage.description,
        metadata={"dagster/table_name": stage.name, "dagster/column_schema": dg.TableSchema(columns)},
    )


@dg.multi_asset(
    name="source_index",
    specs=[_spec(stage) for stage in STAGES],
    can_subset=True,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def source_index(
    context: dg.AssetExecutionContext, config: SourceIndexConfig, store: StoreResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Sync sources: fetch, cut, embed, publish; one after another, each on its own."""
    keep_connections(context.instance)
    keys = config.sources or list(context.partition_keys)
    stages = [stage.name for stage in STAGES if dg.AssetKey(stage.name) in context.selected_asset_keys]
    failed: dict[str, str] = {}
    with store.open() as (opened, settings):
        for key in keys:
            error = sync_source(
                context, opened, settings, key, stages, is_full=config.full, is_planned=not config.sources
            )
            if error is not None:
                failed[key] = error
        slugs = dict.fromkeys(key.partition("/")[0] for key in keys)
        refused = {slug: why for slug in slugs if (why := refresh_if_changed(context, opened, settings, slug))}
    if failed or refused:
        words = [f"{len(failed)} of {len(keys)} sources failed: {', '.join(failed)}"] if failed else []
        words += [f"{slug} could not be refreshed: {why}" for slug, why in refused.items()]
        raise dg.Failure(
            ". ".join(words),
            metadata={"failed": dg.MetadataValue.json(failed), REFUSED: dg.MetadataValue.json(refused)},
            allow_retries=False,
        )
    yield from ()  # every output can be skipped and none is yielded: events are logged per key
