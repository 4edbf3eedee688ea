"""The asset graph, as people see it in Dagster (OPS-1)."""

import json
from pathlib import Path

from headwater.settings import Settings
from pipelines.definitions import build_definitions

GOLDEN = Path(__file__).parent / "asset_graph.json"


def test_the_asset_graph_changes_only_on_purpose() -> None:
    """Keys, parents, partitions, jobs, schedules and sensors are those of the golden file."""
    definitions = build_definitions(Settings.from_env({}))
    graph = definitions.resolve_asset_graph()
    found = {
        "assets": {
            key.to_user_string(): {
                "parents": sorted(parent.to_user_string() for parent in graph.get(key).parent_keys),
                "partitions": getattr(graph.get(key).partitions_def, "name", None),
                "group": graph.get(key).group_name,
                "external": graph.get(key).is_external,
            }
            for key in sorted(graph.get_all_asset_keys())
        },
        "jobs": sorted(job.name for job in definitions.jobs or []),
        "schedules": sorted(schedule.name for schedule in definitions.schedules or []),
        "sensors": sorted(sensor.name for sensor in definitions.sensors or []),
    }
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))
