"""What people read about an asset in the Dagster UI before they open a partition.

Belongs here: the layers, and how a description and a table's columns are put. Not here: the words about one asset (its
own module, a stage's in `headwater.syncing`), its values (`reports`). Guarantee: what a partition shows is explained
where its asset is described.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from headwater.syncing.stage import Column

# The graph opens with a box for each group: so they are the layers, in the order in which data goes through them.
SOURCES_LAYER = "sources"
CONTENT_LAYER = "content"
SEARCH_LAYER = "search"
QUALITY_LAYER = "quality"

PAGE = "page"
"""Metadata of an asset: the page of the documentation that says more about it."""


def described(what: str, partition: str, reported: Mapping[str, str]) -> str:
    """An asset's description in Markdown.

    Args:
        what: what it is.
        partition: what there is a partition of.
        reported: what each metadata of a partition means.
    """
    lines = [f"- `{name}`: {meaning}" for name, meaning in reported.items()]
    return "\n".join([what, "", f"One partition for each {partition}. What a partition shows:", "", *lines])


def definition_metadata(table: str, columns: Mapping[str, Column], page: str) -> dict[str, Any]:
    """What is known of an asset without any partition: its table with its columns, and the page that says more."""
    schema = dg.TableSchema([dg.TableColumn(name, each.type, each.description) for name, each in columns.items()])
    return {
        "dagster/table_name": table,
        "dagster/column_schema": schema,
        PAGE: dg.MetadataValue.path(page),
    }
