"""The command `tree`, the summary trees of a knowledge base, and the estimate of `sync`.

Belongs here: their arguments, trees and estimates as text. Not here: reading trees (`headwater.store.content`),
estimating (`headwater.syncing.estimate`). Guarantee: as for every command (`main`); text of sources cannot steer
the terminal.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize

_DEPTH = 2
_LIMIT = 2_000  # nodes of each source
_SHOWN = 300  # characters of a summary


@click.command()
@click.argument("knowledge_base")
@click.argument("sources", nargs=-1)
@click.option("--depth", type=WholeNumber(0, 30), help="How many levels below the top. Default: 2, or what fits.")
@click.option(
    "--svg", type=click.Path(path_type=Path, allow_dash=True), help="Draw them into a file, or stdout with -."
)
@json_option
@reports_errors
def tree(knowledge_base: str, sources: tuple[str, ...], depth: int | None, svg: Path | None, as_json: bool) -> None:
    """Show the summary of a knowledge base, or those of the sources you name, and what is below them."""
    from cli.environment import environment
    from headwater.summaries.knowledge_base_tree import is_current
    from query_api.routes.summary_payloads import KnowledgeBaseTreePayload, SummaryTreePayload

    if svg is not None:
        _draw(knowledge_base, sources, depth, svg, as_json=as_json)
        return
    depth = _DEPTH if depth is None else depth
    with environment() as env:
        if not sources:
            owner = env.store.knowledge_bases.get(knowledge_base)
            nodes = env.store.knowledge_base_summaries.nodes(owner, depth=depth, limit=_LIMIT + 1)
            current = is_current(env.store, owner)
            payload = KnowledgeBaseTreePayload.of(owner.slug, nodes, _LIMIT, current=current).model_dump(mode="json")
            emit(payload, as_json=as_json, text=trees_text([payload], knowledge_base))
            return
        selected = env.store.sources.select(knowledge_base, sources)
        read = env.store.summaries.nodes
        trees = [
            SummaryTreePayload.of(source.slug, read(source, depth=depth, limit=_LIMIT + 1), _LIMIT).model_dump(
                mode="json"
            )
            for source in selected
        ]
    emit({"trees": trees}, as_json=as_json, text=trees_text(trees, knowledge_base))


def _draw(knowledge_base: str, sources: tuple[str, ...], depth: int | None, file: Path, *, as_json: bool) -> None:
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.administration.atomic_file import write_file
    from query_api.tree_drawing import draw_trees, read_trees

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        trees = read_trees(env.store, env.store.sources.select(knowledge_base, sources), depth=depth)
        drawn = draw_trees(knowledge_base, trees, root=api_url(env.settings))
    if is_piped:
        click.echo(drawn, nl=False)
        return
    size = write_file(file, [drawn.encode()])
    nodes = sum(len(source_tree.nodes) for source_tree in trees)
    message = f"Drew {pluralize(nodes, 'node')} into {file}."
    emit({"file": str(file), "size": size, "nodes": nodes}, as_json=as_json, text=message)


def trees_text(trees: list[dict[str, Any]], knowledge_base: str) -> str:
    """Each node on lines of its own, indented below the one above."""
    if not any(source_tree["nodes"] for source_tree in trees):
        if not all(source_tree.get("current", True) for source_tree in trees):
            return (
                f"{knowledge_base} has no summary yet. `headwater sync {knowledge_base}` makes it; "
                f"`headwater tree {knowledge_base} SOURCE` shows that of a source."
            )
        return (
            f"{knowledge_base} has no summaries. Set `summary_model` in its settings, such as to builtin/extractive, "
            f"and run `headwater sync {knowledge_base}`."
        )
    return "\n".join(line for source_tree in trees for line in _lines(source_tree))


def _lines(source_tree: Mapping[str, Any]) -> Iterator[str]:
    for node in source_tree["nodes"]:
        indent = "  " * node["depth"]
        contents = (
            pluralize(node["children"], "node") + " below" if node["children"] else pluralize(node["chunks"], "chunk")
        )
        kind = node["kind"].replace("_", " ")
        yield f"{indent}{kind} {plain(node['title'])} ({contents})".replace("  (", " (")
        yield f"{indent}  {plain(_short(node['text']))}"
    if source_tree["truncated"]:
        yield f"There are more than {_LIMIT} summaries. Show fewer levels with --depth."
    if not source_tree.get("current", True):
        yield "A source has a newer summary than the knowledge base; the next sync makes that again."


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} …"
