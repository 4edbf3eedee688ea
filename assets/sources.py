"""`sources`: the registered sources, rows that the application owns.

Belongs here: the external asset at the start of the lineage. Not here: registering (API and command line). Guarantee:
nothing in Dagster writes it.
"""

import dagster as dg

from assets.partitions import SOURCES

sources = dg.AssetSpec(
    "sources",
    partitions_def=SOURCES,
    group_name="source_index",
    kinds={"postgres"},
    description="Registered sources: rows of the application, made by `headwater apply` or the API.",
    metadata={"dagster/table_name": "sources"},
)
