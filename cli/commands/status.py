"""The command `status`.

Belongs here: every knowledge base with its sources. Not here: problems and their solutions (`doctor`). Guarantee: as
for every command (`cli.main`).
"""

from typing import Any

import click

from cli.output import emit, json_option, reports_errors
from cli.status_texts import status_text


@click.command()
@click.argument("knowledge_base", required=False)
@click.option("--settings", "with_all", is_flag=True, help="Show every setting and category of the knowledge base.")
@json_option
@reports_errors
def status(knowledge_base: str | None, with_all: bool, as_json: bool) -> None:
    """List knowledge bases and their sources with their state; or one, with its settings and categories."""
    if with_all and knowledge_base is None:
        raise click.UsageError("--settings shows those of one knowledge base. Name it: headwater status KB --settings")
    payload = status_of_everything(knowledge_base)
    emit(payload, as_json=as_json, text=status_text(payload, with_all=with_all))


def status_of_everything(slug: str | None = None) -> dict[str, Any]:
    """List every knowledge base with its sources; or one of them, with everything that the API shows of it.

    `open_syncs` are the syncs that wait or run, by the keys of their sources.
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
        open_parts = {
            source_id: open_part
            for owner in knowledge_bases
            for source_id, open_part in env.store.overviews.open_parts(owner.slug).items()
        }
        url = dagster_url(env.settings)
    sources_by_slug = {
        owner.slug: [SourcePayload.of(source, url) for source in sources if source.knowledge_base == owner.slug]
        for owner in knowledge_bases
    }
    return {
        "knowledge_bases": [
            {**payload, "sources": [source.model_dump(mode="json") for source in sources_by_slug[payload["slug"]]]}
            for payload in payloads
        ],
        "open_syncs": {
            source.key: {"id": open_parts[source.id].sync_id, "state": open_parts[source.id].state}
            for source in sources
            if source.id in open_parts
        },
    }
