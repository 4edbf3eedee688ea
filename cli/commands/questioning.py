"""The commands `search` and `ask`.

Belongs here: their arguments and options, and printing. Not here: calling the kernel (`asking`). Guarantee: as for
every command (`main`).
"""

import sys
from typing import Any

import click

from cli import result_texts
from cli.output import (
    WholeNumber,
    as_of_option,
    emit,
    filter_options,
    json_option,
    parent_turn,
    reports_errors,
    show_piece,
)


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
    from cli.commands.asking import search_passages

    if options["with_context"] and options["with_neighbours"]:
        raise click.UsageError("--context already merges neighbours. Give --context or --neighbours, not both.")
    found = search_passages(knowledge_base, query, **options)
    emit(found, as_json=as_json, text=result_texts.search_text(found))


@click.command()
@click.argument("knowledge_base")
@click.argument("question")
@filter_options
@as_of_option
@click.option("--top-k", type=WholeNumber(1, 50), help="How many passages the answer may use.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "vector"]),
    default="hybrid",
    show_default=True,
    help="Find passages by words and meaning, or by one of them.",
)
@click.option("--model", help="A model that the knowledge base's settings name, or builtin/extractive.")
@click.option("--temperature", type=click.FloatRange(0, 2), help="How freely a chat model writes.")
@click.option("--fresh", "is_fresh", is_flag=True, help="Make the answer even if a stored one would do.")
@click.option("--conversation", type=click.UUID, help="Make it the next turn of this conversation.")
@click.option(
    "--parent",
    metavar="ID",
    callback=parent_turn,
    help="The turn that the question follows, or `none` to follow none. The default is the last turn.",
)
@json_option
@reports_errors
def ask(
    knowledge_base: str,
    question: str,
    top_k: int | None,
    model: str | None,
    temperature: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Answer a question with citations, or refuse. Ctrl-C cancels; the text so far is kept."""
    from cli.commands.asking import ask_question

    options["chosen"] = {"top_k": top_k, "answer_model": model, "temperature": temperature}

    if as_json or not sys.stdout.isatty():
        answer = ask_question(knowledge_base, question, **options)
        emit(answer, as_json=as_json, text=result_texts.answer_text(answer))
        return
    answer = ask_question(knowledge_base, question, **options, show=show_piece)
    click.echo(result_texts.below_answer_text(answer))
