"""What housekeeping removes, and what it leaves (DOC-1, OPS-5)."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from headwater.administration.housekeeping import tidy
from headwater.errors import ConflictError
from headwater.settings import Settings
from headwater.store.server.health import advise
from pipelines.definitions import build_definitions
from pipelines.housekeeping import tidy_runs
from pipelines.run_failures import fail_interrupted_runs
from tests.support import Headwater

STAGES = ("documents", "chunks", "links", "embeddings", "summary_tree")
TEXT = "\n\n".join(f"Paragraph {n} says that part {n} of the pump turns wheel {n * 7} slowly. " * 4 for n in range(12))
Make = Callable[..., Headwater]


FILES = {"a.md": f"# A\n\n{TEXT}", "b.md": "# B\n\nThe lamp is blue."}

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def unsynced(headwater: Make) -> Headwater:
    """A knowledge base of one source and two documents."""
    return headwater(files=FILES)


def age(kb: Headwater, days: int = 31) -> None:
    """Let time pass: everything that was noted so far was noted that much earlier."""
    for table, columns in {
        "publications": ("published_at", "withdrawn_at"),
        "document_versions": ("fetched_at",),
        "documents": ("removed_at",),
        "syncs": ("requested_at",),
        "sync_sources": ("started_at", "finished_at"),
    }.items():
        changes = ", ".join(f"{column} = {column} - make_interval(days => {days})" for column in columns)
        kb.query(f"UPDATE {table} SET {changes} RETURNING 1")


def count(kb: Headwater, table: str) -> int:
    """How many rows a table has."""
    return int(kb.query(f"SELECT count(*) AS n FROM {table}")[0]["n"])


def run_age(kb: Headwater, days: int = 31) -> None:
    """Let time pass for Dagster's runs too."""
    before = datetime.now(UTC) - timedelta(days=days)
    storage = kb.instance.run_storage
    with storage.connect() as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql("UPDATE runs SET update_timestamp = %s", (before.replace(tzinfo=None),))


def test_a_replaced_version_goes_after_its_time_with_what_only_it_held(kb: Headwater) -> None:
    """Chunks and vectors that the newest version shares stay; search, and a second sync, notice nothing (DOC-1)."""
    answer = kb.ask("What colour is the lamp?")
    kb.write("a.md", f"# A\n\n{TEXT.replace('Paragraph 5 says', 'Paragraph 5 claims')}")
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    before = kb.search("pump lamp wheel")
    assert tidy(kb.store, kb.settings).document_versions == 0  # not yet
    age(kb)
    chunks, vectors = count(kb, "chunks"), count(kb, "embeddings")
    done = tidy(kb.store, kb.settings)
    assert (done.documents, done.document_versions, done.chunks, done.embeddings) == (0, 2, 2, 2)
    assert (count(kb, "document_versions"), count(kb, "chunks")) == (2, chunks - 2)
    assert count(kb, "embeddings") == vectors - 2
    assert [passage.chunk_id for passage in kb.search("pump lamp wheel")] == [p.chunk_id for p in before]
    citations = kb.store.answers.get(answer.id).citations
    assert citations
    assert [citation.is_available for citation in citations] == [False] * len(citations)
    assert (kb.sync()["docs"].rows_written, kb.sync()["docs"].embedded) == (0, 0)
    again = tidy(kb.store, kb.settings)
    assert (again.document_versions, again.chunks, again.embeddings) == (0, 0, 0)


def test_the_time_of_a_version_begins_when_readers_lost_it(kb: Headwater) -> None:
    """A version that was fetched long ago but replaced just now is kept."""
    age(kb)
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    assert tidy(kb.store, kb.settings).document_versions == 0
    age(kb, 20)
    assert tidy(kb.store, kb.settings).document_versions == 0
    age(kb, 20)
    assert tidy(kb.store, kb.settings).document_versions == 1


def test_a_version_that_was_never_visible_goes_too(kb: Headwater) -> None:
    """It counts from when the next version was fetched."""
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    kb.query("DELETE FROM publications WHERE withdrawn_at IS NOT NULL RETURNING 1")
    kb.query("UPDATE document_versions SET fetched_at = fetched_at - interval '90 days' WHERE sequence = 1 RETURNING 1")
    assert tidy(kb.store, kb.settings).document_versions == 0
    age(kb)
    assert tidy(kb.store, kb.settings).document_versions == 1


def test_a_version_that_any_index_serves_stays(kb: Headwater) -> None:
    """An index that lags behind, such as that of a dead model, still answers after a rollback."""
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    kb.query(
        "UPDATE published_documents p SET version_id = v.id FROM document_versions v, documents d"
        " WHERE v.document_id = p.document_id AND d.id = p.document_id AND v.id <> d.head_version_id RETURNING 1"
    )
    age(kb)
    assert tidy(kb.store, kb.settings).document_versions == 0


def test_a_document_that_vanished_goes_and_comes_back_as_a_new_one(kb: Headwater) -> None:
    """Citations of its first version do not find another text under that id."""
    answer = kb.ask("What colour is the lamp?")
    kb.remove("b.md")
    kb.sync()
    assert tidy(kb.store, kb.settings).documents == 0  # not yet
    age(kb)
    done = tidy(kb.store, kb.settings)
    # The vectors are those of its text and its heading.
    assert (done.documents, done.document_versions, done.chunks, done.embeddings) == (1, 1, 1, 2)
    kb.write("b.md", "# B\n\nThe lamp is yellow.")
    assert (kb.sync()["docs"].added, kb.sync()["docs"].rows_written) == (1, 0)
    assert "yellow" in kb.search("lamp")[0].text
    assert not any(citation.is_available for citation in kb.store.answers.get(answer.id).citations)


def test_a_vector_that_another_source_holds_stays(headwater: Make) -> None:
    """Equal texts share a vector; it goes with the last of them."""
    kb = headwater("docs", "more", files={"docs/a.md": "# Same\n\nTwin text.", "more/b.md": "# Same\n\nTwin text."})
    kb.sync()
    (kb.folder / "docs" / "a.md").unlink()
    kb.sync()
    age(kb)
    done = tidy(kb.store, kb.settings)
    assert (done.documents, done.chunks, done.embeddings) == (1, 1, 0)
    (kb.folder / "more" / "b.md").unlink()
    kb.sync()
    age(kb)
    assert tidy(kb.store, kb.settings).embeddings == 2  # the text and its heading


def test_a_source_at_which_someone_works_is_left_alone(kb: Headwater) -> None:
    """A worker that has read what is known must find it there when it writes; the next time is soon enough."""
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    kb.remove("a.md")
    kb.sync()
    age(kb)
    with kb.store.workers.hold_source(kb.source(), None, "run-1"):
        done = tidy(kb.store, kb.settings)
    assert (done.documents, done.document_versions) == (0, 0)
    kb.sync()
    done = tidy(kb.store, kb.settings)
    assert (done.documents, done.document_versions) == (1, 2)


def test_one_process_keeps_house_at_a_time(unsynced: Headwater) -> None:
    """The second says so."""
    with unsynced.store.housekeeping.alone(), pytest.raises(ConflictError, match="already"):
        tidy(unsynced.store, unsynced.settings)


def test_old_syncs_go_except_each_sources_newest(headwater: Make) -> None:
    """The last result of every source stays visible; a waiting sync is kept, however old it is."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nWords.", "more/b.md": "# B\n\nWords."})
    kb.sync()
    kb.sync("docs")
    kb.sync("docs")
    waiting = kb.store.syncs.request(kb.knowledge_base.id, [kb.source("docs")], "api")
    ids = [row["id"] for row in kb.query("SELECT id FROM syncs ORDER BY id")]
    assert tidy(kb.store, kb.settings).syncs == 0
    age(kb)
    assert tidy(kb.store, kb.settings).syncs == 1
    assert [row["id"] for row in kb.query("SELECT id FROM syncs ORDER BY id")] == [ids[0], ids[2], waiting]


@pytest.mark.dagster
def test_dagster_forgets_runs_that_made_nothing_and_colours_stay(headwater: Make, settings: Settings) -> None:
    """Runs behind rows, evidence, materialized and failed keys stay; each partition keeps its status."""
    kb = headwater("bad", "docs", files={"docs/a.md": "# A\n\nThe lamp is blue.", "bad/b.md": "# B\n\nWords."})
    kb.sync()
    (kb.folder / "bad" / "b.md").unlink()
    (kb.folder / "bad").rmdir()
    kb.sync()  # this one colours kb/bad red
    idle = [kb.sync_run("docs")[0].run_id for _ in range(3)]
    failing = kb.sync_run("bad")[0].run_id  # and this one does, from now on
    definitions = build_definitions(settings)
    planned = definitions.resolve_job_def("sync_sources").execute_in_process(
        instance=kb.instance, partition_key="kb/docs"
    )
    colours = {asset: kb.coloured(asset) for asset in (*STAGES, "search_index")}
    assert colours["chunks"] == {"materialized": {"kb/bad", "kb/docs"}, "failed": {"kb/bad"}}
    assert tidy_runs(kb.instance, kb.store) == 0  # none is old yet
    run_age(kb)
    age(kb)
    tidy(kb.store, kb.settings)
    gone = tidy_runs(kb.instance, kb.store)
    left = {run.run_id for run in kb.instance.get_runs()}
    assert left.isdisjoint(idle)
    assert gone >= len(idle)
    assert {failing, planned.run_id} <= left
    assert kb.store.housekeeping.runs_in_use() <= left
    for asset, colour in colours.items():
        assert kb.coloured(asset) == colour
        kb.instance.event_log_storage.wipe_asset_cached_status(dg.AssetKey(asset))
        assert kb.coloured(asset) == colour
    assert tidy_runs(kb.instance, kb.store) == 0
    assert (kb.sync("docs")["docs"].rows_written, kb.coloured("chunks")) == (0, colours["chunks"])


@pytest.mark.dagster
def test_a_run_behind_a_citation_stays_when_its_version_is_gone(kb: Headwater) -> None:
    """The trace of an answer leads to a run that can be opened, whatever was removed (LIN-1)."""
    run_id = kb.store.answers.get(kb.ask("What colour is the lamp?").id).citations[0].run_id
    kb.remove("a.md")
    kb.remove("b.md")
    kb.write("c.md", "# C\n\nElse.")
    kb.sync()
    age(kb)
    run_age(kb)
    assert tidy(kb.store, kb.settings).documents == 2
    tidy_runs(kb.instance, kb.store)
    assert kb.instance.get_run_by_id(run_id) is not None


@pytest.mark.dagster
def test_the_limit_leaves_the_newest_for_the_next_time(kb: Headwater) -> None:
    """The oldest are removed first."""
    idle = [kb.sync_run()[0].run_id for _ in range(4)]
    age(kb)
    run_age(kb)
    kb.query("DELETE FROM syncs WHERE id < (SELECT max(id) FROM syncs) RETURNING 1")
    assert tidy_runs(kb.instance, kb.store, limit=2) == 2
    left = {run.run_id for run in kb.instance.get_runs()}
    assert [run_id in left for run_id in idle] == [False, False, True, True]


@pytest.mark.dagster
def test_the_job_does_it_all_and_shows_what(kb: Headwater, settings: Settings) -> None:
    """Its metadata counts the removed rows; its schedule is on."""
    kb.write("b.md", "# B\n\nThe lamp is green.")
    kb.sync()
    kb.sync()
    age(kb)
    run_age(kb)
    definitions = build_definitions(settings)
    schedule = definitions.resolve_schedule_def("housekeeping")
    assert schedule.default_status is dg.DefaultScheduleStatus.RUNNING
    assert schedule.cron_schedule == "30 4 * * *"
    result = definitions.resolve_job_def("housekeeping").execute_in_process(instance=kb.instance)
    [event] = [event for event in result.all_events if event.is_successful_output]
    metadata = event.step_output_data.metadata
    assert (metadata["document_versions"].value, metadata["syncs"].value) == (1, 2)
    assert metadata["vacuum_advice"].value == "No table needs a vacuum."


@pytest.mark.dagster
def test_ticks_are_not_kept_for_ever(unsynced: Headwater) -> None:
    """A sensor's idle ticks go after a day, the others and those of schedules later."""
    from dagster._core.definitions.run_request import InstigatorType

    for kind in (InstigatorType.SENSOR, InstigatorType.SCHEDULE):
        days = {status.value: days for status, days in unsynced.instance.get_tick_retention_settings(kind).items()}
        assert all(0 < kept <= 90 for kept in days.values()), days
    assert unsynced.instance.get_tick_retention_settings(InstigatorType.SENSOR)


@pytest.mark.dagster
def test_runs_of_a_backup_that_were_going_on_have_failed(unsynced: Headwater) -> None:
    """They would count towards the limit of concurrent runs for ever; those that ended are as they were."""
    job = build_definitions(unsynced.settings).resolve_job_def("housekeeping")
    going, ended = (
        unsynced.instance.create_run_for_job(job, run_id=str(uuid.uuid4()), status=status).run_id
        for status in (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELED)
    )
    assert fail_interrupted_runs(unsynced.instance) == 1
    states = {run.run_id: run.status for run in unsynced.instance.get_runs()}
    assert states == {going: dg.DagsterRunStatus.FAILURE, ended: dg.DagsterRunStatus.CANCELED}


@pytest.mark.parametrize(
    ("dead", "live", "words"),
    [(9_999, 0, None), (20_000, 100_000, None), (30_000, 100_000, "are dead"), (10_000, 0, "are dead")],
)
def test_dead_rows_are_advised_on_when_they_are_many(dead: int, live: int, words: str | None) -> None:
    """Few of them, or few among many, cost nothing; the advice is the exact statement."""
    row = {"table_name": "chunks", "live_count": live, "dead_count": dead, "vacuumed_at": None, "is_off": False}
    advice = advise([row], has_autovacuum=True)
    assert [found.statement for found in advice] == (["VACUUM (ANALYZE) chunks;"] if words else [])
    assert all(words in found.reason for found in advice if words)
    off = advise([{**row, "is_off": True}], has_autovacuum=True)
    assert all("table's autovacuum is off" in found.reason for found in off)
    assert all("server's autovacuum is off" in found.reason for found in advise([row], has_autovacuum=False))


def test_dead_rows_of_a_real_table_are_seen(unsynced: Headwater) -> None:
    """Postgres counts them; after the advised statement they are gone."""
    import psycopg

    with psycopg.connect(unsynced.store.database.url, autocommit=True) as connection:
        connection.execute("ALTER TABLE embeddings SET (autovacuum_enabled = off)")
        connection.execute(
            "INSERT INTO embeddings (model, text_hash, vector, token_count, run_id, code_version)"
            " SELECT 'm', int4send(n), '[1]', 1, 'r', '0' FROM generate_series(1, 12000) AS n"
        )
        connection.execute("DELETE FROM embeddings")
        connection.execute("SELECT pg_stat_force_next_flush()")
        [advice] = unsynced.store.health.vacuum_advice()
        assert (advice.table, advice.dead_count) == ("embeddings", 12_000)
        assert "autovacuum is off" in advice.reason
        connection.execute(advice.statement.encode())
        connection.execute("SELECT pg_stat_force_next_flush()")
    assert unsynced.store.health.vacuum_advice() == []
