"""The share of an exact search's results that a search finds: vectors with and without filters, and BM25 against bm25s.

Belongs here: recall@10 by filter, rank correlation with bm25s. Not here: the data (`synthetic`), times (`speed`).
Guarantee: the results of real searches are compared, not those of separate queries.

    python -m bench.recall [--chunks 100000] [--questions 60] [--json FILE]

Categories hold whole topics, so most questions are about what their filter leaves out: for HNSW, the hardest case. The
correlation is Spearman's over the entries that both score, of the same tokens in the same amounts (a heading's words as
often as they are boosted).
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import UUID

import click
import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector.psycopg import register_vector

from bench.synthetic import Question, Synthetic
from bench.throwaway import throwaway_home
from headwater.domain.search import SearchFilters
from headwater.indexing.preparation import prepare
from headwater.lexical.bm25 import K1, B, term_id
from headwater.lexical.tokens import tokens
from headwater.retrieval.finder import DEPTH
from headwater.settings import Settings
from headwater.store.search.lexemes import lexemes
from headwater.store.search.passage_search import SearchRequest

FILTERS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "0.1 %": ("a",),
    "2 %": ("b",),
    "35 %": ("c",),
    "70 %": ("c", "d"),
}
_TOLERANCE = 1e-6  # half-precision distances that differ by less are the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """The share of the ten nearest entries that search found, over all questions, and the fewest that it returned."""

    filter: str
    entries: int
    recall: float
    fewest: int


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--chunks", default=100_000, show_default=True, help="In the index.")
@click.option("--questions", default=60, show_default=True, help="How many are asked.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(chunks: int, questions: int, json_file: Path | None) -> None:
    """Measure, and print a table."""
    from headwater.store.store import open_store

    with throwaway_home():
        settings = Settings.from_env()
        with open_store(settings, size=1) as store:
            data = Synthetic(store)
            print(f"{chunks} chunks are written and published …", file=sys.stderr, flush=True)
            data.publish(data.write(chunks))
            prepare(store, settings, data.knowledge_base, data.index)
            asked = data.questions(questions)
            found = recalls(data, asked)
            click.echo(f"{'filter':<8}{'entries':>10}{'recall@10':>12}{'fewest':>8}")
            for one in found:
                click.echo(f"{one.filter:<8}{one.entries:>10}{one.recall:>12.4f}{one.fewest:>8}")
            like = correlations(data, asked)
    if like:
        click.echo(f"BM25 against bm25s: mean rank correlation {fmean(like):.4f}, least {min(like):.4f}")
    else:
        click.echo("BM25 was not compared: pip install 'headwater[bench]'.")
    if json_file:
        figures = {"recall": [asdict(one) for one in found], "bm25_rank_correlation": like}
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def recalls(data: Synthetic, questions: Sequence[Question]) -> list[Recall]:
    """Recall@10 of searches by vector against every distance, by filter."""
    ids, categories, vectors = _entries(data)
    found = []
    for name, wanted in FILTERS.items():
        rows = np.flatnonzero(np.isin(categories, wanted)) if wanted else np.arange(len(ids))
        if not len(rows):
            continue
        near = [_nearest(data, question, SearchFilters(categories=wanted)) for question in questions]
        shares = []
        for question, passages in zip(questions, near, strict=True):
            similar = vectors[rows] @ question.vector
            enough = np.sort(similar)[-min(10, len(rows)) :][0] - _TOLERANCE
            place = {ids[row]: score for row, score in zip(rows.tolist(), similar.tolist(), strict=True)}
            shares.append(sum(place.get(chunk, -1.0) >= enough for chunk in passages[:10]) / min(10, len(rows)))
        found.append(Recall(filter=name, entries=len(rows), recall=round(fmean(shares), 4), fewest=min(map(len, near))))
    return found


def _nearest(data: Synthetic, question: Question, filters: SearchFilters) -> list[UUID]:
    request = SearchRequest(
        words=tokens(""), vector=question.vector, by_text=False, filters=filters, depth=DEPTH, limit=DEPTH
    )
    return [passage.chunk_id for passage in data.store.searching.search(data.index, request).passages]


def _entries(data: Synthetic) -> tuple[list[UUID], NDArray[Any], NDArray[np.float32]]:
    """Every entry: its chunk, its category, and its vector as it is stored."""
    with psycopg.connect(data.store.database.url) as connection:
        register_vector(connection)
        rows = connection.execute(
            "SELECT e.target_id, v.category, e.vector FROM search_entries_chunk e JOIN published_documents p"
            " USING (document_id) JOIN document_versions v ON v.id = p.version_id"
            " WHERE e.search_index_id = %s AND e.shard = %s",
            (data.index.id, data.index.shard),
        ).fetchall()
    vectors = np.array([row[2].to_numpy() for row in rows], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [row[0] for row in rows], np.array([row[1] for row in rows]), vectors


def correlations(data: Synthetic, questions: Sequence[Question]) -> list[float]:
    """Of each question, the rank correlation of our scores with those of bm25s; none where that is not installed."""
    try:
        import bm25s
    except ImportError:
        return []
    chunks, texts = _counted(data)
    reference = bm25s.BM25(method="lucene", k1=K1, b=B)
    reference.index(texts, show_progress=False)
    found = []
    for question, asked in zip(questions, _asked(data, questions), strict=True):
        scores = dict(zip(chunks, reference.get_scores(asked).tolist(), strict=True))
        request = SearchRequest(words=tokens(question.text), vector=None, depth=1000, limit=1000)
        ours = {p.chunk_id: p.scores.text for p in data.store.searching.search(data.index, request).passages}
        if len(ours) > 2:
            found.append(spearman(list(ours.values()), [scores[chunk] for chunk in ours]))
    return found


def _counted(data: Synthetic) -> tuple[list[UUID], list[list[str]]]:
    """Every entry's tokens, each as often as it counts; they are the terms' numbers."""
    from headwater.lexical.bm25 import counts_of_weights

    with psycopg.connect(data.store.database.url) as connection:
        register_vector(connection)
        rows = connection.execute(
            "SELECT w.target_id, w.length, w.weights, s.weighed_length FROM search_weights w JOIN search_statistics s"
            " USING (search_index_id) WHERE w.search_index_id = %s AND w.shard = %s",
            (data.index.id, data.index.shard),
        )
        chunks, texts = [], []
        for chunk, length, weights, average in rows:
            terms = {term + 1: weight for term, weight in zip(weights.indices(), weights.values(), strict=True)}
            counts = counts_of_weights(terms, length, average).counts
            chunks.append(chunk)
            texts.append([str(term) for term, count in counts.items() for _ in range(count)])
    return chunks, texts


def _asked(data: Synthetic, questions: Sequence[Question]) -> list[list[str]]:
    language = data.index.language
    with data.store.database.transaction(snapshot=True) as session:
        found = lexemes(session, language, [tokens(question.text) for question in questions])
    return [[str(term_id(lexeme)) for lexeme in asked] for asked in found]


def spearman(first: Sequence[float | None], second: Sequence[float]) -> float:
    """The correlation of two rankings, from -1 to 1; equals share their rank."""
    one, other = (_ranks(np.array(values, float).round(4)) for values in (first, second))
    if not np.ptp(one) or not np.ptp(other):
        return 1.0 if np.ptp(one) == np.ptp(other) else 0.0
    return float(np.corrcoef(one, other)[0, 1])


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle: NDArray[Any] = (ends - (counts - 1) / 2)[places]
    return middle


if __name__ == "__main__":
    main()
