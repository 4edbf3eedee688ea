"""The quality of search: nDCG@10 and recall at 100 by words, by vector, by both, and reranked.

Belongs here: making a knowledge base of a collection, asking it, and the figures. Not here: reading collections
(`beir`), what a figure means (`headwater.evaluation.metrics`). Guarantee: the chain that a user's sync runs, in a home
that is gone afterwards.

    python -m bench.search_quality FOLDER [FOLDER…] [--summaries] [--json]
    python -m bench.search_quality --pages PDF_FOLDER QUESTIONS.jsonl [--json]

With `--json` the last line is one JSON object: the figures by mode, or by folder and mode when there are several. A
document is as good as its best chunk. With `--summaries` the knowledge base has summary trees and a summary of each
chunk, and two more modes say what search would find if that sentence were one more entry that leads to its chunk.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from bench.beir import Collection, read_folder, read_pages
from bench.throwaway import sync, throwaway_home
from headwater.domain.search import Passage, SearchIndex
from headwater.evaluation.metrics import ndcg_at, recall_at
from headwater.lexical.tokens import tokens
from headwater.store.search.passage_search import SearchRequest
from headwater.store.store import Store

DEEP = 100
"""Documents of each ranking that are judged."""
RERANKED = 50
"""Passages that the reranker judges; the rest keep their order behind them."""
_SUMMARIES = ", summary_model: builtin/extractive, chunk_summaries: true"
_RANK = 60  # of reciprocal rank fusion, as in search
Figures = dict[str, dict[str, float]]
Rerank = Callable[[str, Sequence[Passage]], Sequence[Passage]]


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folders", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--pages", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A folder of PDF files.")
@click.option("--model", default="builtin/minilm-int8", show_default=True, help="The embedding model.")
@click.option("--summaries", is_flag=True, help="Have summary trees, and summaries of chunks.")
@click.option("--json", "as_json", is_flag=True, help="End with one line of JSON.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write the figures, by folder and mode.")
def main(
    folders: tuple[Path, ...], pages: Path | None, model: str, out: Path | None, *, summaries: bool, as_json: bool
) -> None:
    """Measure each collection, and print a table."""
    if not folders or (pages and len(folders) != 1):
        raise click.UsageError("Name at least one folder; with --pages, one file of questions.")
    collections = [read_pages(pages, folders[0])] if pages else [read_folder(folder) for folder in folders]
    found: dict[str, Figures] = {}
    for collection in collections:
        found[collection.name] = measure(collection, model, with_summaries=summaries)
        click.echo(table(collection.name, found[collection.name]))
    if len(found) > 1:
        click.echo(table("mean", mean(found.values())))
    if out:
        shown = next(iter(found.values())) if pages else found
        out.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found if len(found) > 1 else next(iter(found.values()))))


def measure(collection: Collection, model: str, *, with_summaries: bool = False) -> Figures:
    """Sync a collection into a throw-away knowledge base, and ask it every query in every mode.

    Returns:
        By mode: `nDCG@10` and `R@100`; for pages `top 5` too, the share of questions with a right page among five.
    """
    with throwaway_home() as home:
        from cli.environment import dagster_instance, environment

        with environment() as env:
            with contextlib.redirect_stdout(sys.stderr), dagster_instance(env.settings) as instance:
                index = make_index(env, instance, home, collection, model, with_summaries=with_summaries)
            return ask_all(env, index, collection, with_summaries=with_summaries)


def make_index(
    env: Any, instance: Any, home: Path, collection: Collection, model: str, *, with_summaries: bool = False
) -> SearchIndex:
    """Publish a collection by the chain that every sync runs; its index is the knowledge base's active one."""
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    lines = ({"uri": d.id, "title": d.title, "text": d.text, "page": d.page} for d in collection.documents)
    (home / "documents.jsonl").write_text("".join(json.dumps(line) + os.linesep for line in lines), encoding="utf-8")
    (home / "kb.yaml").write_text(
        f"knowledge_base: {{slug: bench, settings: {{embedding_model: {model}{_SUMMARIES * with_summaries}}}}}\n"
        f"sources: [{{slug: documents, kind: jsonl, path: {home / 'documents.jsonl'}}}]\n",
        encoding="utf-8",
    )
    click.echo(f"{collection.name}: {len(collection.documents)} documents are synced …", err=True)
    apply(env.store, read_file(home / "kb.yaml"))
    sync(env, instance, "bench")
    index: SearchIndex = env.store.search_indexes.active("bench")
    return index


def ask_all(env: Any, index: SearchIndex, collection: Collection, *, with_summaries: bool = False) -> Figures:
    """Ask an index every query of a collection in every mode."""
    from headwater.models_gateway.embedder_registry import load_embedder

    queries = collection.queries
    embedder = load_embedder(index.model, env.settings)
    vectors = dict(zip(queries, embedder.embed(list(queries.values())), strict=True))
    size = env.store.index_health.size(index)
    depth = DEEP * max(1, round(size.chunks / max(1, size.documents) + 0.5))
    rerank = reranker(env.settings)
    sentences: dict[str, NDArray[np.float32]] = {}
    rankings: dict[str, dict[str, list[bool]]] = {}
    with click.progressbar(queries.items(), label=f"{collection.name}: queries", file=sys.stderr) as progress:
        for name, text in progress:
            found = ask(env.store, index, text, vectors[name], depth, rerank)
            if with_summaries:
                every = SearchRequest(
                    words=tokens(text), vector=vectors[name], depth=size.chunks, limit=size.chunks, by_text=False
                )
                nearest = env.store.searching.search(index, every).passages
                new = list({one.summary for one in nearest if one.summary} - sentences.keys())
                sentences |= dict(zip(new, embedder.embed(new), strict=True))
                found |= with_sentences(nearest, found["keyword"], vectors[name], sentences)
            for mode, passages in found.items():
                uris = list(dict.fromkeys(passage.uri for passage in passages))[:DEEP]
                rankings.setdefault(mode, {})[name] = [uri in collection.relevant[name] for uri in uris]
    has_pages = collection.documents[0].page is not None
    return {mode: figures(by_query, collection, has_pages=has_pages) for mode, by_query in rankings.items()}


def ask(
    store: Store, index: SearchIndex, text: str, vector: NDArray[np.float32], depth: int, rerank: Rerank
) -> dict[str, Sequence[Passage]]:
    """One query in every mode: the passages, best first."""
    both = SearchRequest(words=tokens(text), vector=vector, depth=depth, limit=depth)
    requests = {
        "keyword": replace(both, vector=None),
        "vector": replace(both, by_text=False),
        "hybrid": both,
    }
    found: dict[str, Sequence[Passage]] = {
        mode: store.searching.search(index, request).passages for mode, request in requests.items()
    }
    hybrid = found["hybrid"]
    return {**found, "rerank": [*rerank(text, hybrid[:RERANKED]), *hybrid[RERANKED:]]}


def with_sentences(
    nearest: Sequence[Passage],
    by_text: Sequence[Passage],
    vector: NDArray[np.float32],
    sentences: Mapping[str, NDArray[np.float32]],
) -> dict[str, Sequence[Passage]]:
    """What search would find if the summary of each chunk were one more entry: a chunk is as near as the nearer one.

    Args:
        nearest: all passages of the index, with their similarities.
        by_text: those that were found by words, best first.
        vector: of the query.
        sentences: the vectors of the summaries.
    """

    def nearness(one: Passage) -> float:
        own = one.scores.vector or 0.0
        return max(own, float(sentences[one.summary] @ vector)) if one.summary else own

    near = sorted(nearest, key=nearness, reverse=True)
    ranks: dict[Any, float] = {}
    for ranking in (near[: max(DEEP, len(by_text))], by_text):
        for place, one in enumerate(ranking, start=1):
            ranks[one.chunk_id] = ranks.get(one.chunk_id, 0.0) + 1 / (_RANK + place)
    by_id = {one.chunk_id: one for one in (*nearest, *by_text)}
    both = [by_id[chunk_id] for chunk_id in sorted(ranks, key=lambda chunk_id: -ranks[chunk_id])]
    return {"vector, sentences too": near, "hybrid, sentences too": both}


def reranker(settings: Any) -> Rerank:
    """The default reranker."""
    from headwater.retrieval.reranking.lexical_reranker import apply_reranker
    from headwater.retrieval.reranking.reranker_registry import RERANKERS, load_reranker

    loaded = load_reranker(RERANKERS[0], settings)
    assert loaded is not None
    return lambda question, passages: apply_reranker(loaded, question, passages).passages


def figures(rankings: Mapping[str, Sequence[bool]], collection: Collection, *, has_pages: bool) -> dict[str, float]:
    """The mean over the queries."""
    judged = [(ranking, len(collection.relevant[name])) for name, ranking in rankings.items()]
    found = {
        "nDCG@10": fmean(ndcg_at(10, ranking, count) for ranking, count in judged),
        f"R@{DEEP}": fmean(recall_at(DEEP, ranking, count) for ranking, count in judged),
    }
    if has_pages:
        found["top 5"] = fmean(any(ranking[:5]) for ranking, _ in judged)
    return {name: round(value, 4) for name, value in found.items()}


def mean(found: Sequence[Figures] | Any) -> Figures:
    """The mean over collections, each counting the same."""
    every = list(found)
    return {
        mode: {name: round(fmean(one[mode][name] for one in every), 4) for name in every[0][mode]} for mode in every[0]
    }


def table(title: str, found: Figures) -> str:
    """Figures as lines of text."""
    names = list(next(iter(found.values())))
    lines = [f"{title:<24}" + "".join(f"{name:>10}" for name in names)]
    lines += [f"  {mode:<22}" + "".join(f"{values[name]:>10.4f}" for name in names) for mode, values in found.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
