"""The command `usage`: what answers, summaries and questions cost.

Belongs here: its arguments, and the days as text. Not here: the sums (`headwater.administration.usage_report`).
Guarantee: as for every command (`main`).
"""

from collections.abc import Mapping
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize


@click.command()
@click.argument("knowledge_base")
@click.option("--days", default=30, show_default=True, type=WholeNumber(1, 366), help="How many days, today included.")
@json_option
@reports_errors
def usage(knowledge_base: str, days: int, as_json: bool) -> None:
    """Show what answers, summaries and questions cost: tokens and US dollars by day (UTC) and model, newest first."""
    from cli.environment import environment
    from headwater.administration.usage_report import usage_by_day
    from query_api.routes.answer_payloads import UsagePayload

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        spent = UsagePayload.of(owner.slug, usage_by_day(env.store, owner, days)).model_dump(mode="json")
    emit(spent, as_json=as_json, text=usage_text(spent, days))


def usage_text(spent: Mapping[str, Any], days: int) -> str:
    """A line for each day, kind, source and model."""
    lines = []
    for day in spent["days"]:
        cost = "unknown cost" if day["cost"] is None else f"{day['cost']:.4f} USD"
        tokens = f"{day['prompt_tokens']:,} + {day['completion_tokens']:,} tokens"
        lines.append(f"{day['day']}  {plain(day['model'])}: {_count_made(day)}, {tokens}, {cost}")
    return "\n".join(lines) or (
        f"No answer, summary or question of {spent['knowledge_base']} was made in the last {pluralize(days, 'day')}."
    )


def _count_made(day: Mapping[str, Any]) -> str:
    if day["kind"] == "answers":
        return pluralize(day["answers"], "answer")
    if day["kind"] == "questions":
        count = f"questions about {pluralize(day['questions'], 'text')}"
    else:
        count = "1 summary" if day["summaries"] == 1 else f"{day['summaries']:,} summaries"
    return f"{count} of {day['source']}" if day["source"] else count
