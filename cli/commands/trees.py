"""The command `tree`: the summary trees of a knowledge base.

Belongs here: its arguments, and trees as text. Not here: reading them (`headwater.store.content.summaries`). Guarantee:
as for every command (`main`); text of sources cannot steer the terminal.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.rendering import plain
from headwater.domain.listing import counted

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
    """Show the summaries of sources, and of what is below them."""
    from cli.environment import environment
    from query_api.routes.summary_payloads import SummaryTreePayload

    if svg is not None:
        _draw(knowledge_base, sources, depth, svg, as_json=as_json)
        return
    depth = _DEPTH if depth is None else depth
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


def _draw(knowledge_base: str, sources: tuple[str, ...], depth: int | None, file: Path, *, as_json: bool) -> None:
    from cli.environment import environment
    from headwater.administration.writing import write_file
    from query_api.tree_drawing import draw_trees, read_trees

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        trees = read_trees(env.store, env.store.sources.select(knowledge_base, sources), depth=depth)
        drawn = draw_trees(knowledge_base, trees, root=env.settings.api_url.rstrip("/"))
    if is_piped:
        click.echo(drawn, nl=False)
        return
    size = write_file(file, [drawn.encode()])
    nodes = sum(len(one.nodes) for one in trees)
    words = f"Drew {counted(nodes, 'node')} into {file}."
    emit({"file": str(file), "size": size, "nodes": nodes}, as_json=as_json, text=words)


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
