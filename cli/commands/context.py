"""The command `context`: a question with passages, for any chat model.

Belongs here: its arguments, and the result as text. Not here: finding passages
(`headwater.answering.question_context`). Guarantee: as for every command (`main`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from cli.output import WholeNumber, as_of_option, emit, filter_options, json_option, reports_errors
from cli.result_texts import plain


@click.command()
@click.argument("knowledge_base")
@click.argument("question")
@click.option("--max-tokens", type=WholeNumber(1), help="The most tokens of the message and the system message.")
@click.option("--top-k", type=WholeNumber(1, 50), help="How many documents or passages to look for.")
@click.option("--contexts", "with_contexts", is_flag=True, help="With --json, add the passages on their own.")
@filter_options
@as_of_option
@json_option
@reports_errors
def context(
    knowledge_base: str,
    question: str,
    max_tokens: int | None,
    top_k: int | None,
    with_contexts: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Put passages before a question, for a chat model that you run yourself."""
    from cli.environment import environment
    from headwater.answering.answer_request import AnswerRequest
    from headwater.answering.question_context import provide
    from query_api.openai.contexts import context_payload

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        settings = owner.settings.model_copy(update={"top_k": top_k} if top_k else {})
        request = AnswerRequest(knowledge_base=replace(owner, settings=settings), question=question, **options)
        provided = provide(env.store, env.settings, request, max_tokens=max_tokens)
        payload = context_payload(owner, provided, with_contexts=with_contexts).model_dump(mode="json")
    emit(payload, as_json=as_json, text=context_text(payload))


def context_text(found: Mapping[str, Any]) -> str:
    """Both messages, and their tokens."""
    messages = (found["system_message"], found["message"])
    lines = [f"{message['role']}:\n\n{message['content']}\n" for message in messages]
    count = f"About {found['token_count']} tokens. Intent: {found['intent']}."
    return "\n".join("\n".join(map(plain, text.split("\n"))) for text in [*lines, count, *found["notes"]])
