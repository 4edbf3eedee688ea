"""What must not be lost, shown or stuck when things go wrong at odd moments (REL-1, SRC-10, KB-1)."""

import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import Mock

import dagster as dg
import psycopg
import pytest

from assets import source_index
from assets.resources import StoreResource
from assets.run_tags import BATCH_TAG, IN_PROCESS_TAG
from headwater.domain.corpus import Lineage
from headwater.errors import FencedError, ModelUnavailableError
from headwater.identity import content_hash
from headwater.indexing import preparation
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.store.server.query_session import Session
from headwater.syncing import embeddings
from headwater.syncing.source_sync import SourceSync
from headwater.syncing.stages import STAGES
from pipelines import run_failures, sensors
from pipelines.definitions import build_definitions
from pipelines.run_failures import fail_dead_runs
from pipelines.schedules import run_config
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."}

pytestmark = pytest.mark.synced(files=FILES)


def _materialize(kb: Headwater, *stages: str) -> None:
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    selection = [dg.AssetKey(stage) for stage in stages]
    job.execute_in_process(
        instance=kb.instance, partition_key="kb/docs", asset_selection=selection, raise_on_error=False
    )


@pytest.mark.dagster
def test_a_backfill_of_documents_alone_is_a_whole_sync(kb: Headwater) -> None:
    """What was read is published, and the source has the same state here and in Dagster (OPS-1).

    It used to stay red here, and green there, with a text that nobody found.
    """
    (kb.folder / "docs").rename(kb.folder / "elsewhere")
    _materialize(kb, "documents")
    every = [stage.name for stage in STAGES]
    assert kb.source().state == "failed"
    assert all(kb.coloured(stage)["failed"] == {"kb/docs"} for stage in every)
    (kb.folder / "elsewhere").rename(kb.folder / "docs")
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    _materialize(kb, "documents")
    assert (kb.source().state, kb.source().error) == ("ready", None)
    assert all(kb.coloured(stage) == {"materialized": {"kb/docs"}, "failed": set()} for stage in every)
    assert "oil" in kb.search("pump lifts")[0].text
    assert kb.sync()["docs"].rows_written == 0
    written = [kb.materializations(stage) for stage in every]
    _materialize(kb, "documents")  # nothing has changed: only what Dagster was promised is told again
    again = [kb.materializations(stage) for stage in every]
    assert [len(new) - len(old) for old, new in zip(written, again, strict=True)] == [1] + [0] * (len(every) - 1)


def _make_only(kb: Headwater, *stages: str) -> None:
    """Read the source and make nothing else of it, like a run that was killed afterwards."""
    SourceSync(
        store=kb.store, settings=kb.settings, listener=Mock(), key="kb/docs", run_id="killed", batch=None,
        stages=list(stages),
    ).execute()  # fmt: skip


@pytest.mark.dagster
def test_stages_started_alone_never_hide_a_document(kb: Headwater) -> None:
    """`embeddings` without `chunks` publishes what is cut up, and leaves the old version of the rest."""
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    _make_only(kb, "documents")
    _materialize(kb, "embeddings")
    assert "water" in kb.search("pump lifts")[0].text
    _materialize(kb, "chunks")
    _materialize(kb, "links")
    _materialize(kb, "embeddings")
    assert "oil" in kb.search("pump lifts")[0].text
    assert kb.sync()["docs"].rows_written == 0


@pytest.mark.dagster
def test_a_part_of_the_chain_does_not_clear_a_failure(kb: Headwater) -> None:
    """A source that could not be read stays failed when only its chunks are made."""
    (kb.folder / "docs").rename(kb.folder / "elsewhere")
    kb.sync()
    _materialize(kb, "chunks")
    assert kb.source().state == "failed"


@pytest.mark.dagster
def test_any_stage_of_a_failed_source_makes_it_ready(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source that failed at `embeddings` is ready after a backfill of `embeddings` alone (OPS-2)."""
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(embeddings, "_embed", _no_model)
        kb.sync()
    assert (kb.source().state, kb.source().error) == ("failed", "The model is away.")
    _materialize(kb, "embeddings")
    assert (kb.source().state, kb.source().error) == ("ready", None)
    assert all(kb.coloured(stage.name) == {"materialized": {"kb/docs"}, "failed": set()} for stage in STAGES)
    assert "oil" in kb.search("pump lifts")[0].text


def _no_model(*_: object, **__: object) -> None:
    raise ModelUnavailableError("The model is away.")


def test_a_button_of_the_ui_stands_for_the_whole() -> None:
    """A run that Dagster launched makes every stage; one of a command those that it chose, or all with the first."""
    every = [stage.name for stage in STAGES]
    for origin, chosen, made in (
        (Mock(), ["embeddings"], every),
        (Mock(), ["documents"], every),
        (Mock(), [], []),  # the check alone
        (None, ["embeddings"], ["embeddings"]),
        (None, ["documents"], every),
        (None, [], []),
    ):
        assert source_index._stages_to_make(Mock(run=Mock(remote_job_origin=origin)), chosen) == made


def test_text_that_looks_like_an_escape_is_text(headwater: Make) -> None:
    r"""A page about \u0000 can be found and answered from."""
    kb = headwater(files={"nul.md": "# NUL\n\nIn JSON the NUL character is written \\u0000 by its number.\n"})
    kb.sync()
    answer = kb.ask("How is the NUL character written in JSON?")
    assert not answer.refused
    assert "\\u0000" in kb.store.answers.get(answer.id).passages[0]["text"]


def test_what_postgres_cannot_hold_costs_one_document(headwater: Make) -> None:
    """A title of 200 kilobytes is cut; its neighbours and itself are found."""
    kb = headwater(files={**FILES, "big.md": f"# {'very ' * 40_000}long\n\nThe valve leaks."})
    done = kb.sync()["docs"]
    assert (done.state, done.documents) == ("ready", 3)
    assert kb.search("valve leaks")[0].uri == "big.md"


@pytest.mark.dagster
def test_two_requests_for_one_source_end_together(headwater: Make) -> None:
    """Both are ready when the one run that served them is."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nPump.", "more/b.md": "# B\n\nWheel."})
    sources = {source.slug: source for source in kb.store.sources.all("kb")}
    first = kb.store.syncs.request(kb.knowledge_base.id, [sources["docs"]], "api")
    both = kb.store.syncs.request(kb.knowledge_base.id, list(sources.values()), "api")
    assert first != both
    assert kb.store.syncs.request(kb.knowledge_base.id, [sources["more"]], "api") == both
    (batch,) = kb.store.syncs.name_batches(20, 4)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    assert job.execute_in_process(
        instance=kb.instance, run_config=run_config(batch.keys), tags={BATCH_TAG: batch.name}
    ).success
    for sync_id in (first, both):
        assert {part.state for part in kb.store.syncs.get(sync_id).sources} == {"ready"}
    assert kb.store.syncs.name_batches(20, 4) == []


@pytest.mark.dagster
def test_a_request_that_meets_another_worker_waits(headwater: Make) -> None:
    """A running command does not fail a request of the API; the request is done afterwards (KB-3)."""
    kb = headwater(files=FILES)
    sync_id = kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    with kb.store.workers.hold_source(kb.source(), None, "run-1"):
        assert job.execute_in_process(
            instance=kb.instance, run_config=run_config(batch.keys), tags={BATCH_TAG: batch.name}
        ).success
        assert kb.store.syncs.get(sync_id).sources[0].state == "pending"
        assert kb.store.syncs.name_batches(20, 4) == []  # nor is it run again while the other is at it
    (later,) = kb.store.syncs.name_batches(20, 4)
    assert later.name != batch.name


@pytest.mark.dagster
@pytest.mark.parametrize("tag", [BATCH_TAG, "headwater/batch"], ids=["this release", "an older release"])
def test_a_cancelled_run_frees_what_it_was_to_do(headwater: Make, tag: str) -> None:
    """Its requests are closed, and the next request of the same source makes a new sync (REL-1)."""
    kb = headwater(files=FILES)
    first = kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    run = kb.instance.create_run_for_job(job, tags={tag: batch.name})
    kb.instance.report_run_canceled(run)
    context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
    tick = sensors.requested_syncs(context)
    assert isinstance(tick, dg.SensorResult)
    assert not tick.run_requests
    assert kb.store.syncs.get(first).sources[0].state == "cancelled"
    assert kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api") != first


@pytest.mark.dagster
def test_runs_of_dead_commands_do_not_fill_the_queue(headwater: Make) -> None:
    """A run whose command was killed is marked failed; one whose command lives is left alone."""
    kb = headwater(files=FILES)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    dead, alive = uuid.uuid4().hex, uuid.uuid4().hex
    runs = {
        batch: kb.instance.create_run_for_job(
            job, tags={BATCH_TAG: batch, IN_PROCESS_TAG: "true"}, status=dg.DagsterRunStatus.STARTED
        )
        for batch in (dead, alive)
    }
    with kb.store.workers.hold_batch(alive):
        fail_dead_runs(kb.instance, kb.store)
    states = {batch: kb.instance.get_run_record_by_id(run.run_id) for batch, run in runs.items()}
    found = {batch: record.dagster_run.status for batch, record in states.items() if record is not None}
    assert found == {dead: dg.DagsterRunStatus.FAILURE, alive: dg.DagsterRunStatus.STARTED}


def _sync_of_a_killed_command(kb: Headwater, slug: str = "docs") -> int:
    """What a command leaves that is killed when it has requested its sync and its run does not exist yet."""
    return kb.store.syncs.request(kb.knowledge_base.id, [kb.source(slug)], "command_line", uuid.uuid4().hex)


@pytest.mark.dagster
def test_the_sensor_takes_up_what_a_killed_command_was_to_do(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows get a run of Dagster's, after which none is open; those of a command that lives are its own (REL-1)."""
    monkeypatch.setattr(run_failures, "_GRACE", 0.1)
    kb = headwater("docs", "other", files={"docs/a.md": "# A\n\nPump.", "other/b.md": "# B\n\nWheel."})
    sync_id, alive = _sync_of_a_killed_command(kb), uuid.uuid4().hex
    with kb.store.workers.hold_batch(alive):
        held = kb.store.syncs.request(kb.knowledge_base.id, [kb.source("other")], "command_line", alive)
        context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
        tick = sensors.requested_syncs(context)
        assert isinstance(tick, dg.SensorResult)
        (request,) = tick.run_requests or []
        assert kb.store.syncs.get(held).sources[0].state == "queued"
    kb.store.syncs.cancel(held)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    assert job.execute_in_process(instance=kb.instance, run_config=request.run_config, tags=dict(request.tags)).success
    assert kb.store.syncs.get(sync_id).sources[0].state == "ready"
    assert kb.query("SELECT FROM sync_sources WHERE state IN ('pending', 'queued', 'syncing')") == []


def test_the_next_sync_takes_up_what_a_killed_command_was_to_do(headwater: Make) -> None:
    """Also where no sensor runs: both syncs end together (REL-1)."""
    kb = headwater(files=FILES)
    sync_id = _sync_of_a_killed_command(kb)
    assert kb.sync()["docs"].state == "ready"
    assert kb.store.syncs.get(sync_id).sources[0].state == "ready"
    assert not kb.store.syncs.look()[0]


@pytest.mark.dagster
def test_a_neighbours_deletion_does_not_stop_the_run(headwater: Make) -> None:
    """The other sources of the run are synced all the same."""
    kb = headwater("docs", "gone", files={"docs/a.md": "# A\n\nPump.", "gone/b.md": "# B\n\nWheel."})
    keys = ["kb/gone", "kb/docs"]
    kb.delete("gone")
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    assert not job.execute_in_process(instance=kb.instance, run_config=run_config(keys), raise_on_error=False).success
    assert kb.source().state == "ready"


@pytest.mark.dagster
def test_deleting_waits_for_who_is_publishing(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the moment, no entry outlives its source."""
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    _make_only(kb, "documents", "chunks")
    reached, go_on = threading.Event(), threading.Event()
    original = Session.run_template

    def slow(session: Session, query: str, names: Mapping[str, int | str], **values: object) -> Any:
        if query == "insert_new_entries":
            reached.set()
            go_on.wait(60)
        return original(session, query, names, **values)

    monkeypatch.setattr(Session, "run_template", slow)
    publisher = threading.Thread(target=_materialize, args=(kb, "embeddings"))
    publisher.start()
    assert reached.wait(60)
    deleter = threading.Thread(target=kb.delete, args=("docs",))
    deleter.start()
    deleter.join(0.5)
    assert deleter.is_alive()  # it waits
    go_on.set()
    publisher.join(60)
    deleter.join(60)
    for table in ("search_entries", "published_documents", "documents", "embeddings"):
        assert kb.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] == 0, table


def test_a_move_that_died_half_way_is_finished(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries left in the shared table go at the next refresh, and with the knowledge base at the latest."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nItem {n}." for n in range(12)})
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)  # and dies before it clears up
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk_shared")[0]["n"] == 12
    assert len(kb.search("item", top_k=50)) == 12
    kb.write("new.md", "# New\n\nItem new.")
    kb.sync()
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk_shared")[0]["n"] == 0
    assert len(kb.search("item", top_k=50, categories=())) == 13


def test_a_reader_is_not_made_to_wait_for_space(headwater: Make) -> None:
    """While someone reads, a deleted index's partition stays; the next refresh takes it."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nItem {n}." for n in range(6)})
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    with psycopg.connect(kb.store.database.url) as reader:
        reader.execute("SELECT count(*) FROM search_entries_chunk")
        kb.delete()
    assert kb.store.search_indexes.drop_orphan_partitions() == 1


def test_a_narrow_filter_misses_nothing_in_a_large_index(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a filter, a partition is scanned exactly (RET-2)."""
    files = {f"docs/{n}.md": f"# Topic {n}\n\nItem {n} of many." for n in range(300)}
    kb = headwater(
        "docs", "rare", files={**files, **{f"rare/{n}.md": f"# Odd {n}\n\nQuite unlike {n}." for n in range(5)}}
    )
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 50)
    kb.sync()
    assert len(kb.search("item of many", top_k=50, sources=("rare",))) == 5


def test_an_index_given_up_meanwhile_does_not_fail_a_sync(kb: Headwater) -> None:
    """Publishing into an index that another has replaced is nothing to do."""
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        kb.query("DELETE FROM search_indexes RETURNING id")
        assert kb.store.search_indexes.publish(work, index, [], "run-1") == 0


def test_a_deleted_source_fences_its_worker(kb: Headwater) -> None:
    """Nothing is written for a source that is gone."""
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        kb.delete("docs")
        vectors = load_embedder("builtin/hash", kb.settings).embed(["x"])
        by = Lineage(run_id="run-1", code_version="0")
        with pytest.raises(FencedError):
            kb.store.documents.put_embeddings(work, "m", [content_hash("x")], vectors, [1], by)
