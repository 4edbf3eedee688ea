"""The definitions that Dagster loads.

Belongs here: putting the parts together. Not here: the parts. Guarantee: importing it is cheap: no model, no
connection.
"""

import dagster as dg

from assets.checks import search_index_checks
from assets.evaluation import evaluation, retrieval_quality
from assets.knowledge_base_summary import knowledge_base_summary, knowledge_base_summary_checks
from assets.resources import StoreResource
from assets.search_index import search_index
from assets.source_index import source_index
from assets.sources import sources
from assets.suggestions import suggestions
from headwater.settings import Settings
from pipelines.code_references import with_code_references
from pipelines.executors import executor
from pipelines.housekeeping import housekeeping, housekeeping_schedule
from pipelines.jobs import build_sync_job, refresh_knowledge_base
from pipelines.page_links import with_pages
from pipelines.schedules import check_schedule, sync_schedule, verify_schedule
from pipelines.sensors import changed_knowledge_bases, due_sources, requested_syncs


def build_definitions(settings: Settings) -> dg.Definitions:
    """Everything Headwater defines in Dagster."""
    return dg.Definitions(
        assets=with_pages(
            with_code_references(
                [sources, source_index, search_index, evaluation, suggestions, knowledge_base_summary]
            ),
            settings,
        ),
        asset_checks=[search_index_checks, retrieval_quality, knowledge_base_summary_checks],
        jobs=[build_sync_job(settings), refresh_knowledge_base, housekeeping],
        schedules=[
            sync_schedule(settings.sync_schedule),
            verify_schedule(),
            check_schedule(),
            housekeeping_schedule(),
        ],
        sensors=[requested_syncs, due_sources, changed_knowledge_bases],
        resources={"store": StoreResource()},
        executor=executor(settings),
    )


defs = build_definitions(Settings.from_env())
