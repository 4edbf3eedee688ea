"""Jobs: named selections of assets.

Belongs here: which assets run together. Not here: when (`schedules`, `sensors`). Guarantee: the same job runs from
the Dagster UI, from a schedule, from a sensor and from the command line.
"""

import dagster as dg

from headwater.syncing.stages import STAGES

_NAMES = [stage.name for stage in STAGES]

sync_sources = dg.define_asset_job(
    "sync_sources", selection=_NAMES, description=f"Bring sources up to date: {', '.join(_NAMES)}."
)
refresh_knowledge_base = dg.define_asset_job(
    "refresh_knowledge_base",
    selection=["search_index", "evaluation"],
    description="What depends on a whole knowledge base.",
)
