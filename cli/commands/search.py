"""The command `search`.

Belongs here: its options, and the call of the kernel in the shape of the HTTP API. Not here: search itself
(`headwater.retrieval`). Guarantee: as for every command (`cli.main`).
"""

from typing import Any

import click

from cli import result_texts
from cli.output import WholeNumber, as_of_option, emit, filter_options, json_option, reports_errors


@click.command()
@click.argument("knowledge_base")
@click.argument("query")
@click.option("--top-k", type=WholeNumber(1, 100), help="How many documents or passages to show; see --group-by.")
@click.option(
    "--group-by",
    type=click.Choice(["document", "passage"]),
    help="Count documents, each with its best passages, or single passages. Default: as set in the knowledge base.",
)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "vector"]),
    default="hybrid",
    help="Search by words and by vector (hybrid), or only by one of them.",
)
@click.option("--depth", "traversal_depth", type=WholeNumber(0, 3), help="How many links to follow from the hits.")
@click.option("--follow-links/--no-follow-links", default=None, help="Whether to follow links, calls and imports.")
@click.option("--neighbours", "with_neighbours", is_flag=True, help="Merge hits with the chunks next to them.")
@click.option("--context", "with_context", is_flag=True, help="Show the text that a language model would get.")
@click.option("--explain", is_flag=True, help="Show every score, and which passages were dropped and why.")
@filter_options
@as_of_option
@json_option
@reports_errors
def search(knowledge_base: str, query: str, as_json: bool, **options: Any) -> None:
    """Find passages."""
    if options["with_context"] and options["with_neighbours"]:
        raise click.UsageError("--context already merges neighbours. Give --context or --neighbours, not both.")
    payload = search_passages(knowledge_base, query, **options)
    emit(payload, as_json=as_json, text=result_texts.search_text(payload))


def search_passages(
    knowledge_base: str,
    query: str,
    *,
    with_context: bool,
    explain: bool,
    **options: Any,
) -> dict[str, Any]:
    """Search, as `POST …/search` does; `options` are `SearchOptions`."""
    from cli.environment import environment
    from headwater.retrieval.context_builder import gather
    from headwater.retrieval.finder import SearchOptions
    from headwater.retrieval.search import search
    from query_api.routes.search_payloads import SearchPayload

    if with_context and not options.get("group_by"):
        options["group_by"] = "passage"  # a context consists of passages
    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        result = search(env.store, env.settings, owner, query, SearchOptions(**options))
        gathered = gather(env.store, owner, result) if with_context else None
    return SearchPayload.of(query, result, gathered=gathered, explain=explain).model_dump(mode="json")
