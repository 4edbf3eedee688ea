"""The measurements run on tiny data, and BM25 is what its formula says (bench/, RET-1)."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
from psycopg.rows import dict_row

from bench.beir import Collection, Document
from bench.recall import recalls, spearman
from bench.search_quality import ask_all, make_index
from bench.speed import BackendClock, add, draw, overheads
from bench.speed import ask_all as ask_timed
from bench.synthetic import Synthetic
from cli.environment import Environment
from headwater.indexing.preparation import prepare
from headwater.lexical.bm25 import HEADING_BOOST, K1, B
from headwater.lexical.tokens import tokens
from headwater.settings import Settings
from headwater.store.search.lexemes import lexemes
from headwater.store.search.passage_search import SearchRequest
from headwater.store.store import Store

COLLECTION = Collection(
    name="tiny",
    documents=(
        Document(id="guide.pdf", title="Guide", text="The pump lifts forty litres of water.", page=1),
        Document(id="guide.pdf", title="Guide", text="The wheel turns the shaft of the mill.", page=2),
    ),
    queries={"q1": "what lifts water", "q2": "what turns the shaft"},
    relevant={"q1": frozenset({"guide.pdf#page=1"}), "q2": frozenset({"guide.pdf#page=2"})},
)


def test_a_collection_goes_through_the_chain_and_is_judged(
    settings: Settings, store: Store, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """Each query's page is found first by its words."""
    env = Environment(settings=settings, store=store)
    index = make_index(env, instance, tmp_path, COLLECTION, "builtin/hash")
    found = ask_all(env, index, COLLECTION)
    assert found["keyword"] == {"nDCG@10": 1.0, "R@100": 1.0, "top 5": 1.0}
    assert {"keyword", "vector", "hybrid"} <= found.keys()


def test_synthetic_chunks_are_published_timed_and_searched(settings: Settings, store: Store, tmp_path: Path) -> None:
    """Every mode has its times at a size, a rate is measured, and a scan that is exact finds everything."""
    data = Synthetic(store)
    data.publish(data.write(200))
    prepare(store, settings, data.knowledge_base, data.index)
    latencies = ask_timed(data, BackendClock(store), data.questions(3))
    assert [(one.size, one.mode) for one in latencies] == [(200, "keyword"), (200, "vector"), (200, "hybrid")]
    assert all(one.wall_p95 >= one.wall_p50 > 0 for one in latencies)
    assert overheads(latencies).keys() == {200}
    assert add(data, BackendClock(store), 20).wall > 0
    assert store.index_health.size(data.index).entries == 220
    (unfiltered, *_) = recalls(data, data.questions(5))
    assert (unfiltered.filter, unfiltered.recall) == ("none", 1.0)
    pytest.importorskip("matplotlib")
    draw(latencies, tmp_path / "speed.svg")
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")


def test_scores_by_words_are_those_of_plain_bm25(store: Store) -> None:
    """Lucene's idf, saturation and length, over the same tokens; headings count as often as they are boosted."""
    data = Synthetic(store)
    data.publish(data.write(300))
    rows = _rows(store)
    with store.database.transaction(snapshot=True) as session:
        language = "english"
        bodies = lexemes(session, language, [tokens(row["text"]) for row in rows])
        heads = lexemes(session, language, [tokens(" ".join([row["uri"], *row["breadcrumb"]])) for row in rows])
    counts = [Counter(body) for body in bodies]
    for count, head in zip(counts, heads, strict=True):
        for lexeme in head:
            count[lexeme] += HEADING_BOOST
    average = sum(count.total() for count in counts) / len(counts)
    held = Counter(lexeme for count in counts for lexeme in count)
    for question in data.questions(10):
        request = SearchRequest(words=tokens(question.text), vector=None, depth=1000, limit=1000)
        ours = {p.chunk_id: p.scores.text for p in store.searching.search(data.index, request).passages}
        with store.database.transaction(snapshot=True) as session:
            (asked,) = lexemes(session, language, [tokens(question.text)])
        plain = {
            row["chunk_id"]: sum(
                math.log(1 + (len(rows) - held[term] + 0.5) / (held[term] + 0.5))
                * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * count.total() / average))
                for term in asked if count[term]
            )
            for row, count in zip(rows, counts, strict=True)
        }  # fmt: skip
        assert ours
        assert ours == {chunk: pytest.approx(plain[chunk], rel=1e-3) for chunk in ours}
        assert spearman(list(ours.values()), [plain[chunk] for chunk in ours]) > 0.99
        best = max(plain, key=lambda chunk: plain[chunk])
        assert ours[best] == max(score for score in ours.values() if score is not None)


def _rows(store: Store) -> list[dict[str, Any]]:
    with psycopg.connect(store.database.url, row_factory=dict_row) as connection:
        return connection.execute(
            "SELECT c.id AS chunk_id, d.uri, vc.breadcrumb, c.text FROM version_chunks vc"
            " JOIN chunks c ON c.id = vc.chunk_id JOIN documents d ON d.id = c.document_id"
        ).fetchall()
