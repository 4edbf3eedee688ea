"""What following links does to retrieval (GRA-1): the passages that a search finds with and without it.

Belongs here: the same questions with each way of following, over real sources. Not here: the golden metrics of a
knowledge base (`headwater eval`). Guarantee: the same index for all ways; a passage counts only if it has the quote.

    python -m bench.follow_links --git . --nebari ../shared/data/docs/nebari --faq ../shared/data/qa/nebari_faq.jsonl

`code_questions.jsonl` has 24 questions about this repository: which code calls something, and where something is
defined that other code uses. The FAQ of nebari has one right document for each question.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from bench.throwaway import sync, throwaway_home

_WAYS: Mapping[str, Mapping[str, Any]] = {
    "no links": {},
    "depth 1": {"traversal_depth": 1},
    "follow_links": {"follow_links": True},
    "follow_links, depth 1": {"follow_links": True, "traversal_depth": 1},
    "follow_links, depth 2": {"follow_links": True, "traversal_depth": 2},
}
_DEPTHS = (5, 10)


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--git", type=click.Path(path_type=Path, exists=True), required=True, help="This repository.")
@click.option("--nebari", type=click.Path(path_type=Path, exists=True), required=True, help="Its documentation.")
@click.option("--faq", type=click.Path(path_type=Path, exists=True), required=True, help="Questions with `doc_id`.")
@click.option("--model", default="builtin/minilm-int8", show_default=True, help="The embedding model.")
def main(git: Path, nebari: Path, faq: Path, model: str) -> None:
    """Measure, and print a table for each source."""
    code = _lines(Path(__file__).with_name("code_questions.jsonl"))
    asked = [{"question": one["question"], "relevant": [{"uri": one["doc_id"], "quote": ""}]} for one in _lines(faq)]
    roots = ["headwater/**", "assets/**", "pipelines/**", "query_api/**", "cli/**"]
    sources = {
        "code": ("codebase", {"git": str(git.resolve()), "include": roots}, code),
        "nebari": ("markdown_tree", {"path": str(nebari.resolve())}, asked),
    }
    with throwaway_home():
        for name, (kind, config, questions) in sources.items():
            _fill(name, kind, config, model)
            print(f"\n{name}: {len(questions)} questions\n")
            print("| way | recall@5 | recall@10 | MRR | ms |\n|---|---|---|---|---|")
            for way, options in _WAYS.items():
                found = _measure(name, questions, options)
                print(f"| {way} | " + " | ".join(f"{value:.3f}" for value in found[:3]) + f" | {found[3]:.0f} |")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _fill(slug: str, kind: str, config: dict[str, Any], model: str) -> None:
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate

    migrate(database_url(Settings.from_env()))
    source = SourceSpec(slug="source", kind=kind, config=config)
    chosen = KnowledgeBaseSettings(embedding_model=model)
    spec = KnowledgeBaseSpec(slug=slug, name=slug, description="", settings=chosen, sources=(source,))
    with environment() as env, dagster_instance(env.settings) as instance:
        apply(env.store, spec)
        sync(env, instance, slug)


def _measure(slug: str, questions: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> tuple[float, ...]:
    """The means of recall at each depth and of the reciprocal rank, and the mean time in milliseconds."""
    import time

    from cli.environment import environment
    from headwater.retrieval.finder import SearchOptions
    from headwater.retrieval.search import search

    rows, taken = [], []
    with environment() as env:
        knowledge_base = env.store.knowledge_bases.get(slug)
        chosen = SearchOptions(top_k=max(_DEPTHS), group_by="passage", **options)
        for question in questions:
            begun = time.perf_counter()
            passages = search(env.store, env.settings, knowledge_base, question["question"], chosen).passages
            taken.append((time.perf_counter() - begun) * 1000)
            rows.append(_judged([(passage.uri, passage.text) for passage in passages], question["relevant"]))
    return (*(fmean(column) for column in zip(*rows, strict=True)), fmean(taken))


def _judged(passages: Sequence[tuple[str, str]], relevant: Sequence[Mapping[str, str]]) -> tuple[float, ...]:
    places = [
        next((place for place, (uri, text) in enumerate(passages) if uri == one["uri"] and one["quote"] in text), None)
        for one in relevant
    ]
    found = [place for place in places if place is not None]
    recalls = [sum(place < depth for place in found) / len(relevant) for depth in _DEPTHS]
    return (*recalls, 1 / (1 + min(found)) if found else 0.0)


if __name__ == "__main__":
    main()
