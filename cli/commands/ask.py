"""The command `ask`.

Belongs here: its options, the call of the kernel, and an answer that grows on a terminal. Not here: answers
(`headwater.answering`). Guarantee: as for every command (`cli.main`); Ctrl-C cancels the answer.
"""

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

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

if TYPE_CHECKING:
    from headwater.answering.answer_task import AnswerTask
    from headwater.domain.answers import Answer, StoredAnswer


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
    options["chosen"] = {"top_k": top_k, "answer_model": model, "temperature": temperature}

    if as_json or not sys.stdout.isatty():
        answer = ask_question(knowledge_base, question, **options)
        emit(answer, as_json=as_json, text=result_texts.answer_text(answer))
        return
    answer = ask_question(knowledge_base, question, **options, show=show_piece)
    click.echo(result_texts.below_answer_text(answer))


def ask_question(
    knowledge_base: str,
    question: str,
    *,
    conversation: UUID | None = None,
    parent: UUID | str | None = "last",
    chosen: Mapping[str, Any] | None = None,
    show: Callable[[str], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Ask, as `POST …/answers` does; Ctrl-C cancels the answer.

    Args:
        knowledge_base: the slug of the knowledge base.
        question: the question.
        conversation: the conversation that it is the next turn of; by default none.
        parent: the turn that it follows, as for `in_conversation`.
        chosen: settings that count for this question, as for `with_settings`.
        show: gets each piece of the answer's text as it comes; by default nobody does.
        options: those of `AnswerRequest`.
    """
    from cli.environment import environment
    from headwater.answering.answer_request import AnswerRequest, with_settings
    from headwater.answering.answer_tasks import AnswerTasks
    from headwater.answering.conversation_questions import in_conversation
    from query_api.routes.answer_payloads import AnswerPayload

    with environment() as env:
        owner = with_settings(env.store.knowledge_bases.get(knowledge_base), **(chosen or {}))
        plain_request = AnswerRequest(knowledge_base=owner, question=question, **options)
        request = in_conversation(env.store, plain_request, conversation, parent)
        run = AnswerTasks(env.store, env.settings).start(request, is_followed=show is not None)
        try:
            answer = _show_growth(run, show) if show else run.result()
        except KeyboardInterrupt:
            run.cancel()
            raise
        return (
            AnswerPayload.of(answer)
            .with_originals(env.store.originals)
            .with_related(env.store, env.settings)
            .model_dump(mode="json")
        )


def _show_growth(run: "AnswerTask", show: Callable[[str], None]) -> "Answer | StoredAnswer":
    """Show an answer while it grows; one that replaces the text so far is shown below it."""
    from headwater.answering.events import Delta

    text_so_far = ""
    for numbered in run.events():
        if numbered is not None and isinstance(numbered[1], Delta):
            show(numbered[1].text)
            text_so_far += numbered[1].text
    answer = run.result()
    if answer.answer.startswith(text_so_far):
        show(answer.answer[len(text_so_far) :])
    else:
        show(f"\n\nNo passage supports the text above, so this is the answer: {answer.answer}")
    return answer
