"""States of syncs and sources at odd moments: askers, parts of the chain, lost workers, batches (SRC-10, KB-3)."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import dagster as dg
import pytest

from assets.resources import StoreResource
from assets.run_tags import BATCH_TAG
from headwater.store.work.workers import SyncCounts
from pipelines import sensors
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base that was not synced yet."""
    return headwater("docs", "more")


def _ask(kb: Headwater, *slugs: str, origin: Any = "api", batch: str | None = None, is_full: bool = False) -> int:
    sources = kb.store.sources.select("kb", slugs)
    return kb.store.syncs.request(kb.knowledge_base.id, sources, origin, batch, is_full=is_full)


def _row(kb: Headwater, sync_id: int, slug: str = "docs") -> dict[str, Any]:
    return next(asdict(part) for part in kb.store.syncs.get(sync_id).sources if part.source == slug)


def _two_askers(kb: Headwater) -> tuple[int, int, str]:
    """Two requests that one batch serves, both for `docs`."""
    one, both = _ask(kb, "docs"), _ask(kb, "docs", "more")
    kb.store.syncs.name_batches(20, 4)
    batch = _row(kb, one)["batch"]
    assert one != both
    assert batch == _row(kb, both)["batch"]
    return one, both, batch


def test_of_two_askers_one_cancels_for_himself(kb: Headwater) -> None:
    """The work continues for the other request, and stops when both are cancelled (API-2)."""
    one, both, batch = _two_askers(kb)
    with kb.store.workers.hold_source(kb.source(), batch, "run-1") as work:
        assert not kb.store.workers.is_cancelled(work)
        kb.store.syncs.cancel(one)
        assert not kb.store.workers.is_cancelled(work)
        assert (_row(kb, one)["state"], _row(kb, both)["state"]) == ("syncing", "syncing")
        kb.store.syncs.cancel(both)
        assert kb.store.workers.is_cancelled(work)
        assert _row(kb, both)["state"] == "syncing"  # until its worker stops
        kb.store.workers.stop(work)
    assert (_row(kb, one)["state"], _row(kb, both)["state"]) == ("cancelled", "cancelled")


def test_what_was_done_all_the_same_is_ready(kb: Headwater) -> None:
    """A late cancellation gets the message that the sync is over; work that failed afterwards counts as cancelled."""
    one, both, batch = _two_askers(kb)
    with kb.store.workers.hold_source(kb.source(), batch, "run-1") as work:
        kb.store.syncs.cancel(one)
        kb.store.workers.finish(work, SyncCounts(), None)
    assert (_row(kb, one)["state"], _row(kb, both)["state"]) == ("ready", "ready")
    one, both, batch = _two_askers(kb)
    with kb.store.workers.hold_source(kb.source(), batch, "run-2") as work:
        kb.store.syncs.cancel(one)
        kb.store.workers.finish(work, SyncCounts(), "The disk is full.")
    assert (_row(kb, one)["state"], _row(kb, both)["state"]) == ("cancelled", "failed")


def test_a_part_of_the_chain_speaks_of_a_source_only_when_it_fails(kb: Headwater) -> None:
    """A run of chunks alone leaves a source as it stood; one that fails makes it failed, and says why."""
    with kb.store.workers.hold_source(kb.source(), None, "run-1", is_whole=False) as work:
        assert kb.source().state == "pending"
        kb.store.workers.finish(work, SyncCounts(), None)
    assert kb.source().state == "pending"
    with kb.store.workers.hold_source(kb.source(), None, "run-2", is_whole=False) as work:
        kb.store.workers.finish(work, SyncCounts(), "No chunk could be cut.")
    assert (kb.source().state, kb.source().error) == ("failed", "No chunk could be cut.")


def test_a_cancelled_sync_leaves_a_source_as_it_stood(kb: Headwater) -> None:
    """A failed one is failed still, and says why; a ready one is ready."""
    for error, state in (("The disk is full.", "failed"), (None, "ready")):
        with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
            kb.store.workers.finish(work, SyncCounts(), error)
        assert kb.source().state == state
        with kb.store.workers.hold_source(kb.source(), None, "run-2") as work:
            assert kb.source().state == "syncing"
            kb.store.workers.stop(work)
        assert (kb.source().state, kb.source().error) == (state, error)


def test_only_a_full_sync_verifies(kb: Headwater) -> None:
    """A sync that trusted fingerprints, or failed, does not count as a verification."""
    for is_full, error, verifies in ((False, None, False), (True, "The disk is full.", False), (True, None, True)):
        with kb.store.workers.hold_source(kb.source(), None, "run-1", is_full=is_full) as work:
            kb.store.workers.finish(work, SyncCounts(), error)
        assert (kb.source().verified_at is not None) is verifies


@pytest.mark.parametrize(("origin", "waits"), [("api", True), ("schedule", True), ("command_line", False)])
def test_what_meets_another_worker_waits_unless_someone_stands_by(kb: Headwater, origin: str, waits: bool) -> None:
    """A request of the API or an interval is done later; a command, whose user waits, gets an error (KB-3)."""
    own = None if waits else "batch-1"
    sync_id = _ask(kb, "docs", origin=origin, batch=own)
    name = own or kb.store.syncs.name_batches(20, 4)[0].name
    assert kb.store.workers.postpone(kb.source(), name, "Another is at it.") is waits
    row = _row(kb, sync_id)
    assert (row["state"], row["batch"]) == (("pending", None) if waits else ("failed", name))


def test_a_command_whose_worker_was_lost_waits_for_another(kb: Headwater) -> None:
    """The run that goes on may meet the command, which goes on itself; neither makes the other fail (REL-1)."""
    sync_id = _ask(kb, "docs", origin="command_line", batch="command")
    with kb.store.workers.hold_source(kb.source(), "command", "lost"):
        pass
    kb.store.worker_failures.close_run("lost", "command")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    assert kb.store.workers.postpone(kb.source(), batch.name, "Another is at it.")
    assert _row(kb, sync_id)["state"] == "pending"
    kb.sync("docs")
    assert _row(kb, sync_id)["state"] == "ready"


def test_three_workers_may_be_lost_over_a_row(kb: Headwater) -> None:
    """With the fourth it fails; nothing is tried for ever (REL-1)."""
    sync_id = _ask(kb, "docs")
    states = []
    for attempt in range(4):
        (batch,) = kb.store.syncs.name_batches(20, 4)
        with kb.store.workers.hold_source(kb.source(), batch.name, f"run-{attempt}"):
            pass  # and it is gone
        kb.store.worker_failures.close_run(f"run-{attempt}", batch.name)
        states.append(_row(kb, sync_id)["state"])
    assert states == ["pending", "pending", "pending", "failed"]
    assert "died 4 times" in _row(kb, sync_id)["errors"][0]["message"]


def test_what_a_lost_worker_counted_is_counted(kb: Headwater) -> None:
    """The next worker goes on with its texts, tokens and documents, so no count of a sync ever falls (REL-1)."""
    kb.write("docs/a.md", "# A\n\nOne.")
    kb.sync("docs")  # stores what the lost worker counts
    kb.write("docs/b.md", "# B\n\nTwo.")
    sync_id = _ask(kb, "docs")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    counts = SyncCounts(total=2, read=1, added=1, embedded=30, tokens=200, cost_usd=0.5, rows_written=70)
    with kb.store.workers.hold_source(kb.source(), batch.name, "lost") as work:
        kb.store.workers.progress(work, "documents", 1, 2, counts, with_errors=False)
    kb.store.worker_failures.close_run("lost", batch.name)
    second_sync = kb.sync("docs")["docs"]
    row = _row(kb, sync_id)
    assert (row["state"], row["attempt_count"]) == ("ready", 1)
    assert (row["added_count"], row["changed_count"], row["unchanged_count"]) == (2, 0, 0)
    assert row["embedded_count"] == second_sync.embedded > 30
    assert row["written_count"] > 70
    assert (row["token_count"] >= 200, row["cost_usd"]) == (True, 0.5)


def test_a_batch_that_trusts_fingerprints_serves_no_full_request(kb: Headwater) -> None:
    """The other way round it does."""
    less, full = _ask(kb, "docs"), _ask(kb, "docs", is_full=True)
    source_ids = [kb.source().id]
    with kb.store.database.transaction() as session:
        session.run("name_batch", batch="quick", source_ids=source_ids, is_full=False)
    assert (_row(kb, less)["batch"], _row(kb, full)["batch"]) == ("quick", None)
    another = _ask(kb, "docs", "more")
    with kb.store.database.transaction() as session:
        session.run("name_batch", batch="full", source_ids=source_ids, is_full=True)
    assert (_row(kb, full)["batch"], _row(kb, another)["batch"]) == ("full", "full")


def test_no_run_is_made_for_a_source_at_which_someone_works(kb: Headwater) -> None:
    """It is left for later, and its neighbour is not."""
    _ask(kb, "docs", "more")
    with kb.store.workers.hold_source(kb.source(), None, "run-1", is_whole=False):
        assert [batch.keys for batch in kb.store.syncs.name_batches(20, 4)] == [("kb/more",)]
    assert sorted(batch.keys for batch in kb.store.syncs.name_batches(20, 4)) == [("kb/docs",), ("kb/more",)]


@pytest.mark.dagster
def test_a_tick_that_is_repeated_asks_for_the_same_run(kb: Headwater) -> None:
    """Run key and tag are the batch's name, which was in the table first: nothing runs twice (OPS-2)."""
    _ask(kb, "docs")
    context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
    ticks = []
    for _ in range(2):
        tick = sensors.requested_syncs(context)
        assert isinstance(tick, dg.SensorResult)
        ((request,),) = (tick.run_requests or [],)
        ticks.append((request.run_key, request.tags[BATCH_TAG]))
    (batch,) = (row["batch"] for row in kb.query("SELECT batch FROM sync_sources"))
    assert ticks == [(batch, batch)] * 2


def test_a_list_that_is_not_complete_removes_nothing(kb: Headwater) -> None:
    """A line that cannot even be named may be the document that is missing (SRC-10)."""
    file = kb.folder / "lines.jsonl"
    lines = [json.dumps({"uri": name, "text": f"The {name} pump."}) for name in ("a", "b")]
    kb.store.sources.create("kb", slug="lines", kind="jsonl", config={"path": str(file)})

    def synced(*written: str) -> tuple[int, int]:
        file.write_text("\n".join(written))
        done = kb.sync("lines")["lines"]
        return done.documents, done.removed

    assert synced(*lines) == (2, 0)
    assert synced(lines[0], "{broken") == (2, 0)
    assert synced(lines[0]) == (1, 1)
