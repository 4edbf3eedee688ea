"""The asset graph, as people see it in Dagster (OPS-1)."""

import json
from pathlib import Path

import dagster as dg

from headwater.settings import REPOSITORY, Settings
from headwater.syncing.stages import STAGES
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
                "observable": graph.get(key).is_observable,
            }
            for key in sorted(graph.get_all_asset_keys())
        },
        "jobs": sorted(job.name for job in definitions.jobs or []),
        "schedules": sorted(schedule.name for schedule in definitions.schedules or []),
        "sensors": sorted(sensor.name for sensor in definitions.sensors or []),
    }
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_each_asset_says_where_its_code_is() -> None:
    """The UI opens the file that does the work, for a stage of the chain before the chain itself."""
    graph = build_definitions(Settings.from_env({})).resolve_asset_graph()
    work = {stage.name: "def complete(" for stage in STAGES} | {"search_index": "def search_index("}
    for name, definition in work.items():
        first, *others = graph.get(dg.AssetKey(name)).metadata["dagster/code_references"].code_references
        folder = "assets" if name == "search_index" else "headwater/syncing"
        assert Path(first.file_path) == REPOSITORY / folder / f"{name}.py"
        assert definition in _line(first, 15)
        assert [Path(other.file_path).name for other in others] == (
            [] if name == "search_index" else ["source_index.py"]
        )


def _line(reference: dg.LocalFileCodeReference, more: int = 0) -> str:
    assert reference.line_number is not None
    lines = Path(reference.file_path).read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[reference.line_number - 1 : reference.line_number + more])
