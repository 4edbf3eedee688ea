"""The command `tree`: the summary trees of a knowledge base.

Belongs here: its arguments, and trees as text. Not here: reading them (`headwater.store.content.summaries`). Guarantee:
as for every command (`main`); text of sources cannot steer the terminal.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.rendering import plain
from headwater.domain.listing import counted

_LIMIT = 2_000  # nodes of each source
_SHOWN = 300  # characters of a summary


@click.command()
@click.argument("knowledge_base")
@click.argument("sources", nargs=-1)
@click.option("--depth", default=2, show_default=True, type=WholeNumber(0, 30), help="How many levels below the top.")
@json_option
@reports_errors
def tree(knowledge_base: str, sources: tuple[str, ...], depth: int, as_json: bool) -> None:
    """Show the summaries of sources, and of what is below them."""
    from cli.environment import environment
    from query_api.routes.summary_payloads import SummaryTreePayload

    with environment() as env:
        chosen = env.store.sources.select(knowledge_base, sources)
        read = env.store.summaries.nodes
        trees = [
            SummaryTreePayload.of(source.slug, read(source, depth=depth, limit=_LIMIT + 1), _LIMIT).model_dump(
                mode="json"
            )
            for source in chosen
        ]
    emit({"trees": trees}, as_json=as_json, text=trees_text(trees, knowledge_base))


def trees_text(trees: list[dict[str, Any]], knowledge_base: str) -> str:
    """Each node on lines of its own, indented below the one above."""
    if not any(one["nodes"] for one in trees):
        return (
            f"{knowledge_base} has no summaries. Set `summary_model` in its settings, such as to builtin/extractive, "
            f"and run `headwater sync {knowledge_base}`."
        )
    return "\n".join(line for one in trees for line in _lines(one))


def _lines(one: Mapping[str, Any]) -> Iterator[str]:
    for node in one["nodes"]:
        indent = "  " * node["depth"]
        name = one["source"] if node["kind"] == "source" else node["title"]
        below = counted(node["children"], "node") + " below" if node["children"] else counted(node["chunks"], "chunk")
        yield f"{indent}{node['kind']} {plain(name)} ({below})".replace("  (", " (")
        yield f"{indent}  {plain(_short(node['text']))}"
    if one["truncated"]:
        yield f"There are more than {_LIMIT} summaries. Show fewer levels with --depth."


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} …"
