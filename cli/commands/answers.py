"""The command `answers`: the list of stored answers.

Belongs here: its arguments, and the list as text. Not here: the list (`headwater.store.work.answers`). Guarantee: as
for every command (`main`); text of questions cannot control the terminal.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain


@click.command()
@click.argument("knowledge_base")
@click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", type=click.UUID, help="Show those older than the answer with this id.")
@json_option
@reports_errors
def answers(knowledge_base: str, limit: int, after: UUID | None, as_json: bool) -> None:
    """List the stored answers of a knowledge base, newest first."""
    from cli.environment import environment
    from query_api.routes.answer_lists import AnswerPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        stored_answers = env.store.answers.all(owner, before=after, limit=limit + 1)
    page = AnswerPage.of(stored_answers, limit).model_dump(mode="json")
    emit(page, as_json=as_json, text=answers_text(page, knowledge_base))


def answers_text(page: Mapping[str, Any], knowledge_base: str) -> str:
    """A line for each answer."""
    lines = [_line(answer) for answer in page["answers"]]
    if page["next"]:
        lines.append(f"Older ones: headwater answers {knowledge_base} --after {page['next']}")
    return (
        "\n".join(lines)
        or f"{knowledge_base} has no answers here. `headwater ask {knowledge_base} QUESTION` makes one."
    )


def _line(answer: Mapping[str, Any]) -> str:
    states = [] if answer["state"] == "done" else [answer["state"]]
    states += [f"refused: {answer['reason']}"] if answer["refused"] else []
    states += ["stale"] if answer["stale"] else []
    states += [f"as of {answer['as_of']}"] if answer["as_of"] else []
    state_text = f" ({', '.join(states)})" if states else ""
    return f"{answer['id']}  {answer['created_at'][:19]}  {plain(answer['title']) or 'question not stored'}{state_text}"
