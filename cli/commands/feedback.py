"""The commands `feedback …`.

Belongs here: their arguments, and their results as text. Not here: making a golden question of an answer that was
voted down (`golden`). Guarantee: as for every command (`main`); text of readers cannot control the terminal.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import click

from cli.commands.conversations import write_text
from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize

_VOTES = click.Choice(["up", "down"])
_TEXT = 100  # characters of a question in a list
Vote = Literal["up", "down"]


@click.group()
def feedback() -> None:
    """Say what readers think of answers, and see it."""


@feedback.command()
@click.argument("answer_id", type=click.UUID)
@click.argument("vote", type=_VOTES)
@click.option("--comment", default="", help="Why.")
@json_option
@reports_errors
def give(answer_id: UUID, vote: Vote, comment: str, as_json: bool) -> None:
    """Vote an answer up or down; it replaces the vote before."""
    from cli.environment import environment
    from headwater.domain.conversations import COMMENT_LIMIT
    from headwater.errors import InvalidInputError

    if len(comment.strip()) > COMMENT_LIMIT:
        raise InvalidInputError(f"A comment has at most {COMMENT_LIMIT:,} characters; this one has {len(comment):,}.")
    with environment() as env:
        payload = _payload(env.store.feedback.put(answer_id, vote, comment.strip()))
    emit(payload, as_json=as_json, text=_line(payload))


@feedback.command()
@click.argument("answer_id", type=click.UUID)
@json_option
@reports_errors
def withdraw(answer_id: UUID, as_json: bool) -> None:
    """Take the feedback on an answer back."""
    from cli.environment import environment

    with environment() as env:
        removed = _payload(env.store.feedback.remove(answer_id))
    emit(removed, as_json=as_json, text=f"Withdrawn: {_line(removed)}")


@feedback.command("list")
@click.argument("knowledge_base")
@click.option("--vote", type=_VOTES, help="Show only these.")
@click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", type=click.UUID, help="Show what is older than the feedback on the answer with this id.")
@json_option
@reports_errors
def list_feedback(knowledge_base: str, vote: Vote | None, limit: int, after: UUID | None, as_json: bool) -> None:
    """List the feedback on answers of a knowledge base, newest first."""
    from cli.environment import environment
    from query_api.routes.feedback_payloads import FeedbackPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        votes = env.store.feedback.all(owner, vote=vote, before=after, limit=limit + 1)
    page = FeedbackPage.of(votes, limit).model_dump(mode="json")
    emit(page, as_json=as_json, text=feedback_text(page, knowledge_base))


@feedback.command()
@click.argument("knowledge_base", required=False)
@click.option("--days", default=30, show_default=True, type=WholeNumber(1, 366), help="How many days, today included.")
@json_option
@reports_errors
def statistics(knowledge_base: str | None, days: int, as_json: bool) -> None:
    """Count the votes by day (UTC) and by knowledge base."""
    from cli.environment import environment
    from query_api.routes.feedback_payloads import FeedbackStatistics

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base) if knowledge_base else None
        payload = FeedbackStatistics.of(env.store.feedback.counts(owner, days)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=statistics_text(payload, days))


@feedback.command("export")
@click.argument("knowledge_base")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@reports_errors
def export_feedback(knowledge_base: str, file: Path, as_json: bool) -> None:
    """Write all feedback on answers of a knowledge base to FILE as JSONL, or to stdout with -."""
    from cli.environment import environment
    from query_api.routes.feedback_payloads import FeedbackPayload

    if str(file) == "-" and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        votes = env.store.feedback.every(env.store.knowledge_bases.get(knowledge_base))
        lines = [FeedbackPayload.of(vote).model_dump_json() + "\n" for vote in votes]
    write_text(file, "".join(lines))
    if str(file) != "-":
        message = f"Wrote the feedback on {pluralize(len(lines), 'answer')} to {file}."
        emit({"file": str(file), "answer_count": len(lines)}, as_json=as_json, text=message)


def feedback_text(page: Mapping[str, Any], knowledge_base: str) -> str:
    """A line for each vote, and how to promote answers that were voted down."""
    lines = [_line(vote) for vote in page["feedback"]]
    if any(vote["vote"] == "down" and vote["golden_question_id"] is None for vote in page["feedback"]):
        lines.append("Make a golden question of an answer that was voted down: headwater golden promote ANSWER_ID")
    if page["next"]:
        lines.append(f"Older: headwater feedback list {knowledge_base} --after {page['next']}")
    return "\n".join(lines) or f"{knowledge_base} has no feedback here. `headwater feedback give` gives some."


def statistics_text(found: Mapping[str, Any], days: int) -> str:
    """The votes in sum, by knowledge base and by day."""
    lines = [f"In the last {pluralize(days, 'day')}: {_votes(found)}"]
    lines += [f"  {base['knowledge_base']}: {_votes(base)}" for base in found["knowledge_bases"]]
    return "\n".join([*lines, *(f"{day['day']}  {_votes(day)}" for day in found["days"])])


def _votes(counts: Mapping[str, Any]) -> str:
    return f"{counts['up']} up, {counts['down']} down"


def _line(vote_row: Mapping[str, Any]) -> str:
    question = plain(" ".join(vote_row["question"].split()))[:_TEXT] or "question not stored"
    comment = f": {plain(vote_row['comment'])}" if vote_row["comment"] else ""
    promoted = "" if vote_row["golden_question_id"] is None else f" (golden question {vote_row['golden_question_id']})"
    return f"{vote_row['answer_id']}  {vote_row['created_at'][:19]}  {vote_row['vote']}  {question}{comment}{promoted}"


def _payload(vote: Any) -> dict[str, Any]:
    from query_api.routes.feedback_payloads import FeedbackPayload

    return FeedbackPayload.of(vote).model_dump(mode="json")
