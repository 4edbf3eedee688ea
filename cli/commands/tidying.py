"""The command `tidy`.

Belongs here: calling the kernel's housekeeping and Dagster's, and the text that a terminal shows. Not here:
housekeeping itself.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cli.environment import dagster_instance, environment
from headwater.administration.housekeeping import tidy


def tidy_everything() -> dict[str, Any]:
    """Remove whatever is older than its retention period.

    Returns:
        How many rows of each kind were removed, what failed, and which tables need a vacuum.

    Raises:
        ConflictError: another process is doing the same.
    """
    with environment() as env:
        tidied = asdict(tidy(env.store, env.settings))
        failures = list(tidied.pop("failures"))
        from pipelines.housekeeping import tidy_runs

        with dagster_instance(env.settings) as instance:
            tidied["runs"] = tidy_runs(instance, env.store, env.settings)
        advice = [asdict(found) for found in env.store.health.vacuum_advice()]
    return {"removed": tidied, "failed": failures, "vacuum": advice}


def tidy_text(tidied: Mapping[str, Any]) -> str:
    """What housekeeping removed."""
    parts = [f"{count} {name.replace('_', ' ')}" for name, count in tidied["removed"].items() if count]
    lines = [f"Removed {', '.join(parts)}." if parts else "There was nothing to remove."]
    lines += [f"Failed: {failure}" for failure in tidied["failed"]]
    lines += [f"{found['table']}: {found['reason']}. Run: {found['statement']}" for found in tidied["vacuum"]]
    return "\n".join(lines)
