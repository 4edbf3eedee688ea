"""Breadcrumbs embedded alone: what an index has of them, and finding sections by them (EMB-3)."""

from collections.abc import Callable
from typing import Any

import pytest

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.heading_leg import add_heading_leg, heading_leg
from headwater.store.search.entry_kinds import HEADING
from tests.support import Headwater

Make = Callable[..., Headwater]


def _section(topic: str) -> str:
    return "\n\n".join(f"The {topic} is described in sentence {n} of part {n // 3}, at some length." for n in range(8))


PUMP = f"# Pump\n\n{_section('pump')}\n\n## Fixing a leak\n\n{_section('gasket')}\n\n## Winter\n\n{_section('frost')}\n"
WHEEL = f"# Wheel\n\n{_section('wheel')}\n\n## Fixing a spoke\n\n{_section('spoke')}\n"

pytestmark = pytest.mark.synced(files={"a.md": PUMP, "b.md": WHEEL})


def _index(kb: Headwater) -> SearchIndex:
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    return index


def _headings(kb: Headwater) -> list[tuple[str, str]]:
    """The breadcrumbs that the index has: URI and path."""
    rows = kb.query("""SELECT DISTINCT d.uri, w.breadcrumb
        FROM search_entries_heading h JOIN documents d ON d.id = h.document_id
             JOIN document_versions v ON v.document_id = d.id
             JOIN version_entries w ON w.version_id = v.id AND w.kind = 'heading' AND w.target_id = h.target_id""")
    return sorted((row["uri"], " > ".join(row["breadcrumb"])) for row in rows)


def _kept(kb: Headwater) -> list[dict[str, Any]]:
    """The rows of headings; one that is written again shows."""
    return kb.query("SELECT ctid::text, xmin::text, target_id FROM search_entries_heading ORDER BY 1")


def _leg(kb: Headwater, question: str, *, depth: int = 10, least: float = 0.0, **filters: Any) -> list[Passage]:
    index = _index(kb)
    vector = load_embedder(index.model, kb.settings).embed([question])[0]
    return heading_leg(kb.store, index, vector, filters=SearchFilters(**filters), least=least, depth=depth)


def test_each_breadcrumb_is_embedded_once_and_alone(headwater: Make) -> None:
    """Per document, however many chunks are below it; the vector is that of the path and nothing else (EMB-3)."""
    kb = headwater(files={"a.md": PUMP, "b.md": WHEEL, "c.md": PUMP})
    done = kb.sync()["docs"]
    pump = ["Pump", "Pump > Fixing a leak", "Pump > Winter"]
    assert _headings(kb) == sorted(
        [(uri, path) for uri in ("a.md", "c.md") for path in pump]
        + [("b.md", "Wheel"), ("b.md", "Wheel > Fixing a spoke")]
    )
    texts = kb.query("SELECT DISTINCT embedding_hash FROM version_chunks")
    assert done.embedded == len(texts) + 5
    index = _index(kb)
    vector = load_embedder(index.model, kb.settings).embed(["Pump > Winter"])[0]
    (led,) = kb.store.entries.chunks_near(HEADING, index, vector, least=0.99, limit=1)
    assert led.similarity == pytest.approx(1.0, abs=1e-3)
    assert (led.rank, led.passage.breadcrumb) == (1, ("Pump", "Winter"))


def test_a_second_sync_writes_no_heading(kb: Headwater) -> None:
    """Unchanged headings are neither embedded nor written (REL-1)."""
    before = kb.content()
    assert len(_headings(kb)) == 5
    done = kb.sync()["docs"]
    assert (done.embedded, done.rows_written) == (0, 0)
    assert kb.content() == before


def test_an_edit_below_a_heading_embeds_no_heading(kb: Headwater) -> None:
    """One text is embedded, and the headings' rows stay as they are; a renamed heading is embedded with its chunks."""
    before = _kept(kb)
    kb.write("a.md", PUMP.replace("The frost is described in sentence 7", "The frost is told of in sentence 7"))
    assert kb.sync()["docs"].embedded == 1
    assert _kept(kb) == before
    kb.write("b.md", WHEEL.replace("## Fixing a spoke", "## Mending a spoke"))
    kb.sync()
    assert ("b.md", "Wheel > Mending a spoke") in _headings(kb)
    assert ("b.md", "Wheel > Fixing a spoke") not in _headings(kb)
    assert [passage.breadcrumb for passage in _leg(kb, "Wheel > Mending a spoke", depth=1)] == [
        ("Wheel", "Mending a spoke")
    ]


def test_headings_go_with_their_document(headwater: Make) -> None:
    """With a deleted file, a deleted source, a deleted knowledge base; a rename embeds none again (SRC-12)."""
    kb = headwater("docs", "more", files={"docs/a.md": PUMP, "docs/b.md": WHEEL, "more/c.md": PUMP})
    kb.sync()
    kb.remove("a.md")
    kb.rename("b.md", "z.md")
    assert kb.sync()["docs"].embedded == 0
    assert {uri for uri, _ in _headings(kb)} == {"z.md", "c.md"}
    deletion = kb.store.deletions.hide_source("kb", "docs")  # killed after the first transaction
    assert (
        deletion.removed["search_entries"]
        == 2
        + kb.query(
            "SELECT count(*) AS n FROM version_chunks vc JOIN documents d ON d.head_version_id = vc.version_id"
            " WHERE d.uri = 'z.md'"
        )[0]["n"]
    )
    assert {uri for uri, _ in _headings(kb)} == {"c.md"}
    assert _leg(kb, "Wheel > Fixing a spoke")[0].uri == "c.md"
    chunks = kb.query("SELECT count(*) AS n FROM search_entries_chunk")[0]["n"]
    assert kb.delete().removed["search_entries"] == chunks + 3
    assert _headings(kb) == []
    assert kb.query("SELECT count(*) AS n FROM embeddings") == [{"n": 0}]


def test_vectors_of_headings_are_kept_while_a_version_has_them(kb: Headwater) -> None:
    """Housekeeping leaves them, and takes them once no version has the heading (EMB-1)."""
    assert kb.store.housekeeping.prune_embeddings() == 0
    kb.write("b.md", WHEEL.replace("## Fixing a spoke", "## Mending a spoke"))
    kb.sync()
    assert kb.store.housekeeping.prune_embeddings() == 0  # the old version is kept for its period
    kb.store.housekeeping.prune_versions(kb.now())
    texts = kb.query("SELECT count(*) AS n FROM version_chunks WHERE breadcrumb[2] = 'Mending a spoke'")[0]["n"]
    assert kb.store.housekeeping.prune_embeddings() == texts + 1
    assert kb.store.index_health.count_unused_vectors(_index(kb).model) == 0
    assert kb.sync()["docs"].embedded == 0


def test_a_heading_without_a_vector_stops_publishing(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published by halves: neither the document's chunks nor its headings."""
    from headwater.syncing import embeddings

    kb = headwater(files={"a.md": PUMP})
    monkeypatch.setattr(embeddings, "_embed", lambda *_: None)
    assert kb.sync()["docs"].state == "failed"
    assert _headings(kb) == []
    rows = kb.query("SELECT DISTINCT embedding_hash AS hash FROM version_chunks WHERE embedding_hash <> heading_hash")
    for row in rows:  # every text of a chunk, but no heading
        kb.query(
            """INSERT INTO embeddings SELECT 'builtin/hash', %s, array_fill(0.1, ARRAY[384])::halfvec, 1, 'r', 'c'
               RETURNING 1""",
            row["hash"],
        )
    index = _index(kb)
    with kb.store.workers.hold_source(kb.source(), None, "run") as work:
        changed, _ = kb.store.search_indexes.documents_to_publish(work, index)
        with pytest.raises(ModelUnavailableError):
            kb.store.search_indexes.publish(work, index, [one.document_id for one in changed], "run")
    assert kb.query("SELECT count(*) AS n FROM search_entries") == [{"n": 0}]


def test_sections_are_found_by_their_headings(kb: Headwater) -> None:
    """Passages of a section share its rank; the scores of heading and chunk are both shown (RET-8)."""
    found = _leg(kb, "Pump > Fixing a leak")
    first = [passage for passage in found if passage.scores.heading_rank == 1]
    assert {passage.breadcrumb for passage in first} == {("Pump", "Fixing a leak")}
    assert (
        len(first)
        == kb.query("SELECT count(*) AS n FROM version_chunks WHERE breadcrumb = '{Pump,Fixing a leak}'")[0]["n"]
    )
    assert [passage.rank for passage in found] == list(range(1, len(found) + 1))
    assert all(passage.scores.heading is not None and passage.scores.vector is not None for passage in found)
    assert len(_leg(kb, "Pump > Fixing a leak", depth=2)) == 2
    assert {passage.breadcrumb for passage in _leg(kb, "Pump > Winter", least=0.99)} == {("Pump", "Winter")}
    assert _leg(kb, "something else", least=0.99) == []


def test_filters_hold_for_headings(headwater: Make) -> None:
    """Filters by source and document apply; a filter that matches nothing finds nothing (RET-2)."""
    kb = headwater("docs", "more", files={"docs/a.md": PUMP, "docs/b.md": WHEEL, "more/c.md": PUMP})
    kb.sync()
    assert {passage.source for passage in _leg(kb, "Pump", sources=("more",))} == {"more"}
    assert {passage.uri for passage in _leg(kb, "Pump", documents=("b.md",))} == {"b.md"}
    assert _leg(kb, "Pump", documents=("gone.md",)) == []


def test_the_leg_is_fused_by_ranks(kb: Headwater) -> None:
    """A passage that both found moves up and keeps its scores; one that headings alone found is added."""
    ranked = kb.search("frost", top_k=3)
    leg = _leg(kb, "Pump > Winter", depth=3)
    fused = add_heading_leg(ranked, leg, weight=0.5, limit=10)
    assert {passage.chunk_id for passage in fused} == {passage.chunk_id for passage in [*ranked, *leg]}
    before = {passage.chunk_id: passage.scores for passage in ranked}
    for passage in leg:
        (same,) = [one for one in fused if one.chunk_id == passage.chunk_id]
        known = before.get(passage.chunk_id)
        rank = passage.scores.heading_rank or 0
        assert same.score == pytest.approx((known.fused if known else 0) + 0.5 / (60 + rank))
        assert same.scores.text == (known.text if known else None)
    assert [passage.rank for passage in fused] == list(range(1, len(fused) + 1))
    assert add_heading_leg(ranked, [], weight=0.5, limit=10) == ranked


def test_headings_stay_findable_in_a_partition(kb: Headwater) -> None:
    """A large index keeps its headings where they are."""
    before = _leg(kb, "Pump > Winter")
    kb.store.search_indexes.move_to_partition(_index(kb))
    kb.store.search_indexes.clear_shared_entries(_index(kb))
    assert _leg(kb, "Pump > Winter") == before


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM search_entries_heading WHERE title = 'Wheel' RETURNING 1",
        "UPDATE search_entries_heading SET embedding_hash = '\\x00' WHERE title = 'Wheel' RETURNING 1",
        "UPDATE search_entries_heading SET target_id = gen_random_uuid() WHERE title = 'Wheel' RETURNING 1",
        "UPDATE search_entries_heading SET vector = '[1,2,3]' WHERE title = 'Wheel' RETURNING 1",
        "DELETE FROM published_documents p USING documents d WHERE d.id = p.document_id AND d.uri = 'b.md' RETURNING 1",
    ],
)
def test_wrong_headings_are_seen(kb: Headwater, damage: str) -> None:
    """Missing ones, those left over, those of another size, those of what is not published (OPS-3)."""
    health, index = kb.store.index_health, _index(kb)

    def wrong() -> set[str]:
        found = (health.wrong_entries(HEADING, index), health.wrong_dimensions(index), health.orphans(index))
        return {example for finding in found for example in finding.examples}

    assert wrong() == set()
    kb.query(damage)
    assert wrong() == {"b.md"}
