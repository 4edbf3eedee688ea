"""What a reader of Dagster's pages sees: descriptions, observations, causes, tags, logs (OPS-1, OPS-2, OPS-3)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.definitions.partitions.subset import PartitionsSubset
from dagster._core.storage.asset_check_state import AssetCheckState, bulk_update_asset_check_state

from assets.observations import READABLE
from assets.partitions import SOURCES
from assets.resources import StoreResource
from assets.run_tags import KNOWLEDGE_BASE_TAG, REQUESTED_BY_TAG, SOURCES_TAG
from headwater.administration.sync_requests import request_sync
from headwater.settings import Settings
from headwater.syncing.stages import STAGES
from pipelines import schedules, sensors
from pipelines.definitions import build_definitions
from pipelines.schedules import run_config
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
FIRST = STAGES[0].name
FILES = {"docs/a.md": "# A\n\nThe pump lifts water.", "bad/b.md": "# B\n\nWords."}


def _definitions() -> dg.Definitions:
    return build_definitions(Settings.from_env({"HEADWATER_API_URL": "http://api.example:1"}))


def _observations(kb: Headwater, asset: str) -> list[dg.AssetObservation]:
    """Newest first."""
    records = kb.instance.fetch_observations(dg.AssetKey(asset), limit=100).records
    return [found for record in records if (found := record.asset_observation) is not None]


def _values(metadata: Any) -> dict[str, Any]:
    return {name: value.value for name, value in metadata.items()}


def _checks(kb: Headwater, key: str) -> list[dg.AssetCheckEvaluation]:
    """Evaluations of what could not be read, of one source, newest first."""
    kind, found = dg.DagsterEventType.ASSET_CHECK_EVALUATION, []
    for run in kb.instance.get_runs():
        events: Any = kb.instance.get_records_for_run(run.run_id, of_type=kind).records
        found += [event.event_log_entry.dagster_event.asset_check_evaluation_data for event in events]
    return [one for one in found if (one.check_name, one.partition) == (READABLE, key)]


def _log(kb: Headwater, run_id: str) -> list[str]:
    return [entry.user_message for entry in kb.instance.all_logs(run_id) if entry.dagster_event is None]


def test_everything_is_described() -> None:
    """Every asset, column, check, job, sensor and schedule says in sentences what it is (OPS-1)."""
    definitions = _definitions()
    graph = definitions.resolve_asset_graph()
    described = {key.to_user_string(): graph.get(key).description for key in graph.get_all_asset_keys()}
    for name, schema in _schemas(graph).items():
        described |= {f"{name}.{column.name}": column.description for column in schema.columns}
    repository = definitions.get_repository_def()
    described |= {f"check {key.name}": graph.get(key).description for key in graph.asset_check_keys}
    described |= {f"sensor {one.name}": one.description for one in repository.sensor_defs}
    described |= {f"schedule {one.name}": one.description for one in repository.schedule_defs}
    described |= {f"job {one.name}": one.description for one in repository.get_all_jobs() if "__" not in one.name}
    assert len(described) > 60
    assert [name for name, words in described.items() if not words or words.strip()[-1] not in ".:"] == []


def _schemas(graph: Any) -> dict[str, dg.TableSchema]:
    metadata = {key.to_user_string(): graph.get(key).metadata for key in graph.get_all_asset_keys()}
    return {name: found["dagster/column_schema"] for name, found in metadata.items()}


def test_columns_that_are_described_are_those_of_the_table(shared: Headwater) -> None:
    """A described column exists, with that type."""
    graph = _definitions().resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        metadata = graph.get(key).metadata
        table = metadata["dagster/table_name"]
        rows = shared.query(
            "SELECT attname, format_type(atttypid, NULL) AS kind FROM pg_attribute WHERE attrelid = %s::regclass",
            table,
        )
        there = {row["attname"]: row["kind"].replace("timestamp with time zone", "timestamptz") for row in rows}
        described = {column.name: column.type for column in metadata["dagster/column_schema"].columns}
        assert described.items() <= there.items()


def test_assets_link_to_a_page_and_to_the_api(shared: Headwater) -> None:
    """The page is one of the documentation's, and opens at the address of this API."""
    graph = _definitions().resolve_asset_graph()
    client = create_app(shared.settings).test_client()
    for key in graph.get_all_asset_keys():
        metadata = graph.get(key).metadata
        assert isinstance(metadata["page"], dg.UrlMetadataValue)
        path = (metadata["page"].value or "").removeprefix("http://api.example:1")
        assert client.get(path, headers={"Host": "127.0.0.1"}).status_code == 200, path
        assert metadata["api_documentation"].value == "http://api.example:1/openapi/swagger"


pytestmark = pytest.mark.synced(files={"a.md": "# A\n\nThe pump lifts water."})


@pytest.mark.dagster
def test_what_a_partition_shows_is_explained(kb: Headwater) -> None:
    """Each name in the metadata of a materialisation or an observation is in the description of its asset."""
    graph = _definitions().resolve_asset_graph()
    kb.write("b.md", b"\xff\x00")
    kb.sync()
    for asset in ("sources", *(stage.name for stage in STAGES), "search_index"):
        words = graph.get(dg.AssetKey(asset)).description or ""
        shown = {name for made in kb.materializations(asset) for name in made.metadata}
        shown |= {name for seen in _observations(kb, asset) for name in seen.metadata}
        assert shown
        assert [name for name in shown if f"- `{name}`: " not in words] == []


@pytest.mark.dagster
def test_a_source_is_observed_at_each_sync(kb: Headwater) -> None:
    """Its partition shows kind, place, state and link; it is coloured when it is first known, once."""
    kb.sync()
    newest, first = _observations(kb, "sources")
    assert newest.partition == first.partition == "kb/docs"
    shown = _values(newest.metadata)
    assert (shown["kind"], shown["path"], shown["state"]) == ("markdown_tree", str(kb.folder / "docs"), "ready")
    assert shown["api"].endswith("/api/v1/knowledge-bases/kb/sources/docs")
    assert shown["error"] == ""
    assert (shown["paused_at"], shown["next_sync_at"]) == (None, None)
    assert kb.coloured("sources") == {"materialized": {"kb/docs"}, "failed": set()}
    assert len(kb.materializations("sources")) == 1


@pytest.mark.dagster
def test_an_observation_leaves_nothing_of_an_older_one(kb: Headwater) -> None:
    """Dagster's page merges them by name: without an empty value, an old error would stand beside `state: ready`."""
    (kb.folder / "docs").rename(kb.folder / "elsewhere")
    kb.sync()
    kb.query("UPDATE sources SET paused_at = now(), refresh_seconds = 60 RETURNING 1")
    job = _definitions().resolve_implicit_global_asset_job_def()
    observing = job.get_subset(asset_selection={dg.AssetKey("sources")})
    assert observing.execute_in_process(instance=kb.instance).success
    merged = _values(_observations(kb, "sources")[0].metadata)
    assert "There is no file or folder" in merged["error"]
    assert merged["paused_at"]
    (kb.folder / "elsewhere").rename(kb.folder / "docs")
    kb.query("UPDATE sources SET paused_at = NULL, refresh_seconds = NULL RETURNING 1")
    kb.sync()
    merged |= _values(_observations(kb, "sources")[0].metadata)
    assert (merged["state"], merged["error"], merged["paused_at"], merged["next_sync_at"]) == ("ready", "", None, None)


@pytest.mark.dagster
def test_sources_can_be_observed_alone(kb: Headwater) -> None:
    """As the button Observe does, without reading the source; runs that name sources by config go on working."""
    (kb.folder / "docs" / "a.md").unlink()
    (kb.folder / "docs").rmdir()
    before = len(_observations(kb, "sources"))
    implicit = _definitions().resolve_implicit_global_asset_job_def()
    job = implicit.get_subset(asset_selection={dg.AssetKey("sources")})
    assert job.execute_in_process(instance=kb.instance).success
    assert len(_observations(kb, "sources")) == before + 1
    assert _values(_observations(kb, "sources")[0].metadata)["state"] == "ready"


@pytest.mark.dagster
def test_a_failed_partition_shows_its_cause(headwater: Make) -> None:
    """The partition of each stage that was not made, and the error of the run, say why; the source's state, too."""
    kb = headwater("bad", "docs", files=FILES)
    (kb.folder / "bad" / "b.md").unlink()
    (kb.folder / "bad").rmdir()
    run, done = kb.sync_run()
    cause = done["bad"].errors[0].message
    for stage in STAGES:
        (seen,) = _observations(kb, stage.name)
        assert seen.partition == "kb/bad"
        assert _values(seen.metadata)["failed_because"] == cause
        assert _values(seen.metadata)["error_code"] == "SOURCE_FAILED"
    kind = dg.DagsterEventType.STEP_FAILURE
    (record,) = kb.instance.get_records_for_run(run.run_id, of_type=kind).records
    failure: Any = record.event_log_entry.dagster_event
    assert cause in failure.step_failure_data.error.message
    assert _values(failure.step_failure_data.user_failure_data.metadata) == {"kb/bad": cause}
    states = {seen.partition: _values(seen.metadata) for seen in _observations(kb, "sources")}
    assert (states["kb/bad"]["state"], states["kb/bad"]["error"]) == ("failed", cause)
    assert states["kb/docs"]["state"] == "ready"


@pytest.mark.dagster
def test_the_check_warns_of_documents_that_cannot_be_read(kb: Headwater) -> None:
    """It names them while they are there, and passes once they are gone, though no document changed by that."""
    kb.write("b.md", b"\xff\x00")
    kb.sync()
    warning = _checks(kb, "kb/docs")[0]
    assert (warning.passed, warning.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "b.md" in str(warning.description)
    assert _values(warning.metadata)["unreadable"] == 1
    assert kb.coloured(FIRST) == {"materialized": {"kb/docs"}, "failed": set()}
    kb.remove("b.md")
    kb.sync()
    assert _checks(kb, "kb/docs")[0].passed
    told = len(_checks(kb, "kb/docs"))
    kb.sync()
    assert len(_checks(kb, "kb/docs")) == told  # nothing new to tell


@pytest.mark.dagster
def test_a_check_shows_which_partitions_passed(headwater: Make) -> None:
    """A result that is logged for a partition names what it looked at: else Dagster shows it as missing (OPS-3)."""
    kb = headwater("docs", "bad", files={**FILES, "bad/c.md": b"\xff\x00"})
    kb.sync()
    kb.write("docs/new.md", "# New\n\nThe pump lifts oil.")
    kb.sync()  # the newest materialization is checked too
    check = dg.AssetCheckKey(dg.AssetKey(FIRST), READABLE)
    with partition_loading_context(dynamic_partitions_store=kb.instance):
        found = bulk_update_asset_check_state(kb.instance, [(check, SOURCES)], {check: AssetCheckState.empty()})
        shown = {
            str(status.value).lower(): sorted(keys)
            for status, subset in found[check].subsets.items()
            if isinstance(subset.value, PartitionsSubset) and (keys := subset.value.get_partition_keys())
        }
    assert shown == {"succeeded": ["kb/docs"], "failed": ["kb/bad"]}


@pytest.mark.dagster
def test_every_check_but_the_gate_runs_alone(kb: Headwater) -> None:
    """`Execute all` of Dagster's pages names no partition: each knowledge base, or source, is checked (OPS-3)."""
    definitions = _definitions()
    graph = definitions.resolve_asset_graph()
    keys = {key for key in graph.asset_check_keys if key.name != "gate"}
    job = definitions.resolve_implicit_global_asset_job_def()
    alone = job.get_subset(asset_selection=set(), asset_check_selection=keys)
    assert alone.execute_in_process(instance=kb.instance).success
    run = kb.instance.get_runs(limit=1)[0]
    records = kb.instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION).records
    told = [record.event_log_entry.dagster_event.asset_check_evaluation_data for record in records]  # type: ignore[union-attr]
    expected = {key.name: "kb" for key in keys if key.asset_key == dg.AssetKey("search_index")} | {READABLE: "kb/docs"}
    assert {one.check_name: one.partition for one in told} == expected  # there is no golden set, so no evaluation
    assert "cannot run alone" in str(graph.get(dg.AssetCheckKey(dg.AssetKey("search_index"), "gate")).description)


@pytest.mark.dagster
def test_runs_are_tagged_by_what_they_are_of(kb: Headwater) -> None:
    """By command, request, schedule and from the UI; nobody sees a batch (API-2)."""
    kb.sync()
    assert _shown_tags(kb) == {KNOWLEDGE_BASE_TAG: "kb", SOURCES_TAG: "docs", REQUESTED_BY_TAG: "command_line"}
    request_sync(kb.store, "kb", [], "api")
    context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
    tick: Any = sensors.requested_syncs(context)
    (request,) = tick.run_requests
    assert request.tags[REQUESTED_BY_TAG] == "api"
    assert {name for name in request.tags if not name.startswith(".dagster/")} == set(_shown_tags(kb))
    moment = dg.build_schedule_context(
        instance=kb.instance, resources={"store": StoreResource()}, scheduled_execution_time=datetime.now(UTC)
    )
    with moment:
        every: Any = schedules.sync_schedule("0 3 * * *")(moment)
        (asked,) = every
    assert (asked.tags[REQUESTED_BY_TAG], asked.tags[SOURCES_TAG]) == ("schedule", "docs")
    job = _definitions().resolve_job_def("sync_sources")
    job.execute_in_process(instance=kb.instance, partition_key="kb/docs")
    assert _shown_tags(kb)[REQUESTED_BY_TAG] == "dagster"
    assert _shown_tags(kb)[SOURCES_TAG] == "docs"


def _shown_tags(kb: Headwater) -> dict[str, str]:
    """The tags of the newest run that the UI shows, but for Dagster's own."""
    tags = kb.instance.get_runs(limit=1)[0].tags
    return {name: value for name, value in tags.items() if not name.startswith((".dagster/", "dagster/"))}


@pytest.mark.dagster
def test_the_log_of_a_run_shows_each_stage_of_each_source(headwater: Make) -> None:
    """How long it took and what it did, what failed, and what was not done for that; one line if nothing was to do."""
    kb = headwater("bad", "docs", files=FILES)
    (kb.folder / "bad" / "b.md").unlink()
    (kb.folder / "bad").rmdir()
    run, _ = kb.sync_run()
    lines = _log(kb, run.run_id)
    for stage in STAGES:
        (done,) = [line for line in lines if line.startswith(f"kb/docs: {stage.name} ")]
        assert "done in" in done
    assert any(line.startswith(f"kb/docs: {FIRST} done") and "1 read, 1 added" in line for line in lines)
    assert any(line.startswith(f"kb/bad: {FIRST} failed") and "There is no file or folder" in line for line in lines)
    assert f"kb/bad: {STAGES[1].name} not done, since {FIRST} is not" in lines
    run, _ = kb.sync_run()
    (unchanged,) = [line for line in _log(kb, run.run_id) if line.startswith("kb/docs: ")]
    assert unchanged.count(" done in ") == len(STAGES)


@pytest.mark.dagster
def test_the_active_index_is_named_by_what_it_is(kb: Headwater) -> None:
    """By its model, language and chunk sizes, where there was a number."""
    shown = _values(kb.materializations("search_index")[0].metadata)
    assert shown["active"].startswith("builtin/hash, english, chunks of ")
    assert shown["indexes"] == f"{shown['active']} (active)"


@pytest.mark.dagster
def test_a_run_of_the_ui_makes_no_evaluation_without_a_golden_set(kb: Headwater) -> None:
    """The partition stays missing, the check is not evaluated, and the run succeeds (EVL-1)."""
    job = _definitions().resolve_job_def("refresh_knowledge_base")
    result = job.execute_in_process(instance=kb.instance, partition_key="kb")
    assert result.success
    assert kb.materializations("evaluation") == []
    assert kb.coloured("evaluation") == {"materialized": set(), "failed": set()}
    assert [one for one in result.get_asset_check_evaluations() if one.check_name == "retrieval_quality"] == []


@pytest.mark.dagster
def test_a_run_over_named_sources_works_after_they_were_observed(kb: Headwater) -> None:
    """Dagster would ask a run without a partition for that of an input which was observed, if it knew of it."""
    job = _definitions().resolve_job_def("sync_sources")
    for _ in range(2):
        assert job.execute_in_process(instance=kb.instance, run_config=run_config(["kb/docs"])).success
