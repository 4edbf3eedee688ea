"""The command `sync`.

Belongs here: its options, and the estimate of a sync as text. Not here: the sync itself (`cli.sync_run`). Guarantee: as
for every command (`cli.main`); exit status 1 if a source is not ready.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from cli import result_texts
from cli.output import emit, json_option, note, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize


@click.command()
@click.argument("knowledge_base")
@click.argument("sources", nargs=-1)
@click.option("--full", is_flag=True, help="Read every document again, also those that seem unchanged.")
@click.option("--confirm-deletions", is_flag=True, help="Remove the documents that the last sync held back.")
@click.option("--estimate", is_flag=True, help="Only show what summaries and questions would cost at most now.")
@json_option
@reports_errors
def sync(
    knowledge_base: str, sources: tuple[str, ...], full: bool, confirm_deletions: bool, estimate: bool, as_json: bool
) -> None:
    """Bring a knowledge base's sources up to date: all, or only those you name."""
    if estimate:
        if full:
            raise click.UsageError("--estimate reads no source. Give --estimate or --full, not both.")
        show_estimate(knowledge_base, sources, as_json=as_json)
        return
    from cli.processes.sync_client import sync as sync_sources

    result, error = sync_sources(knowledge_base, sources, is_full=full, confirms_deletions=confirm_deletions)
    emit(result, as_json=as_json, text=result_texts.sync_text(result))
    if error:
        note(f"Error: {error}")
    if error or any(source["state"] != "ready" for source in result["sources"]):
        sys.exit(1)


def show_estimate(knowledge_base: str, sources: Sequence[str], *, as_json: bool) -> None:
    """Show what the summaries and questions of a sync would cost at most now.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    from cli.environment import environment
    from headwater.syncing.estimate import estimate_all
    from query_api.routes.summary_payloads import EstimatePayload

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        selected = env.store.sources.select(knowledge_base, sources)
        payload = EstimatePayload.of(owner, estimate_all(env.store, owner, selected)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=estimate_text(payload))


def estimate_text(found: Mapping[str, Any]) -> str:
    """A line for each source, one for the knowledge base, and the sum."""
    if not found["sources"]:
        return (
            f"{found['knowledge_base']} pays for no summaries and no questions: it sets no summary_model, and no chat "
            "model as question_model."
        )
    lines = []
    for source in found["sources"]:
        cost_text = _cost_text(source) if source["synced"] else "never synced, so its cost is not known"
        lines.append(f"{source['source'] or 'above the sources'}: {cost_text}")
        if source["unsplit"]:
            lines.append(f"  Not counted: {pluralize(source['unsplit'], 'document')} that a sync has to split first.")
    models = dict.fromkeys(name for name in (found["model"], found["question_model"]) if name)
    lines.append(f"In all at most {_cost_text(found)}, by {plain(' and '.join(models))}.")
    if found["budget"] is not None:
        lines.append(f"A run stops at summary_budget, which is {found['budget']:,} tokens; the next one goes on.")
    lines.append("Documents that the sync finds new or changed are not known before it reads them.")
    return "\n".join(lines)


def _cost_text(estimate: Mapping[str, Any]) -> str:
    tokens = f"{estimate['prompt_tokens']:,} + {estimate['completion_tokens']:,} tokens"
    cost = "unknown cost" if estimate["cost"] is None else f"{estimate['cost']:.4f} USD"
    question_text = f" ({estimate['question_calls']:,} for questions)" if estimate["question_calls"] else ""
    return f"{pluralize(estimate['calls'], 'call')}{question_text}, {tokens}, {cost}"
