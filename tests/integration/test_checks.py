"""The checks on `search_index`: each passes over what a sync made, and fails over what is broken (OPS-3)."""

from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest

from assets.checks import check_search_index
from bench.synthetic import Synthetic
from headwater.indexing.index_checks import CHECKS
from headwater.indexing.preparation import prepare
from headwater.store.search import index_health
from headwater.store.search.index_health import recall_at_10
from headwater.store.server.named_queries import load_queries
from headwater.store.store import Store
from pipelines.definitions import build_definitions
from tests.support import Headwater, add_hard_vectors

Make = Callable[..., Headwater]
FILES = {"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns.", "c.md": "# B\n\nThe wheel turns."}
ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def _check(kb: Headwater, *names: str) -> dict[str, dg.AssetCheckResult]:
    """Run checks alone, in full; all when none is named."""
    return {
        str(found.check_name): found for found in check_search_index(kb.store, kb.slug, names or CHECKS, is_spot=False)
    }


def _failed(kb: Headwater) -> dict[str, dg.AssetCheckSeverity]:
    return {name: found.severity for name, found in _check(kb).items() if not found.passed}


def _number(found: dg.AssetCheckResult | dg.AssetCheckEvaluation, name: str) -> object:
    value = (found.metadata or {})[name]
    return value.value if isinstance(value, dg.MetadataValue) else value


pytestmark = [pytest.mark.usefixtures("checks"), pytest.mark.synced(files=FILES)]


@pytest.fixture
def kb(synced: Headwater) -> Headwater:
    """A synced knowledge base, every check of which passes (`test_nothing_is_wrong_after_a_sync`)."""
    return synced


@pytest.mark.dagster
def test_nothing_is_wrong_after_a_sync(kb: Headwater) -> None:
    """Every check passes over what a sync made; they are run alone, as the UI does."""
    keys = [dg.AssetCheckKey(dg.AssetKey("search_index"), name) for name in CHECKS]
    job = build_definitions(kb.settings).resolve_implicit_global_asset_job_def()
    selected = job.get_subset(asset_selection=set(), asset_check_selection=set(keys))
    result = selected.execute_in_process(instance=kb.instance, tags={"dagster/partition": kb.slug})
    found = {each.check_name: each.passed for each in result.get_asset_check_evaluations()}
    assert found == dict.fromkeys(CHECKS, True)


@pytest.mark.dagster
def test_a_refresh_runs_every_check_for_its_knowledge_base(headwater: Make) -> None:
    """They follow the asset in its job, and are kept by partition, so that one knowledge base never hides another's."""
    for slug in ("one", "two"):
        headwater(slug=slug, files={}).write("a.md", "# A\n\nWords.")
    first = headwater(slug="three", files=FILES)
    first.sync()
    job = build_definitions(first.settings).resolve_job_def("refresh_knowledge_base")
    result = job.execute_in_process(instance=first.instance, partition_key="three")
    evaluations = result.get_asset_check_evaluations()
    assert {found.check_name for found in evaluations} == {*CHECKS, "gate"}
    assert all(found.passed and found.partition == "three" for found in evaluations)


def test_a_knowledge_base_without_a_sync_has_nothing_wrong(headwater: Make) -> None:
    """There is nothing to search yet, and nothing that should be."""
    kb = headwater()
    assert _failed(kb) == {}


def test_orphans(kb: Headwater) -> None:
    """An entry of a document that is not published is found."""
    kb.query(
        "DELETE FROM published_documents WHERE document_id = (SELECT id FROM documents WHERE uri = 'a.md') RETURNING 1"
    )
    found = _check(kb)["orphans"]
    assert (found.passed, found.severity, _number(found, "count")) == (False, ERROR, 2)
    assert _number(found, "examples") == ["a.md", "a.md"]  # of its chunk and of its heading


def test_chunks_without_vectors(kb: Headwater) -> None:
    """A published chunk that cannot be found is found."""
    kb.query("DELETE FROM search_entries_chunk WHERE title = 'A' RETURNING 1")
    assert _failed(kb) == {"chunks_without_vectors": ERROR, "statistics": ERROR}


def test_vectors_without_chunks(kb: Headwater) -> None:
    """An entry whose text is not that of the published version is found; unused vectors of the cache are counted."""
    before = _check(kb, "vectors_without_chunks")["vectors_without_chunks"]
    assert _number(before, "unused_cached_vectors") == 0
    kb.query("UPDATE search_entries_chunk SET embedding_hash = '\\x00' WHERE title = 'A' RETURNING 1")
    kb.query("UPDATE version_chunks SET embedding_hash = '\\x01' WHERE breadcrumb = '{A}' RETURNING 1")
    found = _check(kb)["vectors_without_chunks"]
    assert (found.passed, found.severity, _number(found, "count")) == (False, ERROR, 1)
    assert _number(found, "unused_cached_vectors") == 1


def test_duplicates(kb: Headwater) -> None:
    """A chunk left in the shared table after a move is found; equal texts are counted, since they may be meant."""
    before = _check(kb, "duplicates")["duplicates"]
    assert (before.passed, _number(before, "repeated_texts")) == (True, 1)
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    found = _check(kb)["duplicates"]
    assert (found.passed, found.severity, _number(found, "count")) == (False, ERROR, 3)


def test_statistics(kb: Headwater) -> None:
    """A count that keyword search weighs words by, and that is not so, is found (RET-1)."""
    kb.query("UPDATE search_statistics SET entry_count = entry_count + 1 RETURNING 1")
    assert _failed(kb) == {"statistics": ERROR}


def test_dimension(kb: Headwater) -> None:
    """A vector of another model's size is found, before it makes a search fail."""
    kb.query("UPDATE search_entries_chunk SET vector = '[1,2,3]' WHERE title = 'A' RETURNING 1")
    assert _failed(kb) == {"dimension": ERROR}


def test_emptiness(kb: Headwater) -> None:
    """The check finds a ready source that has documents but nothing to search."""
    kb.query("DELETE FROM search_entries_chunk RETURNING 1")
    assert _failed(kb) == {"emptiness": ERROR, "chunks_without_vectors": ERROR, "statistics": ERROR}


def test_a_source_of_blank_documents_is_empty(headwater: Make) -> None:
    """The document was read without an error, but no search would ever find it."""
    kb = headwater("docs", "blank", files={**FILES, "blank/a.md": "\n\n"})
    kb.sync()
    found = _check(kb, "emptiness")["emptiness"]
    assert (found.passed, _number(found, "examples")) == (False, ["blank"])


def test_freshness_of_what_is_published(kb: Headwater) -> None:
    """A newest version that readers do not get is found; while someone works on its source, it is not yet wrong."""
    kb.query("UPDATE documents SET removed_at = now() WHERE uri = 'a.md' RETURNING 1")
    with kb.store.workers.hold_source(kb.source(), None, "run-1"):
        assert _check(kb, "freshness")["freshness"].passed
    found = _check(kb, "freshness")["freshness"]
    assert (found.passed, found.severity, _number(found, "examples")) == (False, ERROR, ["docs/a.md"])


def test_freshness_of_sources(kb: Headwater) -> None:
    """A source that is overdue by more than one of its intervals is a warning; a paused one is not."""
    kb.query("UPDATE sources SET refresh_seconds = 3600, synced_at = now() - interval '90 minutes' RETURNING 1")
    assert _check(kb, "freshness")["freshness"].passed
    kb.query("UPDATE sources SET synced_at = now() - interval '130 minutes' RETURNING 1")
    found = _check(kb, "freshness")["freshness"]
    assert (found.passed, found.severity, _number(found, "overdue_sources")) == (False, WARN, 1)
    assert "docs" in (found.description or "")
    kb.query("UPDATE sources SET paused_at = now() RETURNING 1")
    assert _check(kb, "freshness")["freshness"].passed


def test_recall_at_10(kb: Headwater) -> None:
    """HNSW that misses what is near is an error, and one that only just finds enough a warning."""
    index = add_hard_vectors(kb)
    kb.query("UPDATE search_indexes SET ef_search = 1 RETURNING 1")
    found = _check(kb, "recall_at_10")["recall_at_10"]
    assert (found.passed, found.severity) == (False, ERROR)
    assert _number(found, "ef_search") == 1
    recall = _number(found, "recall_at_10")
    assert isinstance(recall, float)
    assert recall < 0.9
    assert (prepare(kb.store, kb.settings, kb.knowledge_base, index).recall or 0) > recall


@pytest.mark.parametrize(("recall", "severity"), [(0.95, None), (0.949, WARN), (0.90, WARN), (0.899, ERROR)])
def test_recall_has_two_limits(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch, recall: float, severity: dg.AssetCheckSeverity | None
) -> None:
    """Below .95 is a warning, below .90 an error."""
    monkeypatch.setattr("headwater.indexing.index_checks.measure_recall", lambda *_: recall)
    assert _failed(kb) == ({} if severity is None else {"recall_at_10": severity})


def test_recall_counts_what_is_as_near() -> None:
    """Worked by hand: 2 of 3 and 1 of 1 make 5/6; of two equally near texts either will do."""
    from uuid import UUID

    first, second, third = (UUID(int=number) for number in range(3))
    exact = {first: [0.0, 0.1, 0.2], second: [0.0], third: []}
    assert recall_at_10(exact, {first: [0.0, 0.2, 0.7], second: [0.0]}) == pytest.approx(5 / 6)
    assert recall_at_10(exact, {first: [0.0, 0.1, 0.2, 0.2], second: [0.0]}) == 1.0
    assert recall_at_10(exact, {}) == 0.0
    assert recall_at_10({}, {}) == 1.0


# The form that looks at what changed


def _spot(kb: Headwater) -> dict[str, dg.AssetCheckResult]:
    return {str(found.check_name): found for found in check_search_index(kb.store, kb.slug, is_spot=True)}


def _spot_failed(kb: Headwater) -> set[str]:
    return {name for name, found in _spot(kb).items() if not found.passed}


def _looked_at(kb: Headwater) -> object:
    number: Any = (_spot(kb)["orphans"].metadata or {})["documents_looked_at"]
    return number.value


def _edit(kb: Headwater) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_health, "_SAMPLE", 0)
        assert _looked_at(kb) == 0
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    kb.sync()
    kb.query("UPDATE knowledge_bases SET checked_at = (SELECT max(published_at) FROM published_documents) RETURNING 1")


_EDITED = pytest.mark.synced(files=FILES, then=_edit)


@pytest.fixture
def edited(synced: Headwater, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    """Of three documents, a sync changed one that was not checked yet; no other is drawn at random."""
    monkeypatch.setattr(index_health, "_SAMPLE", 0)
    return synced


@_EDITED
def test_a_spot_check_looks_at_what_changed_since_the_last_one(edited: Headwater) -> None:
    """The time of the check is stored, and documents published since are checked too (OPS-3)."""
    assert _looked_at(edited) == 1
    assert _looked_at(edited) == 0
    edited.remove("b.md")
    edited.sync()
    edited.query("UPDATE knowledge_bases SET checked_at = (SELECT max(withdrawn_at) FROM publications) RETURNING 1")
    assert _looked_at(edited) == 1
    assert _spot_failed(edited) == set()


def test_a_spot_check_looks_at_some_documents_by_chance(kb: Headwater) -> None:
    """Nothing changed, and all three are found by a sample of a hundred."""
    assert _looked_at(kb) == 3
    full = _check(kb, "orphans")["orphans"]
    assert _number(full, "form") == "full"


DAMAGE = {
    "orphans": "DELETE FROM published_documents WHERE document_id IN ({document}) RETURNING 1",
    "chunks_without_vectors": "DELETE FROM search_entries_chunk WHERE document_id IN ({document}) RETURNING 1",
    "vectors_without_chunks": "UPDATE search_entries_chunk SET embedding_hash = '' WHERE document_id IN ({document})"
    " RETURNING 1",
    "headings": "DELETE FROM search_entries_heading WHERE document_id IN ({document}) RETURNING 1",
    "statistics": "DELETE FROM search_weights WHERE document_id IN ({document}) RETURNING 1",
    "dimension": "UPDATE search_entries_chunk SET vector = '[1,2,3]' WHERE document_id IN ({document}) RETURNING 1",
}


@_EDITED
@pytest.mark.parametrize("check", DAMAGE)
def test_a_spot_check_finds_what_is_wrong_with_what_changed(edited: Headwater, check: str) -> None:
    """The check keeps failing until the damage is repaired, although nothing changes meanwhile."""
    edited.query("UPDATE published_documents SET published_at = published_at + interval '1 day' WHERE document_id ="
                 " (SELECT id FROM documents WHERE uri = 'a.md') RETURNING 1")  # fmt: skip
    edited.query(DAMAGE[check].format(document="SELECT id FROM documents WHERE uri = 'a.md'"))
    if check == "orphans":  # withdrawn, but still there
        edited.query("UPDATE publications SET withdrawn_at = now() WHERE withdrawn_at IS NULL RETURNING 1")
    assert check in _spot_failed(edited)
    assert check in _spot_failed(edited)
    assert _looked_at(edited) == 3


@_EDITED
@pytest.mark.parametrize("check", ["chunks_without_vectors", "vectors_without_chunks", "headings", "dimension"])
def test_what_is_wrong_elsewhere_is_found_by_the_full_form(edited: Headwater, check: str) -> None:
    """The weekly schedule looks at everything; afterwards spot checks do, until all is well."""
    edited.query(DAMAGE[check].format(document="SELECT id FROM documents WHERE uri = 'b.md'"))
    assert _spot_failed(edited) == set()
    assert check in _failed(edited)
    assert check in _spot_failed(edited)


@_EDITED
def test_low_recall_makes_no_check_look_at_everything(edited: Headwater) -> None:
    """It is of the graph, not of documents: each later sync would read the whole index and find the same."""
    edited.query("UPDATE search_indexes SET recall = 0.5 RETURNING 1")
    assert _spot_failed(edited) == {"recall_at_10"}
    assert _looked_at(edited) == 0


def test_a_spot_check_recounts_words(kb: Headwater) -> None:
    """A term that is counted wrongly, or not at all, is found by the documents that hold it."""
    kb.query("UPDATE search_terms SET entry_count = entry_count + 1 RETURNING 1")
    assert _spot_failed(kb) == {"statistics"}
    kb.query("DELETE FROM search_terms RETURNING 1")
    assert _spot_failed(kb) == {"statistics"}


@pytest.mark.dagster
def test_a_sync_checks_by_the_spot_form(kb: Headwater) -> None:
    """Dagster gets the form of the check and the number of documents."""
    kb.write("d.md", "# D\n\nA door.")
    run, _ = kb.sync_run()
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    found = {}
    for record in kb.instance.get_records_for_run(run.run_id, of_type=kind).records:
        assert record.event_log_entry.dagster_event is not None
        evaluation = record.event_log_entry.dagster_event.asset_check_evaluation_data
        if evaluation.asset_key == dg.AssetKey("search_index"):
            found[evaluation.check_name] = evaluation
    assert set(found) == {*CHECKS, "gate"}
    assert all(one.passed and one.partition == "kb" for one in found.values())
    assert _number(found["orphans"], "form") == "spot"
    assert _number(found["orphans"], "documents_looked_at") == 4


def test_full_checks_run_no_loop_within_a_loop(store: Store) -> None:
    """Whatever the planner believes about tables that were just loaded, no row is compared with every other."""
    data = Synthetic(store)
    data.publish(data.write(2_000))
    index = data.index
    values = {"id": index.id, "shard": 0, "settings_hash": index.settings_hash, "documents": None, "dimensions": 384,
              "scope": 1, "kind": "chunk", "model": index.model, "search_index_id": index.id}  # fmt: skip
    names = ("orphan_entries", "missing_entries", "stray_entries", "wrong_statistics",
             "unused_vector_count", "entries_to_weigh")  # fmt: skip
    with store.database.transaction() as session:
        session.connection.execute("DELETE FROM pg_statistic")  # as autovacuum finds it, or has not found it yet
        for name in names:
            rows = session.connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {load_queries()[name]}".encode(), values)
            (plan,) = [row["QUERY PLAN"][0]["Plan"] for row in rows]
            assert _compared(plan) <= 20_000, (name, plan)


def _compared(plan: dict[str, Any]) -> float:
    """Rows that a join read and discarded."""
    mine = plan.get("Rows Removed by Join Filter", 0) * plan["Actual Loops"]
    return float(mine) + sum(_compared(part) for part in plan.get("Plans", ()))
