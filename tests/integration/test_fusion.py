"""Scores in Postgres against values worked out by hand, and how thoroughly an index is scanned (RET-1, RET-2)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from headwater.domain.search import SearchFilters, SearchIndex
from headwater.indexing import preparation
from headwater.lexical.tokens import tokens
from headwater.store.search import passage_search
from headwater.store.search.passage_search import SearchRequest
from headwater.store.server.query_session import Session
from tests.support import Headwater, add_hard_vectors

Make = Callable[..., Headwater]


def _index(kb: Headwater) -> SearchIndex:
    found = kb.store.search_indexes.active(kb.slug)
    assert found is not None
    return found


def test_ranks_are_fused_with_k_60(headwater: Make) -> None:
    """1 / (60 + rank) of each leg (Cormack, Clarke, Buettcher 2009), now and as of a past time."""
    texts = {"a.md": "pump water", "b.md": "water wheel wheel", "c.md": "a shed in the garden", "d.md": "pump oil pump"}
    kb = headwater(files=texts, heading_weight=0.0)
    kb.sync()
    for as_of in (None, kb.now()):
        found = kb.search("pump water", as_of=as_of)
        ranks = {passage.uri: (passage.scores.vector_rank, passage.scores.text_rank) for passage in found}
        assert len(ranks) == 4
        assert {one for one, _ in ranks.values()} == {1, 2, 3, 4}
        assert {other for _, other in ranks.values()} == {1, 2, 3, None}
        for passage in found:
            expected = sum(1 / (60 + rank) for rank in ranks[passage.uri] if rank is not None)
            assert passage.scores.fused == pytest.approx(expected, rel=1e-9)


def test_a_terms_idf_and_score_are_bm25s(headwater: Make) -> None:
    """In Postgres as in the literature: k1 = 1.2, b = .75, Lucene's idf, a heading's words counted twice."""
    kb = headwater(files={"a.md": "pump pump oil", "b.md": "pump", "c.md": "wheel", "d.md": "shed"}, language="simple")
    kb.sync()
    request = SearchRequest(words=tokens("pump"), vector=None, depth=10, limit=10)
    found = kb.store.searching.search(_index(kb), request)
    (term,) = found.terms
    assert (term.held, term.total) == (2, 4)
    assert term.idf == pytest.approx(math.log(1 + 2.5 / 2.5), rel=1e-6)  # N = 4, n = 2
    average = kb.query("SELECT weighed_length FROM search_statistics")[0]["weighed_length"]
    # Beside its text an entry is found by its title `a`, and by its file's name: `a.md`, `a` and `md`, twice each.
    for passage, count, length in zip(found.passages, (2, 1), (11, 9), strict=True):
        norm = 1.2 * (0.25 + 0.75 * length / average)
        assert passage.scores.text == pytest.approx(math.log(2) * count * 2.2 / (count + norm), rel=1e-4)


def test_an_index_of_exactly_the_limit_is_scanned_exactly(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets a partition with HNSW of its own once it has one entry more (EMB-4)."""
    kb = headwater(files={f"{n}.md": f"Pump number {n}." for n in range(3)})
    kb.sync()
    for limit, is_large in ((3, False), (2, True)):
        monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", limit)
        made = preparation.prepare(kb.store, kb.settings, kb.knowledge_base, _index(kb))
        assert bool(made.shard) is is_large


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each search that is run was exact."""
    seen: list[bool] = []
    original = Session.run_template

    def noting(session: Session, query: str, numbers: Any, **values: Any) -> Any:
        if query == "search_chunks":
            seen.append(bool(numbers["is_exact"]))
        return original(session, query, numbers, **values)

    monkeypatch.setattr(Session, "run_template", noting)
    return seen


def test_behind_a_filter_nothing_is_missed(headwater: Make, monkeypatch: pytest.MonkeyPatch, scans: list[bool]) -> None:
    """Few entries are scanned exactly at once; of many, HNSW is asked, and all of them again where it finds too few."""
    kb = headwater(
        "docs", "rare", files={"docs/a.md": "The pump.", **{f"rare/{n}.md": f"Wheel {n}." for n in range(3)}}
    )
    kb.sync()
    index = add_hard_vectors(kb)
    rare = kb.source("rare").id
    multiplied = "(SELECT embedding_hash FROM search_entries_chunk GROUP BY 1 HAVING count(*) > 100)"
    document = "(SELECT id FROM documents WHERE uri = 'a.md')"
    moved = f"UPDATE search_entries_chunk SET source_id = %s, document_id = {document}"
    with psycopg.connect(kb.store.database.url) as connection:  # the planner believes that the filter leaves many
        connection.execute(f"{moved} WHERE embedding_hash = {multiplied}".encode(), (rare,))
        connection.execute(f"ANALYZE search_entries_chunk_{index.id}".encode())
        connection.execute(f"{moved} WHERE embedding_hash = {multiplied}".encode(), (kb.source().id,))
    wanted = kb.query("SELECT count(*) AS n FROM search_entries_chunk WHERE source_id = %s", rare)[0]["n"]
    assert wanted in (2, 3)
    vector = np.ones(384, dtype=np.float32)
    request = SearchRequest(
        words=tokens("wheel"), vector=vector, by_text=False, filters=SearchFilters(sources=("rare",)), depth=3, limit=10
    )

    def found() -> int:
        scans.clear()
        return len(kb.store.searching.search(index, request).passages)

    monkeypatch.setattr(passage_search, "EXACT_SCAN", 3)
    assert (found(), scans) == (wanted, [True])
    monkeypatch.setattr(passage_search, "EXACT_SCAN", 2)
    monkeypatch.setattr(passage_search, "_FILTERED_EF", 1)
    monkeypatch.setattr(passage_search, "_SCAN_LIMIT", 1)
    assert (found(), scans) == (wanted, [False, True])
