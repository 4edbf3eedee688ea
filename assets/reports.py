"""What people see of a stage in the Dagster UI.

Belongs here: how a stage's report becomes Dagster's metadata. Not here: what is reported (the stages'). Guarantee: text
of sources is shown as text; it cannot become markup.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Report, Stage, Table


def stage_metadata(job: SourceJob, stage: Stage, report: Report, row_count: int) -> dict[str, Any]:
    """Put the results of one stage into Dagster's words.

    Args:
        job: the source, after the stage.
        stage: which.
        report: what the stage says.
        row_count: how many rows there are now.
    """
    source = job.source
    api = f"{job.settings.api_url}/api/v1/knowledge-bases/{source.knowledge_base}/sources/{source.slug}"
    return {
        "dagster/row_count": row_count,
        "milliseconds": round(job.spent.get(stage.name, 0.0) * 1000, 1),
        **{name: _value(value) for name, value in report.items()},
        "api": dg.MetadataValue.url(api),
    }


def _value(value: Any) -> Any:
    if isinstance(value, Table):
        return _table(value)
    return dg.MetadataValue.json(dict(value)) if isinstance(value, Mapping) else value


def _table(table: Table) -> dg.MarkdownMetadataValue:
    lines = [f"| {' | '.join(table.columns)} |", f"|{'---|' * len(table.columns)}"]
    lines += [f"| {' | '.join(_cell(row[column]) for column in table.columns)} |" for row in table.rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    text = " › ".join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    for mark in "\\`*_[]|!#":
        text = text.replace(mark, f"\\{mark}")
    return text[:200]
