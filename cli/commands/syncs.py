"""The command `syncs`: the list of syncs.

Belongs here: its arguments, and the list as text. Not here: the list (`headwater.store.work.sync_history`). Guarantee:
as for every command (`main`); text of sources cannot steer the terminal.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize
from headwater.domain.sync_progress import format_time_left


@click.command()
@click.argument("knowledge_base")
@click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", type=WholeNumber(1), help="Show those older than the sync with this id.")
@json_option
@reports_errors
def syncs(knowledge_base: str, limit: int, after: int | None, as_json: bool) -> None:
    """List the syncs of a knowledge base, newest first."""
    from cli.environment import environment
    from query_api.routes.sync_payloads import SyncPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        stored_syncs = env.store.sync_history.all(owner, before=after, limit=limit + 1)
        builds = env.store.index_builds.of(owner)
    page = SyncPage.of(stored_syncs, limit, builds).model_dump(mode="json")
    lines = [f"Being built: {build.text}" for build in builds]
    emit(page, as_json=as_json, text="\n".join([*lines, syncs_text(page, knowledge_base)]))


def syncs_text(page: Mapping[str, Any], knowledge_base: str) -> str:
    """A line for each sync, with its errors below it."""
    lines = [line for sync in page["syncs"] for line in _lines(sync)]
    if page["next"]:
        lines.append(f"Older ones: headwater syncs {knowledge_base} --after {page['next']}")
    return "\n".join(lines) or (
        f"{knowledge_base} has never been synced. `headwater sync {knowledge_base}` reads its sources; if it has "
        "none, that says how to add one."
    )


def _lines(sync: Mapping[str, Any]) -> Iterator[str]:
    requester = sync["requested_by"].replace("_", " ")
    full = ", full" if sync["full"] else ""
    yield (
        f"{sync['id']}  {sync['requested_at'][:19]}  {sync['state']}{_took(sync)}, asked by {requester}{full}:"
        f" {_sources(sync)}; documents +{sync['added']} ~{sync['changed']} -{sync['removed']}{_read(sync)}{_cost(sync)}"
    )
    if sync["error"]:
        yield f"    {plain(sync['error'])}"
    if sync["documents_failed"]:
        yield f"    {sync['documents_failed']} of its documents have errors."


def _took(sync: Mapping[str, Any]) -> str:
    if not sync["started_at"]:
        return ""
    began = datetime.fromisoformat(sync["started_at"])
    if sync["finished_at"]:
        return f" after {(datetime.fromisoformat(sync['finished_at']) - began).total_seconds():.1f} s"
    return f" for {max(0.0, (datetime.now(UTC) - began).total_seconds()):.0f} s" if sync["state"] == "syncing" else ""


def _read(sync: Mapping[str, Any]) -> str:
    """How many documents a running sync has read, of how many, and what is left."""
    if sync["state"] != "syncing":
        return ""
    of = f" of {sync['documents_total']:,}" if sync["documents_total"] else ""
    backlog = f", {pluralize(sync['texts_left'], 'text')} left to embed" if sync["texts_left"] else ""
    time_left = format_time_left(sync["seconds_left"])
    stage = f", {sync['stage']}{time_left and ': '}{time_left}" if sync["stage"] else ""  # none in the first second
    return f", {sync['documents_done']:,}{of} read{backlog}{stage}"


def _sources(sync: Mapping[str, Any]) -> str:
    more_count = sync["total"] - len(sync["sources"])
    names = ", ".join(sync["sources"]) + (f" and {pluralize(more_count, 'more source')}" if more_count else "")
    return f"{names} ({sync['failed']} of {sync['total']} failed)" if sync["failed"] else names or "no source any more"


def _cost(sync: Mapping[str, Any]) -> str:
    tokens = f", {pluralize(sync['tokens'], 'token')}" if sync["tokens"] else ""
    cost = f", {sync['cost_usd']:.4f} USD" if sync["cost_usd"] else ""
    return f", {pluralize(sync['embedded'], 'text')} embedded{tokens}{cost}"
