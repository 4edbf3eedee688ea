"""Search indexes side by side: judged, switched, taken back, dropped (EMB-2, EMB-4)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import dagster as dg
import numpy as np
import pytest
from pgvector import HalfVector
from psycopg import sql

from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.administration import indexes
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError, GateFailedError, NotFoundError
from headwater.indexing import gate, index_refresh, preparation, switch
from headwater.indexing.preparation import EF_CHOICES, measure_recall, prepare
from headwater.lexical.tokens import tokens
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.settings import Settings
from headwater.store.search import index_health
from headwater.store.search.passage_search import SearchRequest, question_words
from headwater.store.server.database import Database
from headwater.store.server.named_queries import load_queries
from headwater.store.store import Store
from pipelines import sensors
from pipelines.definitions import build_definitions
from tests.support import Headwater, add_hard_vectors

Make = Callable[..., Headwater]
FILES = {f"{n}.md": f"# Topic {n}\n\nAbout item {n} and its valve {n * 3}." for n in range(12)}

pytestmark = pytest.mark.synced(files=FILES)


def _choose(kb: Headwater, **settings: object) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=settings))


def _active(kb: Headwater) -> SearchIndex:
    found = kb.store.search_indexes.active(kb.slug)
    assert found is not None
    return found


def _states(kb: Headwater) -> dict[int, str]:
    return {index.id: index.state for index in kb.store.search_indexes.live(kb.knowledge_base)}


def _refresh(kb: Headwater) -> dg.ExecuteInProcessResult:
    job = build_definitions(kb.settings).resolve_job_def("refresh_knowledge_base")
    return job.execute_in_process(instance=kb.instance, partition_key=kb.slug, raise_on_error=False)


def _damage(kb: Headwater, index_id: int) -> None:
    """Take one entry out of an index, behind everyone's back."""
    kb.query(
        "DELETE FROM search_entries_chunk WHERE search_index_id = %s AND target_id IN"
        " (SELECT target_id FROM search_entries_chunk WHERE search_index_id = %s LIMIT 1) RETURNING 1",
        index_id, index_id,
    )  # fmt: skip


@pytest.fixture
def damaged(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    """A knowledge base whose new index lost an entry before it was judged."""
    _choose(kb, chunk_max=500, chunk_min=100)
    monkeypatch.setattr(switch, "judge", _damaging_judge(kb))
    return kb


def _damaging_judge(kb: Headwater) -> Callable[..., gate.GateReport]:
    def judge(*args: object) -> gate.GateReport:
        index = args[3]
        assert isinstance(index, SearchIndex)
        _damage(kb, index.id)
        return gate.judge(*args)  # type: ignore[arg-type]

    return judge


@pytest.mark.dagster
def test_a_failing_gate_leaves_the_old_index_serving_and_says_why(damaged: Headwater) -> None:
    """The command says so, the check is red, the list shows it, and what answers is refreshed and checked as ever."""
    kb = damaged
    before = _active(kb)
    run, done = kb.sync_run()
    assert done["docs"].state == "ready"
    assert run.refresh_error is not None
    assert "did not pass the gate" in run.refresh_error
    assert "11 entries for 12 published chunks" in run.refresh_error
    assert _active(kb) == before
    assert len(kb.search("item valve")) == 12
    (failed,) = [index for index in kb.store.search_indexes.live(kb.knowledge_base) if index.state == "building"]
    assert failed.gate is not None
    assert failed.gate["passed"] is False
    wrong = {one["name"] for one in failed.gate["criteria"] if not one["passed"]}
    assert wrong == {"entries", "chunks_without_vectors"}
    result = _refresh(kb)
    (evaluation,) = [one for one in result.get_asset_check_evaluations() if one.check_name == "gate"]
    assert (evaluation.passed, evaluation.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert result.success
    assert kb.coloured("search_index") == {"materialized": {"kb"}, "failed": set()}
    assert {one.check_name for one in result.get_asset_check_evaluations() if one.passed} >= {"orphans", "recall_at_10"}


@pytest.mark.dagster
def test_a_failed_gate_is_asked_again_only_when_something_changed(damaged: Headwater) -> None:
    """The sensor does not ask each minute for what would fail again."""
    kb = damaged
    assert kb.sync_run()[0].refresh_error is not None

    def asked() -> int:
        context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
        return len(list(cast("Iterator[dg.RunRequest]", sensors.changed_knowledge_bases(context))))

    assert kb.instance.has_dynamic_partition(str(KNOWLEDGE_BASES.name), "kb")
    assert asked() == 0
    _choose(kb, top_k=7)
    assert asked() == 1


def test_switching_by_hand_is_refused_with_the_gates_reason(damaged: Headwater) -> None:
    """The error has a stable code and the words of what failed; the settings stay."""
    kb = damaged
    kb.sync()
    settings = kb.knowledge_base.settings
    with pytest.raises(GateFailedError, match="entries for 12 published chunks"):
        indexes.switch(kb.store, kb.settings, "kb")
    assert kb.knowledge_base.settings == settings
    assert sorted(_states(kb).values()) == ["active", "building"]


def test_a_sync_repairs_what_the_gate_refused(damaged: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the index is whole again it passes, by hand or by itself."""
    kb = damaged
    kb.sync()
    (index,) = [one for one in kb.store.search_indexes.live(kb.knowledge_base) if one.state == "building"]
    kb.query("DELETE FROM published_documents WHERE search_index_id = %s RETURNING 1", index.id)
    monkeypatch.setattr(switch, "judge", gate.judge)
    kb.sync()  # publishes anew
    switched = indexes.switch(kb.store, kb.settings, "kb", index.id)
    assert _active(kb).id == index.id
    assert switched.index.gate is not None
    assert switched.index.gate["passed"] is True


@pytest.mark.dagster
def test_an_incomplete_index_waits_without_failing_anything(headwater: Make) -> None:
    """A sync of one source leaves the new index incomplete: that is not a failure, and people see what it lacks."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nPump.", "more/b.md": "# B\n\nWheel."})
    kb.sync()
    first = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    run, _ = kb.sync_run("docs")
    assert run.refresh_error is None
    assert _active(kb) == first
    (evaluation,) = [one for one in _refresh(kb).get_asset_check_evaluations() if one.check_name == "gate"]
    assert (evaluation.passed, evaluation.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "1 of source more" in (evaluation.description or "")
    with pytest.raises(GateFailedError, match="1 of source more"):
        indexes.switch(kb.store, kb.settings, "kb")
    kb.sync("more")
    assert _active(kb).id != first.id


def test_the_golden_set_may_not_get_worse(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that finds the golden documents worse is refused with both numbers; once it finds them it passes."""
    first = _active(kb)
    relevant = (RelevantDocument(uri="7.md"),)
    kb.store.evaluations.replace_golden_questions("kb", [GoldenQuestion(question="item 7 valve 21", relevant=relevant)])
    _choose(kb, chunk_max=500, chunk_min=100)

    def judge_turned_away(*args: object) -> gate.GateReport:
        index = args[3]
        assert isinstance(index, SearchIndex)
        kb.query(
            "WITH words AS (DELETE FROM search_weights WHERE search_index_id = %s)"
            " UPDATE search_entries_chunk"
            " SET vector = (SELECT array_agg(-x) FROM unnest(vector::real[]) AS x)::halfvec(384)"
            " WHERE title = 'Topic 7' AND search_index_id = %s RETURNING 1",
            index.id,
            index.id,
        )
        return gate.judge(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(switch, "judge", judge_turned_away)
        run, _ = kb.sync_run()
    assert run.refresh_error is not None
    assert "nDCG@10 on the golden set is 0.000; the active index has 1.000." in run.refresh_error
    assert _active(kb) == first
    (second,) = set(_states(kb)) - {first.id}
    for table in ("search_entries", "published_documents"):
        kb.query(f"DELETE FROM {table} WHERE search_index_id = %s RETURNING 1", second)
    kb.sync()
    switched = indexes.switch(kb.store, kb.settings, "kb", second)
    assert switched.index.gate is not None
    (golden,) = (one for one in switched.index.gate["criteria"] if one["name"] == "golden_set")
    assert (golden["passed"], golden["value"]) == (True, 1.0)


def test_the_golden_set_has_a_limit() -> None:
    """A fall of .05 of nDCG@10 passes, one of more does not."""
    assert gate.quality_criterion(0.76, 0.80).passed
    assert not gate.quality_criterion(0.74, 0.80).passed


@pytest.mark.dagster
def test_rollback_takes_the_settings_back_and_stays(kb: Headwater) -> None:
    """One transaction; the next sync and refresh switch nothing forward, and embed nothing."""
    first = _active(kb)
    chosen = kb.knowledge_base.settings
    with pytest.raises(ConflictError, match="no previous search index"):
        indexes.roll_back(kb.store, "kb")
    _choose(kb, chunk_max=500, chunk_min=100, chunk_overlap=50, language="german", top_k=9)
    kb.sync()
    second = _active(kb)
    assert _states(kb) == {first.id: "retained", second.id: "active"}
    kb.store.search_indexes.record_gate(first, {"passed": False, "judged_at": "2026-01-01T00:00:00Z", "criteria": []})
    done = indexes.roll_back(kb.store, "kb")
    assert done.index.gate is None  # what it was refused for once is over
    assert (done.index.id, done.previous) == (first.id, second.id)
    assert kb.knowledge_base.settings == chosen.model_copy(update={"top_k": 9})
    assert _refresh(kb).success
    assert kb.sync()["docs"].embedded == 0
    assert _states(kb) == {first.id: "active", second.id: "retained"}
    assert indexes.roll_back(kb.store, "kb").index.id == second.id  # and forward again
    assert kb.knowledge_base.settings.language == "german"


def test_rollback_never_serves_less(kb: Headwater) -> None:
    """An index that has missed a document since then is refused, and the source is named."""
    first = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    kb.query("DELETE FROM published_documents WHERE search_index_id = %s RETURNING 1", first.id)
    with pytest.raises(GateFailedError, match="12 of source docs"):
        indexes.roll_back(kb.store, "kb")
    assert _active(kb).id != first.id


def test_a_switch_that_meets_a_change_of_settings_does_nothing(kb: Headwater) -> None:
    """A change of the settings meanwhile is not overwritten."""
    stale, first = kb.knowledge_base, _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    with pytest.raises(ConflictError, match="changed meanwhile"):
        kb.store.search_indexes.activate(stale, first, stale.settings)


def test_every_retained_index_is_kept_up_to_date_until_its_period_is_over(kb: Headwater) -> None:
    """Two of them lose what is deleted; each goes by its own time, and only it."""
    first = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    second = _active(kb)
    _choose(kb, chunk_max=600)
    kb.sync()
    third = _active(kb)
    assert _states(kb) == {first.id: "retained", second.id: "retained", third.id: "active"}
    kb.remove("0.md")
    kb.sync()
    assert kb.query("SELECT DISTINCT count(*) AS n FROM search_entries_chunk GROUP BY search_index_id") == [{"n": 11}]
    assert kb.store.search_indexes.drop_expired(0) == 0  # a reader may still be on its way to it
    kb.query("UPDATE search_indexes SET retained_at = now() - interval '8 days' WHERE id = %s RETURNING 1", first.id)
    assert kb.store.search_indexes.drop_expired(9) == 0
    assert kb.store.search_indexes.drop_expired(7) == 1
    assert _states(kb) == {second.id: "retained", third.id: "active"}
    assert kb.query("SELECT 1 FROM search_entries_chunk WHERE search_index_id = %s", first.id) == []
    with pytest.raises(NotFoundError):
        kb.store.search_indexes.get(kb.knowledge_base, first.id)


@pytest.mark.dagster
def test_a_refresh_drops_what_expired(kb: Headwater) -> None:
    """Nobody need do housekeeping for that."""
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    kb.query("UPDATE search_indexes SET retained_at = now() - interval '8 days' WHERE state = 'retained' RETURNING 1")
    assert _refresh(kb).success
    assert list(_states(kb).values()) == ["active"]


def test_a_reader_who_looked_before_the_switch_still_finds(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index that was active when a search looked it up still exists when it searches, even without retention."""
    monkeypatch.setattr(index_refresh, "INDEX_RETENTION_DAYS", 0)
    kb = headwater(files=FILES)
    kb.sync()
    looked_up = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    assert _active(kb).id != looked_up.id
    vector = load_embedder(looked_up.model, kb.settings).embed(["item valve"])[0]
    request = SearchRequest(words=tokens("item valve"), vector=vector, limit=5, depth=100)
    assert len(kb.store.searching.search(looked_up, request).passages) == 5


@pytest.mark.dagster
def test_a_building_index_that_is_no_longer_wanted_goes(headwater: Make) -> None:
    """Settings changed again, and back: the half-built indexes go at the next refresh, the active one is reused."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nPump.", "more/b.md": "# B\n\nWheel."})
    kb.sync()
    first = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync("docs")
    (half,) = set(_states(kb)) - {first.id}
    _choose(kb, chunk_max=600)
    kb.sync("docs")
    assert half not in _states(kb)
    _choose(kb, chunk_max=1000, chunk_min=300)
    assert _refresh(kb).success
    assert _states(kb) == {first.id: "active"}
    assert kb.query("SELECT count(*) AS n FROM search_entries_chunk")[0]["n"] == 2


@pytest.mark.dagster
def test_going_back_to_old_settings_reuses_their_index(kb: Headwater) -> None:
    """As long as it is retained, nothing is built or embedded for it."""
    first = _active(kb)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    _choose(kb, chunk_max=1000, chunk_min=300)
    assert _refresh(kb).success  # not even a sync is needed
    assert _active(kb).id == first.id


def test_a_large_index_is_partitioned_and_measured_before_it_answers(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it takes over it has HNSW, an ef_search and a recall; its searches use them (EMB-4)."""
    first = _active(kb)
    assert (first.shard, first.ef_search, first.recall) == (0, None, 1.0)
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 10)
    _choose(kb, chunk_max=500, chunk_min=100)
    kb.sync()
    second = _active(kb)
    assert second.shard == second.id
    assert second.ef_search in EF_CHOICES
    assert second.recall == 1.0
    assert second.gate is not None
    assert {one["name"] for one in second.gate["criteria"]} >= {"documents", "entries", "orphans", "recall_at_10"}
    retained = kb.store.search_indexes.get(kb.knowledge_base, first.id)
    assert retained.shard == 0  # it is no longer what answers, and did before
    indexes.roll_back(kb.store, "kb")
    assert len(kb.search("item valve")) == 12


def test_ef_search_grows_until_recall_is_enough(kb: Headwater) -> None:
    """Where HNSW misses much, a higher ef_search finds more; the smallest that finds enough is kept."""
    index = add_hard_vectors(kb)
    measured = {
        choice: kb.store.index_health.recall(index, (choice,), enough=1.0, sample=20, depth=10)[1]
        for choice in (1, 40, 800)
    }
    assert measured[1] < measured[40] < measured[800]
    prepared = prepare(kb.store, kb.settings, kb.knowledge_base, index)
    assert prepared.ef_search is not None
    assert prepared.recall is not None
    kb.query("UPDATE search_indexes SET ef_search = 1 WHERE id = %s RETURNING 1", index.id)
    poor = measure_recall(kb.store, _active(kb))
    assert poor < prepared.recall


def test_what_recall_is_measured_against_is_exact(kb: Headwater) -> None:
    """It finds what numpy finds over all vectors, although HNSW would be cheaper and misses much."""
    index = add_hard_vectors(kb)
    rows = kb.query("SELECT target_id, vector::real[] AS vector FROM search_entries_chunk")
    vectors = np.array([row["vector"] for row in rows])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = {row["target_id"]: place for place, row in enumerate(rows)}
    with kb.store.database.transaction(snapshot=True) as session:
        exact = index_health._distances(session, index, None, 20, 100)
    assert len(exact) == 20
    for chunk_id, found in exact.items():
        nearest = np.sort(1 - vectors @ vectors[places[chunk_id]])[:10]
        assert found == pytest.approx(nearest, abs=1e-5)


@pytest.mark.parametrize("is_exact", [False, True])
def test_a_filtered_search_never_uses_hnsw(kb: Headwater, is_exact: bool) -> None:
    """Switching index scans off does not keep Postgres 18 from HNSW in a partition, so the statement must (RET-2)."""
    index = add_hard_vectors(kb)
    numbers = {"shard": index.shard, "dimensions": 384, "scope": 0, "is_exact": int(is_exact), "is_filtered": 1,
               "by_text": 1, "by_vector": 1, "words_first": 0, "is_weighted": 0, "least_budget": 1, "budget": 1,
               "depth": 100}  # fmt: skip
    statement = load_queries()["search_chunks"]
    explain = sql.SQL("EXPLAIN ") + sql.SQL(statement[statement.index("WITH") :]).format(
        **{name: sql.Literal(number) for name, number in numbers.items()}
    )
    request = SearchRequest(words=tokens("item"), vector=None, depth=1, limit=1)
    values = {"search_index_id": index.id, "settings_hash": index.settings_hash, "vector": HalfVector([1.0] * 384),
              "vector_weight": None, "source_ids": [kb.source().id], "document_ids": None, "limit": 10,
              **question_words(index, [], request)}  # fmt: skip
    with kb.store.database.transaction(snapshot=True) as session:
        plan = "\n".join(row["QUERY PLAN"] for row in session.connection.execute(explain, values).fetchall())
    assert ("vector_idx" in plan) is not is_exact


def test_a_search_without_a_filter_uses_hnsw_however_often_it_is_asked(kb: Headwater) -> None:
    """Its plan is made once for all questions: that one must be as good as a plan for each (RET-1)."""
    index = add_hard_vectors(kb)
    store, times = Store(Database(kb.store.database.url, size=1)), 12

    def scans() -> int:
        statement = "SELECT sum(pg_stat_get_numscans(i.indexrelid))::int AS n FROM pg_stat_user_indexes i"
        with store.database.transaction() as session:
            session.connection.execute("SELECT pg_stat_force_next_flush()")
        return int(kb.query(f"{statement} WHERE indexrelname LIKE '%%vector_idx'")[0]["n"])

    try:
        before = scans()
        for number in range(times):
            vector = np.random.default_rng(number).standard_normal(index.dimensions).astype(np.float32)
            request = SearchRequest(words=tokens("item valve"), vector=vector, limit=5, depth=100)
            assert store.searching.search(index, request).passages
        assert scans() - before == times
    finally:
        store.close()


@dataclass
class _Readers:
    """Threads that search all the time, and what they saw."""

    searches: int = 0
    empty: int = 0
    errors: list[str] = field(default_factory=list)


@contextmanager
def _searching(kb: Headwater, threads: int = 3) -> Iterator[_Readers]:
    seen, stop, lock = _Readers(), threading.Event(), threading.Lock()

    def read() -> None:
        while not stop.is_set():
            try:
                found = kb.search("item valve", top_k=5)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test tells
                with lock:
                    seen.errors.append(repr(error))
                continue
            with lock:
                seen.searches += 1
                seen.empty += len(found) != 5

    readers = [threading.Thread(target=read) for _ in range(threads)]
    for reader in readers:
        reader.start()
    try:
        yield seen
    finally:
        stop.set()
        for reader in readers:
            reader.join(60)


@pytest.mark.parametrize(
    ("change", "exact_limit"),
    [({"chunk_max": 500, "chunk_min": 100}, 5), ({"embedding_model": "builtin/minilm-int8"}, 1000)],
    ids=["chunks and a partition", "model"],
)
def test_nobody_who_searches_notices_a_switch_or_a_rollback(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], exact_limit: int
) -> None:
    """Searches continue through building, gate, switch, rollback and dropping: none fails, none is empty."""
    first = _active(kb)
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", exact_limit)
    settings = Settings.from_env()
    with _searching(kb) as seen:
        _choose(kb, **change)
        kb.sync()
        second = _active(kb)
        assert second.id != first.id
        for _ in range(5):
            assert indexes.roll_back(kb.store, "kb").index.id == first.id
            assert indexes.switch(kb.store, settings, "kb", second.id).previous == first.id
        indexes.roll_back(kb.store, "kb")
        kb.sync()
        at_least = seen.searches + 20
        while seen.searches < at_least and not seen.errors:
            threading.Event().wait(0.05)
    assert seen.errors == []
    assert seen.empty == 0
    assert seen.searches >= 20
