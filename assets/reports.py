"""The metadata of a stage in the Dagster UI.

Belongs here: turning a stage's report into Dagster's metadata. Not here: the report itself (the stages'). Guarantee:
text from sources is shown as text; it cannot become markup.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.observations import source_url, view_url
from headwater.settings import Settings
from headwater.syncing.source_sync import Made
from headwater.syncing.stage import Table

ALWAYS_REPORTED = {
    "dagster/row_count": "Rows that the source has in the table now.",
    "milliseconds": "How long this asset took in the last sync that changed something.",
    "api": "The source in Headwater's HTTP API.",
    "view": "The same on Headwater's pages.",
    "failed_because": "The reason why the last sync failed; all other metadata is from the last success.",
    "error_code": "The code of that error.",
}
"""The meaning of the metadata that every stage of a source shows."""


def stage_metadata(made: Made, settings: Settings, key: str) -> dict[str, Any]:
    """Turn the results of one stage of a source, named by its key, into metadata."""
    return {
        "dagster/row_count": made.row_count,
        "milliseconds": made.ms,
        **{name: _value(value) for name, value in made.report.items()},
        "api": dg.MetadataValue.url(source_url(settings, key)),
        "view": dg.MetadataValue.url(view_url(settings, key, made.stage.view)),
    }


def _value(value: Any) -> Any:
    if isinstance(value, Table):
        return _table(value)
    return dg.MetadataValue.json(dict(value)) if isinstance(value, Mapping) else value


def _table(table: Table) -> dg.MarkdownMetadataValue:
    lines = [f"| {' | '.join(table.columns)} |", f"|{'---|' * len(table.columns)}"]
    lines += [f"| {' | '.join(_cell(getattr(row, column)) for column in table.columns)} |" for row in table.rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    text = " › ".join(value) if isinstance(value, tuple) else str(value)
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    for mark in "\\`*_[]|!#":
        text = text.replace(mark, f"\\{mark}")
    return text[:200]
