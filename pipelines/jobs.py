"""Jobs: named selections of assets.

Belongs here: which assets run together. Not here: when (`schedules`, `sensors`). Guarantee: the same job runs from
the Dagster UI, from a schedule, from a sensor and from the command line.
"""

import dagster as dg

from assets.resources import StoreResource
from assets.source_index import source_index
from headwater.settings import Settings
from headwater.syncing.stage import ROOT
from headwater.syncing.stages import STAGES
from pipelines.code_references import with_code_references
from pipelines.executors import executor

_NAMES = [stage.name for stage in STAGES]

SYNC_SOURCES = "sync_sources"

# Without its check: Dagster would plan one result for the whole run, but each source has its own.
_sync_sources = dg.define_asset_job(
    SYNC_SOURCES,
    selection=dg.AssetSelection.assets(*_NAMES).without_checks(),
    description=f"Syncs sources: makes their {', '.join(_NAMES)}, then refreshes their knowledge bases.",
)
refresh_knowledge_base = dg.define_asset_job(
    "refresh_knowledge_base",
    selection=["search_index", "evaluation", "suggestions", "knowledge_base_summary"],
    description=(
        "Refreshes, checks and evaluates the search index of a knowledge base, checks its questions, and refreshes its "
        "summary, without "
        "reading its sources."
    ),
)


def build_sync_job(settings: Settings) -> dg.JobDefinition:
    """The job that syncs, without Headwater's other definitions: loading all of them takes as long as a small sync.

    In it, the asset `sources` has no partitions: a run may name its sources by config, so it has no partition itself.
    Dagster would then ask it for the partition of each input as soon as a source has been observed.
    """
    definitions = dg.Definitions(
        assets=[dg.AssetSpec(ROOT), *with_code_references([source_index])],
        jobs=[_sync_sources],
        resources={"store": StoreResource()},
        executor=executor(settings),
    )
    return definitions.resolve_job_def(SYNC_SOURCES)
