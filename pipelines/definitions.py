"""What Dagster loads.

Belongs here: putting the parts together. Not here: any part. Guarantee: importing it is cheap: no model, no connection.
"""

import dagster as dg

from assets.resources import StoreResource
from assets.search_index import search_index
from assets.source_index import source_index
from assets.sources import sources
from headwater.settings import Settings
from pipelines.executors import executor
from pipelines.jobs import refresh_knowledge_base, sync_sources
from pipelines.schedules import sync_schedule
from pipelines.sensors import cancelled_runs, changed_knowledge_bases, failed_runs, requested_syncs


def build_definitions(settings: Settings) -> dg.Definitions:
    """Everything Headwater defines in Dagster."""
    return dg.Definitions(
        assets=[sources, source_index, search_index],
        jobs=[sync_sources, refresh_knowledge_base],
        schedules=[sync_schedule(settings.sync_schedule)],
        sensors=[requested_syncs, changed_knowledge_bases, failed_runs, cancelled_runs],
        resources={"store": StoreResource()},
        executor=executor(settings),
    )


defs = build_definitions(Settings.from_env())
