"""Runs that wait in Dagster's queue: what waits there waits in Headwater, too (OPS-1, UI-2)."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin

from assets.partitions import SOURCES
from assets.run_tags import BATCH_TAG, REQUESTED_BY_TAG, SHARE_TAG
from cli.commands.status import status_of_everything
from cli.status_texts import status_text
from headwater.domain.syncs import Sync
from headwater.settings import Settings
from pipelines import sensors
from pipelines.definitions import build_definitions
from pipelines.run_coordinator import AnnouncingRunCoordinator, list_sources
from pipelines.run_failures import fail_dead_runs
from pipelines.schedules import run_config
from tests.support import Headwater

pytestmark = pytest.mark.dagster

Make = Callable[..., Headwater]
_SLUGS = ("one", "three", "two")
_PARTITION = "dagster/partition"


class Queue:
    """Dagster's queue of a Headwater with three sources."""

    def __init__(self, kb: Headwater) -> None:
        self.kb = kb
        self.coordinator = AnnouncingRunCoordinator()
        self.coordinator.register_instance(kb.instance)
        self.job = build_definitions(kb.settings).resolve_job_def("sync_sources")
        location = RegisteredCodeLocationOrigin("headwater")
        self.origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), self.job.name)
        kb.instance.add_dynamic_partitions(str(SOURCES.name), [source.key for source in kb.store.sources.all("kb")])

    def make_run(self, tags: dict[str, str], **values: Any) -> dg.DagsterRun:
        """A run as the UI makes it, not queued yet."""
        return self.kb.instance.create_run_for_job(
            self.job, tags=tags, status=dg.DagsterRunStatus.NOT_STARTED, remote_job_origin=self.origin, **values
        )

    def submit(self, run: dg.DagsterRun) -> dg.DagsterRun:
        """Queue a run."""
        workspace = SimpleNamespace(instance=self.kb.instance)
        return self.coordinator.submit_run(SimpleNamespace(dagster_run=run, workspace=workspace))

    def tick(self) -> dg.SensorResult:
        """Evaluate the sensor of requests."""
        result = sensors.requested_syncs(dg.build_sensor_context(instance=self.kb.instance))
        assert isinstance(result, dg.SensorResult)
        return result

    def syncs(self) -> list[Sync]:
        """Every sync, oldest first."""
        return [self.kb.store.syncs.get(row["id"]) for row in self.kb.query("SELECT id FROM syncs ORDER BY id")]

    def states(self) -> list[tuple[str, str]]:
        """Every source of every sync, with its state."""
        return [(part.source, part.state) for sync in self.syncs() for part in sync.sources]


@pytest.fixture
def queue(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """Dagster's queue; a process that submits runs has the store's address in its environment."""
    kb = headwater(*_SLUGS, files={f"{slug}/a.md": f"# {slug}\n\nThe pump {slug} lifts water." for slug in _SLUGS})
    monkeypatch.setenv("HEADWATER_DATABASE_URL", kb.settings.database_url or "")
    return Queue(kb)


def test_what_is_queued_in_dagster_is_queued_here(queue: Queue) -> None:
    """At once, as a sync of Dagster's; no sensor starts another run, and the run takes it over."""
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    assert run.status == dg.DagsterRunStatus.QUEUED
    (sync,) = queue.syncs()
    assert (sync.origin, sync.is_full, queue.states()) == ("dagster", False, [("one", "pending")])
    assert not queue.tick().run_requests
    source = queue.kb.source("one")
    assert queue.kb.store.overviews.open_parts("kb")[source.id].state == "pending"
    with queue.kb.store.workers.hold_source(source, run.run_id, run.run_id) as lease:
        assert lease.sync_id == sync.id
        assert queue.states() == [("one", "syncing")]


def test_a_run_of_many_sources_is_one_sync(queue: Queue) -> None:
    """Those of a schedule, which the config names, and a range of partitions, as a backfill has it."""
    keys = ["kb/one", "kb/two"]
    queue.submit(queue.make_run({REQUESTED_BY_TAG: "schedule"}, run_config=run_config(keys, is_full=True)))
    first, last = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
    queue.submit(queue.make_run({first: "kb/one", last: "kb/three"}))
    scheduled, backfill = queue.syncs()
    assert (scheduled.origin, scheduled.is_full) == ("schedule", True)
    assert [part.source for part in scheduled.sources] == ["one", "two"]
    every = queue.kb.instance.get_dynamic_partitions(str(SOURCES.name))
    in_range = every[every.index("kb/one") : every.index("kb/three") + 1]
    assert {f"kb/{part.source}" for part in backfill.sources} == set(in_range)


def test_a_run_that_is_cancelled_in_dagster_is_cancelled_here(queue: Queue) -> None:
    """Only what waits for it."""
    for key in ("kb/one", "kb/two"):
        run = queue.submit(queue.make_run({_PARTITION: key}))
    assert queue.coordinator.cancel_run(run.run_id)
    assert queue.states() == [("one", "pending"), ("two", "cancelled")]


def test_a_run_that_is_cancelled_here_is_cancelled_in_dagster(queue: Queue) -> None:
    """The sensor takes it out of the queue."""
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    queue.kb.store.syncs.cancel(queue.syncs()[0].id)
    queue.tick()
    ended = queue.kb.instance.get_run_by_id(run.run_id)
    assert ended is not None
    assert ended.status == dg.DagsterRunStatus.CANCELED


def test_a_run_that_dies_before_it_begins_leaves_nothing_queued_for_ever(queue: Queue) -> None:
    """Its sources wait for another run, which the next tick starts."""
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    queue.kb.instance.report_run_failed(run, "It could not start.")
    assert not queue.tick().run_requests
    (request,) = queue.tick().run_requests or ()
    assert request.tags[BATCH_TAG] != run.run_id
    assert queue.states() == [("one", "pending")]


def test_a_run_that_has_begun_is_not_announced(queue: Queue) -> None:
    """It may begin before it was announced: its source is not queued behind itself."""
    run = queue.make_run({_PARTITION: "kb/one"})
    with queue.kb.store.workers.hold_source(queue.kb.source("one"), run.run_id, run.run_id):
        queue.submit(run)
        assert queue.states() == [("one", "syncing")]


def test_what_needs_no_announcement_gets_none(queue: Queue) -> None:
    """Runs of requests, which have rows; helpers; runs that observe; a knowledge base's; sources that are gone."""
    queue.submit(queue.make_run({_PARTITION: "kb/one", BATCH_TAG: "ofarequest"}))
    queue.submit(queue.make_run({_PARTITION: "kb/one", SHARE_TAG: "1 of 2"}))
    observed = frozenset({dg.AssetKey("sources")})
    assert not list_sources(
        queue.make_run({_PARTITION: "kb/one"})._replace(asset_selection=observed), queue.kb.instance
    )
    queue.submit(queue.make_run({_PARTITION: "kb"}))
    queue.submit(queue.make_run({_PARTITION: "kb/gone"}))
    queue.submit(queue.make_run({}))
    assert queue.states() == []


@pytest.mark.parametrize("end", ["deleted", "found nothing to sync"])
def test_what_nobody_wants_any_more_is_cancelled(queue: Queue, end: str) -> None:
    """No other run is started for it."""
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    if end == "deleted":
        queue.kb.instance.delete_run(run.run_id)
    else:
        event = dg.DagsterEvent(event_type_value=dg.DagsterEventType.RUN_SUCCESS.value, job_name=run.job_name)
        queue.kb.instance.report_dagster_event(event, run.run_id)
    assert not queue.tick().run_requests
    assert not queue.tick().run_requests
    assert queue.states() == [("one", "cancelled")]


def test_a_request_does_not_depend_on_a_run_that_dagster_may_cancel(queue: Queue) -> None:
    """It has rows of its own, which the run takes along."""
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    source = queue.kb.source("one")
    sync_id = queue.kb.store.syncs.request(queue.kb.knowledge_base.id, [source], "api")
    assert sync_id != queue.syncs()[0].id
    with queue.kb.store.workers.hold_source(source, run.run_id, run.run_id):
        assert queue.states() == [("one", "syncing"), ("one", "syncing")]


def test_a_request_is_not_lost_when_its_run_is_executed_again(queue: Queue) -> None:
    """The run that is executed again has the tags of the first, and works for itself."""
    queue.kb.store.syncs.request(queue.kb.knowledge_base.id, [queue.kb.source("one")], "api")
    (request,) = queue.tick().run_requests or ()
    first = queue.submit(queue.make_run(dict(request.tags)))
    queue.kb.instance.report_run_failed(first, "It could not start.")
    again = {**request.tags, "dagster/parent_run_id": first.run_id, "dagster/root_run_id": first.run_id}
    second = queue.submit(queue.make_run({**again, _PARTITION: "kb/one"}))
    queue.kb.instance.report_run_failed(second, "It could not start either.")
    queue.tick()
    batches = {row["batch"] for row in queue.kb.query("SELECT batch FROM sync_sources WHERE state = 'pending'")}
    assert not batches & {request.tags[BATCH_TAG], second.run_id}
    assert queue.states() == [("one", "pending"), ("one", "pending")]


def test_a_run_waits_although_the_store_is_away(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then Headwater hears of it when it begins."""
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://postgres@127.0.0.1:1/none?connect_timeout=2")
    run = queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    assert run.status == dg.DagsterRunStatus.QUEUED
    assert queue.coordinator.cancel_run(run.run_id)


def test_the_command_says_that_a_source_is_queued(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """`headwater status` does not advise to sync what will be synced."""
    monkeypatch.setattr(Settings, "from_env", classmethod(lambda _: queue.kb.settings))
    queue.submit(queue.make_run({_PARTITION: "kb/one"}))
    lines = {line.split(":")[0].strip(): line for line in status_text(status_of_everything("kb")).splitlines()}
    assert lines["one"].endswith(f"never synced; sync {queue.syncs()[0].id} is queued")
    assert lines["two"].endswith("never synced; `headwater sync kb` reads it")


def test_a_run_of_a_command_can_be_executed_again_in_dagster(queue: Queue) -> None:
    """It says where its job is, so the button works, and the run that it makes is not taken for one of a command."""
    made, _ = queue.kb.sync_run("one")
    run = queue.kb.instance.get_run_by_id(made.run_id)
    assert run is not None
    assert run.remote_job_origin == queue.origin
    assert "create_run_for_job" not in vars(queue.kb.instance)
    again = {**run.tags, "dagster/parent_run_id": run.run_id, "dagster/root_run_id": run.run_id}
    second = queue.submit(queue.make_run(again, run_config=run.run_config))
    fail_dead_runs(queue.kb.instance, queue.kb.store)
    assert queue.states() == [("one", "ready"), ("one", "pending")]
    queued = queue.kb.instance.get_run_by_id(second.run_id)
    assert queued is not None
    assert queued.status == dg.DagsterRunStatus.QUEUED
