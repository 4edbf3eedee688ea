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
    found = status_of_everything(knowledge_base)
    emit(found, as_json=as_json, text=result_texts.status_text(found))


def status_of_everything(slug: str | None = None) -> dict[str, Any]:
    """List every knowledge base with its sources; or one of them, with everything that the API shows of it."""
    from cli.environment import environment
    from cli.processes.up_file import dagster_url
    from query_api.routes.knowledge_base_payloads import KnowledgeBasePayload
    from query_api.routes.source_payloads import SourcePayload

    with environment() as env:
        sources = env.store.sources.all(with_deleting=True)
        all_of_them = env.store.knowledge_bases.all(limit=100_000)
        found = all_of_them if slug is None else [env.store.knowledge_bases.get(slug)]
        shown: list[dict[str, Any]] = [
            {"slug": one.slug, "name": one.name}
            if slug is None
            else KnowledgeBasePayload.of(
                one, env.store.knowledge_bases.categories(one), env.store.knowledge_base_summaries.text(one)
            ).model_dump(mode="json")
            for one in found
        ]
        url = dagster_url(env.settings)
    own = {
        one.slug: [SourcePayload.of(source, url) for source in sources if source.knowledge_base == one.slug]
        for one in found
    }
    return {
        "knowledge_bases": [
            {**one, "sources": [source.model_dump(mode="json") for source in own[one["slug"]]]} for one in shown
        ]
    }
