"""What Headwater and Dagster call a sync that was done, failed or was cancelled, and a backfill (SRC-10, OPS-2)."""

import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill

from assets.resources import StoreResource
from assets.run_tags import BATCH_TAG
from headwater.sources.markdown_tree import MarkdownTree
from headwater.syncing.stages import STAGES
from pipelines import sensors
from pipelines.definitions import build_definitions
from pipelines.in_process_run import register_partitions
from pipelines.schedules import run_config
from query_api.routes.sync_payloads import SyncPayload
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {f"{slug}/{slug}.md": f"# {slug}\n\nThe pump {slug} lifts water.\n" for slug in "abc"}
KEYS = [f"kb/{slug}" for slug in "abc"]
BACKFILL = "rooibos"

DONE, FAILED, CANCELED = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED
CALLED = {"ready": DONE, "failed": FAILED, "cancelled": CANCELED}
"""What Dagster calls a run of which Headwater calls the sync this."""


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """Three sources that were not synced yet, which are synced in the order of their names."""
    knowledge_base = headwater("a", "b", "c", files=FILES)
    register_partitions(knowledge_base.instance, knowledge_base.store)
    return knowledge_base


@pytest.fixture
def happen(monkeypatch: pytest.MonkeyPatch) -> Callable[[Headwater, str], None]:
    """Let something happen while the source `b` is read."""
    original = MarkdownTree.fetch
    folder: list[Path] = []
    during: list[Callable[[], object]] = []

    def fetch(tree: MarkdownTree) -> Iterator[Any]:
        if tree.config.path == folder[0]:
            for act in during:
                act()
        yield from original(tree)

    def arrange(kb: Headwater, event: str) -> None:
        folder.append(kb.folder / "b")
        during.append({
            "nothing": lambda: None,
            "it fails": lambda: _fail("The disk is on fire."),
            "its sync is cancelled": lambda: _cancel(kb),
            "its sync is cancelled, and the next fails": lambda: _cancel(kb, losing="c"),
            "its run is terminated": lambda: _terminate(kb),
            "Ctrl-C": lambda: signal.raise_signal(signal.SIGINT),
        }[event])  # fmt: skip

    monkeypatch.setattr(MarkdownTree, "fetch", fetch)
    return arrange


def _fail(reason: str) -> None:
    raise RuntimeError(reason)


def _cancel(kb: Headwater, losing: str | None = None) -> None:
    """Cancel the sync of `b` as `headwater cancel` does, and hang until it stops; another loses its folder."""
    if losing is not None:
        shutil.rmtree(kb.folder / losing)
    (row,) = kb.query("SELECT sync_id FROM sync_sources WHERE state = 'syncing'")
    source_sync = next(each for each in kb.store.syncs.get(row["sync_id"]).sources if each.source == "b")
    assert (source_sync.state, _newest(kb).status) == ("syncing", dg.DagsterRunStatus.STARTED)
    kb.store.syncs.cancel(row["sync_id"])
    threading.Event().wait(60)


def _terminate(kb: Headwater) -> None:
    """Do what Terminate in Dagster's UI does to the process of a run."""
    kb.instance.report_run_canceling(_newest(kb))
    assert _newest(kb).status == dg.DagsterRunStatus.CANCELING
    signal.raise_signal(signal.SIGINT)


def _newest(kb: Headwater) -> dg.DagsterRun:
    return kb.instance.get_runs(limit=1)[0]


def _sync(kb: Headwater, started_by: str) -> None:
    """Sync all three in one run."""
    if started_by == "a command":
        with suppress(KeyboardInterrupt):
            kb.sync()
        return
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    if started_by == "a request":
        kb.store.syncs.request(kb.knowledge_base.id, kb.store.sources.all("kb"), "api")
        (batch,) = kb.store.syncs.name_batches(20, 4)
        job.execute_in_process(
            instance=kb.instance, run_config=run_config(batch.keys), tags={BATCH_TAG: batch.name}, raise_on_error=False
        )
    else:
        selection = [dg.AssetKey(stage.name) for stage in STAGES]
        tags = {"dagster/asset_partition_range_start": KEYS[0], "dagster/asset_partition_range_end": KEYS[-1]}
        if started_by == "a backfill":
            tags["dagster/backfill"] = BACKFILL
        job.execute_in_process(instance=kb.instance, asset_selection=selection, tags=tags, raise_on_error=False)
    _look(kb)


def _look(kb: Headwater) -> None:
    """One tick of the sensor that compares Dagster's runs with the rows."""
    sensors.requested_syncs(dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()}))


def _parts(kb: Headwater) -> dict[str, str]:
    """The state of each source's part of its sync."""
    rows = kb.query("SELECT s.slug, t.state FROM sync_sources t JOIN sources s ON s.id = t.source_id ORDER BY t.id")
    return {row["slug"]: row["state"] for row in rows}


ALL_READY = {"a": "ready", "b": "ready", "c": "ready"}
ONE_FAILED = {"a": "ready", "b": "failed", "c": "ready"}
REST_CANCELLED = {"a": "ready", "b": "cancelled", "c": "cancelled"}


@pytest.mark.dagster
@pytest.mark.parametrize(
    ("started_by", "event", "parts", "state"),
    [
        ("a request", "nothing", ALL_READY, "ready"),
        ("a request", "it fails", ONE_FAILED, "failed"),
        ("a request", "its sync is cancelled", REST_CANCELLED, "cancelled"),
        ("a request", "its run is terminated", REST_CANCELLED, "cancelled"),
        ("a command", "nothing", ALL_READY, "ready"),
        ("a command", "it fails", ONE_FAILED, "failed"),
        ("a command", "its sync is cancelled", REST_CANCELLED, "cancelled"),
        ("a command", "Ctrl-C", REST_CANCELLED, "cancelled"),
    ],
)
def test_a_run_is_called_what_its_sync_is(
    kb: Headwater, happen: Callable[..., None], started_by: str, event: str, parts: dict[str, str], state: str
) -> None:
    """Done, failed or cancelled, whoever did it and however much was done before; only what failed is red."""
    happen(kb, event)
    _sync(kb, started_by)
    assert _parts(kb) == parts
    (row,) = kb.query("SELECT DISTINCT sync_id FROM sync_sources")
    assert SyncPayload.of(kb.store.syncs.get(row["sync_id"])).state == state
    assert _newest(kb).status == CALLED[state]
    assert _colours(kb) == parts


def _colours(kb: Headwater) -> dict[str, str]:
    """The states that Dagster's colours of the partitions stand for."""
    colours = kb.coloured("documents")
    return {
        slug: "ready" if f"kb/{slug}" in colours["materialized"]
        else "failed" if f"kb/{slug}" in colours["failed"] else "cancelled"
        for slug in "abc"
    }  # fmt: skip


@pytest.mark.dagster
@pytest.mark.parametrize(
    ("event", "parts", "status", "backfill"),
    [
        ("nothing", ALL_READY, DONE, "COMPLETED_SUCCESS"),
        ("it fails", ONE_FAILED, FAILED, "COMPLETED_FAILED"),
        ("its sync is cancelled", {**ALL_READY, "b": "cancelled"}, DONE, "CANCELED"),  # a sync for each source
        (
            "its sync is cancelled, and the next fails",
            {"a": "ready", "b": "cancelled", "c": "failed"},
            FAILED,
            "COMPLETED_FAILED",
        ),
        ("its run is terminated", {"a": "ready", "b": "cancelled"}, CANCELED, "CANCELED"),  # the third never began
    ],
)
def test_a_backfill_is_called_what_its_syncs_are(
    kb: Headwater, happen: Callable[..., None], event: str, parts: dict[str, str], status: Any, backfill: str
) -> None:
    """Dagster calls one failed of which a partition was not made; it failed only if something did."""
    happen(kb, event)
    _sync(kb, "a backfill")
    assert _parts(kb) == parts
    assert _newest(kb).status == status
    red = {slug: "failed" for slug in parts if status == FAILED and parts[slug] != "ready"}  # all that the run left out
    assert _colours(kb) == {**dict.fromkeys("abc", "cancelled"), **parts, **red}
    is_whole = set(parts.values()) == {"ready"}
    kb.instance.add_backfill(
        PartitionBackfill(
            backfill_id=BACKFILL,
            status=BulkActionStatus.COMPLETED_SUCCESS if is_whole else BulkActionStatus.COMPLETED_FAILED,
            from_failure=False, tags={}, backfill_timestamp=1.0, asset_selection=[dg.AssetKey("documents")],
        )
    )  # fmt: skip
    _look(kb)
    ended = kb.instance.get_backfill(BACKFILL)
    assert ended is not None
    assert ended.status.value == backfill


@pytest.mark.dagster
def test_a_backfill_that_goes_on_is_left_alone(kb: Headwater, happen: Callable[..., None]) -> None:
    """A run of it was terminated, and others are to come: only when Dagster calls it failed, it is called cancelled."""
    happen(kb, "its run is terminated")
    _sync(kb, "a backfill")
    going_on = PartitionBackfill(
        backfill_id=BACKFILL, status=BulkActionStatus.REQUESTED, from_failure=False, tags={}, backfill_timestamp=1.0,
        asset_selection=[dg.AssetKey("documents")],
    )  # fmt: skip
    kb.instance.add_backfill(going_on)
    _look(kb)
    ended = kb.instance.get_backfill(BACKFILL)
    assert ended is not None
    assert ended.status == BulkActionStatus.REQUESTED
