"""The command `status`.

Belongs here: every knowledge base with its sources. Not here: problems and their solutions (`doctor`). Guarantee: as
for every command (`cli.main`).
"""

from typing import Any

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("knowledge_base", required=False)
@json_option
@reports_errors
def status(knowledge_base: str | None, as_json: bool) -> None:
    """List knowledge bases and their sources with their state; or one, with its settings and categories."""
    payload = status_of_everything(knowledge_base)
    emit(payload, as_json=as_json, text=result_texts.status_text(payload))


def status_of_everything(slug: str | None = None) -> dict[str, Any]:
    """List every knowledge base with its sources; or one of them, with everything that the API shows of it.

    A source's `open_sync` is the id and the state of a sync that waits or runs, None if there is none.
    """
    from cli.environment import environment
    from cli.processes.development import dagster_url
    from query_api.routes.knowledge_base_payloads import KnowledgeBasePayload
    from query_api.routes.source_payloads import SourcePayload

    with environment() as env:
        sources = env.store.sources.all(with_deleting=True)
        all_of_them = env.store.knowledge_bases.all(limit=100_000)
        knowledge_bases = all_of_them if slug is None else [env.store.knowledge_bases.get(slug)]
        payloads: list[dict[str, Any]] = [
            {"slug": owner.slug, "name": owner.name}
            if slug is None
            else KnowledgeBasePayload.of(
                owner, env.store.knowledge_bases.categories(owner), env.store.knowledge_base_summaries.text(owner)
            ).model_dump(mode="json")
            for owner in knowledge_bases
        ]
        open_syncs = {
            source_id: {"id": part.sync_id, "state": part.state}
            for owner in knowledge_bases
            for source_id, part in env.store.overviews.open_parts(owner.slug).items()
        }
        url = dagster_url(env.settings)
    sources_by_slug: dict[str, list[dict[str, Any]]] = {owner.slug: [] for owner in knowledge_bases}
    for source in sources:
        if source.knowledge_base in sources_by_slug:
            shown = SourcePayload.of(source, url).model_dump(mode="json")
            sources_by_slug[source.knowledge_base].append({**shown, "open_sync": open_syncs.get(source.id)})
    return {"knowledge_bases": [{**payload, "sources": sources_by_slug[payload["slug"]]} for payload in payloads]}
