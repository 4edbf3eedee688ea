"""All stages of sources as one step, source by source.

Belongs here: the step's definition and the loop over keys. Not here: the work on one key (`source_run`), what a failure
says (`headwater.syncing.sync_failures`), the stages (`headwater.syncing.stages`). Guarantee: a bad source fails alone;
a healthy source without changes writes nothing and turns no key red; one live worker per source; a run of which every
request was cancelled in Headwater ends as canceled.

After its last source the step refreshes their knowledge bases (`knowledge_base_refresh`), so that a sync is one run.

It is one `multi_asset` instead of three assets, because then a failed key does not prevent other keys from being made,
and because separate steps take about seven times longer.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import dagster as dg
from pydantic import Field

from assets import dagster_events
from assets.descriptions import CONTENT_LAYER, definition_metadata, describe_asset
from assets.knowledge_base_refresh import refresh_if_changed
from assets.observations import load_registered_versions, readable_check
from assets.partitions import SOURCES
from assets.reports import ALWAYS_REPORTED
from assets.resources import StoreResource
from assets.run_tags import tag_run
from assets.source_run import end_as_canceled, help_with_source, is_unwanted_run, sync_source, tell_of_source
from headwater.errors import DatabaseUnavailableError
from headwater.store.store import Store
from headwater.syncing.stage import Stage
from headwater.syncing.stages import STAGES
from headwater.syncing.sync_failures import explain_run

REFUSED = "not_refreshed"
"""Metadata of a failed run: which knowledge bases could not be refreshed, and why."""


class SourceIndexConfig(dg.Config):
    """The sources of a run that a sensor, a schedule or the command line starts."""

    # Not `keys`: RunConfig calls dict(config), which would call it.
    sources: list[str] = Field(
        default_factory=list,
        description="The sources, each as `<knowledge base>/<source>`; if empty, those of the chosen partitions.",
    )
    full: bool = Field(default=False, description="Read every document, even if its file looks unchanged.")
    share: int | None = Field(
        default=None,
        description="The row of a share: this run only helps the run that syncs its source. Set by the sensor.",
    )


def _spec(stage: Stage) -> dg.AssetSpec:
    return dg.AssetSpec(
        stage.name,
        deps=[stage.parent],
        partitions_def=SOURCES,
        skippable=True,
        group_name=CONTENT_LAYER,
        kinds={"postgres", "python"},
        code_version=stage.code_version,
        description=describe_asset(
            stage.description, "source, named `<knowledge base>/<source>`", {**ALWAYS_REPORTED, **stage.reported}
        ),
        metadata=definition_metadata(stage.name, stage.columns, stage.page),
    )


@dg.multi_asset(
    name="source_index",
    specs=[_spec(stage) for stage in STAGES],
    check_specs=[readable_check],
    can_subset=True,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def source_index(
    context: dg.AssetExecutionContext, config: SourceIndexConfig, store: StoreResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Sync sources one after another: read, split, embed and publish their documents."""
    selected = [stage.name for stage in STAGES if dg.AssetKey(stage.name) in context.selected_asset_keys]
    stages = _stages_to_make(context, selected)
    failed: dict[str, str] = {}
    cancelled: list[str] = []
    is_unwanted = False
    with store.open() as (open_store, settings):
        if config.share is not None:
            help_with_source(context, open_store, settings, config.share)
            return
        keys = config.sources or _select_partitions(context, open_store)
        tag_run(context, keys)
        registered = _load_registered_versions(context, keys)
        if not stages:  # only the check was chosen
            for key in keys:
                tell_of_source(context, open_store, settings, key, registered)
            return
        for key in keys:
            planned = () if config.sources else selected
            end = sync_source(
                context,
                open_store,
                settings,
                key,
                stages,
                is_full=config.full,
                planned=planned,
                registered=registered,
            )
            if end.error is not None:
                failed[key] = end.error
            if end.is_cancelled:
                cancelled.append(key)
        is_unwanted = bool(cancelled) and is_unwanted_run(open_store, context.run)
        slugs = dict.fromkeys(key.partition("/")[0] for key in keys)
        refused = {slug: why for slug in slugs if (why := refresh_if_changed(context, open_store, settings, slug))}
    if failed or refused:
        reasons = {REFUSED: dg.MetadataValue.json(refused)} if refused else {}
        raise dg.Failure(explain_run(failed, refused, len(keys)), metadata={**failed, **reasons}, allow_retries=False)
    if is_unwanted:
        end_as_canceled(context, cancelled)
    yield from ()  # every output can be skipped and none is yielded: events are logged per key


def _stages_to_make(context: dg.AssetExecutionContext, selected: list[str]) -> list[str]:
    """The stages to make for those that were chosen: every stage, unless a command chose single ones.

    A button of the Dagster UI stands for the whole: what it read would otherwise not be published, and the source would
    have one state here and another in Dagster. The same holds for the first stage, however it was chosen.
    """
    every = [stage.name for stage in STAGES]
    is_of_command = context.run.remote_job_origin is None
    return selected if not selected or (is_of_command and every[0] not in selected) else every


def _load_registered_versions(context: dg.AssetExecutionContext, keys: Sequence[str]) -> dict[str, str]:
    """The versions of sources that Dagster has; none if it cannot say, then they are told again."""
    with suppress(DatabaseUnavailableError), dagster_events.storage():
        return load_registered_versions(context.instance, keys)
    return {}


def _select_partitions(context: dg.AssetExecutionContext, store: Store) -> list[str]:
    """The run's partitions; every source if the check runs alone, since Dagster's page then names none."""
    if context.selected_asset_keys or context.has_partition_key or context.has_partition_key_range:
        return list(context.partition_keys)
    return [source.key for source in store.sources.names()]
