"""The command `tidy`.

Belongs here: the kernel's housekeeping and Dagster's, and their results as text. Not here: housekeeping itself
(`headwater.administration.housekeeping`). Guarantee: as for every command (`cli.main`).
"""

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def tidy(as_json: bool) -> None:
    """Remove whatever is older than its retention period: document versions, originals, syncs, Dagster runs."""
    tidied = tidy_everything()
    emit(tidied, as_json=as_json, text=tidy_text(tidied))
    if tidied["failed"]:
        sys.exit(1)


def tidy_everything() -> dict[str, Any]:
    """Remove whatever is older than its retention period.

    Returns:
        How many rows of each kind were removed, what failed, and which tables need a vacuum.

    Raises:
        ConflictError: another process is doing the same.
    """
    from cli.environment import dagster_instance, environment
    from headwater.administration.housekeeping import tidy

    with environment() as env:
        tidied = asdict(tidy(env.store, env.settings))
        failures = list(tidied.pop("failures"))
        from pipelines.housekeeping import tidy_runs

        with dagster_instance(env.settings) as instance:
            tidied["runs"] = tidy_runs(instance, env.store)
        advice = [asdict(table_advice) for table_advice in env.store.health.vacuum_advice()]
    return {"removed": tidied, "failed": failures, "vacuum": advice}


def tidy_text(tidied: Mapping[str, Any]) -> str:
    """What housekeeping removed."""
    counts = [f"{count} {name.replace('_', ' ')}" for name, count in tidied["removed"].items() if count]
    lines = [f"Removed {', '.join(counts)}." if counts else "There was nothing to remove."]
    lines += [f"Failed: {failure}" for failure in tidied["failed"]]
    lines += [
        f"{table_advice['table']}: {table_advice['reason']}. Run: {table_advice['statement']}"
        for table_advice in tidied["vacuum"]
    ]
    return "\n".join(lines)
