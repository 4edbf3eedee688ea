"""The descriptions of assets in the Dagster UI.

Belongs here: the layers, and the form of a description and of a table's columns. Not here: the text about one asset
(its own module, or the stage in `headwater.syncing`), its values (`reports`). Guarantee: the description of an asset
explains everything that its partitions show.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from headwater.syncing.stage import Column

# Dagster shows a box for each group, so the groups are the layers, in the order in which data passes through them.
SOURCES_LAYER = "sources"
CONTENT_LAYER = "content"
SEARCH_LAYER = "search"
QUALITY_LAYER = "quality"

PAGE = "page"
"""Metadata of an asset: the page of the documentation that explains it further; `pipelines.page_links` links it."""


def describe_asset(what: str, partition: str, reported: Mapping[str, str]) -> str:
    """An asset's description in Markdown.

    Args:
        what: the asset itself.
        partition: the thing that each partition stands for.
        reported: the meaning of each metadata entry of a partition.
    """
    lines = [f"- `{name}`: {meaning}" for name, meaning in reported.items()]
    return "\n".join([what, "", f"There is one partition for each {partition}. A partition shows:", "", *lines])


def definition_metadata(table: str, columns: Mapping[str, Column], page: str) -> dict[str, Any]:
    """The metadata of an asset itself: its table with its columns, and its page of the documentation."""
    schema = dg.TableSchema([dg.TableColumn(name, column.type, column.description) for name, column in columns.items()])
    return {
        "dagster/table_name": table,
        "dagster/column_schema": schema,
        PAGE: dg.MetadataValue.path(page),
    }
