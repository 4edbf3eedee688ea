"""What a sync does to the store and to Dagster, as a user sees it (OPS-1, DOC-1, CHK-5, EMB-1, REL-1)."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets.resources import StoreResource
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FencedError, SyncAlreadyRunningError
from headwater.indexing import preparation
from pipelines import schedules
from pipelines.definitions import build_definitions
from tests.support import Headwater

STAGES = ("documents", "chunks", "links", "embeddings", "summary_tree")
LONG = "\n\n".join(f"Paragraph {n} says that part {n} of the pump turns wheel {n * 7} slowly. " * 4 for n in range(12))
Make = Callable[..., Headwater]


def test_first_sync_makes_documents_searchable(headwater: Make) -> None:
    """After one sync each file is a document whose passages are found, with its title, place and category."""
    kb = headwater(files={"guide/pump.md": "# Pump\n\nThe pump lifts water.\n", "a.md": "# Other\n\nNothing wet.\n"})
    done = kb.sync()["docs"]
    assert done.errors == []
    assert (done.state, done.documents, done.added, done.chunks) == ("ready", 2, 2, 2)
    best = kb.search("pump lifts water")[0]
    assert (best.uri, best.title, best.category, best.breadcrumb) == ("guide/pump.md", "Pump", "guide", ("Pump",))
    assert kb.source().state == "ready"


@pytest.mark.dagster
def test_unchanged_source_costs_nothing(headwater: Make) -> None:
    """A second sync writes no content row, embeds no text, keeps every data version, and turns no key red (DOC-1)."""
    kb = headwater(files={"a.md": f"# A\n\n{LONG}", "b.md": "# B\n\nShort."})
    kb.sync()
    before, told = kb.content(), {stage: kb.materializations(stage) for stage in STAGES}
    run, done = kb.sync_run()
    assert (done["docs"].embedded, done["docs"].rows_written, done["docs"].unchanged) == (0, 0, 2)
    assert kb.content() == before
    assert {stage: kb.materializations(stage) for stage in STAGES} == told
    for stage in STAGES:
        assert kb.coloured(stage) == {"materialized": {"kb/docs"}, "failed": set()}
    stored = kb.instance.get_run_by_id(run.run_id)
    assert stored is not None
    assert stored.is_success


@pytest.mark.dagster
def test_a_sync_is_one_run(headwater: Make) -> None:
    """The run that brings a source up to date refreshes its knowledge base too, and Dagster sees it by partition."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    first, _ = kb.sync_run()
    kb.write("a.md", "# A\n\nOther words.")
    second, _ = kb.sync_run()
    assert {run.run_id for run in kb.instance.get_runs()} == {first.run_id, second.run_id}
    made = kb.instance.fetch_materializations(dg.AssetKey("search_index"), limit=10).records
    assert [record.run_id for record in made] == [second.run_id, first.run_id]
    assert [record.partition_key for record in made] == ["kb", "kb"]
    assert kb.coloured("search_index") == {"materialized": {"kb"}, "failed": set()}
    digest, refreshed = kb.store.knowledge_bases.index_digest("kb")
    assert digest == refreshed


@pytest.mark.dagster
def test_a_knowledge_base_is_refreshed_although_a_source_of_it_failed(headwater: Make) -> None:
    """The results of the other sources are judged and checked in the same run, and stay when the run fails."""
    kb = headwater("good", "bad", files={"good/a.md": "# A\n\nWords."})
    (kb.folder / "bad").rmdir()
    run, done = kb.sync_run()
    assert (done["good"].state, done["bad"].state, run.refresh_error) == ("ready", "failed", None)
    assert kb.coloured("search_index") == {"materialized": {"kb"}, "failed": set()}
    assert len(kb.search("words")) == 1


@pytest.mark.dagster
def test_what_could_not_be_refreshed_is_said_and_tried_again(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources are ready, the run and the partition red; the next sync refreshes, although nothing changed."""
    kb = headwater(files={"a.md": "# A\n\nWords."})

    def fail(*_: object) -> None:
        raise OSError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("assets.knowledge_base_refresh.refresh_search_index", fail)
        run, done = kb.sync_run()
    assert (done["docs"].state, run.refresh_error) == ("ready", "The disk is full.")
    assert kb.coloured("search_index") == {"materialized": set(), "failed": {"kb"}}
    run, done = kb.sync_run()
    assert (done["docs"].rows_written, run.refresh_error) == (0, None)
    assert kb.coloured("search_index") == {"materialized": {"kb"}, "failed": set()}


@pytest.mark.dagster
def test_unchanged_source_keeps_its_data_versions_when_started_over_partitions(headwater: Make) -> None:
    """A run that Dagster planned (UI, backfill) gets its event of every stage, with the version it had."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    kb.sync()
    versions = {stage: kb.materializations(stage)[0].tags["dagster/data_version"] for stage in STAGES}  # type: ignore[index]
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    result = job.execute_in_process(instance=kb.instance, partition_key="kb/docs")
    assert result.success
    for stage in STAGES:
        told = kb.materializations(stage)
        assert len(told) == 2
        assert told[0].tags["dagster/data_version"] == versions[stage]  # type: ignore[index]
        assert kb.coloured(stage) == {"materialized": {"kb/docs"}, "failed": set()}


def test_editing_a_paragraph_embeds_only_what_holds_it(headwater: Make) -> None:
    """Every chunk without the edited paragraph keeps its id and vector (CHK-5)."""
    kb = headwater(files={"a.md": f"# A\n\n{LONG}", "b.md": f"# B\n\n{LONG}"})
    kb.sync()
    before = kb.chunk_ids()
    kb.write("a.md", f"# A\n\n{LONG.replace('Paragraph 5 says', 'Paragraph 5 claims')}")
    done = kb.sync()["docs"]
    after = kb.chunk_ids()
    assert (done.changed, done.unchanged) == (1, 1)
    holding = {chunk for chunk, text in after.items() if "Paragraph 5 claims" in text}
    assert set(after) - set(before) == holding
    assert done.embedded == len(holding) == 1


def test_renaming_a_file_embeds_nothing(headwater: Make) -> None:
    """A renamed file is another document with the same vectors; the old one is gone from search.

    A text without a title of its own is called like its file, which its vectors know.
    """
    kb = headwater(files={"a.md": f"# Pump\n\n{LONG}", "b.md": "# B\n\nOther.", "c.md": "Short."})
    kb.sync()
    kb.rename("c.md", "d.md")
    assert kb.sync()["docs"].embedded == 2  # the text and its title
    kb.rename("a.md", "z.md")
    done = kb.sync()["docs"]
    assert (done.embedded, done.added, done.removed) == (0, 1, 1)
    assert {passage.uri for passage in kb.search("part of the pump turns wheel")} == {"z.md", "b.md", "d.md"}


def test_identical_files_deleted_one_by_one_leave_no_ghost(headwater: Make) -> None:
    """Two files of the same text are two documents; each goes when its file does."""
    kb = headwater(files={"a.md": "# Same\n\nTwin text.", "b.md": "# Same\n\nTwin text.", "c.md": "# C\n\nElse."})
    first = kb.sync()["docs"]
    assert first.embedded == 4  # two texts, two headings
    kb.remove("a.md")
    kb.sync()
    assert [passage.uri for passage in kb.search("twin text")] == ["b.md", "c.md"]
    kb.remove("b.md")
    kb.sync()
    assert [passage.uri for passage in kb.search("twin text")] == ["c.md"]
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk")[0]["n"] == 1


def test_a_file_that_comes_back_is_found_again(headwater: Make) -> None:
    """A vanished document that returns unchanged is published again without being embedded."""
    kb = headwater(files={"a.md": "# A\n\nLost words.", "b.md": "# B\n\nOther."})
    kb.sync()
    kb.remove("a.md")
    kb.sync()
    kb.write("a.md", "# A\n\nLost words.")
    done = kb.sync()["docs"]
    assert (done.added, done.embedded) == (1, 0)
    assert kb.search("lost words")[0].uri == "a.md"


def test_old_version_stays_readable_after_an_edit(headwater: Make) -> None:
    """The text that an answer cited can still be read at its offsets (DOC-1)."""
    kb = headwater(files={"a.md": "# Pump\n\nThe pump lifts forty litres of water each minute.\n"})
    kb.sync()
    citation = kb.ask("How much water does the pump lift each minute?").citations[0]
    kb.write("a.md", "# Pump\n\nThe pump was sold.\n")
    kb.sync()
    row = kb.query("SELECT text FROM document_versions WHERE id = %s", citation.document_version_id)[0]
    assert "forty litres" in row["text"][citation.start : citation.end]
    assert "forty" not in "".join(passage.text for passage in kb.search("litres of water"))


def test_a_bad_document_costs_only_itself(headwater: Make) -> None:
    """A file that cannot be read is reported and keeps its last version; the source is ready."""
    kb = headwater(files={"a.md": "# A\n\nGood words.", "b.md": "# B\n\nOther."})
    kb.sync()
    kb.write("a.md", b"\x00\x01binary")
    kb.write("b.md", "# B\n\nChanged.")
    done = kb.sync()["docs"]
    assert (done.state, done.changed, [error.uri for error in done.errors]) == ("ready", 1, ["a.md"])
    assert {passage.uri for passage in kb.search("good words")} == {"a.md", "b.md"}


@pytest.mark.dagster
def test_a_bad_source_fails_alone(headwater: Make) -> None:
    """Its neighbours in the same run are synced; Dagster shows just the bad key as failed (OPS-2)."""
    kb = headwater("bad", "docs", "more", files={"docs/a.md": "# A\n\nWords.", "more/b.md": "# B\n\nWords."})
    (kb.folder / "bad").rmdir()
    run, done = kb.sync_run()
    assert {name: source.state for name, source in done.items()} == {"bad": "failed", "docs": "ready", "more": "ready"}
    assert "There is no file or folder" in done["bad"].errors[0].message
    stored = kb.instance.get_run_by_id(run.run_id)
    assert stored is not None
    assert stored.is_failure
    for stage in STAGES:
        assert kb.coloured(stage) == {"materialized": {"kb/docs", "kb/more"}, "failed": {"kb/bad"}}


@pytest.mark.dagster
def test_a_healthy_unchanged_source_stays_green_beside_a_failing_one(headwater: Make) -> None:
    """It was not planned, so its batch's failure does not colour it."""
    kb = headwater("bad", "docs", files={"docs/a.md": "# A\n\nWords.", "bad/b.md": "# B\n\nWords."})
    kb.sync()
    (kb.folder / "bad" / "b.md").unlink()
    (kb.folder / "bad").rmdir()
    kb.sync()
    for stage in STAGES:
        assert kb.coloured(stage)["failed"] == {"kb/bad"}
        assert "kb/docs" in kb.coloured(stage)["materialized"]


@pytest.mark.dagster
def test_a_source_recovers(headwater: Make) -> None:
    """A failed source that can be read again is ready, and green."""
    kb = headwater()
    folder = kb.folder / "docs"
    folder.rmdir()
    assert kb.sync()["docs"].state == "failed"
    kb.write("a.md", "# A\n\nWords.")
    assert kb.sync()["docs"].state == "ready"
    assert kb.coloured("embeddings") == {"materialized": {"kb/docs"}, "failed": set()}


@pytest.mark.dagster
def test_a_source_that_comes_back_as_it_was_is_green(headwater: Make) -> None:
    """Nothing is written, but its keys, which the failure turned red, are made again with the version they had."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    kb.sync()
    folder = kb.folder / "docs"
    folder.rename(kb.folder / "away")
    assert kb.sync()["docs"].state == "failed"
    (kb.folder / "away").rename(folder)
    done = kb.sync()["docs"]
    assert (done.state, done.rows_written) == ("ready", 0)
    for stage in STAGES:
        assert kb.coloured(stage) == {"materialized": {"kb/docs"}, "failed": set()}
        newest, first = kb.materializations(stage)
        assert newest.tags == {
            **(newest.tags or {}),
            "dagster/data_version": (first.tags or {})["dagster/data_version"],
        }
    kb.sync()
    assert len(kb.materializations("documents")) == 2


def test_one_live_worker_per_source(headwater: Make) -> None:
    """While one works, another is refused, and neither harms the other (KB-3)."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    with (
        kb.store.workers.hold_source(kb.source(), None, "run-1"),
        pytest.raises(SyncAlreadyRunningError),
        kb.store.workers.hold_source(kb.source(), None, "run-2"),
    ):
        pass
    assert kb.sync()["docs"].state == "ready"


def test_an_overtaken_worker_cannot_write(headwater: Make) -> None:
    """A worker that lost its lock with its connection finds a newer fencing token, and stops."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as old:
        kb.query("UPDATE sources SET fencing_token = fencing_token + 1 RETURNING id")
        with pytest.raises(FencedError):
            kb.store.documents.remove(old, [])


def test_removed_text_stops_answering_even_when_the_model_is_down(
    headwater: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleted content is withdrawn although what is new cannot be embedded; the next sync finishes."""
    from headwater.errors import ModelUnavailableError
    from headwater.syncing import embeddings

    def down(*_: object) -> None:
        raise ModelUnavailableError("The model does not answer.")

    kb = headwater(files={"secret.md": "# Secret\n\nThe code is tulip.", "b.md": "# B\n\nOther."})
    kb.sync()
    kb.remove("secret.md")
    kb.write("new.md", "# New\n\nFresh words.")
    with monkeypatch.context() as patch:
        patch.setattr(embeddings, "load_embedder", down)
        failed = kb.sync()["docs"]
    assert failed.state == "failed"
    assert "does not answer" in failed.errors[0].message
    assert {passage.uri for passage in kb.search("code tulip")} == {"b.md"}
    assert kb.sync()["docs"].state == "ready"
    assert kb.search("fresh words")[0].uri == "new.md"


def test_a_changed_model_is_built_beside_the_old_one(headwater: Make) -> None:
    """The old index answers until the new one serves every document; then it is kept beside it (EMB-2)."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nPump.", "more/b.md": "# B\n\nWheel."})
    kb.sync()
    first = kb.store.search_indexes.active("kb")
    assert first is not None
    kb.store.knowledge_bases.update(
        "kb", settings=kb.knowledge_base.settings.model_copy(update={"chunk_max": 500, "chunk_min": 100})
    )
    kb.sync("docs")
    assert kb.store.search_indexes.active("kb") == first
    assert len(kb.search("pump wheel")) == 2
    kb.sync("more")
    second = kb.store.search_indexes.active("kb")
    assert second is not None
    assert second.id != first.id
    assert len(kb.search("pump wheel")) == 2
    kb.remove("a.md")
    kb.sync()
    left = kb.query("SELECT count(*) AS n FROM search_entries_chunk")
    assert left[0]["n"] == 2  # withdrawn from the retained one too


def test_a_dead_model_can_be_left_behind(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old index's model no longer answers: the new one takes over, and the sync says what is missing."""
    from headwater.errors import ModelUnavailableError
    from headwater.models_gateway.embedder import Embedder
    from headwater.models_gateway.embedder_registry import load_embedder
    from headwater.settings import Settings
    from headwater.syncing import embeddings

    kb = headwater(files={"a.md": "# A\n\nPump."})
    kb.sync()
    first = kb.store.search_indexes.active("kb")
    assert first is not None
    kb.query("UPDATE search_indexes SET model = 'gone/model' RETURNING id")
    kb.write("b.md", "# B\n\nWheel.")

    def load(model: str, settings: Settings) -> Embedder:
        if model == "gone/model":
            raise ModelUnavailableError("The model is gone.")
        return load_embedder(model, settings)

    monkeypatch.setattr(embeddings, "load_embedder", load)
    done = kb.sync()["docs"]
    assert done.state == "ready"
    assert "gone/model lacks 1 document" in done.errors[0].message
    second = kb.store.search_indexes.active("kb")
    assert second is not None
    assert second.id != first.id
    assert {passage.uri for passage in kb.search("pump wheel")} == {"a.md", "b.md"}


def test_a_large_index_gets_its_own_partition(headwater: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Beyond the limit, entries move to a partition with HNSW; answers stay the same, edits go on (EMB-4)."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nAbout item {n} and its valve {n * 3}." for n in range(30)})
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 1000)
    kb.sync()
    exact = [passage.uri for passage in kb.search("item 7 valve 21", top_k=5)]
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 10)
    kb.write("new.md", "# New\n\nAbout the spare gasket.")
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    assert index.shard == index.id
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk_shared")[0]["n"] == 0
    indexes = kb.query("SELECT indexdef FROM pg_indexes WHERE tablename = %s", f"search_entries_chunk_{index.id}")
    assert any("hnsw" in row["indexdef"] for row in indexes)
    assert [passage.uri for passage in kb.search("item 7 valve 21", top_k=5)] == exact
    assert kb.search("spare gasket")[0].uri == "new.md"
    kb.remove("new.md")
    kb.sync()
    assert "new.md" not in {passage.uri for passage in kb.search("spare gasket")}


def test_a_deleted_index_partition_is_dropped(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes with its knowledge base, and no other does."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nItem {n}." for n in range(12)})
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 5)
    kb.sync()
    headwater("docs", slug="other")
    kb.delete()
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk")[0]["n"] == 0
    left = kb.query("SELECT count(*) AS n FROM pg_inherits WHERE inhparent = 'search_entries_chunk'::regclass")
    assert left[0]["n"] == 1


@pytest.mark.dagster
def test_the_schedule_syncs_every_source_with_the_same_job(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick asks for runs of few keys, none of them paused; such a run brings its sources up to date (OPS-2)."""
    kb = headwater(*(f"s{number:02}" for number in range(24)))
    idle = kb.source("s23")
    kb.store.sources.update(idle, kind=idle.kind, config=idle.config, settings=SourceSettings(paused=True))
    kb.write("s07/a.md", "# A\n\nWords of seven.")
    monkeypatch.setattr(schedules, "RUN_KEYS", 20)
    definitions = build_definitions(kb.settings)
    schedule = definitions.resolve_schedule_def("sync_every_source")
    # The context opens an instance of its own, which Dagster goes on using in later tests unless it is closed.
    with dg.build_schedule_context(
        instance=kb.instance, resources={"store": StoreResource()}, scheduled_execution_time=datetime.now(UTC)
    ) as context:
        requests = schedule.evaluate_tick(context).run_requests or []
    keys = [request.run_config["ops"]["source_index"]["config"]["sources"] for request in requests]
    assert [len(part) for part in keys] == [20, 3]
    job = definitions.resolve_job_def(schedule.job_name)
    assert job.execute_in_process(
        instance=kb.instance, run_config=requests[0].run_config, tags=requests[0].tags
    ).success
    assert {sync.origin for sync in kb.store.sync_history.all(limit=20)} == {"schedule"}
    assert kb.search("words of seven")[0].source == "s07"
