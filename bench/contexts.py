"""What `/v1/context` costs beside a search (API-4).

Belongs here: both requests in turn, and the difference. Not here: how long a search takes by the size of the index
(`speed`). Guarantee: both are measured in one run, in turn, over the same app, so other load takes part in both.

    python -m bench.contexts [--documents 200] [--rounds 5] [--json FILE]

The knowledge base is made of synthetic notes with the built-in model. The context has a budget of 2,000 tokens. Each
question is sent once to warm up. The overhead is the middle of the differences of each pair.
"""

import json
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import click

from bench.throwaway import sync, throwaway_home

_QUESTIONS = 20
_THINGS = ("pump", "well", "valve", "tank", "filter", "meter", "hose", "boiler", "turbine", "drain")
_TARGET = 10.0  # milliseconds


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--documents", default=200, show_default=True, help="How many notes there are.")
@click.option("--rounds", default=5, show_default=True, help="How often each question is sent.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(documents: int, rounds: int, json_file: Path | None) -> None:
    """Measure, and print a table."""
    with throwaway_home() as home:
        _fill(home, documents)
        found = _measure(rounds)
    print("| request | p50 ms | p95 ms |\n|---|---|---|")
    for name in ("search", "context"):
        print(f"| {name} | {found[name]['p50']:.1f} | {found[name]['p95']:.1f} |")
    print(f"\nThe overhead is {found['overhead']:.1f} ms (target: at most {_TARGET:g}), ratio {found['ratio']:.2f}.")
    if json_file:
        json_file.write_text(json.dumps(found))


def _fill(home: Path, documents: int) -> None:
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate

    migrate(database_url(Settings.from_env()))
    folder = home / "docs"
    folder.mkdir()
    for number in range(documents):
        thing = f"{_THINGS[number % len(_THINGS)]} {number}"
        parts = [
            f"## Part {part}\n\nThe {thing} lifts {number + part} litres of water per minute. " * 3 for part in range(6)
        ]
        (folder / f"{number}.md").write_text(f"# The {thing}\n\n" + "\n\n".join(parts))
    source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(folder)})
    spec = KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=KnowledgeBaseSettings(), sources=(source,))
    with environment() as env, dagster_instance(env.settings) as instance:
        apply(env.store, spec)
        sync(env, instance, "kb")


def _measure(rounds: int) -> dict[str, Any]:
    from query_api.app import create_app

    client = create_app().test_client()
    taken: dict[str, list[float]] = {"search": [], "context": []}
    for turn in range(rounds + 1):
        for number in range(_QUESTIONS):
            question = f"How many litres does {_THINGS[number % len(_THINGS)]} {number} lift per minute?"
            bodies = {
                "search": ("/api/v1/knowledge-bases/kb/search", {"query": question, "group_by": "passage"}),
                "context": (
                    "/v1/context",
                    {"model": "kb", "messages": [{"role": "user", "content": question}], "max_tokens": 2000},
                ),
            }
            for name, (path, body) in bodies.items():
                begun = time.perf_counter()
                response = client.post(path, json=body)
                took = (time.perf_counter() - begun) * 1000
                assert response.status_code == 200, response.text
                if turn:
                    taken[name].append(took)
    figures: dict[str, Any] = {
        name: {"p50": median(values), "p95": quantiles(values, n=20)[-1]} for name, values in taken.items()
    }
    pairs = zip(taken["context"], taken["search"], strict=True)
    figures["overhead"] = median(context - search for context, search in pairs)
    figures["ratio"] = figures["context"]["p50"] / figures["search"]["p50"]
    return figures


if __name__ == "__main__":
    main()
